"""A server of tools for one client, over stdin and stdout; the one module that knows
the MCP SDK.

Invariant: stdout carries the protocol and nothing else. A call runs in a thread of its
own, so the server reads on meanwhile and can be told to cancel. A call that changes
the vault is never left half-way by a client that goes away or cancels it; one that only
reads is given up at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys

import anyio
import mcp_types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from memcli import __version__
from memcli.cli.mcp import catalog, tools
from memcli.cli.render import safe
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from memcli.cli.context import Context
    from memcli.cli.mcp.catalog import Tool
    from memcli.cli.mcp.tools import Answer

# Below the 40 threads that anyio has: those that read and write the protocol are among
# them, and must never wait for a call.
_AT_ONCE = 8


def serve(context: Context) -> None:
    """Serve the tools until the client closes stdin or goes away.

    Args:
        context: what each call is run by; several may run at once.

    Raises:
        UsageError: there is no client, since stdin is closed.
    """
    if sys.stdin is None:
        raise UsageError(
            "stdin is closed, so there is no client to serve",
            hint="An MCP client starts this command itself: docs/agents/mcp.md",
        )
    server = _server(context)
    # asyncio's own handler waits for the thread that reads stdin: until the next line.
    before = signal.signal(signal.SIGINT, _interrupted)
    try:
        anyio.run(_until_closed, server)
    except* (BrokenPipeError, ConnectionError):
        pass  # the client is gone without a word
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupted(*_: object) -> None:
    # A change that this cuts short is finished or undone by the next reader (journal).
    os._exit(130)


async def _until_closed(server: Server[Any]) -> None:
    requests: Any = None if sys.platform == "win32" else _requests()
    async with stdio_server(requests) as (incoming, outgoing):
        # What a call prints is talk; in stdout's buffer it would be lost at the end.
        with contextlib.redirect_stdout(sys.stderr):
            await server.run(incoming, outgoing, server.create_initialization_options())


async def _requests() -> AsyncIterator[str]:
    """The messages on stdin, which from then on gives nothing to git's hooks."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    with os.fdopen(pipe, encoding="utf-8", errors="replace") as file:
        async for line in anyio.wrap_file(file):
            if line.strip():
                yield whole(line)


def whole(line: str) -> str:
    """A request with U+FFFD for each half of a surrogate pair.

    The SDK cannot parse one, and its client would wait for an answer for ever.
    """
    if not re.search(r"\\u[dD][89a-fA-F]", line):
        return line
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _server(context: Context) -> Server[Any]:
    by_name = {tool.name: tool for tool in catalog.SERVED}
    listed = [_described(tool) for tool in catalog.SERVED]
    limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def list_tools(_context: Any, _params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=listed)

    async def call_tool(
        _context: Any, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(
                mcp_types.INVALID_PARAMS,
                f"no tool '{params.name}'; there are {', '.join(by_name)}",
            )
        return _result(
            await to_thread.run_sync(
                tools.call,
                tool,
                params.arguments or {},
                context,
                abandon_on_cancel=not tool.changes,
                limiter=limiter,
            )
        )

    return Server(
        "memcli",
        version=__version__,
        title="memcli",
        instructions=catalog.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> mcp_types.Tool:
    return mcp_types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema(),
        annotations=mcp_types.ToolAnnotations(
            # Nothing is destroyed: git and archive/ keep what was before.
            read_only_hint=not tool.changes,
            destructive_hint=False,
            open_world_hint=False,
        ),
    )


def _result(answer: Answer) -> mcp_types.CallToolResult:
    """One text, and the same as structured content, with the notes in both.

    Claude Code and Codex show their model the structured content alone, Gemini CLI and
    opencode the texts, and Copilot CLI both, unless the one text is the structured
    content as JSON without spaces.
    """
    data: dict[str, Any] = {"error": answer.error}
    if answer.error is None:
        data = dict(answer.data or {})
    if answer.notes:
        data["notes"] = [safe(note) for note in answer.notes]
    # Half a surrogate pair (a file name that is not UTF-8) would end the server.
    text = (
        json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        .encode("utf-8", "replace")
        .decode()
    )
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        is_error=answer.error is not None,
    )
