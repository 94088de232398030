"""Directives that are much alike and cannot both be followed are told apart."""

import tomllib
from pathlib import Path

import pytest

from memcli.entries.text.directives import differ

PAIRS = tomllib.loads(
    Path(__file__).with_name("disagreement_pairs.toml").read_text("utf-8")
)


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("Retry three times, 5 s apart", "Retry three times, 9 s apart", "numbers"),
        ("Run lint before a push", "Don't run lint before a push", "negation"),
        ("Nobody pushes to main", "Everybody pushes to main", "negation"),
        ("Use tabs in this repo", "Use spaces in this repo", "alternative"),
        ("Tabs over spaces, please", "Spaces over tabs, please", "alternative"),
        ("Always use tabs", "Always use spaces", None),
        ("Use tabs in this repo", "Use tabs in this repo", None),
        ("", "", None),
    ],
)
def test_what_cannot_both_be_followed_is_named(
    one: str, other: str, rule: str | None
) -> None:
    reason = differ(one, other)
    assert (reason and reason[0]) == rule


def test_the_wide_rules_find_what_they_cost() -> None:
    """The module's docstring says why they may be wider than those of a save."""
    parts = [PAIRS["unseen"], PAIRS["reviewed"], PAIRS]
    wrong = [pair for part in parts for pair in part["compatible"] if differ(*pair)]
    assert len(wrong) == 43
    found = [
        pair
        for part in (PAIRS, PAIRS["unseen"])
        for pair in part["contradictions"]
        if differ(*pair)
    ]
    assert len(found) >= 38
