"""`memcli skills`: shows pages as they are, installs them, says where they stand."""

import os
from pathlib import Path

import pytest

from memcli.hosts import skills
from tests.cli.conftest import Outcome, Run
from tests.docs.test_skills import PAGES


def outcomes(done: Outcome) -> dict[str, str]:
    return {item["name"]: item["outcome"] for item in done.json["data"]["items"]}


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["recap"], "recap"),
        (["core"], "core/generic"),
        (["memcli", "--host", "claude-code"], "core/claude-code"),
        (["core", "--host", "gemini"], "core/gemini-cli"),
        (["core", "--host", "copilot-cli"], "core/copilot-cli"),
        (["reflect", "--host", "chatgpt"], "reflect"),
    ],
)
def test_show_prints_the_page_byte_for_byte(
    memcli: Run, words: list[str], path: str
) -> None:
    page = PAGES[path]
    assert memcli("skills", "show", *words).out == page
    assert memcli("skills", "show", *words, "--json").json["data"]["text"] == page


def test_it_needs_no_vault(memcli: Run, home: Path) -> None:
    nowhere = {"MEMCLI_VAULT": str(home / "nowhere")}
    for words in (["list"], ["show", "recap"], ["install", "--all", "--dir", "x"]):
        assert memcli("skills", *words, environ=nowhere).code == 0


def test_install_and_list_for_the_user(memcli: Run, home: Path) -> None:
    every = {"actionables", "blockers", "core", "decisions", "prep", "recall"}
    every |= {"recap", "reflect", "remember"}
    plan = memcli(
        *("skills", "install", "--all", "--host", "claude-code"), "--dry-run", "--json"
    )
    assert outcomes(plan) == dict.fromkeys(every, "installed")
    assert not (home / ".claude").exists()
    done = memcli("skills", "install", "--all", "--host", "claude-code", "--json")
    assert outcomes(done) == outcomes(plan)
    assert done.json["data"]["folder"] == str(home / ".claude" / "skills")
    core = (home / ".claude" / "skills" / "memcli" / "SKILL.md").read_bytes()
    assert core == PAGES["core/claude-code"].encode()
    again = memcli("skills", "install", "--all", "--host", "claude-code", "--json")
    assert set(outcomes(again).values()) == {"unchanged"}
    listed = memcli("skills", "--json").json["data"]
    assert listed["count"] == len(every)
    for row in listed["skills"]:
        (copy,) = row["installed"]
        assert (copy["state"], copy["scope"]) == ("current", "user")
        assert copy["hosts"] == ["claude-code"]
        assert copy["version"] == row["version"]
    text = memcli("skills", "list", "recap").out
    assert text.splitlines()[-1].startswith("  current: ")


def test_a_project_gets_its_own(memcli: Run, home: Path, tmp_path: Path) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    (tmp_path / "app" / "src").mkdir()
    done = memcli(
        *("skills", "install", "core", "recap", "--host", "codex"),
        *("--scope", "project", "--json"),
        cwd=tmp_path / "app" / "src",
    )
    folder = tmp_path / "app" / ".agents" / "skills"
    assert done.json["data"]["folder"] == str(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["memcli", "recap"]
    assert not (home / ".agents").exists()
    elsewhere = memcli("skills", "list", "recap", "--json").json["data"]
    assert elsewhere["skills"][0]["installed"] == []
    assert memcli("skills", "list", "recap").out.endswith("  not installed\n")


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_of_a_repository_leads_no_page_out_of_it(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "app" / ".agents").symlink_to(tmp_path / "outside")
    words = ("skills", "install", "core", "--host", "codex", "--scope", "project")
    done = memcli(*words, "--json", cwd=tmp_path / "app")
    assert done.json["error"]["code"] == "unsafe_path"
    assert list((tmp_path / "outside").iterdir()) == []


def test_an_edited_page_is_kept_and_said_to_be(memcli: Run, home: Path) -> None:
    words = ("skills", "install", "recap", "recall", "--host", "codex")
    assert memcli(*words).code == 0
    page = home / ".agents" / "skills" / "recap" / "SKILL.md"
    page.write_text(page.read_text("utf-8").replace("neutral", "friendly"), "utf-8")
    edited = page.read_bytes()
    done = memcli(*words, "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert outcomes(done) == {"recap": "kept", "recall": "unchanged"}
    assert "--force" in memcli(*words).out
    listed = memcli("skills", "list", "recap", "--host", "codex", "--json")
    assert listed.json["data"]["skills"][0]["installed"][0]["state"] == "edited"
    assert page.read_bytes() == edited
    assert outcomes(memcli(*words, "--force", "--json"))["recap"] == "updated"
    assert page.read_bytes() == PAGES["recap"].encode()


def test_hosts_that_share_a_folder_do_not_take_turns(memcli: Run, home: Path) -> None:
    page = home / ".agents" / "skills" / "memcli" / "SKILL.md"
    for host in ("codex", "gemini", "copilot", "opencode", "codex"):
        assert memcli("skills", "install", "core", "--host", host).code == 0
    assert page.read_bytes() == PAGES["core/generic"].encode()
    listed = memcli("skills", "list", "core", "--json").json["data"]["skills"][0]
    (copy,) = listed["installed"]
    assert copy["hosts"] == ["codex", "gemini", "copilot", "opencode"]
    assert (copy["state"], copy["variant"]) == ("current", "generic")


def test_a_skill_that_a_host_would_load_twice_is_named(memcli: Run, home: Path) -> None:
    memcli("skills", "install", "recap", "--host", "claude-code")
    for host, twice in (("opencode", 1), ("codex", 0), ("copilot", 0)):
        done = memcli("skills", "install", "recap", "--host", host, "--json")
        assert len(done.json["warnings"]) == twice, host
    memcli("skills", "install", "recap", "--host", "claude-code", "--scope", "project")
    done = memcli(
        *("skills", "install", "recap", "--host", "copilot", "--scope", "project"),
        "--json",
    )
    (warning,) = done.json["warnings"]
    assert ".claude" in warning


def test_a_skill_that_one_host_has_is_removed_without_its_name(
    memcli: Run, home: Path
) -> None:
    none = memcli("skills", "uninstall", "core")
    assert (none.code, "no folder of a host has" in none.err) == (2, True)
    memcli("skills", "install", "core", "--host", "claude-code")
    page = home / ".claude" / "skills" / "memcli" / "SKILL.md"
    assert page.exists()
    assert memcli("skills", "uninstall", "core").code == 0
    assert not page.exists()
    for host in ("claude-code", "codex"):
        memcli("skills", "install", "core", "--host", host)
    several = memcli("skills", "uninstall", "core")
    assert several.code == 2
    assert "--host claude-code --scope user; or --host codex --scope user" in (
        several.err
    )
    assert page.exists()


def test_a_host_without_a_folder_takes_one(memcli: Run, tmp_path: Path) -> None:
    done = memcli("skills", "install", "core", "--host", "windsurf", "--dir", "w")
    assert done.code == 0
    page = (tmp_path / "w" / "memcli" / "SKILL.md").read_bytes()
    assert page == PAGES["core/windsurf"].encode()


def test_a_file_in_the_way_is_an_error_that_says_where(
    memcli: Run, tmp_path: Path
) -> None:
    (tmp_path / "w").write_text("a file")
    done = memcli("skills", "install", "recap", "--dir", "w", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "write_failed")
    assert str(tmp_path / "w") in done.json["error"]["message"]


def test_help_names_every_host(memcli: Run) -> None:
    text = " ".join(memcli("skills", "--help").out.split())
    assert f"For which host: {', '.join(skills.HOSTS)}" in text
