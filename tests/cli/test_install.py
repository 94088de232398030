"""`memcli install` and `memcli uninstall`, as a person and a program meet them."""

import json
import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import ROOT
from tests.saving import write

SMOKE = ROOT / "tests" / "smoke"
PWSH = shutil.which("pwsh") or shutil.which("powershell")
if PWSH is None:
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn(
            "NOT TESTED: tests/smoke/install.ps1, because there is no PowerShell",
            stacklevel=1,
        )


def test_install_says_what_it_did_and_uninstall_takes_it_back(
    memcli: Run, home: Path
) -> None:
    commented = '{\n  // mine\n  "model": "opus"\n}\n'
    settings = write(home, ".claude/settings.json", commented)
    refused = memcli("install", "claude-code")
    assert refused.code != 0
    assert "has comments or trailing commas" in refused.err
    start = refused.err.index(":\n{\n") + 2
    assert "Stop" in json.loads(refused.err[start:])["hooks"]
    assert settings.read_text() == commented
    settings.write_text('{\n  "model": "opus"\n}\n')
    done = memcli("install", "claude-code")
    assert done.code == 0
    said = f"installed hooks of claude-code in {settings}"
    assert done.out.splitlines()[0] == said
    assert "  Notification: memcli hook idle" in done.out.splitlines()
    assert f"what it was: {settings}.memcli-backup" in done.out
    again = memcli("install", "claude-code")
    assert again.out == f"unchanged hooks of claude-code in {settings}\n"
    gone = memcli("uninstall", "claude-code")
    assert gone.out == f"removed hooks of claude-code from {settings}\n"
    assert settings.read_text() == '{\n  "model": "opus"\n}\n'
    none = memcli("uninstall", "claude-code")
    assert (none.code, none.out) == (0, "no change: claude-code does not call memcli\n")


def test_dry_run_prints_the_diff_and_changes_nothing(memcli: Run, home: Path) -> None:
    settings = write(home, ".gemini/settings.json", '{\n  "theme": "dark"\n}\n')
    done = memcli("install", "gemini", "--dry-run")
    first, *rest = done.out.splitlines()
    assert first == f"would install hooks of gemini in {settings}"
    lines = rest[rest.index(f"--- {settings}") : -1]
    assert rest[-1] == "Nothing changed. Run without --dry-run to apply."
    assert lines[:3] == [f"--- {settings}", f"+++ {settings}", "@@ -1,3 +1,83 @@"]
    assert '-  "theme": "dark"' in lines
    assert '+  "theme": "dark",' in lines
    assert settings.read_text() == '{\n  "theme": "dark"\n}\n'
    assert os.listdir(settings.parent) == ["settings.json"]
    data = memcli("install", "gemini", "--dry-run", "--json").json["data"]
    assert (data["items"][0]["outcome"], data["dry_run"]) == ("installed", True)
    assert data["items"][0]["diff"].splitlines() == lines
    memcli("install", "gemini")
    (item,) = memcli("install", "gemini", "--dry-run", "--json").json["data"]["items"]
    assert (item["outcome"], item["diff"]) == ("unchanged", None)
    back = memcli("uninstall", "gemini", "--dry-run").out
    assert '+  "theme": "dark"' in back.splitlines()


def test_a_named_vault_is_pinned_and_a_missing_one_is_told(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "my vault"
    done = memcli("install", "codex", "--vault", str(vault), "--json")
    assert any("there is no vault at" in said for said in done.json["warnings"])
    hooks = json.loads((home / ".codex" / "hooks.json").read_text())["hooks"]
    line = hooks["Stop"][0]["hooks"][0]["command"]
    assert line.endswith(f"hook stop --host codex --vault '{vault}'")
    bare = memcli("install", "codex", "--json", environ={"MEMCLI_VAULT": ""})
    (said,) = (w for w in bare.json["warnings"] if "vault" in w)
    assert "memcli init ~/memory" in said
    named = memcli("install", "codex", "--json")
    assert any("name another one with --vault" in w for w in named.json["warnings"])
    memcli("init", str(tmp_path / "v"))
    ready = memcli("install", "codex", "--json", environ={"MEMCLI_VAULT": ""})
    assert not any("vault" in w for w in ready.json["warnings"])


def test_an_agent_is_the_environment_s_to_name(memcli: Run, home: Path) -> None:
    done = memcli("install", "claude-code", "--agent", "ada")
    assert done.code == 2
    assert "MEMCLI_AGENT=ada" in done.err
    assert not (home / ".claude").exists()
    own = {"MEMCLI_AGENT": "ada"}
    assert memcli("install", "claude-code", environ=own).code == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="NOT TESTED: no bash")
def test_smoke_install_verifies_hooks_land_for_both_stop_and_idle_at_the_2_destinations(
    home: Path,
) -> None:
    done = subprocess.run(
        ["bash", str(SMOKE / "install.sh")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert {"ok claude-code user", "ok claude-code project"} <= {*lines}
    assert len(lines) == 13


@pytest.mark.skipif(PWSH is None, reason="NOT TESTED: there is no PowerShell")
def test_smoke_install_ps1_verifies_hooks_land(home: Path) -> None:
    assert PWSH is not None
    done = subprocess.run(
        [PWSH, "-NoProfile", "-File", str(SMOKE / "install.ps1")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 13


def test_the_workflow_runs_both_smoke_scripts_on_three_systems() -> None:
    text = (ROOT / ".github" / "workflows" / "hosts.yml").read_text(encoding="utf-8")
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in text
    for name in ("install.sh", "install.ps1"):
        assert f"run: tests/smoke/{name}\n" in text
        assert (SMOKE / name).is_file()
