"""Questions of software teams, by what makes them hard: is an answer in the first 3?

`probe.toml` holds the notes and the questions, with the notes that answer each. All
notes become one vault, and each question is one recall with default flags. In a second
vault stand pairs of notes beside them that share a name which nobody registered: is the
one found by a question about the other?

    python -m tests.benchmarks probe [--missed]
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from tests.benchmarks import locomo, report

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = Path(__file__).with_name("probe.toml")
CUT = 3
LINKED_CUT = 5


def unit(key: str, text: str, **fields: list[str]) -> locomo.Unit:
    """A memory that is told from others by its key."""
    entry = {"text": text, "source": {"record": key}, **fields}
    return locomo.Unit(key, "", text, entry)


def main() -> None:
    """Print a row for each group, and the questions that were missed when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="name what was missed")
    arguments = parser.parse_args()
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    units = [unit(key, text) for key, text in data["notes"].items()]
    groups = list(data["questions"])
    questions = [
        locomo.Question(
            text, place, tuple([wanted] if isinstance(wanted, str) else wanted)
        )
        for place, group in enumerate(groups)
        for text, wanted in data["questions"][group].items()
    ]
    outcomes = locomo.ask_memcli(units, questions)
    others = locomo.ask_fts5(units, questions)

    def row(name: str, places: Sequence[int]) -> str:
        mine, theirs = (
            [one.hit(CUT) for one in found if one.category in places]
            for found in (outcomes, others)
        )
        return f"| {name} | {len(mine)} | {mean(mine):.3f} | {mean(theirs):.3f} |"

    report.show(f"{len(units)} notes, {len(questions)} questions\n")
    report.show(f"| group | n | hit@{CUT} | FTS5 hit@{CUT} |\n|---|---:|---:|---:|")
    for place, group in enumerate(groups):
        report.show(row(group, [place]))
    report.show(row("**all**", range(len(groups))))
    for one, outcome in zip(questions, outcomes, strict=True):
        if arguments.missed and not outcome.hit(CUT):
            report.show(f"{one.text}: {', '.join(outcome.found[:CUT]) or 'nothing'}")
    about = []
    for place, pair in enumerate(data["linked"]):
        units += [unit(f"{role}-{place}", pair[role]) for role in ("about", "answer")]
        about.append(locomo.Question(pair["question"], 0, (f"answer-{place}",)))
    hits = [one.hit(LINKED_CUT) for one in locomo.ask_memcli(units, about)]
    report.show(
        f"\nlinked by a name: {sum(hits)} of {len(hits)} in the first {LINKED_CUT}"
    )
