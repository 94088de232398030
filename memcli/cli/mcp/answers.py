"""Answers as a client has them: nothing empty, nothing twice, and tools by name.

Invariant: a model can tell from what is left what was left out: an entry is active, a
fact and not stale unless its row says otherwise. A value that is there is the command's
own. A command in a hint is named as the tool that does the same, with parameters for
its flags.
"""

from __future__ import annotations

import re

from memcli.cli import flags
from memcli.cli.commands import COMMANDS
from memcli.cli.mcp import catalog

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


# Lists that are an answer also when they are empty.
_LISTS = frozenset(
    {"rows", "facts", "citations", "candidates", "entries", "targets", "items"}
    | {"agents", "findings", "ideas"}
)
# A longer text is cut in a search's answer: one note must not fill a model's context.
LONGEST = 4_000
_KEPT = 3_000
# What a row, or an entry that is named in passing, leaves out when it has this value.
_USUAL = {
    "layer": "fact",
    "status": "active",
    "stale": False,
    "visibility": "shared",
    "score": 0.0,
}
# What nothing was done with or cut from.
_NOTHING = {"dry_run": False, "omitted": 0, "cut": 0, "broken": 0}
# --- what is left out -----------------------------------------------------------------


def shortened(data: Any) -> Any:
    """The data without what is empty or unknown, and what is said twice.

    The lists that are the answer (`rows`, `facts`) stay when they are empty.
    """
    if hasattr(data, "_asdict"):
        data = data._asdict()
    if isinstance(data, list | tuple):
        return [shortened(one) for one in data]
    if not isinstance(data, dict):
        return data
    kept = {
        key: shortened(value)
        for key, value in data.items()
        if key in _LISTS or not (value is None or value in ([], {}, ()))
    }
    if kept.get("type") == "unknown":
        del kept["type"]
    # A dictionary of empty values only is one of them.
    kept = {key: value for key, value in kept.items() if key in _LISTS or value != {}}
    title, text = kept.get("title"), kept.get("text")
    if isinstance(title, str) and isinstance(text, str) and _begins(text, title):
        del kept["title"]
    return kept


def _begins(text: str, title: str) -> bool:
    """Whether a text's first line says its title; a cut title ends in an ellipsis."""
    first = text.lstrip("# \n").partition("\n")[0]
    return first.startswith(title.removesuffix("…").removesuffix("...").rstrip())


def lean(data: dict[str, Any]) -> dict[str, Any]:
    """The data of an answer without what says nothing to a model."""
    kept: dict[str, Any] = {
        name: _lean_inside(value)
        for name, value in shortened(data).items()
        if _NOTHING.get(name, ...) != value
    }
    if {"citations", "facts"} <= kept.keys():  # a fact has the text of its citation
        texts = {row["id"] for row in kept["facts"]}
        kept["citations"] = [
            _without(one, ("context",)) if one["id"] in texts else one
            for one in kept["citations"]
        ]
    return kept


def _lean_inside(value: Any) -> Any:
    if isinstance(value, list):
        return [_lean_inside(one) for one in value]
    if not isinstance(value, dict):
        return value
    inside = {name: _lean_inside(one) for name, one in value.items()}
    if not inside.get("id"):
        return inside
    if "text" in inside and "score" in inside:
        inside = _row(inside)
    return _without(inside, ("path",))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    if "explain" not in row:
        row = _without(row, ("channels",))
    row = {name: value for name, value in row.items() if _USUAL.get(name, ...) != value}
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


def _without(data: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


# --- how commands and flags are named -------------------------------------------------

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


def reworded(text: str, command: str = "") -> str:
    """A sentence of a command in the words of a client: tools and parameters."""

    def tool(found: re.Match[str]) -> str:
        name, words = found[1], found[2]
        own = _TOOLS.get(name)
        return (
            f"{own}{_named(words, name, typed=True)}"
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
