"""Forty first calls of MCP tools, made by a real client for a model that is a stub.

The client checks each call by the tools' schemas before memcli sees it, and hands the
answer on. The calls are those of `tests/cli/mcp/test_first_calls.py`; they were written
by hand, since a stub chooses nothing.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.mcp.test_first_calls import CALLS
from tests.e2e.hooks import MEMCLI
from tests.e2e.model import Call, tools_of
from tests.e2e.scratch import Scratch

# Those that the tools themselves refuse: a rare parameter, a number for a truth value.
AT_LEAST = len(CALLS) - 2


def _results(document: Any) -> Iterator[dict[str, Any]]:
    """The results of tools in a request of Claude Code, in their order."""
    for message in document.get("messages", ()):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "tool_result":
                yield part


@pytest.mark.only("claude-code")
def test_an_agent_that_has_mcp_alone_succeeds_at_its_first_calls(
    machine: Scratch,
) -> None:
    machine.memcli("init", str(machine.vault))
    # A call that evolves or resolves an entry needs one of its own.
    names = [
        machine.memcli("save", f"Deploys of service {number} run from main")["id"]
        for number, (_, arguments) in enumerate(CALLS)
        if "ID" in json.dumps(arguments)
    ]
    server = {
        "command": MEMCLI[0],
        "args": [*MEMCLI[1:], "mcp", "--vault", str(machine.vault)],
        "env": {"PYTHONPATH": machine.environ["PYTHONPATH"]},
    }
    settings = machine.home / ".claude.json"
    known = json.loads(settings.read_text("utf-8"))
    known["mcpServers"] = {"memcli": server}
    settings.write_text(json.dumps(known), encoding="utf-8")
    allowed = machine.project / ".claude" / "settings.local.json"
    allowed.parent.mkdir()
    allowed.write_text('{"permissions": {"allow": ["mcp__memcli"]}}')
    for tool, arguments in CALLS:
        text = json.dumps(arguments)
        if "ID" in text:
            text = text.replace("ID", names.pop(0))
        machine.model.calls.append(Call(f"mcp__memcli__{tool}", json.loads(text)))
    # Else the tools are offered only once the model has searched for them.
    machine.environ["ENABLE_TOOL_SEARCH"] = "false"
    machine.environ["MCP_CONNECTION_NONBLOCKING"] = "false"
    ended = machine.session("Use your memory.")
    assert ended.code == 0, ended
    offered = {name for one in machine.model.requests for name in tools_of(one.body)}
    assert not machine.model.calls, " ".join(sorted(offered))
    longest = max(machine.model.requests, key=lambda one: len(json.dumps(one.body)))
    results = list(_results(longest.body))
    assert len(results) == len(CALLS)
    failed = [
        (CALLS[number], str(result.get("content"))[:300])
        for number, result in enumerate(results)
        if result.get("is_error")
    ]
    assert len(CALLS) - len(failed) >= AT_LEAST, failed
