"""`memcli evolve`: words in, envelope and text out."""

import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.errors import MemcliError
from tests.cli.conftest import Run


@pytest.fixture
def old(vault: Vault) -> str:
    draft = {"text": "We deploy on Tuesdays", "tags": ["deploy"]}
    return vault.save(vault.draft(draft)).id


def test_a_dry_run_says_what_would_be_replaced_and_changes_nothing(
    memcli: Run, vault: Vault, old: str
) -> None:
    path = Path(vault.root, vault.path_of(old))
    before, index = path.read_bytes(), sorted(Path(vault.root).rglob("*.md"))
    words = ["evolve", old, "We deploy on Mondays", "--tag", "ci", "--dry-run"]
    done = memcli(*words, "--json").json["data"]
    assert (done["id"], done["dry_run"], done["supersedes"]) == (None, True, old)
    shown = memcli(*words).out
    assert shown.startswith(f"would evolve {vault.path_of(old)}\n")
    assert "Run without --dry-run to apply" in shown
    assert path.read_bytes() == before
    assert sorted(Path(vault.root).rglob("*.md")) == index
    refused = memcli("evolve", old, "We deploy on Tuesdays", "--dry-run", "--json")
    assert refused.json["error"]["code"] == "nothing_to_change"
    new = vault.evolve(old, "We deploy on Mondays", reason="x").id
    back = memcli("undo", new, "--dry-run", "--json").json["data"]
    assert back["title"] == "We deploy on Tuesdays"
    assert vault.get(new).body.strip() == "We deploy on Mondays"


def test_it_says_what_it_replaced_and_what_it_did_not(
    memcli: Run, vault: Vault, old: str
) -> None:
    texts = ("We deploy the shop at nine on Tuesdays", "We deploy on demand")
    near, far = (vault.save(text).id for text in texts)
    done = memcli("evolve", old, "We deploy the shop at nine on Mondays")
    lines = done.out.splitlines()
    assert lines[0].startswith("evolved ")
    assert lines[1].strip().startswith(f"replaces {old}, now at archive/")
    assert f"{near} (" in done.out
    new = lines[0].split()[1]
    assert f"{far} (" in done.out
    assert f"memcli evolve {new} --also {near}\n" in done.out
    merged = memcli("evolve", new, "--also", near, "--json").json["data"]
    assert [item["id"] for item in merged["replaced"]] == [new, near]


def test_the_editor_opens_with_the_file(
    memcli: Run, vault: Vault, old: str, tmp_path: Path
) -> None:
    editor = tmp_path / "my editor.py"
    editor.write_text(
        "import sys\npath = sys.argv[-1]\ntext = open(path).read()\n"
        "open(path, 'w').write(text.replace('Tuesdays', 'Mondays'))\n"
    )
    environ = {"EDITOR": f"{sys.executable} '{editor}'"}
    assert memcli("edit", old, environ=environ).code == 0
    assert vault.get(old).body == "We deploy on Mondays\n"


def test_what_was_written_in_an_editor_is_not_lost_when_it_is_refused(
    memcli: Run, old: str, tmp_path: Path
) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys\nopen(sys.argv[1], 'w').write('a long text')\nsys.exit(3)\n"
    )
    environ = {"EDITOR": f"{sys.executable} {editor}", "TMPDIR": str(tmp_path)}
    done = memcli("edit", old, "--json", environ=environ)
    error = done.json["error"]
    assert (done.code, error["code"]) == (1, "editor_failed")
    path = error["hint"].split()[-1]
    assert Path(path).read_text() == "a long text"
    # So it is when what follows the editor refuses it.
    secret = "key AKIA" + "ABCDEFGHIJKLMNOP"
    editor.write_text(f"import sys\nopen(sys.argv[1], 'a').write('{secret}')\n")
    error = memcli("edit", old, "--json", environ=environ).json["error"]
    assert error["code"] == "secret_found"
    assert Path(error["hint"].split()[-1]).read_text().endswith(secret)
    left = set(tmp_path.glob("memcli-*"))
    editor.write_text("")
    done = memcli("edit", old, "--json", environ=environ)
    assert done.json["error"]["code"] == "not_saved"
    editor.write_text("import os, sys\nos.utime(sys.argv[1])\n")
    assert memcli("edit", old, environ=environ).out.startswith("unchanged: ")
    assert set(tmp_path.glob("memcli-*")) == left
    missing = memcli("edit", old, environ={"EDITOR": "no-such-editor"})
    assert "cannot be started" in missing.err


def test_an_editor_that_ctrl_c_ends_keeps_what_it_saved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from memcli.cli.evolve import edited

    def call(words: list[str], env: dict[str, str]) -> int:
        Path(words[-1]).write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.call", call)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(MemcliError) as refusal, edited("text", {"EDITOR": "slow"}):
        pass
    (kept,) = tmp_path.glob("memcli-*")
    assert kept.read_text(encoding="utf-8") == "half"
    assert refusal.value.hint == f"What it saved is in {kept}"
