"""What a session teaches and is told, by the project that it runs in."""

import os
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.sessions.hooks import pipe
from tests.conftest import VaultMaker
from tests.git_command import git
from tests.hosts.writing import write
from tests.saving import save
from tests.sessions.hooks.calling import ALWAYS, call, session, told, work

A, B = "github.com/acme/a", "github.com/acme/b"
RULE = "From now on, always use pnpm instead of npm."


@pytest.fixture
def live(make_vault: VaultMaker, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault of now; what hooks would start is not started."""
    vault = make_vault(now_ms=None)
    monkeypatch.setattr(pipe, "start", lambda *_: "started nothing")
    return vault


@pytest.fixture
def clones(tmp_path: Path) -> dict[str, str]:
    """By project a clone of it."""
    found = {}
    for name in (A, B, "github.com/acme/c"):
        folder = tmp_path / name[-1]
        git(tmp_path, "init", "-q", str(folder))
        git(folder, "remote", "add", "origin", f"https://{name}.git")
        found[name] = str(folder)
    return found


def start(vault: Vault, cwd: str | None, name: str = "new", **fields: Any) -> str:
    """What a session is told that starts in a folder."""
    payload = {"session_id": name, "source": "startup", "cwd": cwd, **fields}
    return told(call(vault, "session-start", "claude-code", payload).answer)


def prompted(vault: Vault, cwd: str | None, prompt: str, name: str = "new") -> str:
    payload = {"session_id": name, "cwd": cwd, "prompt": prompt}
    return told(call(vault, "prompt-submit", "claude-code", payload).answer)


def active(vault: Vault) -> dict[str, str | None]:
    rows = vault.recall("pnpm npm linter", limit=50).rows
    return {row.text.strip(): row.project for row in rows}


def test_a_rule_stated_in_a_is_told_in_a_and_not_in_b(
    live: Vault, clones: dict[str, str], tmp_path: Path
):
    live.mine(session(tmp_path, "one", RULE, cwd=clones[A]))
    assert list(active(live).values()) == [A]
    assert "pnpm" in start(live, clones[A])
    assert "pnpm" in start(live, os.path.join(clones[A], "src", "gone"), "deeper")
    assert start(live, clones[B], "other") == ""
    assert start(live, None, "nowhere") == ""
    question = "should I always use pnpm or npm from now on?"
    assert prompted(live, clones[B], question, "asked") == ""
    assert "pnpm" in prompted(live, clones[A], question, "asked here")


def test_words_that_say_everywhere_hold_everywhere(
    live: Vault, clones: dict[str, str], tmp_path: Path
):
    said = "In all my projects, always use pnpm instead of npm."
    live.mine(session(tmp_path, "one", said, cwd=clones[A]))
    assert list(active(live).values()) == [None]
    assert "pnpm" in start(live, clones[B])


def test_what_holds_everywhere_is_seen_again_in_a_project(
    live: Vault, clones: dict[str, str], tmp_path: Path
):
    first = live.mine(session(tmp_path, "one", RULE, cwd=str(tmp_path)))
    again = live.mine(session(tmp_path, "two", RULE, cwd=clones[A]))
    assert [fate.action for fate in again.fates] == ["seen"]
    assert again.fates[0].id == first.fates[0].id


def test_another_project_may_want_the_contrary(
    live: Vault, clones: dict[str, str], tmp_path: Path
):
    tabs = "From now on, always use tabs for indentation."
    spaces = "From now on, always use spaces for indentation."
    live.mine(session(tmp_path, "one", tabs, cwd=clones[A]))
    other = live.mine(session(tmp_path, "two", spaces, cwd=clones[B]))
    same = live.mine(session(tmp_path, "three", spaces, cwd=clones[A]))
    assert [fate.action for fate in other.fates] == ["saved"]
    assert [fate.action for fate in same.fates] == ["supersede"]
    loose = "From now on run the linter before every commit!"
    for name, words in ((A, ALWAYS), (B, loose)):
        live.mine(session(tmp_path, name[-1], words, cwd=clones[name]))
    assert active(live)[loose] == B  # and says it in its own words


def test_a_host_that_writes_no_folder_into_its_transcript_says_it_at_the_start(
    live: Vault, clones: dict[str, str], tmp_path: Path
):
    rows = [
        {
            "role": "user",
            "message": {"content": [{"type": "text", "text": f"<user_query>{RULE}"}]},
        }
    ]
    path = write(tmp_path / "chats" / "s1.jsonl", rows)
    payload = {
        "conversation_id": "s1",
        "transcript_path": path,
        "workspace_roots": [clones[B]],
    }
    call(live, "session-start", "cursor", payload)
    work(live, "--session=s1", "--host=cursor", "--close")
    assert list(active(live).values()) == [B]


def test_a_start_tells_constraints_first_and_the_users_own_last(
    live: Vault, clones: dict[str, str]
):
    save(live, "prefer short answers", project=None, kind="preference")
    save(live, "name branches after tickets", project=A, kind="convention")
    save(live, "indent with tabs here", project=A, kind="preference")
    save(live, "never touch the ledger", project=A, kind="constraint")
    save(live, "the user is in Lisbon", project=None, pinned=True)
    for text in ("other rule", "other wish", "other limit"):
        kind = {"rule": "convention", "wish": "preference", "limit": "constraint"}
        more = {"kind": kind[text.split()[1]], "pinned": text == "other wish"}
        save(live, text, project=B, **more)
    text = start(live, clones[A])
    order = ("Constraints:", "ledger", "Pinned:", "Lisbon", "This project:", "tabs")
    places = [text.index(each) for each in (*order, "In every project:", "short")]
    assert places == sorted(places)
    assert "tickets" in text
    assert "other" not in text


def test_a_claim_that_another_project_solved_still_holds_here(
    live: Vault, clones: dict[str, str]
):
    for project in (A, B):
        save(live, "run the linter first", project=project, item="invariant")
    solved = live.read(lambda r: r.row(r.exact("project", B)[0]).id)
    live.resolve(solved)
    assert "linter" in start(live, clones[A])
    assert "linter" not in start(live, clones[B], "b")
