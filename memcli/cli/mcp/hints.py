"""Hints in a client's words: each command as the tool that does the same.

Door: `reworded`. A command that has no tool stays a command, for the user's shell.
"""

from __future__ import annotations

import re

from memcli.cli import flags
from memcli.cli.commands import COMMANDS
from memcli.cli.mcp import catalog

# By a command what a client calls instead; a command that is not here has no tool.
_TOOLS = {tool.command: tool.name for tool in catalog.TOOLS if tool.command} | {
    "reflect": "memory_reflect",
    "list": "memory_recall all",
    "show": "memory_inspect",
    "undo": "memory_evolve revert",
    "ideas": "memory_inspect topic=ideas",
    "entities": "memory_inspect topic=entities",
}
_COMMAND = re.compile(rf"\bmemcli ({'|'.join(COMMANDS)})\b([^;,()\n]*)")
_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)\b( ?)")


def reworded(text: str, command: str = "", vault: str | None = None) -> str:
    """A sentence of a command in the words of a client: tools and parameters.

    Args:
        text: the sentence.
        command: whose flags it names.
        vault: the vault that the call names, and that its next call is to name.
    """
    where = f" vault={vault}" if vault else ""

    def tool(found: re.Match[str]) -> str:
        name, words = found[1], found[2]
        own = None if "--by" in words else _TOOLS.get(name)  # no tool counts
        return (
            f"{own}{_named(words, name, typed=True)}{where}"
            if own
            else f"{_SHELL} {name}{words}"
        )

    # A command that has no tool keeps its flags, and stays a command.
    parts = _COMMAND.sub(tool, text).split(_SHELL)
    text = "memcli".join([_named(parts[0], command), *parts[1:]])
    return f"{text} (in the user's shell)" if parts[1:] else text


_SHELL = "\0"


def _named(text: str, command: str, *, typed: bool = False) -> str:
    """A text with parameters for the flags of a command; `typed` as a command line is,
    where a value follows its flag."""
    known = flags.flags(command) if command else {}
    if command == "list":
        text = text.replace(" --all", "")

    def parameter(found: re.Match[str]) -> str:
        one = known.get(f"--{found[1]}")
        if one is None or one.kind is bool or not (typed and found[2]):
            name = one.name.rstrip("_") if one else found[1].replace("-", "_")
            return name + found[2]
        return "vault=" if one.name == "vaults" else f"{one.name}="

    return _FLAG.sub(parameter, text)
