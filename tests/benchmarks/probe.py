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


def read() -> tuple[list[locomo.Unit], dict[str, list[locomo.Question]]]:
    """Return the notes, and the questions by group."""
    told = tomllib.loads(DATA.read_text(encoding="utf-8"))
    units = [
        locomo.Unit(key, "", text, {"text": text, "source": {"record": key}})
        for key, text in told["notes"].items()
    ]
    groups = {
        group: [
            locomo.Question(
                text, place, (wanted,) if isinstance(wanted, str) else tuple(wanted)
            )
            for text, wanted in asked.items()
        ]
        for place, (group, asked) in enumerate(told["questions"].items())
    }
    return units, groups


def linked() -> tuple[list[locomo.Unit], list[locomo.Question]]:
    """Return the notes of the pairs, and a question about the first of each."""
    told = tomllib.loads(DATA.read_text(encoding="utf-8"))["linked"]
    units, questions = [], []
    for place, pair in enumerate(told):
        for role in ("about", "answer"):
            key, text = f"{role}-{place}", pair[role]
            entry = {"text": text, "source": {"record": key}}
            units.append(locomo.Unit(key, "", text, entry))
        questions.append(locomo.Question(pair["question"], 0, (units[-1].key,)))
    return units, questions


def hit(outcome: locomo.Outcome, cut: int = CUT) -> bool:
    """Whether an answer is among the first rows."""
    return bool(set(outcome.evidence) & set(outcome.found[:cut]))


def main() -> None:
    """Print a row for each group, and the questions that were missed when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="name what was missed")
    arguments = parser.parse_args()
    units, groups = read()
    questions = [one for asked in groups.values() for one in asked]
    outcomes = locomo.ask_memcli(units, questions)
    others = locomo.ask_fts5(units, questions, stop_words=False)

    def share(found: Sequence[locomo.Outcome], place: int | None = None) -> float:
        return mean(hit(one) for one in found if place in (None, one.category))

    report.show(f"{len(units)} notes, {len(questions)} questions\n")
    report.show(f"| group | n | hit@{CUT} | FTS5 hit@{CUT} |\n|---|---:|---:|---:|")
    for place, (group, asked) in enumerate(groups.items()):
        mine, theirs = share(outcomes, place), share(others, place)
        report.show(f"| {group} | {len(asked)} | {mine:.3f} | {theirs:.3f} |")
    report.show(
        f"| **all** | {len(questions)} | {share(outcomes):.3f} | {share(others):.3f} |"
    )
    for one, outcome in zip(questions, outcomes, strict=True):
        if arguments.missed and not hit(outcome):
            report.show(f"{one.text}: {', '.join(outcome.found[:CUT]) or 'nothing'}")
    pairs, about = linked()
    tied = locomo.ask_memcli([*units, *pairs], about)
    hits = sum(hit(one, LINKED_CUT) for one in tied)
    report.show(f"\nlinked by a name: {hits} of {len(tied)} in the first {LINKED_CUT}")


if __name__ == "__main__":
    main()
