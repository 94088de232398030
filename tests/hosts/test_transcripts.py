"""A host's transcripts are found where it keeps them, and ours among them."""

import os
from pathlib import Path
from typing import Any

import pytest

from memcli.hosts.table import NAMES as HOSTS
from memcli.hosts.transcripts import discover, named, running
from tests.hosts.writing import NOON, write

ID = "578b2721-3530-4f66-8f4b-6fc8d25c9c4a"


class Machine:
    """A home folder with the transcripts of several hosts."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"HOME": str(home)}
        self._now = 1_000

    def put(self, path: str, *records: Any, folder: str = "") -> str:
        """Write a file, a second after the one before."""
        file = write(self.home / path, records or [claude(folder)])
        self._now += 1
        os.utime(file, (self._now, self._now))
        return file

    def found(self, host: str, since_ms: int | None = None) -> list[str]:
        root = str(self.home)
        paths = [p for _, p in discover(self.environ, host, since_ms=since_ms)]
        return [os.path.relpath(path, root).replace(os.sep, "/") for path in paths]


def claude(cwd: str) -> dict[str, Any]:
    return {"type": "summary", "sessionId": "s", "leafUuid": "x", "cwd": cwd}


def codex(cwd: str) -> dict[str, Any]:
    return {"type": "session_meta", "payload": {"id": "c", "cwd": cwd}}


def gemini(session: str, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session, "projectHash": "x", "startTime": NOON, **fields}


@pytest.fixture
def machine(home: Path) -> Machine:
    return Machine(home)


def test_every_host_keeps_its_transcripts_somewhere_else(machine: Machine) -> None:
    paths = {
        "claude-code": [f".claude/projects/-{n}.jsonl" for n in ("work/b", "other/a")],
        "codex": [
            ".codex/sessions/2026/11/20/rollout-2026-b.jsonl",
            ".codex/archived_sessions/rollout-2025-a.jsonl",
        ],
        "gemini": [".gemini/tmp/work/chats/session-2.jsonl"],
        "copilot": [".copilot/session-state/5e55/events.jsonl"],
        "cursor": [
            ".cursor/projects/home-dev-work/agent-transcripts/c1.jsonl",
            ".cursor/projects/home-dev-work/agent-transcripts/c2/c2.jsonl",
        ],
        "opencode": [],
        "windsurf": [".windsurf/transcripts/t1.jsonl"],
        "generic": [],
    }
    for no_transcript in (
        ".claude/projects/-work/b/subagents/agent-1.jsonl",
        ".claude/projects/-work/wf_1.jsonl",
        ".claude/projects/wf_2/c.jsonl",
        ".claude/projects/-work/journal.jsonl",
        ".claude/projects/-work/notes.md",
        ".codex/sessions/2026/11/20/rollout-x.jsonl.zst",
        ".codex/history.jsonl",
        ".gemini/tmp/work/chats/5e55/session-3.jsonl",
        ".gemini/tmp/work/logs.json",
        ".copilot/session-state/5e55/workspace.yaml",
        ".cursor/projects/home-dev-work/agent-transcripts/c2/subagents/s1.jsonl",
        ".cursor/projects/home-dev-work/agent-transcripts/c3/other.jsonl",
        ".cursor/projects/home-dev-work/terminals/1.jsonl",
        ".windsurf/transcripts/t1.jsonl.tmp",
        ".codeium/windsurf/cascade/t1.jsonl",
    ):
        machine.put(no_transcript)
    for host in HOSTS:
        for path in paths[host]:
            machine.put(path)
        assert machine.found(host) == paths[host]


def test_the_hosts_own_variables_say_where(machine: Machine, tmp_path: Path) -> None:
    elsewhere = str(tmp_path)
    write(tmp_path / "projects" / "-work" / "a.jsonl", [claude("/work")])
    write(tmp_path / "sessions" / "rollout-a.jsonl", [codex("/work")])
    for host, name in (("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")):
        assert discover(machine.environ, host) == []
        assert len(discover({name: elsewhere}, host)) == 1
    assert discover({"USERPROFILE": str(machine.home)}, "claude-code") == []


def current(environ: dict[str, str]) -> str | None:
    session = running(environ)
    return named(*session, environ) if session else None


def test_claude_code_names_the_session_that_calls(machine: Machine) -> None:
    machine.put(f".codex/sessions/rollout-newer-{ID}.jsonl", codex("/work"))
    environ = {**machine.environ, "CLAUDE_CODE_SESSION_ID": ID}
    # It is not on the disk until the first prompt, and no other one is ours.
    assert current(environ) is None
    path = machine.put(f".claude/projects/-work/{ID}.jsonl")
    machine.put(".claude/projects/-work/other.jsonl", folder="/work")
    assert current(environ) == path
    # Of two, as after a resume, the one that is written on.
    newer = machine.put(f".claude/projects/x/{ID}.jsonl")
    assert current(environ) == newer


def test_gemini_names_the_session_that_calls(machine: Machine) -> None:
    chats = ".gemini/tmp/work/chats"
    machine.put(f"{chats}/session-2026-11-21T12-00-{ID[:8]}.jsonl", gemini(ID))
    path = machine.put(f"{chats}/session-2026-11-20T12-00-{ID[:8]}.jsonl", gemini(ID))
    machine.put(f"{chats}/session-2026-11-22T12-00-{ID[:8]}.jsonl", gemini("other"))
    # Gemini sets Claude Code's variable for the project, too.
    environ = {**machine.environ, "CLAUDE_PROJECT_DIR": "/work"}
    assert current({**environ, "GEMINI_SESSION_ID": ID}) == path
    assert current({**environ, "GEMINI_SESSION_ID": "0" * 8}) is None
