"""`memcli mcp`: the vault for one MCP client.

Door: `mcp`. `catalog` describes what the client sees, `tools` reads what a model gives,
runs it, `answers` shortens what is answered, `server` knows the SDK.
Not in here: what a tool does; each one runs the command of the same name.
"""

from __future__ import annotations

from memcli.cli.context import Context, Result
from memcli.errors import MemcliError, UsageError


def mcp(context: Context) -> Result:
    """Serve the vault to an MCP client, over stdin and stdout

    The tools memory_save, memory_evolve, memory_recall, memory_reflect,
    memory_resolve, memory_inspect, memory_review and memory_judge do what the commands
    do; memory_admin takes their rare parameters. The client starts this command and
    ends it. Needs: pip install 'memcli[mcp]'

    \b
    Example:
      memcli install claude-code --mcp
      memcli mcp --vault ~/memory
    """
    if context.json:
        raise UsageError(
            "mcp speaks its own protocol on stdout", hint="Leave --json out."
        )
    try:
        from memcli.cli.mcp import server
    except ModuleNotFoundError as error:
        raise MemcliError(
            f"memcli mcp needs the MCP SDK, which is not installed ({error.name})",
            hint="Install memcli again, as it was, with the extra mcp: 'memcli[mcp]', "
            "or '.[mcp]' in a checkout (docs/agents/mcp.md)",
            code="not_installed",
        ) from error
    if context.stdin_is_terminal:
        context.tell(
            "waiting for an MCP client on stdin; Ctrl-D ends it (docs/agents/mcp.md)"
        )
    # No person can be asked about a call, and stdin is the protocol's.
    called = context._replace(
        json=True,
        read_stdin=_no_stdin,
        stdin_is_terminal=False,
        ask=lambda _question: None,
        progress=lambda _doing: None,
        via="mcp",
    )
    server.serve(called)
    return Result(data={}, text=lambda _canvas: None)


def _no_stdin() -> bytes:
    raise UsageError(
        "there is no text, and a tool has no standard input to read it from",
        hint="Give the words themselves as 'text' or 'query', not '-'.",
    )
