"""Answers as a client has them: nothing empty, nothing twice, and tools by name.

Invariant: a model can tell from what is left what was left out: an entry is active, a
fact and not stale unless its row says otherwise. A value that is there is the command's
own. A command line in a hint is read as the command line reads it, and becomes the call
that does the same.
"""

from __future__ import annotations

import json
import re
import shlex

from memcli.cli import flags
from memcli.cli.commands import COMMANDS
from memcli.cli.mcp import catalog

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.cli.mcp.catalog import Tool

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
# How a candidate was found: for people who look for the rule behind it.
_HOW = (
    "category pattern rationale excerpt line record at occurrences everywhere".split()
)
# Of an entry's history and file: for people who look into the vault's folder.
_OF_FILES = ("file", "resolution_scope")
# Of the vault as a whole: for people who look after it.
_OF_VAULT = ("path", "head", "index")
_COMMIT = re.compile(r"[0-9a-f]{40}")


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
    plan = kept.get("plan")
    if kept.get("applied") and isinstance(plan, dict):
        # What was done names each entry of the plan again.
        kept["plan"] = {k: v for k, v in plan.items() if k not in ("targets", "margin")}
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
    if _COMMIT.fullmatch(str(kept.get("commit"))):
        del kept["commit"]
    if {"citations", "facts"} <= kept.keys():  # a fact has the text of its citation
        texts = {row["id"] for row in kept["facts"]}
        kept["citations"] = [
            _without(one, ("context",)) if one["id"] in texts else one
            for one in kept["citations"]
        ]
    if {"candidates", "transcript"} <= kept.keys():
        kept["candidates"] = [_without(one, _HOW) for one in kept["candidates"]]
        del kept["transcript"]
    if {"by_kind", "inbox"} <= kept.keys():
        kept = _without(kept, _OF_VAULT)
    if "eligible" in kept:
        kept = _one_entry(kept)
    no_match = kept.get("no_match")
    if no_match and no_match.get("missing_terms") == kept.get("missing_terms"):
        kept["no_match"] = _without(no_match, ("missing_terms",))
    if kept.get("applied") is True:
        # Each of them has the status that was asked for now.
        kept["items"] = [_without(one, ("status",)) for one in kept.get("items", ())]
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


def _one_entry(data: dict[str, Any]) -> dict[str, Any]:
    data["history"] = [
        {name: one[name] for name in ("when", "subject") if name in one}
        for one in data.get("history", ())
    ]
    data["related"] = [_without(one, ("created",)) for one in data.get("related", ())]
    kept = _without(data, _OF_FILES)
    return {name: value for name, value in kept.items() if value not in ("", [])}


def _without(data: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


# --- how commands and flags are named -------------------------------------------------

_QUOTED = r"'[^']*'|\"[^\"]*\""
# A command line that a hint proposes: behind a colon, a bracket or at the beginning. An
# entry's words may stand anywhere else, and are never made a call.
_PROPOSED = re.compile(
    rf"(?:(?<=: )|(?<=\()|^)memcli ({'|'.join(COMMANDS)})\b"
    rf"((?: (?:{_QUOTED}|[^\s;,()'\"]*[^\s;,.()'\"]))*)"
)
_CHANGES = ("save", "evolve", "resolve", "undo")
_ID = re.compile(r"[0-9a-z]{8,16}|[A-Z]+")
# A flag in a sentence; those of a command that stays a command stay, too.
_FLAG = re.compile(rf"{_PROPOSED.pattern}|(?<![\w-])--[a-z]+(?:-[a-z]+)*\b")


def reworded(text: str, tool: Tool) -> str:
    """An error's message or hint, or a line of a command that names flags, in the words
    of a client: tools and parameters."""
    text = with_tools(text)
    if not tool.command:
        return text
    names = {one.name: name for name, one in tool.parameters().items()}
    known = flags.flags(tool.command)

    def parameter(found: re.Match[str]) -> str:
        if found[1]:
            return found[0]
        one = known.get(found[0])
        own = names.get(one.name) if one else None
        return own or found[0][2:].replace("-", "_")

    return _FLAG.sub(parameter, text)


def with_tools(text: str) -> str:
    """A text whose commands are tools; what has no tool is for the user's shell."""
    text = _PROPOSED.sub(_call, text)
    names = "|".join(tool.command for tool in catalog.TOOLS)
    text = re.sub(rf"\bmemcli ({names})\b(?! --)", r"memory_\1", text)
    named = set(re.findall(r"\bmemcli ([a-z]+)\b", text))
    return f"{text} (in the user's shell)" if named & set(COMMANDS) else text


def _call(found: re.Match[str]) -> str:
    """The call of a tool for a command line; the text where no tool does it."""
    command = found[1]
    at_end = not found.string[found.end() :].strip(".)")
    values = flags.parse(command, shlex.split(found[2]))
    if values is None or (command in _CHANGES and not at_end):
        return found[0]
    ids = [*values.get("ids", ()), values.get("entry_id", "ID")]
    if command != "save" and not all(map(_ID.fullmatch, ids)):
        return found[0]
    call = _call_of(command, values)
    if call is None:
        return found[0]
    tool, arguments = call
    shown = json.dumps(arguments, ensure_ascii=False)
    return f"{tool.name} {shown}" if arguments else tool.name


def _call_of(
    command: str, values: dict[str, Any]
) -> tuple[Tool, dict[str, Any]] | None:
    """The call of a tool that does what a command line does; None where none does."""
    if {"session", "all_sessions"} & values.keys():
        return None
    action = values.get("action")
    inspect, evolve = catalog.memory_inspect, catalog.memory_evolve
    for topic, (name, own) in catalog.TOPIC_COMMANDS.items():
        if command == name and values in (own, {} if own.get("action") else own):
            return (
                (catalog.memory_review, {})
                if topic == "inbox"
                else (inspect, {"topic": topic})
            )
    if command in ("recall", "reflect", "list"):
        asked = {k: v for k, v in values.items() if k not in ("by", "all_", "vaults")}
        query = " ".join(asked.pop("query", ()))
        asked |= zip(["vault"], values.get("vaults", ()), strict=False)
        asked = {"query": query, **asked} if query else asked
        if command == "list" or "all_" in values:
            asked = {"all": True, **asked}
        reflects = command == "reflect"
        return catalog.memory_reflect if reflects else catalog.memory_recall, asked
    if command == "show":
        return inspect, {"id": values["ids"][0]}
    if command == "entities" and action == "show":
        return inspect, {"topic": "entity", "name": values["names"][0]}
    if command == "inspect" and "what" in values:
        from memcli.cli.inspect import TOPICS

        what = values.pop("what")
        return inspect, {"topic" if what in TOPICS else "id": what, **values}
    if command == "undo" and "commit" in values:
        return evolve, {"id": values["commit"], "revert": True}
    for tool in catalog.TOOLS:
        names = {one.name: name for name, one in tool.parameters().items()}
        if tool.command == command and values.keys() <= names.keys():
            return tool, {names[one]: values[one] for one in names if one in values}
    return None
