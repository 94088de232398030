"""The command lines with which hosts call memcli, and opencode's plugin.

Invariant: `calls_hook` knows every line that `command_line` writes, and `calls` gives
the words that a shell makes of it. A line that does not call a hook of memcli is left
alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

_OURS = re.compile(r"memcli(?:\.exe)?[\"']?\s+hook\s+[a-z-]+\s+--host\s+[a-z-]+")
_PLAIN_WINDOWS = re.compile(r"[A-Za-z0-9_@+=:./\\-]+")


class Program(NamedTuple):
    """The words that start memcli, and whether they are for Windows."""

    words: tuple[str, ...]
    windows: bool = False


def running(argv0: str, executable: str, *, windows: bool) -> Program:
    """The memcli that runs now, to be started from any folder.

    A link on the way stays in the path: it outlives its target (pipx, an upgrade).

    Args:
        argv0: `sys.argv[0]`.
        executable: `sys.executable`.
        windows: whether the system is Windows.
    """
    name = os.path.basename(argv0).lower()
    path = os.path.abspath(argv0)
    for candidate in (path, path + ".exe"):
        if name in ("memcli", "memcli.exe") and os.path.isfile(candidate):
            return Program((candidate,), windows)
    # -P: else the folder of the project, which the hook runs in, would be searched for
    # modules first, and a project could bring its own `json.py`.
    return Program((os.path.abspath(executable), "-P", "-m", "memcli"), windows)


def command_line(
    program: Program, event: str, host: str, vault: str | None, shell: str
) -> str:
    """The command line that calls a hook.

    Args:
        program: how memcli is started.
        event: session-start, prompt-submit, stop, ...
        host: claude-code, codex, ...
        vault: the vault that is pinned; None: the user's default at that time.
        shell: one of `SHELLS`.

    Raises:
        InvalidValue: a path cannot be written in a settings file.
    """
    words = [*program.words, "hook", event, "--host", host]
    if vault is not None:
        words += ["--vault", vault]
    _refuse_bytes(" ".join(words))
    if shell == "powershell":
        # A quoted program is a string until `&` calls it.
        quoted = [
            word
            if _PLAIN_WINDOWS.fullmatch(word) and number
            else "'" + word.replace("'", "''") + "'"
            for number, word in enumerate(words)
        ]
        return "& " + " ".join(quoted)
    if shell == "cmd":
        return " ".join(
            word if _PLAIN_WINDOWS.fullmatch(word) else f'"{word}"' for word in words
        )
    if program.windows:
        # Bash would take a backslash for an escape; Windows opens both.
        words = [word.replace("\\", "/") for word in words]
    return shlex.join(words)


def _refuse_bytes(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(
            "a path that is not UTF-8 cannot stand in a settings file",
            hint="Install memcli, or keep the vault, below a path that is.",
            code="invalid_path",
        ) from error


def calls_hook(command: object) -> bool:
    """Whether a command line calls a hook of memcli."""
    return isinstance(command, str) and _OURS.search(command) is not None


def calls(command: str) -> list[str]:
    """The words of a command line that calls a hook of memcli; [] for any other."""
    if not calls_hook(command):
        return []
    text = command.strip()
    if text.startswith("& "):  # PowerShell doubles a quote
        text = text[2:].replace("''", """'"'"'""")
    words = re.findall(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""", text)
    pieces = [re.findall(r"""'([^']*)'|"([^"]*)"|([^\s'"]+)""", each) for each in words]
    return ["".join(map("".join, each)) for each in pieces]


_FIRST = '// memcli: written by "memcli install opencode", which writes it anew.'
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
    text = _FIRST + "\n" + _VAULT.sub(lambda _: f"const VAULT = {pinned}", text)
    _refuse_bytes(text)
    return text


def is_ours(data: bytes) -> bool:
    """Whether a file is a plugin that memcli wrote, changed since or not."""
    return data.startswith(_FIRST.partition(",")[0].encode())


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
