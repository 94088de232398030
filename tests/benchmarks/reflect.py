"""Whether `reflect` knows when it does not know, on LoCoMo.

Each conversation becomes a vault, each turn one memory. Every question with evidence
is asked of its own vault, where the answer is, and of other conversations' vaults,
where it is not; a good measure of trust tells the two apart. Questions name their
speakers, whom no other vault knows, which makes that easy; so everything is measured
once more with the speakers' names taken out of the questions.

The caps of `recall.reflect` were chosen on the first half (every other conversation)
and are reported on the second; questions are foreign to vaults of their own half, so
that nothing of one half is seen by the other. `--choose` prints what the choice was
made from, for the owner of a vault and for an agent, for whom all words weigh the same.

    python -m tests.benchmarks.reflect --data FILE [--choose]
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_left, bisect_right
from contextlib import ExitStack
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks import locomo, report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli import Vault
    from memcli.entries.eligibility import View

LEVELS = ("low", "medium", "high")
AUC = report.Target(0.87, at_least=True)
STEPS = [step / 20 for step in range(4, 16)]
WAYS = {False: "as asked", True: "without the speakers' names"}


class Asked(NamedTuple):
    """One question asked of one vault: whether the answer is in it, what came back."""

    own: bool
    nameless: bool
    coverage: float
    confidence: str
    facts: int
    similar: int


def auc(own: Sequence[float], foreign: Sequence[float]) -> float:
    """Return how often an own question scores above a foreign one, ties half.

    >>> auc([3, 2], [1, 2])
    0.875
    """
    below = sorted(foreign)
    wins = sum(bisect_left(below, one) + bisect_right(below, one) for one in own)
    return wins / 2 / len(own) / len(foreign)


def ask(
    conversations: Sequence[locomo.Conversation],
    vaults: Sequence[Vault],
    *,
    agent: bool,
) -> Iterator[Asked]:
    """Ask every question of every vault."""
    for home, conversation in enumerate(conversations):
        names = {turn.speaker for turn in conversation.turns}
        for place, vault in enumerate(vaults):
            view = _view(vault, agent=agent)
            for question in conversation.questions:
                for nameless in WAYS:
                    text = question.text
                    for name in names if nameless else ():
                        text = text.replace(name, "")
                    found = vault.reflect(text, view=view)
                    yield Asked(
                        home == place,
                        nameless,
                        found.coverage,
                        found.confidence,
                        len(found.facts),
                        len(found.similar),
                    )


def _view(vault: Vault, *, agent: bool) -> View:
    from memcli.entries.eligibility import Agent, ReadPolicy, View

    asks = Agent("reader", ReadPolicy.SHARED) if agent else None
    return View(vault.now_ms() // 1000, agent=asks)


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the figures of one row of the table."""
    own = [one for one in asked if one.own]
    foreign = [one for one in asked if not one.own]

    def level(one: Asked) -> int:
        return LEVELS.index(one.confidence)

    def share(group: Sequence[Asked], name: str) -> float:
        return mean(one.confidence == name for one in group)

    return {
        "own": len(own),
        "foreign": len(foreign),
        "AUC facts": auc([one.facts for one in own], [one.facts for one in foreign]),
        "AUC coverage": auc(
            [one.coverage for one in own], [one.coverage for one in foreign]
        ),
        "AUC confidence": auc([level(one) for one in own], [level(o) for o in foreign]),
        "own high": share(own, "high"),
        "own low": share(own, "low"),
        "foreign high": share(foreign, "high"),
        "foreign low": share(foreign, "low"),
        "similar": mean(one.similar > 0 for one in own),
    }


def choice(asked: Sequence[Asked]) -> list[str]:
    """Return, for each threshold, how many of each sort reach it."""
    lines = [
        "| coverage ≥ | own | foreign | difference |",
        "|---:|---:|---:|---:|",
    ]
    for step in STEPS:
        kept = [
            mean(one.coverage >= step for one in asked if one.own is own)
            for own in (True, False)
        ]
        lines.append(
            f"| {step:.2f} | {kept[0]:.3f} | {kept[1]:.3f} | {kept[0] - kept[1]:.3f} |"
        )
    return lines


def main() -> None:
    """Ask both halves and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="LoCoMo's JSON file")
    parser.add_argument("--choose", action="store_true", help="also the first half")
    parser.add_argument("--json", help="write the figures to this file as well")
    arguments = parser.parse_args()
    conversations = locomo.read(arguments.data)
    halves = {"second": conversations[1::2]}
    if arguments.choose:
        halves = {"first": conversations[::2], **halves}
    report.show(f"## LoCoMo, own and foreign questions\n\n{report.machine()}")
    written: dict[str, dict[str, float]] = {}
    for half, chosen in halves.items():
        if len(chosen) < 2:
            raise SystemExit(f"the {half} half needs two conversations or more")
        with ExitStack() as stack:
            vaults = [
                stack.enter_context(locomo.vault_of(locomo.turn_units(one)))
                for one in chosen
            ]
            for who in ("owner", "agent"):
                report.talk(f"{half} half, {who}")
                asked = list(ask(chosen, vaults, agent=who == "agent"))
                for nameless, way in WAYS.items():
                    some = [one for one in asked if one.nameless is nameless]
                    written[f"{half} half, {who}, {way}"] = figures(some)
                if half == "first":
                    lines = choice(asked)
                    report.show(f"\n### Chosen from: {who}\n\n" + "\n".join(lines))
    names = list(next(iter(written.values())))
    lines = [f"| | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
    for label, row in written.items():
        cells = (f"{v:.3f}" if isinstance(v, float) else f"{v}" for v in row.values())
        lines.append(f"| {label} | {' | '.join(cells)} |")
    report.show("\n### Results\n\n" + "\n".join(lines))
    rows = [
        report.Row(f"AUC of coverage, {way}", "", row["AUC coverage"], "", AUC)
        for way in WAYS.values()
        for row in (written[f"second half, owner, {way}"],)
    ]
    report.show("\n".join(["", report.heading(), *map(report.line, rows)]))
    if arguments.json:
        Path(arguments.json).write_text(
            json.dumps(written, indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
