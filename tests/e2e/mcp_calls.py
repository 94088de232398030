"""Calls of MCP tools, made by the real clients for a model that is a stub.

The client checks each call by the tools' schemas before memcli sees it, and hands the
answer on. The many first calls are those of `tests/cli/mcp/test_first_calls.py`; they
were written by hand, since a stub chooses nothing.
"""

import json
import shlex
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.mcp.test_first_calls import CALLS, is_refused
from tests.e2e.hooks import MEMCLI
from tests.e2e.model import Call, tools_of
from tests.e2e.scratch import Scratch

FACT = "The warehouse is rebuilt from the nightly snapshot at two o'clock."
ASKS = "When is the warehouse rebuilt?"
TAUGHT = "hm, the payment tests could take a local redis, that of staging is shared"
JUDGED = {
    "turns": [1],
    "kind": "convention",
    "text": "The payment tests take a local redis; that of staging is shared.",
    "why": "another session may use it",
    "confidence": "HIGH",
}
# The words of each client that add a server, as docs/agents/mcp.md shows them.
ADDS = {
    "claude-code": ("mcp", "add", "--scope", "user", "memcli", "--"),
    "codex": ("mcp", "add", "memcli", "--"),
    "gemini": ("mcp", "add", "--scope", "user", "memcli"),
}
# What stands before the name of a tool; Codex lists them under a name of their own.
PREFIXES = {
    "claude-code": "mcp__memcli__",
    "codex": "",
    "gemini": "mcp_memcli_",
    "copilot": "memcli-",
    "opencode": "memcli_",
}


def _results(document: Any) -> Iterator[dict[str, Any]]:
    """The results of tools in a request of Claude Code, in their order."""
    for message in document.get("messages", ()):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "tool_result":
                yield part


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
    assert "no match: in no entry: kubernetes" in sent, "nor a warning"
    last = [one.text for one in machine.model.requests if "What was typed" in one.text]
    assert last[-1].count("no match: in no entry") == 1, "an answer was told twice"
    assert "What was typed" in sent, "the digest did not reach the model"
    assert machine.memories("payment redis") == [JUDGED["text"]]
    assert machine.uncommitted() == ""


def _add_server(machine: Scratch) -> None:
    """Add memcli's MCP server to the client, as the documentation says."""
    program = machine.home / "bin" / "memcli"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(MEMCLI)} "$@"\n')
    program.chmod(0o755)
    name = machine.client.name
    server: dict[str, Any]
    if name in ADDS:
        command = [str(machine.client.path), *ADDS[name], str(program), "mcp"]
        subprocess.run(
            command,
            env=machine.environ,
            cwd=machine.project,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
    elif name == "copilot":
        settings = machine.home / ".copilot" / "mcp-config.json"
        server = {"type": "local", "command": str(program), "args": ["mcp"]}
        servers = {"mcpServers": {"memcli": {**server, "tools": ["*"]}}}
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps(servers), encoding="utf-8")
    else:
        settings = machine.home / ".config" / "opencode" / "opencode.json"
        known = json.loads(settings.read_text("utf-8"))
        server = {"type": "local", "command": [str(program), "mcp"], "enabled": True}
        known["mcp"] = {"memcli": server}
        settings.write_text(json.dumps(known), encoding="utf-8")
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
    _add_server(machine)
    for tool, arguments in CALLS:
        text = json.dumps(arguments)
        if "ID" in text:
            text = text.replace("ID", names.pop(0))
        machine.model.calls.append(_call(machine, tool, json.loads(text)))
    ended = machine.session("Use your memory.")
    assert ended.code == 0, ended
    offered = {name for one in machine.model.requests for name in tools_of(one.body)}
    assert not machine.model.calls, " ".join(sorted(offered))
    longest = max(machine.model.requests, key=lambda one: len(json.dumps(one.body)))
    results = list(_results(longest.body))
    assert len(results) == len(CALLS)
    for (tool, arguments), result in zip(CALLS, results, strict=True):
        said = tool, arguments, str(result.get("content"))[:300]
        assert bool(result.get("is_error")) == is_refused(arguments), said
