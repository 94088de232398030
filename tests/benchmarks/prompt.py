"""What a prompt brings into a session: on LoCoMo, with questions as prompts.

Each question is a prompt in its own conversation's vault (one memory a turn), and in
the next conversation's, where nothing answers it. Of own prompts it counts how many
bring a turn of the evidence, of foreign ones how many bring anything. Thresholds are
chosen on the first half of the conversations and reported on the second.

    python -m tests.benchmarks.prompt --data FILE [--choose]
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries.eligibility import View
from memcli.sessions.briefing import compose
from tests.benchmarks import locomo, report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli import Vault

FITS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SHARED = (1, 2, 3)


class Figures(NamedTuple):
    """Of one setting: own prompts with evidence and with anything; foreign; entries."""

    own_evidence: float
    own_any: float
    foreign_any: float
    own_entries: float


def measure(
    conversations: Sequence[locomo.Conversation],
    vaults: Sequence[Vault],
    fit: float,
    shared: int,
) -> Figures:
    """Ask every question of its own vault and of the next one."""
    compose._FIT, compose._SHARED = fit, shared
    evidence, own, foreign, entries = [], [], [], []
    for place, conversation in enumerate(conversations):
        other = vaults[(place + 1) % len(vaults)]
        texts = {turn.key: turn.text for turn in conversation.turns}
        for question in conversation.questions:
            found = _brought(vaults[place], question.text)
            wanted = {texts[key] for key in question.evidence if key in texts}
            held = any(text in one for text in wanted for one in found)
            evidence.append(held)
            own.append(bool(found))
            entries.append(len(found))
            foreign.append(bool(_brought(other, question.text)))
    return Figures(mean(evidence), mean(own), mean(foreign), mean(entries))


def _brought(vault: Vault, prompt: str) -> list[str]:
    view = View(vault.now_ms() // 1000)
    asked = compose.question(prompt)
    return [one.text for one in compose.for_prompt(vault, asked, view, ()).items]


def main() -> None:
    """Measure the thresholds in use, or all of them, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="LoCoMo's JSON file")
    parser.add_argument("--choose", action="store_true", help="every threshold")
    arguments = parser.parse_args()
    conversations = locomo.read(arguments.data)
    used = (compose._FIT, compose._SHARED)
    settings = [(fit, n) for n in SHARED for fit in FITS] if arguments.choose else []
    for name, half in (("first", conversations[::2]), ("second", conversations[1::2])):
        if len(half) < 2:
            raise SystemExit(f"the {name} half needs two conversations or more")
        with ExitStack() as stack:
            vaults = [
                stack.enter_context(locomo.vault_of(locomo.turn_units(one)))
                for one in half
            ]
            report.show(
                f"\n### {name} half\n\n| words | fit | own, evidence | own, anything "
                "| foreign, anything | entries an own prompt |\n"
                "|---:|---:|---:|---:|---:|---:|"
            )
            for fit, shared in settings or [used]:
                cells = " | ".join(
                    f"{value:.3f}" for value in measure(half, vaults, fit, shared)
                )
                mark = "**" if (fit, shared) == used else ""
                report.show(f"| {mark}{shared}{mark} | {mark}{fit}{mark} | {cells} |")


if __name__ == "__main__":
    main()
