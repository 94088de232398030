"""The rules of the strict miner, read from the table beside this module.

Invariant: the table decides, no code does. `rules.toml` says what each column means; a
test mines every example of it, so a row that does not do what it says cannot stay.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import cache

from memcli.entries.entry import Confidence
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.sessions.mining.candidate import Category


class Rule(NamedTuple):
    """One row of the table, as its head describes the columns."""

    name: str
    category: Category
    confidence: Confidence
    finds: str
    needs: re.Pattern[str]
    pattern: re.Pattern[str]
    veto: re.Pattern[str]
    yes: tuple[str, ...]
    no: tuple[str, ...]

    def matches(self, lower: str, *, vetoed: bool = False) -> bool:
        """Whether it finds something in a sentence: `Sentence.plain` in lower case.

        With `vetoed` whether it would, but for a veto.
        """
        return bool(
            self.needs.search(lower)
            and self.pattern.search(lower)
            and bool(self.veto.search(lower)) is vetoed
        )


def first(plain: str, confidence: Confidence, *, answered: bool) -> Rule | None:
    """The first rule of this confidence that finds something in a sentence.

    Args:
        plain: the sentence, as `Sentence.plain` has it.
        confidence: of the rules that are tried; LOW is what a veto leaves of a rule.
        answered: whether the agent has said anything yet; else nothing is corrected.
    """
    lower, low = plain.lower(), confidence is Confidence.LOW
    for rule in table():
        allowed = answered or rule.category != "correction"
        tried = low or rule.confidence is confidence
        if allowed and tried and rule.matches(lower, vetoed=low):
            return rule._replace(confidence=confidence)
    return None


@cache
def table() -> tuple[Rule, ...]:
    """The rules in their order, each with the vetoes that it shares; read once."""
    path = os.path.join(os.path.dirname(__file__), "rules.toml")
    with open(path, "rb") as file:
        data = tomllib.load(file)

    def compiled(patterns: list[str]) -> re.Pattern[str]:
        whole = "|".join(patterns)
        while named := re.search(r"<([a-z]+)>", whole):
            whole = whole.replace(named[0], data["words"][named[1]])
        return re.compile(whole)

    below = data["vetoes"]["MEDIUM"]
    shared = {"MEDIUM": below, "HIGH": [*below, *data["vetoes"]["HIGH"]]}
    return tuple(
        Rule(
            row["name"],
            row["category"],
            Confidence(row["confidence"]),
            row["finds"],
            compiled([row.get("needs", "")]),
            compiled(row["patterns"]),
            compiled([*shared[row["confidence"]], *row.get("vetoes", [])]),
            tuple(row["yes"]),
            tuple(row["no"]),
        )
        for row in data["rule"]
    )
