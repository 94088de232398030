"""What is told at the moment of action: lessons, and the edits that break them.

Each scenario of actions_scenarios.toml has a lesson, a task, an edit that breaks the
lesson, one that keeps it, and three that have nothing to do with it. All lessons lie in
one vault, each in its project. A session of its own asks the prompt hook with the task,
and the tool hook with each edit.

    python -m tests.benchmarks actions [--misses]

Every third scenario is held back: nothing was chosen by looking at it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from memcli import Vault
from memcli.sessions.hooks import call as hook
from memcli.sessions.hooks import glance
from memcli.vault import create
from tests.benchmarks import report

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCENARIOS = Path(__file__).with_name("actions_scenarios.toml")
_HELD_BACK = 3
TARGETS = {
    "told at the prompt": None,
    "told at the edit that breaks it": None,
    "told at either": report.Target(0.9, at_least=True),
    "told at the edit that keeps it": None,
    "told anything at unrelated edits": report.Target(0.02),
}


class Scenario(NamedTuple):
    """One scenario; an action has `edit` or `write` with `text`, or `run`."""

    name: str
    project: str
    kind: str
    lesson: str
    task: str
    breaks: dict[str, str]
    keeps: dict[str, str]
    unrelated: list[dict[str, str]]
    held_back: bool


class Figures(NamedTuple):
    """Of some scenarios: a share each by what is measured, and what was missed."""

    shares: dict[str, float]
    missed: list[str]


def scenarios() -> list[Scenario]:
    """The scenarios, in the order of their file."""
    rows = tomllib.loads(_SCENARIOS.read_text(encoding="utf-8"))["scenario"]
    held = range(_HELD_BACK - 1, len(rows), _HELD_BACK)
    return [Scenario(**row, held_back=n in held) for n, row in enumerate(rows)]


def words_of(event: str, root: str) -> list[str]:
    """The words of a hook's command line."""
    return [event, "--host", "claude-code", "--vault", root]


def answer_of(event: str, root: str, given: dict[str, Any]) -> str:
    """What a hook answers, which starts nothing in the background."""
    call = hook.Call(words_of(event, root))
    with patch("memcli.storage.detached.start"):
        hook.answer(call, lambda: given)
    if call.line.get("error"):
        raise SystemExit(f"a hook failed: {call.line}")
    return call.answer


class Sessions:
    """A vault with all lessons, and a folder for each project."""

    def __init__(self, folder: Path, lessons: list[Scenario]) -> None:
        self._folder = folder
        self._count = 0
        self.root = str(folder / "vault")
        create.prepare(self.root)
        vault = Vault(self.root)
        self.ids: dict[str, str] = {}
        for each in lessons:
            fields: dict[str, Any] = {"text": each.lesson, "kind": each.kind}
            if each.project != "any":
                fields["project"] = f"example.com/acme/{each.project}"
            self.ids[each.name] = vault.save(vault.draft(fields)).id
        for name in {each.project for each in lessons} | {"noise"}:
            git = folder / name / ".git"
            git.mkdir(parents=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n")
            remote = f'[remote "origin"]\n\turl = https://example.com/acme/{name}\n'
            (git / "config").write_text(remote)
        vault.recall("anything")

    def told(self, project: str, event: str, **fields: Any) -> list[str]:
        """The names of the lessons that a session of its own is told."""
        self._count += 1
        cwd = str(self._folder / project)
        given = {"session_id": f"s{self._count}", "cwd": cwd, **fields}
        answer = answer_of(event, self.root, given)
        found = [name for name, id_ in self.ids.items() if id_ in answer]
        if event == "pre-tool" and found:
            given["session_id"] += "x"
            if not glance.look(words_of(event, self.root), given, os.environ):
                raise SystemExit(f"the first look missed {found}: {given}")
        return found

    def at(self, project: str, action: dict[str, str]) -> list[str]:
        """As `told`, of one action."""
        return self.told(project, "pre-tool", **_tool(action))


def _tool(action: dict[str, str]) -> dict[str, Any]:
    if "run" in action:
        return {"tool_name": "Bash", "tool_input": {"command": action["run"]}}
    if "write" in action:
        given = {"file_path": action["write"], "content": action["text"]}
        return {"tool_name": "Write", "tool_input": given}
    given = {
        "file_path": action["edit"],
        "old_string": "",
        "new_string": action["text"],
    }
    return {"tool_name": "Edit", "tool_input": given}


def measure(sessions: Sessions, chosen: list[Scenario]) -> Figures:
    """The figures of some scenarios."""
    shares: dict[str, float] = dict.fromkeys(TARGETS, 0)
    missed = []
    for each in chosen:
        where = each.project
        asked = each.name in sessions.told(where, "prompt-submit", prompt=each.task)
        broken = each.name in sessions.at(where, each.breaks)
        beside = [(other, sessions.at(where, other)) for other in each.unrelated]
        vain = [(other, found) for other, found in beside if found]
        counts = (
            asked,
            broken,
            asked or broken,
            each.name in sessions.at(where, each.keeps),
            len(vain) / len(beside),
        )
        for name, count in zip(TARGETS, counts, strict=True):
            shares[name] += count / len(chosen)
        missed += [each.name] * (not (asked or broken))
        missed += [f"{each.name}: told {found} at {other}" for other, found in vain]
    return Figures(shares, missed)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone at the end, with the user's own settings in it."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            os.environ[name] = str(Path(folder) / name.lower())
            (Path(folder) / name.lower()).mkdir()
        # What git knows of the user is not there.
        os.environ |= {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com"}
        os.environ |= {"GIT_COMMITTER_NAME": "a"}
        os.environ |= {"GIT_COMMITTER_EMAIL": "a@example.com"}
        yield Path(folder)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="name what was missed")
    arguments = parser.parse_args()
    known = scenarios()
    report.show(report.heading())
    missed: list[str] = []
    with scratch() as folder:
        sessions = Sessions(folder, known)
        for name, held in (("tuned on", False), ("held back", True)):
            chosen = [one for one in known if one.held_back is held]
            got = measure(sessions, chosen)
            for label, target in TARGETS.items():
                size = f"{len(chosen)} {name}"
                row = report.Row(label, size, got.shares[label], "", target)
                report.show(report.line(row))
            missed += [] if held else got.missed
    for each in missed if arguments.misses else ():
        report.show(each)
