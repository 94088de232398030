"""`memcli reflect` on sessions: flags, what it says, and whom it asks what."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands
from memcli.entries.entry import Status
from memcli.vault import session_records
from tests.cli.conftest import Run
from tests.cli.test_review import Person, Walked
from tests.hosts.writing import NOON, Claude, moment, write
from tests.saving import save
from tests.sessions.test_reflect_session import ALWAYS, SEEDED, commits, talk, texts

Snapshot = Callable[[str], dict[str, str]]
ASKED = "[y] approve [n] reject"


def reflect(vault: Vault, *lines: str, **values: Any) -> Walked:
    """What a person at a terminal sees who types these lines."""
    person = Person(vault, lines)
    result = commands.load("reflect")(person.context, **values)
    return Walked(result.data, person.said)


# --- one session ------------------------------------------------------------------


def test_the_envelope_has_every_key_of_the_use_case(
    memcli: Run, tmp_path: Path
) -> None:
    path = talk(tmp_path, SEEDED)
    done = memcli("reflect", "--session", path, "--json")
    assert (done.code, done.err, done.json["warnings"]) == (0, "", [])
    data = done.json["data"]
    assert set(data) == {
        *("session", "host", "transcript", "turns", "candidates", "counts", "cut"),
        *("broken", "commit", "dry_run"),
    }
    assert (data["session"], data["host"], data["turns"]) == ("talk", "generic", 6)
    assert data["counts"] == {"saved": 2, "review": 2, "idea": 1}
    assert (data["cut"], data["broken"]) == (0, 0)
    assert len(data["commit"]) == 40
    assert data["dry_run"] is False
    assert list(data["candidates"][0]) == [
        *("category", "confidence", "pattern", "rationale", "title", "text"),
        *("excerpt", "line", "record", "at", "occurrences"),
        *("kind", "entities", "everywhere", "item", "evolves", "resolves"),
        *("confirms", "code", "tags", "asked"),
        *("action", "id", "path", "target", "why"),
    ]
    again = memcli("reflect", "--session", path, "--json").json["data"]
    assert (again["counts"], again["commit"]) == ({"duplicate": 5}, None)


def test_a_dry_run_shows_the_plan_and_writes_nothing(
    memcli: Run, vault: Vault, tmp_path: Path, snapshot: Snapshot
) -> None:
    before = snapshot(vault.root)
    path = talk(tmp_path, SEEDED)
    done = memcli("reflect", "--session", path, "--dry-run", "--json").json["data"]
    assert (done["dry_run"], done["commit"]) == (True, None)
    said = memcli("reflect", "--session", path, "--dry-run").out
    assert said.startswith("saved\tHIGH\t")
    assert {one["id"] for one in done["candidates"]} == {None}
    assert snapshot(vault.root) == before
    assert session_records.every(vault.root) == []


# --- inside an agent's session ------------------------------------------------------


def history(home: Path, cwd: Path, name: str, *said: str) -> Path:
    """A Claude Code session in a scratch HOME, of a project in `cwd`."""
    session = Claude()
    session.user("hello")
    session.agent("ok")
    for text in said:
        session.user(text)
        session.agent("You're right, let me fix that.")
    for record in session.records:
        record.update(sessionId=name, cwd=str(cwd), timestamp=moment(name))
    folder = home / ".claude" / "projects" / str(cwd).replace("/", "-")
    return Path(write(folder / f"{name}.jsonl", session.records))


def test_inside_a_session_that_session_is_mined(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    history(home, tmp_path, "s1", "Always use tabs in makefiles")
    history(home, tmp_path, "s2", "Always use spaces in python files")
    environ = {"CLAUDE_CODE_SESSION_ID": "s1"}
    done = memcli("reflect", "--json", environ=environ).json["data"]
    assert (done["session"], done["host"]) == ("s1", "claude-code")
    assert done["candidates"][0]["title"] == "Always use tabs in makefiles"
    assert done["transcript"].startswith("~")


@pytest.mark.parametrize("host", ["CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"])
def test_a_session_without_a_transcript_yet_is_told_to_wait(
    memcli: Run, home: Path, tmp_path: Path, host: str
) -> None:
    history(home, tmp_path, "s1", ALWAYS)
    environ = {host: "s9"}
    done = memcli("reflect", "--json", environ=environ)
    assert (done.code, done.json["error"]["code"]) == (1, "unreadable")
    assert "session s9 has no transcript yet" in done.json["error"]["message"]
    assert "first answer" in done.json["error"]["hint"]


# --- people -------------------------------------------------------------------------


def test_medium_candidates_trigger_interactive_review_prompts(
    vault: Vault, tmp_path: Path
) -> None:
    save(vault, "Use pip instead of uv in scripts", kind="preference")
    older = save(vault, "something else waits", status="pending")
    rows = [*SEEDED, ("user", "use uv instead of pip in scripts")]
    rows.append(("assistant", "Done."))
    walked = reflect(vault, "y", "y", "y", session=talk(tmp_path, rows))
    asked = {
        one["pattern"]: vault.get(one["id"]).status
        for one in walked.data["candidates"]
        if one["action"] in ("review", "supersede")
    }
    assert walked.said.count(ASKED) == len(asked) == 3
    assert set(asked.values()) == {Status.ACTIVE}
    # Neither what is saved, nor an idea, nor what waited.
    assert vault.get(older).status is Status.PENDING
    assert walked.data["decided"] == {
        "approved": 3,
        "rejected": 0,
        "superseded": 0,
        "left": 2,
    }


def test_who_leaves_the_questions_finds_them_in_review(
    vault: Vault, tmp_path: Path
) -> None:
    walked = reflect(vault, session=talk(tmp_path, SEEDED))
    assert walked.said.count(ASKED) == 1
    assert walked.data["decided"]["left"] == 3
    assert commits(vault)[0] == "reflect: talk"
    again = reflect(vault, "y", session=talk(tmp_path, SEEDED))
    assert ASKED not in again.said  # asked once; the rest is for `memcli review`
    assert "decided" not in again.data


def test_memory_review_mode_silent_asks_nothing(vault: Vault, tmp_path: Path) -> None:
    config = Path(vault.root, ".memcli", "config.toml")
    config.write_text('[memory]\nreview_mode = "silent"\n', encoding="utf-8")
    walked = reflect(vault, "y", session=talk(tmp_path, SEEDED))
    assert walked.said == ""
    assert walked.data["counts"]["saved"] == 3  # what another may have said waits


class Screen:
    """A canvas of a terminal that remembers what was drawn."""

    terminal = True

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rows: list[tuple[str, ...]] = []

    def line(self, text: str = "", *, style: str = "") -> None:
        self.lines.append(text)

    def table(self, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        self.rows += [header, *rows]


def test_a_terminal_says_in_sentences_what_happened(
    vault: Vault, tmp_path: Path
) -> None:
    config = Path(vault.root, ".memcli", "config.toml")
    config.write_text("[memory]\nsession_cap = 2\n", encoding="utf-8")
    path = talk(tmp_path, SEEDED)
    for dry_run, verb in ((True, "would be "), (False, "")):
        screen = Screen()
        person = Person(vault, [])
        context = person.context._replace(stdin_is_terminal=False)
        result = commands.load("reflect")(context, session=path, dry_run=dry_run)
        result.text(screen)
        assert screen.lines[:3] == [
            "generic talk: 6 turns",
            f"  {verb}saved 2, review 2, cut 1",
            "  1 left out: a session brings at most 3 that are not explicit, "
            "and session_cap that are (.memcli/config.toml)",
        ]
        assert ("nothing was changed" in screen.lines) is dry_run
        assert screen.rows[0] == ("became", "confidence", "kind", "id", "title")
        assert len(screen.rows) == 6


# --- many ---------------------------------------------------------------------------


def machine(home: Path, cwd: Path) -> None:
    """Transcripts of three hosts, each a minute younger than the one before."""
    plain = "Always squash fixup commits before pushing"
    codex = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": plain}],
    }
    rollout = [
        {
            "timestamp": NOON,
            "type": "session_meta",
            "payload": {"id": "c1", "cwd": str(cwd), "cli_version": "0.169.0"},
        },
        {"timestamp": NOON, "type": "response_item", "payload": codex},
    ]
    chat = [
        {
            "sessionId": "g1",
            "projectHash": "h",
            "startTime": NOON,
            "lastUpdated": NOON,
            "kind": "main",
        },
        {
            "id": "a",
            "timestamp": NOON,
            "type": "user",
            "content": [{"text": "Never push to the main branch"}],
        },
    ]
    paths = [
        history(home, cwd, "s1", "Always use tabs in makefiles"),
        history(home, cwd, "s2", "Always use tabs in makefiles"),
        Path(write(home / ".codex/sessions/2026/rollout-1.jsonl", rollout)),
        Path(write(home / ".gemini/tmp/h/chats/session-1.jsonl", chat)),
    ]
    for number, path in enumerate(paths):
        moment = time.time() - 86_400 * 30 * (len(paths) - number)
        os.utime(path, (moment, moment))


def test_all_sessions_of_a_machine_and_a_table_of_them(
    memcli: Run, vault: Vault, home: Path, tmp_path: Path
) -> None:
    machine(home, tmp_path)
    done = memcli("reflect", "--all-sessions")
    assert done.code == 0
    assert [line.split("\t") for line in done.out.splitlines()] == [
        ["claude-code", "2", "2", "0", "0", "1", "0", "0", "0", "1"],
        ["codex", "1", "1", "0", "0", "1", "0", "0", "0", "0"],
        ["gemini", "1", "1", "0", "0", "1", "0", "0", "0", "0"],
    ]
    assert commits(vault)[:4] == [
        f"reflect: {name}" for name in ("g1", "c1", "s2", "s1")
    ]
    again = memcli("reflect", "--all-sessions", "--json").json
    assert again["ok"]
    assert {one["outcome"] for one in again["data"]["sessions"]} == {"unchanged"}
    assert len(commits(vault)) == 5
    grown = history(home, tmp_path, "s1", "Always use tabs in makefiles", ALWAYS)
    data = memcli("reflect", "--all-sessions", "--json").json["data"]
    told = {one["transcript"]: one["outcome"] for one in data["sessions"]}
    assert told.pop(str(grown)) == "reflected"
    assert set(told.values()) == {"unchanged"}
    assert ALWAYS in texts(vault)


def test_a_broken_file_is_named_and_the_others_are_done(
    memcli: Run, vault: Vault, home: Path, tmp_path: Path
) -> None:
    machine(home, tmp_path)
    chat = home / ".gemini/tmp/h/chats/session-1.jsonl"
    chat.unlink()
    chat.mkdir()
    done = memcli("reflect", "--all-sessions", "--json")
    assert (done.code, done.json["ok"], done.json["error"]) == (1, False, None)
    (failed,) = [
        one for one in done.json["data"]["sessions"] if one["outcome"] == "failed"
    ]
    assert failed["transcript"] == str(chat)
    assert failed["error"] == f"unreadable: {chat}: is a folder"
    assert done.json["warnings"] == [failed["error"]]
    assert len(texts(vault)) == 2
    plain = memcli("reflect", "--all-sessions")
    assert plain.code == 1
    assert plain.out.splitlines()[2].split("\t")[:5] == ["gemini", "1", "0", "0", "1"]
    assert f"warning: unreadable: {chat}" in plain.err


def test_since_and_host_choose_among_them(
    memcli: Run, home: Path, tmp_path: Path
) -> None:
    machine(home, tmp_path)

    def chosen(*words: str) -> list[str]:
        done = memcli("reflect", "--all-sessions", "--dry-run", "--json", *words)
        return [one["session"] for one in done.json["data"]["sessions"]]

    assert chosen() == ["s1", "s2", "c1", "g1"]
    assert chosen("--since", "75d") == ["c1", "g1"]
    assert chosen("--host", "claude-code") == ["s1", "s2"]
    assert chosen("--host", "gemini", "--since", "75d") == ["g1"]
    assert chosen("--host", "generic") == []
    refused = memcli("reflect", "--all-sessions", "--since", "soon", "--json")
    assert refused.code == 2
    assert "soon" in refused.json["error"]["message"]
