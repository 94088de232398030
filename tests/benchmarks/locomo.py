"""Evidence recall on LoCoMo: is what answers a question among the memories returned?

One vault per conversation, filled through an import: each turn one memory (or, with
`--unit session`, each whole session). Each question is one recall with default flags
through the public use case. Question categories: 1 multi-hop, 2 temporal, 3 open
domain, 4 single hop, 5 adversarial (the evidence is what the trick rests on). Questions
without a valid evidence id are left out and counted. Deterministic.

    python -m tests.benchmarks locomo --data FILE [--unit session] [--compare]

The data set (LoCoMo, CC BY-NC 4.0) is a list of objects with `sample_id`,
`conversation` and `qa`; it is read where it lies and never copied.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import tempfile
from datetime import datetime
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks import report
from tests.benchmarks.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open domain",
    4: "single hop",
    5: "adversarial",
}
CUTS = (1, 5, 10, 20)
DEPTH = max(CUTS)
# By what is stored as one memory: a measure, and what it must reach.
TARGETS = {
    "turn": {"R@10": 0.84, "R@5": 0.76},
    "session": {"any@5": 0.948},
}
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class Turn(NamedTuple):
    """One utterance: `key` is `D<session>:<turn>`, `text` what is stored of it."""

    key: str
    session: int
    seq: int
    speaker: str
    text: str


class Conversation(NamedTuple):
    """The turns of two people over many sessions, with the questions about them."""

    name: str
    turns: list[Turn]
    dates: dict[int, datetime]
    questions: list[Question]
    left_out: int


class Question(NamedTuple):
    """A question and the keys of the turns that hold its answer."""

    text: str
    category: int
    evidence: tuple[str, ...]


class Unit(NamedTuple):
    """What is stored as one memory."""

    key: str
    title: str
    text: str
    entry: dict[str, Any]


class Outcome(NamedTuple):
    """A question asked: the evidence, and what came back in order."""

    category: int
    evidence: tuple[str, ...]
    found: tuple[str, ...]

    def hit(self, cut: int) -> bool:
        """Whether any of the evidence is among the first rows."""
        return bool(set(self.evidence) & set(self.found[:cut]))


def read(path: str) -> list[Conversation]:
    """Read a LoCoMo file.

    Raises:
        SystemExit: The file does not look like LoCoMo's JSON.
    """
    try:
        samples = json.loads(Path(path).read_text(encoding="utf-8"))
        return [_conversation(place, sample) for place, sample in enumerate(samples)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SystemExit(f"{path} is no LoCoMo file: {error!r}") from error


def _conversation(place: int, sample: dict[str, Any]) -> Conversation:
    told = sample["conversation"]
    turns: list[Turn] = []
    dates: dict[int, datetime] = {}
    numbers = sorted(
        int(found[1]) for key in told if (found := re.fullmatch(r"session_(\d+)", key))
    )
    for number in numbers:
        # Local time without a zone; stored as if it were UTC, like every zoneless date.
        dates[number] = datetime.strptime(  # noqa: DTZ007
            told[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y"
        )
        for seq, turn in enumerate(told[f"session_{number}"], 1):
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f" [shares a photo: {turn['blip_caption']}]"
            turns.append(Turn(turn["dia_id"], number, seq, turn["speaker"], text))
    known = {turn.key for turn in turns}
    questions = []
    for asked in sample["qa"]:
        ids = evidence_ids(asked.get("evidence") or [])
        valid = tuple(key for key in ids if key in known)
        if valid:
            questions.append(Question(asked["question"], asked["category"], valid))
    name = sample.get("sample_id", f"conversation-{place + 1}")
    left_out = len(sample["qa"]) - len(questions)
    return Conversation(name, turns, dates, questions, left_out)


def evidence_ids(given: Iterable[str]) -> list[str]:
    """Return the different turn ids in LoCoMo's evidence, which is not always clean.

    >>> evidence_ids(["D8:6; D9:17", "D:11:26", "D30:05", "D"])
    ['D8:6', 'D9:17', 'D11:26', 'D30:5']
    """
    found = EVIDENCE.findall(" ".join(given))
    return list(dict.fromkeys(f"D{int(one)}:{int(two)}" for one, two in found))


def turn_units(conversation: Conversation) -> list[Unit]:
    """Return each turn as one memory."""
    return [
        Unit(
            turn.key,
            "",
            turn.text,
            {
                "text": turn.text,
                "entities": [turn.speaker],
                "occurred_at": _utc(conversation.dates[turn.session]),
                "source": {
                    "session": f"{conversation.name}/session_{turn.session}",
                    "seq": turn.seq,
                    "record": turn.key,
                },
            },
        )
        for turn in conversation.turns
    ]


def session_units(conversation: Conversation) -> list[Unit]:
    """Return each session as one memory, titled with its number and day."""
    units = []
    for number, date in conversation.dates.items():
        turns = [turn for turn in conversation.turns if turn.session == number]
        if not turns:
            continue
        speakers = sorted({turn.speaker for turn in turns})
        title = f"Session {number}, {date.day} {date:%B %Y}"
        text = "\n".join(turn.text for turn in turns) + "\n"
        key = f"session_{number}"
        source = {"session": f"{conversation.name}/{key}", "record": key}
        entry = {
            "text": text,
            "title": title,
            "entities": speakers,
            "occurred_at": _utc(date),
            "source": source,
        }
        units.append(Unit(key, title, text, entry))
    return units


def _utc(date: datetime) -> str:
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def session_evidence(evidence: Iterable[str]) -> tuple[str, ...]:
    """Return the sessions that hold the turns."""
    sessions = (f"session_{key[1:].split(':')[0]}" for key in evidence)
    return tuple(dict.fromkeys(sessions))


def ask_memcli(units: Sequence[Unit], questions: Sequence[Question]) -> list[Outcome]:
    """Store the units in a vault of their own and ask each question by one recall."""
    from memcli import Vault
    from memcli.curation.importing import import_lines
    from memcli.vault.create import prepare

    with tempfile.TemporaryDirectory() as scratch:
        root = str(Path(scratch, "vault"))
        prepare(root)
        vault = Vault.open(root)
        lines = "\n".join(json.dumps(unit.entry) for unit in units)
        import_lines(vault, lines.encode(), "units.jsonl")
        stored = sum(1 for _ in Path(root, "memories").rglob("*.md"))
        if stored != len(units):
            report.talk(f"{len(units) - stored} of {len(units)} were duplicates")

        def search(question: str) -> list[str]:
            return [
                row.record or "" for row in vault.recall(question, limit=DEPTH).rows
            ]

        return _ask(search, questions)


def ask_fts5(units: Sequence[Unit], questions: Sequence[Question]) -> list[Outcome]:
    """Ask SQLite FTS5 the same of the same titles and texts.

    Porter stemming, the words but for stop words joined by OR, ordered by bm25 with its
    default constants.
    """
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE notes USING "
        "fts5(title, text, tokenize='porter unicode61')"
    )
    rows = ((unit.title, unit.text) for unit in units)
    db.executemany("INSERT INTO notes VALUES (?, ?)", rows)

    def search(question: str) -> list[str]:
        # unicode61 parts words at everything that is neither letter nor digit.
        words = dict.fromkeys(re.findall(r"[^\W_]+", question.lower()))
        match = " OR ".join(f'"{word}"' for word in words if word not in FUNCTION_WORDS)
        found = db.execute(
            "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?",
            (match or '""', DEPTH),
        )
        return [units[row - 1].key for (row,) in found]

    return _ask(search, questions)


def _ask(
    search: Callable[[str], list[str]], questions: Sequence[Question]
) -> list[Outcome]:
    return [
        Outcome(one.category, one.evidence, tuple(search(one.text)))
        for one in questions
    ]


def scores(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the means over the questions, keyed as the table's columns are."""

    def share(one: Outcome, cut: int) -> float:
        return len(set(one.evidence) & set(one.found[:cut])) / len(set(one.evidence))

    def reciprocal(one: Outcome) -> float:
        places = (n for n, key in enumerate(one.found, 1) if key in one.evidence)
        return 1 / next(places, float("inf"))

    return {
        **{f"R@{cut}": mean(share(one, cut) for one in outcomes) for cut in CUTS},
        "any@5": mean(one.hit(5) for one in outcomes),
        "all@5": mean(share(one, 5) == 1 for one in outcomes),
        "MRR": mean(map(reciprocal, outcomes)),
    }


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the Markdown rows per category and over all."""
    groups: list[tuple[str, list[Outcome]]] = [
        (f"{number} {name}", [o for o in outcomes if o.category == number])
        for number, name in CATEGORIES.items()
    ]
    groups.append(("1–4", [o for o in outcomes if o.category != 5]))
    groups.append(("**all**", list(outcomes)))
    names = list(scores(outcomes))
    lines = [f"| questions | n | {' | '.join(names)} |", f"|---|{'---:|' * 8}"]
    for group, chosen in groups:
        if chosen:
            cells = " | ".join(f"{value:.3f}" for value in scores(chosen).values())
            lines.append(f"| {group} | {len(chosen)} | {cells} |")
    return lines


def main() -> None:
    """Run every conversation and print one table per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="LoCoMo's JSON file")
    parser.add_argument("--unit", choices=tuple(TARGETS), default="turn")
    parser.add_argument("--compare", action="store_true", help="SQLite FTS5 as well")
    arguments = parser.parse_args()
    conversations = read(arguments.data)
    methods = {"memcli": ask_memcli}
    if arguments.compare:
        methods["FTS5 porter, OR"] = ask_fts5
    outcomes: dict[str, list[Outcome]] = {method: [] for method in methods}
    stored = 0
    for one in conversations:
        report.talk(f"{one.name}: {len(one.questions)} questions")
        units, questions = turn_units(one), one.questions
        if arguments.unit == "session":
            units = session_units(one)
            questions = [
                asked._replace(evidence=session_evidence(asked.evidence))
                for asked in questions
            ]
        stored += len(units)
        for method, ask in methods.items():
            outcomes[method] += ask(units, questions)
    left_out = sum(one.left_out for one in conversations)
    report.show(
        f"## LoCoMo, {arguments.unit} by {arguments.unit}\n\n{report.machine()}\n\n"
        f"{len(conversations)} conversations, {stored:,} memories, "
        f"{len(outcomes['memcli']):,} questions, "
        f"{left_out} left out for want of valid evidence."
    )
    for method, asked in outcomes.items():
        report.show(f"\n### {method}\n\n" + "\n".join(table(asked)))
    overall = scores(outcomes["memcli"])
    report.show("\n" + report.heading())
    for name, value in TARGETS[arguments.unit].items():
        target = report.Target(value, at_least=True)
        report.show(report.line(report.Row(name, "", overall[name], "", target)))
