"""The pages about mining name every rule and action; their examples are mined."""

import ast
import re
from pathlib import Path

import pytest

from memcli.hosts.transcript import Step
from memcli.sessions import mining
from memcli.sessions.mining import ideas, mine
from memcli.sessions.reflect_session import ACTIONS
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "use" / "mining.md"
RULES_PAGE = ROOT / "docs" / "reference" / "mining-rules.md"
RULE = re.compile(r"^\| `([a-z-]+)` \| (\w+) \| ([A-Z, ]+) \| .* \| (.*) \|$", re.M)
RULES = RULE.findall(RULES_PAGE.read_text(encoding="utf-8"))
LEVELS = ("HIGH", "MEDIUM", "LOW", "confidence")
QUOTED = [
    (name, category, levels.partition(",")[0], example[1:-1])
    for name, category, levels, example in RULES
    if re.fullmatch(r'"[^"]*"', example)
]


def rules_in_the_code() -> set[str]:
    """What follows a confidence wherever the miner makes a finding."""
    found = {name for name, *_ in ideas._PATTERNS}
    for module in Path(mining.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or len(node.args) < 3:
                continue
            level, name = map(ast.unparse, node.args[:2])
            if level.rpartition(".")[2] in LEVELS and re.fullmatch(r"'[a-z-]+'", name):
                found.add(name.strip("'"))
    return found


def test_the_page_names_every_rule_and_no_other():
    assert {name for name, *_ in RULES} == rules_in_the_code()


@pytest.mark.parametrize(
    ("rule", "category", "level", "example"), QUOTED, ids=[one[0] for one in QUOTED]
)
def test_an_example_is_found_by_its_rule(
    rule: str, category: str, level: str, example: str
):
    session = [
        Step("user", "Look at the build, please.", 1, "a"),
        Step("assistant", "Done: I changed the script of the build.", 2, "b"),
        Step("user", example, 3, "c"),
        Step("assistant", "You're right, let me fix that.", 4, "d"),
    ]
    (found,) = mine(session).candidates
    assert (found.pattern, found.category, str(found.confidence)) == (
        rule,
        category,
        level,
    )


def test_only_what_takes_more_than_a_sentence_has_no_example_to_mine():
    without = {name for name, *_ in RULES} - {name for name, *_ in QUOTED}
    assert without == {
        "explained-fix",
        "noted-lesson",
        "workaround",
        "approved-sequence",
        "repeated-sequence",
    }


def test_the_page_names_every_action_and_no_other():
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition("| action | means |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.M)) == ACTIONS
