"""`memcli mcp`: the vault for one MCP client.

Door: `mcp`. `catalog` describes what the client sees, `tools` runs it, `arguments`
reads what a model gives, `answers` shortens what is answered, `server` knows the SDK.
Not in here: what a tool does; each one runs the command of the same name.
"""

from __future__ import annotations

from memcli.cli.context import Context, Result
from memcli.errors import MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.cli.mcp.catalog import Tool
    from memcli.cli.mcp.tools import Answer

# What pipx and uv write into the environment of a tool (pipx 1.7, uv 0.5).
_PIPX = "pipx_metadata.json"
_UV_TOOL = "uv-receipt.toml"


def mcp(context: Context) -> Result:
    """Serve the vault to an MCP client, over stdin and stdout

    The tools memory_save, memory_evolve, memory_recall, memory_reflect,
    memory_resolve, memory_inspect, memory_review and memory_judge do what the commands
    do; memory_admin takes their rare parameters. The client starts this command and
    ends it. Needs: pip install 'memcli[mcp]'

    \b
    Example:
      claude mcp add --scope user memcli -- memcli mcp
      memcli mcp --vault ~/memory
    """
    if context.json:
        raise UsageError(
            "mcp speaks its own protocol on stdout", hint="Leave --json out."
        )
    serving = _serving()
    from memcli import __version__
    from memcli.cli.mcp import catalog, tools

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

    def call(tool: Tool, arguments: Mapping[str, Any]) -> Answer:
        return tools.call(tool, arguments, called)

    serving.serve(
        catalog.SERVED,
        call,
        version=__version__,
        instructions=catalog.INSTRUCTIONS,
    )
    return Result(data={}, text=lambda _canvas: None)


def _serving() -> Any:
    try:
        from memcli.cli.mcp import server as serving
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("anyio", "mcp", "mcp_types"):
            raise
        raise MemcliError(
            f"memcli mcp needs the MCP SDK, which is not installed ({error.name})",
            hint=f"Install it: {_install()}",
            code="not_installed",
        ) from error
    return serving


def _install() -> str:
    import sys

    return install_command(sys.prefix, sys.executable, installed_from())


def _no_stdin() -> bytes:
    raise UsageError(
        "there is no text, and a tool has no standard input to read it from",
        hint="Give the words themselves as 'text' or 'query', not '-'.",
    )


def install_command(prefix: str, python: str, url: str | None = None) -> str:
    """The command that adds the extra `mcp`.

    Args:
        prefix: the environment's folder (`sys.prefix`).
        python: its interpreter (`sys.executable`).
        url: where memcli was installed from, when it is no package index.
    """
    import shlex
    from pathlib import Path

    wanted = shlex.quote(f"memcli[mcp] @ {url}" if url else "memcli[mcp]")
    if Path(prefix, _PIPX).exists():
        return f"pipx install --force {wanted}"
    if Path(prefix, _UV_TOOL).exists():
        return f"uv tool install --force {wanted}"
    if _made_by_uv(prefix):
        return f"uv pip install --python {shlex.quote(python)} {wanted}"
    return f"{shlex.quote(python)} -m pip install {wanted}"


def _made_by_uv(prefix: str) -> bool:
    """Whether `uv venv` made the environment, which then has no pip."""
    from pathlib import Path

    try:
        text = Path(prefix, "pyvenv.cfg").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in text.splitlines())


def installed_from() -> str | None:
    """The address that memcli was installed from; None for a package index.

    pip, pipx and uv record it in `direct_url.json` (PEP 610).
    """
    import json
    from importlib import metadata

    try:
        text = metadata.distribution("memcli").read_text("direct_url.json")
        said = json.loads(text or "null")
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return None
    url = said.get("url") if isinstance(said, dict) else None
    return url if isinstance(url, str) and url.startswith("file:") else None
