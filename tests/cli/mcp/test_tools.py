"""The tools for an MCP client take what the commands take, or it is said why not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.cli.context import Context
from memcli.cli.mcp import catalog, tools
from memcli.entries.entry import Enforce
from tests.conftest import VaultMaker
from tests.hosts.writing import Claude
from tests.saving import write
from tests.sessions.test_judge import REDIS, ROWS, SLOW


def told(tool: Any, given: dict[str, Any], context: Context) -> dict[str, Any]:
    """The data of a call."""
    answer = tools.call(tool, given, context)
    assert answer.data is not None, answer.error
    return answer.data


def refused(tool: Any, given: dict[str, Any], context: Context) -> dict[str, Any]:
    """The error of a call."""
    answer = tools.call(tool, given, context)
    assert answer.error is not None
    return answer.error


def test_the_session_that_an_agent_is_in_is_judged_over_a_tool(
    vault: Vault, context: Context, tmp_path: Path
) -> None:
    talk = Claude()
    for role, text in ROWS:
        if role == "user":
            talk.user(text)
        else:
            talk.agent({"type": "text", "text": text})
    talk.save(tmp_path / "claude" / "projects" / "-shop")
    environ = {
        **context.environ,
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "CLAUDE_CODE_SESSION_ID": "5e55",
    }
    context = context._replace(environ=environ)
    asked = tools.call(catalog.memory_judge, {}, context)
    assert asked.data is not None, asked.error
    assert set(asked.data) == {"session", "host", "project", "text"}
    assert "2: no, they need a local redis" in asked.data["text"]
    assert asked.notes == ()
    rows = [REDIS, {**SLOW, "turns": [99]}]
    lines = "\n".join(map(json.dumps, rows))
    dry = {"answers": rows, "dry_run": True}
    assert len(told(catalog.memory_judge, dry, context)["candidates"]) == 1
    done = tools.call(catalog.memory_judge, {"answers": lines}, context)
    assert done.data is not None, done.error
    assert [fate["action"] for fate in done.data["candidates"]] == ["saved"]
    assert any("line 2 is not taken" in note for note in done.notes)
    assert [row.text for row in vault.recall("local redis").rows] == [REDIS["text"]]


def test_without_a_session_the_judge_is_told_what_a_host_must_do(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": str(tmp_path)}
    context = context._replace(environ=environ, via="mcp")
    error = refused(catalog.memory_judge, {}, context)
    assert error["code"] == "usage"
    assert "memory_save" in error["hint"]
    assert "PATH" not in error["hint"]


def test_a_call_may_name_another_vault_but_no_folder(
    context: Context, make_vault: VaultMaker, tmp_path: Path
) -> None:
    other = make_vault()
    other.save("The team deploys on Mondays")
    config = f'[vaults.team]\npath = "{other.root}"\nrole = "rw"\n'
    write(tmp_path, "own/memcli/config.toml", config)
    environ = {**context.environ, "XDG_CONFIG_HOME": str(tmp_path / "own")}
    context = context._replace(environ=environ)
    asked = {"query": "when does the team deploy", "vault": "team"}
    (row,) = told(catalog.memory_recall, asked, context)["rows"]
    assert row["text"] == "The team deploys on Mondays"
    given = {"text": "Freeze in May", "vault": "team"}
    saved = told(catalog.memory_save, given, context)
    assert other.get(saved["id"]).body.strip() == "Freeze in May"
    given = {"text": "x", "vault": other.root}
    error = refused(catalog.memory_save, given, context)
    assert error["code"] == "invalid_vault"
    assert "personal, repo, team" in error["hint"]
    context = context._replace(via="mcp", vault=make_vault().root)
    mine = {"query": "team", "personal_only": True}
    assert told(catalog.memory_recall, mine, context)
    calls: dict[str, dict[str, Any]] = {
        "memory_recall all": {"query": "zork", "personal_only": True},
        "memory_recall all vault=team": {"query": "zork", "team_ids": ["team"]},
    }
    for proposed, asked in calls.items():
        none = tools.call(catalog.memory_recall, asked, context)
        assert none.notes[-1].endswith(proposed)


def test_tags_of_a_tool_let_untagged_entries_pass_unless_they_are_strict(
    vault: Vault, context: Context
) -> None:
    for text, tags in (("deploy on Monday", ["ci"]), ("deploy on Tuesday", [])):
        vault.save(text, tags=tags)

    def texts(**arguments: Any) -> list[str]:
        found = told(catalog.memory_recall, arguments, context)
        return sorted(row["text"] for row in found["rows"])

    both = ["deploy on Monday", "deploy on Tuesday"]
    assert texts(query="deploy", tags=["ci"]) == both
    strict = texts(query="deploy", tags=["ci"], tags_match="any_strict")
    assert strict == ["deploy on Monday"]


# --- what it costs a client's context -------------------------------------------------

TOOLS_AT_MOST = 7_200
"""Characters of all tools: 1,800 tokens at 4 characters each."""


def test_the_tools_cost_a_client_1800_tokens_and_the_instructions_150() -> None:
    shown = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.schema(),
        }
        for tool in catalog.SERVED
    ]
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    assert len(text) <= TOOLS_AT_MOST
    assert len(catalog.INSTRUCTIONS) <= 600
    told = set(re.findall(r"memory_\w+", catalog.INSTRUCTIONS))
    assert told == {tool.name for tool in catalog.SERVED}


# --- memory_admin ---------------------------------------------------------------------


def test_admin_runs_a_tool_with_its_rare_parameters(
    vault: Vault, context: Context
) -> None:
    first = vault.save("We deploy on Mondays").id
    second = vault.evolve(first, "We deploy on Tuesdays").id
    given = {"query": "deploy", "history": True}
    for action in ("recall", "memory_recall"):
        asked = {"action": action, "arguments": given}
        found = told(catalog.memory_admin, asked, context)
        assert {row["id"] for row in found["rows"]} == {first, second}
    written = {"action": "recall", "arguments": json.dumps(given)}
    assert len(told(catalog.memory_admin, written, context)["rows"]) == 2
    # The tool itself takes them, too, though it does not show them.
    assert len(told(catalog.memory_recall, given, context)["rows"]) == 2
    assert "history" not in catalog.memory_recall.schema()["properties"]


def test_no_tool_rewords_what_a_person_enforces(vault: Vault, context: Context) -> None:
    draft = vault.draft({"text": "Never run terraform apply", "kind": "constraint"})
    mine = vault.save(draft.replace(enforce=Enforce.DENY)).id
    given = {"id": mine, "text": "Never run kubectl rollout"}
    error = refused(catalog.memory_evolve, given, context._replace(via="mcp"))
    assert "only a person changes it" in error["message"]
    assert vault.get(mine).body.strip() == "Never run terraform apply"


def test_tags_and_a_project_alone_make_no_new_version(
    vault: Vault, context: Context
) -> None:
    mine = vault.save("We deploy on Mondays", tags=["x"]).id
    given = {"id": mine, "tags": ["ci"], "untag": ["x"], "project": "example.org/shop"}
    done = told(catalog.memory_evolve, given, context)
    assert (done["id"], done["tags"]) == (mine, ["ci"])
    assert done["project"] == "example.org/shop"
    given = {"id": mine, "tags": ["y"], "text": "We deploy on Tuesdays"}
    assert told(catalog.memory_evolve, given, context)["supersedes"] == mine


def test_expand_false_looks_at_no_links(vault: Vault, context: Context) -> None:
    vault.save(vault.draft({"text": "Checkout uses Redis", "entities": ["Redis"]}))
    vault.save(vault.draft({"text": "Two spare machines", "entities": ["Redis"]}))

    def count(**more: Any) -> int:
        asked = {"query": "checkout", **more}
        return len(told(catalog.memory_recall, asked, context)["rows"])

    assert (count(), count(expand=True), count(expand=False)) == (2, 2, 1)


def test_admin_says_which_parameters_each_action_takes(context: Context) -> None:
    actions = told(catalog.memory_admin, {"action": "help"}, context)["actions"]
    assert set(actions) == set(catalog.ACTIONS)
    assert actions["recall"]["as_of"]["description"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "forget"}, "invalid_action"),
        ({"action": ["recall"]}, "invalid_action"),
        ({"action": "recall", "arguments": "["}, "invalid_arguments"),
        ({"action": "recall", "arguments": [1]}, "invalid_arguments"),
        ({"action": "recall", "nonsense": "x"}, "unknown_field"),
        ({"action": "save"}, "usage"),
        ({"action": "recall", "arguments": {"nonsense": 1}}, "unknown_field"),
        ({"action": "recall", "all": True, "as_of": "7d"}, "usage"),
        ({"action": "recall", "all": True, "query": "x"}, "usage"),
    ],
)
def test_admin_refuses_what_it_does_not_know(
    context: Context, arguments: dict[str, Any], code: str
) -> None:
    assert refused(catalog.memory_admin, arguments, context)["code"] == code


# --- review ---------------------------------------------------------------------------


def waiting(context: Context, text: str) -> str:
    """The id of a candidate in the inbox."""
    given = {"text": text, "inbox": True}
    return str(told(catalog.memory_save, given, context)["id"])


def test_review_lists_the_inbox_and_decides_on_ids(
    vault: Vault, context: Context
) -> None:
    kept, dropped = (
        waiting(context, text) for text in ("Deploy on Mondays", "Lunch is at noon")
    )

    def review(**arguments: Any) -> dict[str, Any]:
        return told(catalog.memory_review, arguments, context)

    assert len(review()["candidates"]) == 2
    review(ids=[kept], approve=True)
    review(ids=dropped, reject="true")
    assert review()["candidates"] == []
    assert [row.id for row in vault.recall("deploy").rows] == [kept]
    given = {"id": vault.repository().head(), "revert": True}
    client = context._replace(via="mcp")
    assert refused(catalog.memory_evolve, given, client)["code"] == "owner_only"
    given["research"] = "r"
    assert refused(catalog.memory_evolve, given, client)["code"] == "usage"
