"""First calls of an agent are understood at once, however it spells parameters.

The calls are what models write for everyday tasks as they do for other tools: singular
names, numbers and lists as text, one value where a list is meant, `content` for the
text. What is spelled as the tools show it stands in `test_doors`.
"""

import json
from typing import Any

import pytest

from memcli import Vault
from memcli.cli.context import Context
from memcli.cli.mcp import catalog, tools

# (tool, arguments); ID is the entry of a first save.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_recall", {"query": "deploy", "limit": "5"}),
    ("memory_recall", {"query": "deploy", "kind": "convention"}),
    ("memory_recall", {"query": "deploy", "tags": "ci"}),
    ("memory_recall", {"query": "deploy", "tag": ["ci"]}),
    ("memory_recall", {"query": "deploy", "entity": "checkout"}),
    ("memory_recall", {"question": "what did we decide on deploys?"}),
    ("memory_recall", {"all": True, "kinds": '["blocker"]'}),
    ("memory_recall", {"all": "true", "kind": "action"}),
    ("memory_recall", {"query": "deploy", "status": "resolved"}),
    ("memory_recall", {"query": "deploy", "max_results": 5}),
    ("memory_recall", {"query": "deploy", "since": "7d", "as_of": "7d"}),
    ("memory_save", {"content": "Lint before a commit", "kind": "convention"}),
    ("memory_save", {"text": "Ports start at 8100", "tags": "ports, local"}),
    ("memory_save", {"text": "Maybe use Rust", "inbox": "true"}),
    ("memory_save", {"memory": "Docs are in English", "type": "task"}),
    ("memory_evolve", {"id": "ID", "content": "We deploy hourly"}),
    ("memory_evolve", {"id": "ID", "tag": "deploy"}),
    ("memory_resolve", {"id": "ID", "note": "done"}),
    ("memory_resolve", {"ids": "ID"}),
    ("memory_resolve", {"ids": '["ID"]'}),
    ("memory_reflect", {"question": "deploys so far", "budget": "low"}),
    ("memory_inspect", {}),
    ("memory_review", {}),
    ("memory_admin", {"action": "recall", "arguments": {"query": "x", "history": 1}}),
    # Calls that failed when an engineer used the tools as an agent does.
    ("memory_recall", {"q": "deploy"}),
    ("memory_recall", {"query": "deploy", "budget": "medium"}),
    ("memory_recall", {"query": "deploy", "kinds": ["decisions", "fixes"]}),
    ("memory_recall", {"query": "deploy", "layer": "facts"}),
    ("memory_recall", {"query": "deploy", "project": "all"}),
    ("memory_recall", {"kinds": ["note"]}),
    ("memory_recall", {"query": "", "after": "7d"}),
    ("memory_recall", {"query": "*", "tags": ["ci"]}),
    ("memory_save", {"text": "Staging is heron", "kind": "fact"}),
    ("memory_save", {"text": "Likes dark mode", "kind": "user_preference"}),
    ("memory_save", {"text": "Ann is a person", "type": "user"}),
    ("memory_save", {"text": "Lint first", "project": "global"}),
    ("memory_evolve", {"id": "ID", "new_text": "We deploy on Mondays", "why": "x"}),
    ("memory_admin", {"action": "save", "text": "Flat", "layer": "fact"}),
    ("memory_save", {"text": "Round half up", "importance": "high"}),
    ("memory_resolve", {"list": True}),
]

# What no parameter is, and a number for a truth value: the answer says what to give.
REFUSED = {"importance", "list"}


def is_refused(arguments: dict[str, Any]) -> bool:
    given = arguments.get("arguments", {})
    return bool(REFUSED & arguments.keys()) or given.get("history") == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [pytest.param(*one, id=f"{one[0]}-{number}") for number, one in enumerate(CALLS)],
)
def test_a_first_call_succeeds_or_the_error_says_what_to_give(
    vault: Vault, context: Context, tool: str, arguments: dict[str, Any]
) -> None:
    mine = vault.save("Deploys run from main").id
    filled = json.loads(json.dumps(arguments).replace("ID", mine))
    (served,) = [one for one in catalog.SERVED if one.name == tool]
    answer = tools.call(served, filled, context)
    if is_refused(arguments):
        assert answer.error is not None
        assert answer.error["code"] in ("unknown_field", "invalid_history")
        assert answer.error.get("hint") or "must be" in answer.error["message"]
    else:
        assert answer.error is None, answer.error


def test_filters_alone_list_what_they_let_through(
    vault: Vault, context: Context
) -> None:
    mine = vault.save("Redis is down", kind="blocker").id
    vault.save("Redis is used")
    (recall,) = [one for one in catalog.SERVED if one.name == "memory_recall"]
    for arguments in ({"kind": "blockers"}, {"query": "*", "kinds": ["blocker"]}):
        found = tools.call(recall, arguments, context).data or {}
        assert [row["id"] for row in found["rows"]] == [mine]
    vault.resolve(mine)
    every = {"query": "down", "statuses": ["all"]}
    found = tools.call(recall, every, context).data or {}
    assert [row["id"] for row in found["rows"]] == [mine]
    nothing = tools.call(recall, {"query": " "}, context).error or {}
    assert "memory_recall all" in nothing["hint"]
