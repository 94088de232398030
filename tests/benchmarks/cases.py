"""Decisions, and the sessions that would break them: the cases of `told`.

Each case of told.toml is a decision, as it was said in one session, and the task of a
later one. All decisions lie in one project's vault, among other memories. A session is
told something at its start, with its prompt and before its first write. Ordinary
prompts and edits that break nothing count what is told for nothing. The hooks' own
functions answer, in this process.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import tomllib
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli import Vault
from memcli.entries import dates
from memcli.hosts.transcript import Step
from memcli.sessions.hooks import glance
from memcli.vault import create
from tests.benchmarks import corpus
from tests.benchmarks.actions import answer_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PROJECT = "example.com/acme/shop"
START, PROMPT, WRITE = PLACES = ("session-start", "prompt-submit", "pre-tool")
_KINDS = ("decision", "convention", "fix", "preference", "workflow", "lesson")
_ID = re.compile(r"\[([0-9a-z]{16})\]")
_BEFORE = (
    Step("user", "Read what we have here and tell me what you would do.", 1, "r1"),
    Step("assistant", "I read it; nothing was changed. My proposal is ...", 2, "r2"),
)


class Decision(NamedTuple):
    """One case, as the head of told.toml describes it."""

    name: str
    half: str
    said: str
    file: str
    text: str
    task: str
    words: list[str]
    last: str = ""

    def kept(self, text: str) -> int:
        """How many of the words that matter a text has."""
        return sum(word.lower() in text.lower() for word in self.words)


class Beside(NamedTuple):
    """What lies beside: frames and memories, prompts, and edits as path and text."""

    frames: list[str]
    memories: list[tuple[str, str]]
    prompts: list[str]
    edits: list[tuple[str, str]]


def read() -> tuple[list[Decision], Beside]:
    """The cases, and what lies beside."""
    path = Path(__file__).with_name("told.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    beside = data["beside"]
    memories = [line.partition(": ") for line in beside["memories"].splitlines()]
    edits = re.split(r"^== ", beside["edits"], flags=re.MULTILINE)[1:]
    return [Decision(**row) for row in data["decision"]], Beside(
        beside["frames"].splitlines(),
        [(kind, text) for kind, _, text in memories],
        beside["prompts"].splitlines(),
        [(path, text) for path, _, text in (edit.partition("\n") for edit in edits)],
    )


def others(beside: Beside, size: int) -> Iterator[tuple[str, str]]:
    """So many memories, each with its kind: the written ones, then filled frames."""
    yield from beside.memories[:size]
    vocabulary = corpus.Vocabulary(1)
    words = vocabulary.words[vocabulary.first_content :]
    weights = list(accumulate(1 / (rank + 30) for rank in range(len(words))))
    rng = Random("told")
    for number in range(size - len(beside.memories)):
        frame = rng.choice(beside.frames)
        filling = rng.choices(words, cum_weights=weights, k=frame.count("{}"))
        text = frame.format(*filling)
        yield _KINDS[number % len(_KINDS)], text[0].upper() + text[1:]


def session_of(decision: Decision) -> list[Step]:
    """The session in which a decision was made."""
    return [*_BEFORE, Step("user", decision.said, 3, "r3")]


def rows_of(answer: str) -> dict[str, str]:
    """The row of each entry that a hook's answer tells, by id."""
    if not answer:
        return {}
    text = json.loads(answer)["hookSpecificOutput"].get("additionalContext", "")
    return {id_: line for line in text.splitlines() for id_ in _ID.findall(line)}


class Sessions:
    """A vault that holds the decisions among others, and a repository for each task.

    `kept` is what the vault has of each decision, kind and text. `characters` counts
    what hooks answered.
    """

    def __init__(
        self,
        folder: Path,
        decisions: Sequence[Decision],
        beside: Beside,
        size: int,
        kept: Mapping[str, tuple[str, str]],
    ) -> None:
        self._count = self.characters = 0
        self.decisions = list(decisions)
        self._folder = folder
        self.root = str(folder / f"vault-{size}")
        create.prepare(self.root)
        vault = Vault(self.root)
        every = [*kept.values(), *others(beside, size)]
        # Whoever was saved last is told first where nothing else decides.
        Random("order").shuffle(every)
        # One an hour: of several of one second, chance would say which is told.
        start = int(time.time()) - 3_600 * len(every)
        fields = [
            {
                "text": text,
                "kind": kind,
                "project": PROJECT,
                "created": dates.iso(start + 3_600 * hour),
            }
            for hour, (kind, text) in enumerate(every)
        ]
        saved = vault.save_all([vault.draft(each) for each in fields])
        by_text = {text: one.id for (_, text), one in zip(every, saved, strict=True)}
        self.ids = {name: by_text[text] for name, (_, text) in kept.items()}
        self.texts = [text for _, text in every]
        vault.recall("anything")

    def repository(self, task: Decision) -> str:
        """The folder of a task, with the last commits: two of others, and its own."""
        place = self.decisions.index(task)
        folder = self._folder / task.name
        if not folder.exists():
            folder.mkdir()
            _git(folder, "init", "-q")
            _git(folder, "remote", "add", "origin", f"https://{PROJECT}.git")
            for one in self.decisions[max(0, place - 2) : place + 1]:
                if one.last:
                    path = folder / one.file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text("\n")
                    _git(folder, "add", ".")
                    _git(folder, "commit", "-q", "-m", one.last)
        return str(folder)

    def told(
        self, event: str, folder: str, session: str = "", **fields: Any
    ) -> dict[str, str]:
        """The rows that a session, mostly one of its own, is told at one event."""
        self._count += 1
        given = {"session_id": session or f"s{self._count}", "cwd": folder, **fields}
        if event == WRITE and not glance.look(
            words_of(event, self.root), given, os.environ
        ):
            return {}
        answer = answer_of(event, self.root, given)
        self.characters += len(answer)
        return rows_of(answer)

    def at(self, event: str, one: Decision, session: str) -> dict[str, str]:
        """The rows that the task of a decision is told at one event."""
        folder = self.repository(one)
        given = {
            START: {"source": "startup"},
            PROMPT: {"prompt": one.task},
            WRITE: _write(folder, one.file, one.text),
        }
        return self.told(event, folder, session, **given[event])


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def _write(folder: str, path: str, text: str) -> dict[str, Any]:
    given = {"file_path": os.path.join(folder, path), "content": text}
    return {"tool_name": "Write", "tool_input": given}


def in_vain(sessions: Sessions, beside: Beside) -> dict[str, float]:
    """The shares of ordinary prompts and of edits that are told anything."""
    folder = sessions.repository(sessions.decisions[0])
    prompts = [sessions.told(PROMPT, folder, prompt=each) for each in beside.prompts]
    edits = [
        sessions.told(WRITE, folder, **_write(folder, *each)) for each in beside.edits
    ]
    return {
        event: sum(map(bool, told)) / len(told)
        for event, told in ((PROMPT, prompts), (WRITE, edits))
    }
