"""Questions in other words than the memories': with and without phrases of `asked`.

`asked.toml` holds the memories, their phrases and a question to each. All memories
become one vault, once without and once with phrases; each question is one recall.

    python -m tests.benchmarks asked [--missed]
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

from tests.benchmarks import locomo, report
from tests.benchmarks.probe import unit

DATA = Path(__file__).with_name("asked.toml")
CUT = 5


def main() -> None:
    """Print hit@1 and hit@5 without and with phrases, and what was missed if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="name what was missed")
    arguments = parser.parse_args()
    memories = tomllib.loads(DATA.read_text("utf-8"))["memories"]
    questions = [
        locomo.Question(one["question"], 0, (str(place),))
        for place, one in enumerate(memories)
    ]
    report.show(f"{len(memories)} memories, as many questions\n")
    report.show(f"| phrases | hit@1 | hit@{CUT} |\n|---|---:|---:|")
    for name in ("none", "five each"):
        phrases = [one["asked"] * (name != "none") for one in memories]
        units = [
            unit(str(place), one["text"], asked=asked)
            for place, (one, asked) in enumerate(zip(memories, phrases, strict=True))
        ]
        outcomes = locomo.ask_memcli(units, questions)
        first, among = (sum(one.hit(cut) for one in outcomes) for cut in (1, CUT))
        report.show(f"| {name} | {first} | {among} |")
    for one, outcome in zip(memories, outcomes, strict=True):
        if arguments.missed and not outcome.hit(CUT):
            report.show(f"{one['question']} ({one['topic']})")
