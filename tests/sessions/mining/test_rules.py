"""Every example in the table of rules does what it says."""

import re

import pytest

from memcli.entries.entry import Confidence
from memcli.sessions.mining import rules
from tests.sessions.mining.said import said

RULES = rules.table()
FOUND = [(rule, text) for rule in RULES for text in rule.yes]
NOT_FOUND = [(rule, text) for rule in RULES for text in rule.no]


@pytest.mark.parametrize(("rule", "text"), FOUND)
def test_what_a_rule_says_yes_to_is_found_by_it(rule: rules.Rule, text: str) -> None:
    (found,) = said(text)
    assert (found.pattern, found.category, found.confidence) == (
        rule.name,
        rule.category,
        rule.confidence,
    )


@pytest.mark.parametrize(("rule", "text"), NOT_FOUND)
def test_what_a_rule_says_no_to_is_saved_by_none(rule: rules.Rule, text: str) -> None:
    found = [one for one in said(text) if one.confidence is not Confidence.LOW]
    assert rule.name not in [one.pattern for one in found]
    assert [one for one in found if one.confidence is Confidence.HIGH] == []


@pytest.mark.parametrize(
    "text",
    ["always run the linter for now", "please dont touch this file until i'm back ok"],
)
def test_what_a_rule_would_find_but_for_a_veto_is_low(text: str) -> None:
    (found,) = said(text)
    assert (found.confidence, found.text) == (Confidence.LOW, text)


def test_each_rule_has_its_own_name_and_two_examples_of_each_sort() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(len(rule.yes) >= 2 and len(rule.no) >= 2 for rule in RULES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name) for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_no_rule_finds_anything_in_nothing(rule: rules.Rule) -> None:
    assert not rule.matches("")
