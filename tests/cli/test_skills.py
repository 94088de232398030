"""`memcli install --skills`: installs pages, and keeps what was edited."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, Run
from tests.docs.test_skills import PAGES


def outcomes(done: Outcome) -> dict[str, str]:
    items = done.json["data"]["items"]
    return {item["what"].removeprefix("skill "): item["outcome"] for item in items}


def test_it_needs_no_vault(memcli: Run, home: Path) -> None:
    nowhere = {"MEMCLI_VAULT": str(home / "nowhere")}
    assert memcli("install", "--skills", "--dir", "x", environ=nowhere).code == 0
    assert memcli("install", "--skills", environ=nowhere).code == 2


def test_install_for_the_user(memcli: Run, home: Path) -> None:
    every = {"actionables", "blockers", "core", "decisions", "prep", "recall"}
    every |= {"recap", "reflect", "remember"}
    plan = memcli(*("install", "claude-code", "--skills"), "--dry-run", "--json")
    assert outcomes(plan) == dict.fromkeys(every, "installed")
    assert not (home / ".claude").exists()
    said = memcli("install", "claude-code", "--skills", "--dry-run").out
    assert said.endswith("Nothing changed. Run without --dry-run to apply.\n")
    done = memcli("install", "claude-code", "--skills", "--json")
    assert outcomes(done) == outcomes(plan)
    page = home / ".claude" / "skills" / "memcli" / "SKILL.md"
    assert page.read_bytes() == PAGES["core/claude-code"].encode()
    time = page.stat().st_mtime_ns
    again = memcli("install", "claude-code", "--skills", "--json")
    assert set(outcomes(again).values()) == {"unchanged"}
    assert page.stat().st_mtime_ns == time


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_of_a_repository_leads_no_page_out_of_it(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "app" / ".agents").symlink_to(tmp_path / "outside")
    words = ("install", "codex", "--skills", "--scope", "project")
    done = memcli(*words, "--json", cwd=tmp_path / "app")
    assert done.json["error"]["code"] == "unsafe_path"
    assert list((tmp_path / "outside").iterdir()) == []


def test_an_edited_page_is_kept_and_said_to_be(memcli: Run, home: Path) -> None:
    words = ("install", "codex", "--skills")
    assert memcli(*words).code == 0
    page = home / ".agents" / "skills" / "recap" / "SKILL.md"
    page.write_text(page.read_text("utf-8") + "\nMine, behind the last.\n", "utf-8")
    edited = page.read_bytes()
    done = memcli(*words, "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert outcomes(done)["recap"] == "kept"
    assert [*outcomes(done).values()].count("unchanged") == 8
    assert "--force" in memcli(*words).out
    assert page.read_bytes() == edited
    assert outcomes(memcli(*words, "--force", "--json"))["recap"] == "updated"
    assert page.read_bytes() == PAGES["recap"].encode()


def test_hosts_that_share_a_folder_do_not_take_turns(memcli: Run, home: Path) -> None:
    page = home / ".agents" / "skills" / "memcli" / "SKILL.md"
    for host in ("codex", "gemini", "copilot", "opencode", "codex"):
        assert memcli("install", host, "--skills").code == 0
    assert page.read_bytes() == PAGES["core/generic"].encode()


def test_a_file_in_the_way_is_an_error_that_says_where(
    memcli: Run, tmp_path: Path
) -> None:
    (tmp_path / "w").write_text("a file")
    done = memcli("install", "--skills", "--dir", "w", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "write_failed")
    assert str(tmp_path / "w") in done.json["error"]["message"]
