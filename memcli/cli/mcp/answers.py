"""What an answer says to a client: nothing empty, nothing twice, and tools by name.

Invariant: what is left out says nothing. A value that is there is the command's own.
"""

from __future__ import annotations

import json
import re

from memcli.cli.commands import COMMANDS
from memcli.cli.stale_lines import HEAD, LAST

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Lists that are an answer also when they are empty.
_LISTS = frozenset(
    {"rows", "facts", "citations", "candidates", "entries", "targets", "items"}
    | {"agents", "findings", "ideas"}
)
_TOOLS = ("save", "evolve", "recall", "reflect", "resolve", "inspect", "review")
# `inspect` takes a topic, and the topics `entity` and `research` a name.
_TOPIC = re.compile(
    r"\bmemcli inspect (reflections|models|research|mining|sessions|agents|vaults"
    r"|index|lint)\b( NAME\b)?"
)
# A change that a hint proposes, with all it takes: it becomes the call to make. It
# stands at the end, behind a colon: before it may stand an entry's words, which are
# never made a call.
_CHANGE = re.compile(
    r"(?<=: )memcli (evolve|resolve)"
    r"((?: --(?:also|project|undo|cite)\b| (?!-)[\w./:-]*\w)+)$"
)
_LOOK = re.compile(r"(?<=; look first: )memcli show(?= [0-9a-z]{16};)")
_ID = re.compile(r"[0-9a-z]{16}|ID")
_COMMAND = re.compile(rf"\bmemcli ({'|'.join(_TOOLS)})\b")
_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)\b")
# Flags whose parameter has another name.
_NAMED = {
    "group": "groups",
    "kind": "kinds",
    "tag": "tags",
    "entity": "entities",
    "type": "types",
    "status": "statuses",
    "at": "query_timestamp",
}

# Commands whose flags no tool has, with the call that answers the same.
_CALLS = {
    'Ask one: memcli recall "how do we deploy?"; or list: memcli list; or pipe it in: '
    "memcli recall -": (
        'Give query: "how do we deploy?"; or all: true, or kinds alone, to list.'
    ),
    "memcli list --all --kind": "memory_recall all kinds",
    "memcli list --all": "memory_recall with all: true",
    "memcli list --by status": "memory_recall with all: true",
    "memcli list --by project": "memory_inspect topic projects",
    "memcli ideas list": "memory_inspect topic ideas",
    "memcli entities show NAME": "memory_inspect topic entity and its name",
    ": memcli entities": ": memory_inspect topic entities",
    "memcli review --list": "memory_review without ids",
    "--approve, --reject, --supersede ID, --edit; or memcli inspect ID": (
        "Give the ids with approve, reject or supersede; to look at one: memory_inspect"
    ),
    "if they are meant, add --kind": ("if they are meant: memory_resolve with kinds"),
    "memcli list": "memory_recall with all: true",
    "Ask the owner to run it.": (
        "What you may see: memory_recall with all: true, or topic models or inbox."
    ),
    ", or insist with --allow-secret": "; only the user can insist, in a shell",
}


# Lines below what a command shows, which name flags.
_SIBLINGS = "  replace them, too: memcli evolve "
# An entry in a plan, or below what was done to it.
_LISTED = re.compile(r"  (?:not: )?[0-9a-z]{16}\b")
# The lines around what `stale_models` has.
_STALE = (HEAD, f"then {HEAD}")
_PLANNED = {
    "nothing was changed; to do it add --yes, or give the ids": (
        "nothing was changed; to do it give the ids"
    ),
    "nothing was changed; to do it add --yes": (
        "nothing was changed; to do it give yes: true"
    ),
    "nothing was changed; to do it leave --dry-run out": (
        "nothing was changed; to do it leave dry_run out"
    ),
}


def shortened(data: Any) -> Any:
    """The data without what is empty or unknown, and what is said twice.

    The lists that are the answer (`rows`, `facts`) stay when they are empty.
    """
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


def lean(data: dict[str, Any]) -> dict[str, Any]:
    """The data of an answer, shortened, and without what is usual (`lean`)."""
    from memcli.cli.mcp import lean as leaner

    told: dict[str, Any] = leaner.lean(shortened(data))
    return told


def told(command: str, data: dict[str, Any], lines: Sequence[str]) -> list[str]:
    """What a command shows besides what its data has, in a client's words.

    The first line says what was done. Entries that lines list below it are in the data.
    """
    if command in ("save", "evolve"):
        path = f" {data.get('path')}"
        first, *others = lines
        proposed = [one for one in others if one.startswith((_SIBLINGS, *_STALE))]
        lines = [first.removesuffix(path), *proposed]
    lines = [one for one in lines if not (_LISTED.match(one) or one.startswith(LAST))]
    return [note(line) for line in lines]


def _begins(text: str, title: str) -> bool:
    """Whether a text's first line says its title; a cut title ends in an ellipsis."""
    first = text.lstrip("# \n").partition("\n")[0]
    return first.startswith(title.removesuffix("…").removesuffix("...").rstrip())


def reworded(text: str) -> str:
    """An error's message or hint in the words of a client: tools and parameters."""
    return _FLAG.sub(_parameter, with_tools(text))


def with_tools(text: str) -> str:
    """A text whose commands are tools; what has no tool is for the user's shell.

    Flags become parameters only behind a tool: before it may stand an entry's words.
    """
    for command, tool in _CALLS.items():
        text = text.replace(command, tool)
    text = _CHANGE.sub(_call, text)
    text = _LOOK.sub("memory_inspect", text)
    text = _TOPIC.sub(_topic, text)
    text = _COMMAND.sub(r"memory_\1", text)
    before, name, after = text.partition("memory_")
    text = f"{before}{name}{_FLAG.sub(_parameter, after)}"
    named = set(re.findall(r"\bmemcli ([a-z]+)\b", text))
    return f"{text} (in the user's shell)" if named & set(COMMANDS) else text


def note(line: str) -> str:
    """A line that a command shows, with the flags and commands that such lines name.

    Only lines that begin or end as memcli writes them: the others hold entries' words.
    """
    if line in _PLANNED:
        return _PLANNED[line]
    if line.startswith(_SIBLINGS):
        return with_tools(line)
    if line.startswith(_STALE):
        return f"{line} `stale_models`"
    return line.replace("(everywhere: --project none)", "(everywhere: project none)")


def _call(found: re.Match[str]) -> str:
    """The call of a tool for "evolve ID --also OTHER"; the text where it is no call."""
    own, *given = re.split(r" --", found[2])
    pairs = [one.partition(" ")[::2] for one in given]
    ids = [own.strip(), *(value for name, value in pairs if name != "project")]
    if not all(_ID.fullmatch(one) for one in ids if one):
        return found[0]
    arguments: dict[str, Any] = {}
    if found[1] == "resolve":
        arguments = {"ids": [one for one in ids if one]}
        if any(name == "undo" for name, _ in pairs):
            arguments["undo"] = True
    elif pairs:
        arguments = {"id": ids[0]}
        for name, value in pairs:
            lists = [*arguments.get(name, ()), value]
            arguments[name] = lists if name in ("also", "cite") else value
    return f"memory_{found[1]} {json.dumps(arguments)}" if arguments else found[0]


def _topic(found: re.Match[str]) -> str:
    return f"memory_inspect topic {found[1]}{' and its name' if found[2] else ''}"


def _parameter(flag: re.Match[str]) -> str:
    name = flag[1]
    return _NAMED.get(name, name.replace("-", "_"))
