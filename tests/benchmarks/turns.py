"""What the strict miner saves unasked, on labelled turns of people nobody tuned for.

    python -m tests.benchmarks turns --data FILE [--list]

FILE holds a turn a line: repo, session, text, before (the agent's words before it) and
labels (category, confidence, span), in the order of each session. A session is mined as
a whole. A turn is durable when a careful reader labelled it HIGH or MEDIUM.

A rule that finds something in one repository alone may fit it, so the last table names
in how many repositories each finds something.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks import report

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.sessions.mining import Candidate

PRECISION = report.Target(0.85, at_least=True)
FOUND = report.Target(0.25, at_least=True)
LEVELS = ("HIGH", "MEDIUM", "LOW", "none")


class Turn:
    """A labelled turn: its words, its surest label, and what was found in it."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.repo: str = row["repo"]
        self.session: str = row["session"]
        self.text: str = row["text"]
        self.before: str = row["before"]
        named = {label["confidence"] for label in row["labels"]}
        self.label = next((level for level in LEVELS if level in named), "none")
        self.found: list[Candidate] = []

    @property
    def durable(self) -> bool:
        """Whether it is worth keeping."""
        return self.label in ("HIGH", "MEDIUM")

    @property
    def level(self) -> str:
        """The surest confidence of what was found in it."""
        named = {str(one.confidence) for one in self.found}
        return next((level for level in LEVELS if level in named), "none")

    @property
    def kept(self) -> bool:
        """Whether what was found is saved, or waits."""
        return self.level in ("HIGH", "MEDIUM")


def mined(rows: Iterable[dict[str, Any]]) -> list[Turn]:
    """The turns, with what is found in each when its session is mined."""
    from memcli.hosts.transcript import Step
    from memcli.sessions.reflect_session import candidates

    turns = [Turn(row) for row in rows]
    sessions: dict[tuple[str, str], list[Turn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.repo, turn.session].append(turn)
    for session in sessions.values():
        steps: list[Step] = []
        for number, turn in enumerate(session):
            if turn.before:
                steps.append(Step("assistant", turn.before, len(steps) + 1, "agent"))
            steps.append(Step("user", turn.text, len(steps) + 1, str(number)))
        for one in candidates(steps).candidates:
            if one.record.isdigit():
                session[int(one.record)].found.append(one)
    return turns


def figures(turns: Sequence[Turn]) -> list[report.Row]:
    """The measures that have targets, and those that only tell."""

    def row(
        measure: str, part: int, whole: int, target: report.Target | None = None
    ) -> report.Row:
        share = part / whole if whole else 0.0
        return report.Row(measure, str(whole), share, "", target, f"{part} of {whole}")

    saved = [turn for turn in turns if turn.level == "HIGH"]
    high = [turn for turn in turns if turn.label == "HIGH"]
    durable = [turn for turn in turns if turn.durable]
    waits = [turn for turn in turns if turn.level == "MEDIUM"]
    noted = [turn for turn in turns if turn.level == "LOW"]
    return [
        row("saved, durable", sum(t.durable for t in saved), len(saved), PRECISION),
        row(
            "labelled HIGH, saved",
            sum(t.level == "HIGH" for t in high),
            len(high),
            FOUND,
        ),
        row("waits, durable", sum(t.durable for t in waits), len(waits)),
        row("noted alone, durable", sum(t.durable for t in noted), len(noted)),
        row("durable, found", sum(t.kept for t in durable), len(durable)),
    ]


def by_rule(turns: Sequence[Turn]) -> list[str]:
    """What each rule finds, and in how many repositories."""
    found: dict[tuple[str, str], list[Turn]] = defaultdict(list)
    for turn in turns:
        for one in turn.found:
            found[str(one.confidence), one.pattern].append(turn)
    lines = ["| rule | | turns | durable | repositories |", "|---|---|---:|---:|---:|"]
    for (level, name), own in sorted(found.items()):
        durable = sum(turn.durable for turn in own)
        repos = len({turn.repo for turn in own})
        lines.append(f"| `{name}` | {level} | {len(own)} | {durable} | {repos} |")
    return lines


def confusion(turns: Sequence[Turn]) -> list[str]:
    """What was found, by what was labelled."""
    counts = Counter((turn.label, turn.level) for turn in turns)
    lines = ["| labelled | HIGH | MEDIUM | LOW | nothing |", f"|---|{'---:|' * 4}"]
    for label in LEVELS:
        row = " | ".join(str(counts[label, level]) for level in LEVELS)
        lines.append(f"| {label} | {row} |")
    return lines


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--list", action="store_true", help="list what is found")
    options = parser.parse_args()
    lines = options.data.read_text(encoding="utf-8").splitlines()
    turns = mined(map(json.loads, lines))
    sessions = len({(turn.repo, turn.session) for turn in turns})
    print(f"{len(turns)} turns of {sessions} sessions\n")
    print(report.heading())
    print("\n".join(map(report.line, figures(turns))), "\n")
    for table in (confusion, by_rule):
        print("\n".join(table(turns)), "\n")
    if options.list:
        for turn in turns:
            for one in turn.found:
                print(f"- {turn.label} {one.confidence} `{one.pattern}` {one.text}")
