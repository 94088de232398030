"""opencode has no hooks for programs: a plugin calls `memcli hook` for it.

Invariant: the plugin is one file of memcli's, which says so in its first line; the
second holds a hash of the rest, which tells whether it was changed. Only its two
constants differ between installations.
"""

from __future__ import annotations

import hashlib
import json
import os
import re

from memcli.errors import InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.hosts.install.command_line import Program

_FIRST = '// memcli: written by "memcli install opencode", which writes it anew.'
_HASH = "// sha256: "
_PROGRAM = re.compile(r"^const PROGRAM = (\[.*\])$", re.MULTILINE)
_VAULT = re.compile(r"^const VAULT = (.*)$", re.MULTILINE)


def plugin(program: Program, vault: str | None) -> str:
    """The plugin that starts this program.

    Raises:
        InvalidValue: a path is not UTF-8.
    """
    with open(os.path.join(os.path.dirname(__file__), "plugin.js"), "rb") as file:
        text = file.read().decode().replace("\r\n", "\n")
    words = json.dumps(list(program.words), ensure_ascii=False)
    text = _PROGRAM.sub(lambda _: f"const PROGRAM = {words}", text)
    pinned = json.dumps(vault, ensure_ascii=False)
    text = _VAULT.sub(lambda _: f"const VAULT = {pinned}", text)
    try:
        return f"{_FIRST}\n{_HASH}{_digest(text)}\n{text}"
    except UnicodeEncodeError as error:
        raise InvalidValue(
            f"{words} is not UTF-8 and cannot stand in a plugin", code="invalid_path"
        ) from error


def is_ours(data: bytes) -> bool:
    """Whether a file is a plugin that memcli wrote, changed since or not."""
    return data.startswith(_FIRST.partition(",")[0].encode())


def is_untouched(data: bytes) -> bool:
    """Whether a file is such a plugin, unchanged since."""
    lines = data.decode(errors="replace").split("\n", 2)
    return (
        is_ours(data) and len(lines) == 3 and lines[1] == f"{_HASH}{_digest(lines[2])}"
    )


def constants(data: bytes) -> tuple[list[str], str | None]:
    """The words that a plugin starts memcli with, and the vault pinned in it."""
    text = data.decode(errors="replace")
    program, vault = _PROGRAM.search(text), _VAULT.search(text)
    try:
        words = json.loads(program.group(1)) if program else []
        pinned = json.loads(vault.group(1)) if vault else None
    except ValueError:
        return [], None
    return [str(word) for word in words], pinned


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
