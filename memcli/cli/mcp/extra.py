"""How the MCP SDK comes into this installation of memcli.

Invariant: the command that is named changes the environment that memcli runs in, and
no other: pipx and uv keep one for each tool, and neither has a pip of its own.
"""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from pathlib import Path

# What pipx and uv write into the environment of a tool (pipx 1.7, uv 0.5).
_PIPX = "pipx_metadata.json"
_UV_TOOL = "uv-receipt.toml"


def install_command(prefix: str, python: str, url: str | None = None) -> str:
    """The command that adds the extra `mcp`.

    Args:
        prefix: the environment's folder (`sys.prefix`).
        python: its interpreter (`sys.executable`).
        url: where memcli was installed from, when it is no package index.
    """
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
    try:
        text = Path(prefix, "pyvenv.cfg").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in text.splitlines())


def installed_from() -> str | None:
    """The address that memcli was installed from; None for a package index.

    pip, pipx and uv record it in `direct_url.json` (PEP 610).
    """
    try:
        text = metadata.distribution("memcli").read_text("direct_url.json")
        said = json.loads(text or "null")
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return None
    url = said.get("url") if isinstance(said, dict) else None
    return url if isinstance(url, str) and url.startswith("file:") else None
