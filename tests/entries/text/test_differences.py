"""What differs between similar texts is named; what is denied is mostly near."""

import tomllib
from pathlib import Path

import pytest

from memcli.entries.text import tokens
from memcli.entries.text.differences import differences
from memcli.vault.likeness import MOST_SIMILAR, SIMILAR

PAIRS = tomllib.loads(Path(__file__).with_name("pairs.toml").read_text("utf-8"))
PARTS = (PAIRS, PAIRS["unseen"], PAIRS["reviewed"])
CONTRADICTIONS = [pair for part in PARTS for pair in part.get("contradictions", ())]
COMPATIBLE = [pair for part in PARTS for pair in part["compatible"]]


@pytest.mark.parametrize(
    ("older", "newer", "found"),
    [
        ("The limit is 3", "The limit is 5", ("number",)),
        ("Redis listens on port 6379", "Redis listens on port 6380", ("number",)),
        (
            "We deploy on Tuesdays at 9",
            "We deploy on Monday at 10",
            ("number", "weekday"),
        ),
        ("Redis is used for locks", "We no longer use Redis for locks", ("not",)),
        ("Deploys run at night", "Deploys don't run at night", ("not",)),
        ("Squash the commits", "Dont squash the commits", ("not",)),
        ("Use yarn in this repository", "Use bun in this repository", ("name",)),
        ("Maria owns the notifications", "Tom owns the notifications", ("name",)),
        ("Use British English in docs", "use US English in docs", ("name",)),
        ("Prefer tabs over spaces", "Prefer spaces over tabs", ("order",)),
        ("Run the tests before a push", "Run the linter before a push", ()),
        ("Deploys run at night", "Deploys run at night", ()),
        ("", "Deploys run at night", ()),
    ],
)
def test_what_differs_is_named_in_both_directions(
    older: str, newer: str, found: tuple[str, ...]
) -> None:
    assert differences(older, newer) == found
    assert differences(newer, older) == found


def test_a_text_of_many_claims_is_not_compared() -> None:
    assert differences("The limit is 50. " * 60, "The limit is 3") == ()


def words(text: str) -> set[str]:
    return set(tokens.terms(text, tokens.stemmer()))


def test_of_100_contradicted_entries_92_are_among_the_three_nearest() -> None:
    older = [one for one, _ in (*CONTRADICTIONS, *COMPATIBLE)]
    held = [(text, words(text)) for text in older]
    hits = rows = 0
    for old, new in CONTRADICTIONS:
        mine = words(new)
        shares = [(len(mine & w) / len(mine | w), text) for text, w in held]
        near = sorted((one for one in shares if one[0] >= SIMILAR), reverse=True)
        rows += len(near[:MOST_SIMILAR])
        hits += old in [text for _, text in near[:MOST_SIMILAR]]
    assert len(CONTRADICTIONS) == 100
    assert hits >= 92
    assert rows / len(CONTRADICTIONS) < 2.2


def test_most_contradictions_differ_in_what_is_named() -> None:
    assert sum(bool(differences(*pair)) for pair in CONTRADICTIONS) >= 80
