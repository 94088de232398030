"""Claims that cannot both hold are told from claims that are only near each other."""

import tomllib
from pathlib import Path

import pytest

from memcli.entries.text.disagreement import LONGEST, claim, disagree

PAIRS = tomllib.loads(
    Path(__file__).with_name("disagreement_pairs.toml").read_text("utf-8")
)
MADE_WITH, HELD_BACK = slice(0, None, 2), slice(1, None, 2)


def rule(older: str, newer: str) -> str | None:
    one, other = claim(older), claim(newer)
    reason = disagree(one, other) if one and other else None
    return reason[0] if reason else None


@pytest.mark.parametrize(("half", "fewest"), [(MADE_WITH, 20), (HELD_BACK, 25)])
def test_most_contradictions_are_found_and_no_near_claim_is(
    half: slice, fewest: int
) -> None:
    found = [pair for pair in PAIRS["contradictions"][half] if rule(*pair)]
    wrong = [
        pair
        for pair in PAIRS["compatible"][half]
        if rule(*pair) or rule(*reversed(pair))
    ]
    assert wrong == []
    assert len(found) >= fewest


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("We use SQLite", "PostgreSQL instead of SQLite", "given_up"),
        ("PostgreSQL instead of SQLite", "We use SQLite", "given_up"),
        ("Deploys take 5 minutes", "Deploys take 5 minutes", None),
        ("Tabs over spaces", "Spaces over tabs", "order"),
        ("Prefers tabs in all code", "Prefers tabs in Go code", None),
        ("Release 1.9 was shipped", "Release 2.0 was shipped", None),
        ("Rerank v1.10 crashes often", "Rerank v1.11 crashes often", None),
        ("The tests are run in CI", "Are the tests not run in CI?", None),
        ("No, the tests run in CI", "The tests run in CI", None),
    ],
)
def test_what_differs_is_named(older: str, newer: str, expected: str | None) -> None:
    assert rule(older, newer) == expected


def test_a_text_of_many_claims_is_not_compared() -> None:
    assert claim("The limit is 50. " * (LONGEST // 10)) is None


@pytest.mark.parametrize(
    "text", ["", " ", "...", "50", "not", "no, ", "\x00", "数据库"]
)
def test_texts_without_a_claim_disagree_with_nothing(text: str) -> None:
    assert rule(text, "The limit is 50") is None
    assert rule("The limit is 50", text) is None
