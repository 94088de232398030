"""Calls of MCP tools, made by the real clients for a model that is a stub.

The client checks each call by the tools' schemas before memcli sees it, and hands the
answer on.
"""

import json
from typing import Any

from tests.e2e.model import Call, tools_of
from tests.e2e.scratch import Scratch
from tests.e2e.sessions import JUDGED, TAUGHT

FACT = "The warehouse is rebuilt from the nightly snapshot at two o'clock."
ASKS = "When is the warehouse rebuilt?"
# What stands before the name of a tool; Codex lists them under a name of their own.
PREFIXES = {
    "claude-code": "mcp__memcli__",
    "codex": "",
    "gemini": "mcp_memcli_",
    "copilot": "memcli-",
    "opencode": "memcli_",
}


def test_an_agent_saves_finds_and_judges_by_tools(machine: Scratch) -> None:
    machine.make_vault()
    _add_server(machine)
    answers = json.dumps(JUDGED)
    # Copilot writes what was typed a third of a second later.
    for tool, given, thinks in (
        ("memory_save", {"text": FACT, "kind": "convention"}, 0),
        ("memory_recall", {"query": ASKS}, 0),
        ("memory_recall", {"query": "kubernetes"}, 0),
        ("memory_judge", {}, 3),
        ("memory_judge", {"answers": answers}, 0),
    ):
        call = _call(machine, tool, given)
        machine.model.calls.append(call._replace(thinks=thinks))
    ended = machine.session(TAUGHT, acts=True)
    assert ended.code == 0, ended
    offered = {name for one in machine.model.requests for name in tools_of(one.body)}
    assert not machine.model.calls, " ".join(sorted(offered))
    assert machine.memories(ASKS) == [FACT]
    [row] = machine.memcli("recall", ASKS)["rows"]
    assert row["source"] == "personal", row
    sent = machine.model.read()
    assert f"saved {row['id']}" in sent, "what save did was not told to the model"
    assert "No entry contains 'kubernetes'" in sent, "nor a warning"
    last = [one.text for one in machine.model.requests if "What was typed" in one.text]
    assert last[-1].count("No entry contains") == 1, "an answer was told twice"
    assert "What was typed" in sent, "the digest did not reach the model"
    assert machine.memories("payment redis") == [JUDGED["text"]]
    assert machine.uncommitted() == ""


def _add_server(machine: Scratch) -> None:
    """Add memcli's MCP server to the client, and let the client ask nobody."""
    name = machine.client.name
    machine.memcli("install", name, "--mcp", MEMCLI_VAULT="")
    if name == "codex":
        # Else the first request is made before the server is ready, at times.
        config = machine.home / ".codex" / "config.toml"
        table = "[mcp_servers.memcli]\n"
        added = config.read_text("utf-8")
        assert table in added, added
        waiting = added.replace(table, f"{table}required = true\n")
        config.write_text(waiting, encoding="utf-8")
    if name == "claude-code":
        allowed = machine.project / ".claude" / "settings.local.json"
        allowed.parent.mkdir()
        allowed.write_text('{"permissions": {"allow": ["mcp__memcli"]}}')
        # Else the tools are offered only once the model has searched for them.
        machine.environ["ENABLE_TOOL_SEARCH"] = "false"
        machine.environ["MCP_CONNECTION_NONBLOCKING"] = "false"


def _call(machine: Scratch, tool: str, given: dict[str, Any]) -> Call:
    name = machine.client.name
    return Call(PREFIXES[name] + tool, given, "mcp__memcli" if name == "codex" else "")
