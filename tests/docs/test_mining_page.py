"""The pages about mining name every rule and action."""

import ast
import re
from pathlib import Path

from memcli.sessions.bringing import ACTIONS
from memcli.sessions.mining import proof, rules
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "use" / "sessions.md"
RULES_PAGE = ROOT / "docs" / "reference" / "mining-rules.md"


def rules_of_commands() -> set[str]:
    """The names that `proof` gives to what it finds."""
    tree = ast.parse(Path(proof.__file__).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [node for node in calls if ast.unparse(node.func) == "Reading"]
    return {ast.unparse(node.args[1]).strip("'") for node in found}


def test_the_page_names_every_rule_and_no_other() -> None:
    named = re.findall(
        r"^\| `([a-z-]+)` \|", RULES_PAGE.read_text(encoding="utf-8"), re.M
    )
    expected = {rule.name for rule in rules.table()} | rules_of_commands()
    assert sorted(named) == sorted(expected)


def test_the_page_names_every_action_and_no_other() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition("| action | means |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.M)) == ACTIONS
