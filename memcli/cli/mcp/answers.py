"""What an answer says to a client: nothing empty, nothing twice, and tools by name.

Invariant: what is left out says nothing. A value that is there is the command's own.
"""

import re
from typing import Any

from memcli.cli.commands import COMMANDS

# Lists that are an answer also when they are empty.
_LISTS = frozenset(
    {"rows", "facts", "citations", "candidates", "entries", "targets", "items"}
)
_TOOLS = ("save", "evolve", "recall", "reflect", "resolve", "inspect", "review")
_COMMAND = re.compile(rf"\bmemcli ({'|'.join(_TOOLS)})\b")
_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)\b")
# Flags whose parameter has another name.
_NAMED = {
    "kind": "kinds",
    "tag": "tags",
    "entity": "entities",
    "type": "types",
    "status": "statuses",
    "at": "query_timestamp",
}

# Commands whose flags no tool has, with the call that answers the same.
_CALLS = {
    "memcli resolve --list --unresolved": "memory_recall with all: true",
    "memcli resolve --list --resolved": (
        "memory_recall with all: true and statuses: resolved"
    ),
    "memcli review --list": "memory_review without ids",
    "memcli list": "memory_recall with all: true",
}


def shortened(data: Any) -> Any:
    """The data without null, empty lists and objects, and titles that the text begins.

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


def reworded(text: str) -> str:
    """An error's message or hint in the words of a client: tools and parameters."""
    return _FLAG.sub(_parameter, with_tools(text))


def with_tools(text: str) -> str:
    """A text whose commands are tools; what has no tool is for the user's shell.

    Flags become parameters only behind a tool: before it may stand an entry's words.
    """
    for command, tool in _CALLS.items():
        text = text.replace(command, tool)
    text = _COMMAND.sub(r"memory_\1", text)
    before, name, after = text.partition("memory_")
    text = f"{before}{name}{_FLAG.sub(_parameter, after)}"
    named = set(re.findall(r"\bmemcli ([a-z]+)\b", text))
    return f"{text} (in the user's shell)" if named & set(COMMANDS) else text


def note(line: str) -> str:
    """A line that a command shows, with the one flag that such lines name."""
    return line.replace("(everywhere: --project none)", "(everywhere: project none)")


def _parameter(flag: re.Match[str]) -> str:
    name = flag[1]
    return _NAMED.get(name, name.replace("-", "_"))
