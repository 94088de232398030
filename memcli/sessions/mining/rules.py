"""The rules of the strict miner, read from the table beside this module.

Invariant: the table decides, no code does. `rules.toml` says what each column means; a
test mines every example of it, so a row that does not do what it says cannot stay.
"""

import os
import re
import tomllib
from functools import cache
from typing import NamedTuple

from memcli.entries.entry import Confidence
from memcli.sessions.mining.candidate import Category


class Rule(NamedTuple):
    """One row of the table, as its head describes the columns."""

    name: str
    category: Category
    confidence: Confidence
    finds: str
    needs: "re.Pattern[str]"
    pattern: "re.Pattern[str]"
    veto: "re.Pattern[str]"
    yes: tuple[str, ...]
    no: tuple[str, ...]

    def matches(self, lower: str) -> bool:
        """Whether it finds something in a sentence: `Sentence.plain` in lower case."""
        return bool(
            self.needs.search(lower)
            and self.pattern.search(lower)
            and not self.veto.search(lower)
        )


class Table(NamedTuple):
    """The rules in their order, and what keeps each from finding anything."""

    rules: tuple[Rule, ...]
    vetoes: dict[Confidence, "re.Pattern[str]"]

    def first(
        self, plain: str, confidence: Confidence, *, answered: bool
    ) -> Rule | None:
        """The first rule of this confidence that finds something in a sentence.

        Args:
            plain: the sentence, as `Sentence.plain` has it.
            confidence: of the rules that are tried.
            answered: whether the agent has said anything yet; else nothing is corrected.
        """
        lower = plain.lower()
        for rule in self.rules:
            fits = rule.confidence is confidence and rule.matches(lower)
            if fits and (answered or rule.category != "correction"):
                return None if self.vetoes[confidence].search(lower) else rule
        return None


@cache
def table() -> Table:
    """The table; it is read once."""
    path = os.path.join(os.path.dirname(__file__), "rules.toml")
    with open(path, "rb") as file:
        data = tomllib.load(file)
    words = data["words"]

    def compiled(patterns: list[str]) -> "re.Pattern[str]":
        whole = "|".join(patterns) if patterns else r"(?!)"
        while named := re.search(r"<([a-z]+)>", whole):
            whole = whole.replace(named[0], words[named[1]])
        return re.compile(whole)

    rules = tuple(
        Rule(
            row["name"],
            row["category"],
            Confidence(row["confidence"]),
            row["finds"],
            compiled([row.get("needs", "")]),
            compiled(row["patterns"]),
            compiled(row.get("vetoes", [])),
            tuple(row["yes"]),
            tuple(row["no"]),
        )
        for row in data["rule"]
    )
    vetoes = {
        Confidence.HIGH: compiled(data["vetoes"]),
        Confidence.MEDIUM: compiled(data["soft_vetoes"]),
    }
    return Table(rules, vetoes)
