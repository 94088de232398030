"""Answers as a client has them: nothing empty, nothing twice, and tools by name.

Door: `lean`, of data, and `reworded`, of a sentence: each command in it is named as the
tool that does the same. A command that has no tool is for the user's shell.
"""

from __future__ import annotations

import re

from memcli.cli import commands
from memcli.cli.commands import COMMANDS
from memcli.cli.mcp import catalog

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

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
    known = commands.flags(command) if command else {}
    if command == "list":
        text = text.replace(" --all", "")

    def parameter(found: re.Match[str]) -> str:
        one = known.get(f"--{found[1]}")
        if one is None or one.kind is bool or not (typed and found[2]):
            name = one.name.rstrip("_") if one else found[1].replace("-", "_")
            return name + found[2]
        return "vault=" if one.name == "vaults" else f"{one.name}="

    return _FLAG.sub(parameter, text)


# --- what is left out of an answer ----------------------------------------------------

# Lists that are an answer also when they are empty.
_LISTS = frozenset(
    {"rows", "facts", "citations", "candidates", "entries", "targets", "items"}
    | {"agents", "findings", "ideas"}
)
# A longer text is cut in a search's answer: one note must not fill a model's context.
LONGEST = 4_000
_KEPT = 3_000
# What a row leaves out when it has this value.
_USUAL = {
    "layer": "fact",
    "status": "active",
    "stale": False,
    "unconfirmed": False,
    "visibility": "shared",
    "score": 0.0,
}


def lean(data: dict[str, Any]) -> dict[str, Any]:
    """The data of an answer without what says nothing to a model."""
    kept: dict[str, Any] = shortened(data)
    if data.get("path"):  # of the one entry that the answer is about
        kept["path"] = data["path"]
    for one in kept.get("citations", ()):  # each is of a fact, which has its text
        one.pop("context", None)
    return kept


def shortened(data: Any) -> Any:
    """The data without what is empty, unknown, usual or said twice.

    The lists that are the answer (`rows`, `facts`) stay when they are empty.
    """
    if isinstance(data, list):
        return [shortened(one) for one in data]
    if not isinstance(data, dict):
        return data
    inner = {key: shortened(value) for key, value in data.items()}
    kept = {
        key: value
        for key, value in inner.items()
        if key in _LISTS or not (value is None or value in ([], {}))
    }
    if kept.get("type") == "unknown":
        del kept["type"]
    title, text = kept.get("title"), kept.get("text")
    if isinstance(title, str) and isinstance(text, str) and _begins(text, title):
        del kept["title"]
    if kept.get("id"):
        kept.pop("path", None)
        if "text" in kept and "score" in kept:
            kept = _row(kept)
    return kept


def _begins(text: str, title: str) -> bool:
    """Whether a text's first line says its title; a cut title ends in an ellipsis."""
    first = text.lstrip("# \n").partition("\n")[0]
    return first.startswith(title.removesuffix("…").removesuffix("...").rstrip())


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a search, as a model has it."""
    row = {name: value for name, value in row.items() if _USUAL.get(name, ...) != value}
    if "explain" not in row:
        row.pop("channels", None)
    changed = [
        {name: said for name, said in one.items() if said}
        for one in row.pop("code_state", ())
        if one.get("state") != "unchanged"
    ]
    if changed:
        row["code_state"] = changed
    text = row["text"]
    if isinstance(text, str) and len(text) > LONGEST:
        row["text"] = f"{text[:_KEPT].rstrip()} [...]"
        row["text_chars"] = len(text)
    return row
