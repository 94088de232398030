"""What a client gives to a tool, as the command's values.

Invariant: what a model may have meant is read as that when it can mean nothing else: a
list in one text, the singular of a name, a word for a value. The rest is refused, never
dropped: a filter dropped in silence would be a wrong answer.
"""

from __future__ import annotations

import json
import re

from memcli.cli.mcp.meant_words import meant
from memcli.cli.mcp.parameters import Parameter, flag_of
from memcli.errors import InvalidValue, MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.cli.mcp.tool import Tool


def values(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The command's values for a client's arguments, rare ones as well.

    Raises:
        InvalidValue, UsageError: an argument that the tool does not know, or a value
        that its parameter does not take.
    """
    known = {one.name: one for one in tool.parameters}
    if "before" in known and _SINCE & arguments.keys():
        # "Since last month" lasts until now; "after last month" names that month alone.
        arguments = {"before": "now", **arguments}
    arguments = _respelled(arguments, known)
    values: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name, value in arguments.items():
        if name not in known:
            raise _unknown(tool, name)
        # Some clients send every parameter, null where the model gave none.
        if value is None:
            continue
        target, kind, repeat, _ = flag_of(known[name], tool.command)
        checked = _read(tool, known[name].name, _checked(known[name], kind, value))
        other = given.setdefault(target, name)
        if repeat:
            items = checked if isinstance(checked, list) else [checked]
            values[target] = [*values.get(target, ()), *items]
        elif known[name].stdin:
            values[target] = "-"
        elif other != name:
            raise UsageError(
                f"give '{other}' or '{name}', not both",
                hint="Make two calls when both are meant.",
            )
        else:
            values[target] = checked
    missing = [
        parameter.name
        for parameter in tool.parameters
        if parameter.required and not str(arguments.get(parameter.name) or "").strip()
    ]
    if missing:
        raise UsageError(f"{tool.name} needs '{missing[0]}'", hint=_offered(tool))
    tool.finish(values)
    return values


# Other names that models give to what every tool calls otherwise.
_SYNONYMS = {
    "content": "text",
    "memory": "text",
    "body": "text",
    "new_text": "text",
    "question": "query",
    "q": "query",
    "search": "query",
    "since": "after",
    "start_date": "after",
    "until": "before",
    "end_date": "before",
    "max_results": "limit",
    "top_k": "limit",
    "layer": "types",
    "layers": "types",
    "memory_id": "id",
    "entry_id": "id",
    "why": "reason",
}
_SINCE = frozenset({"since", "start_date"})
# Lists of single words, in which a comma can only part them.
_WORDS = frozenset({"tags", "untag", "kinds", "types", "statuses", "ids"})


def _spelled(name: str, known: Mapping[str, Parameter]) -> str:
    """The parameter that a name means: itself, its plural or singular, a synonym."""
    if name in known:
        return name
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    for other in (plural, f"{name}es", singular, _SYNONYMS.get(name, "")):
        if other in known:
            return other
    return name


def _respelled(
    arguments: Mapping[str, Any], known: Mapping[str, Parameter]
) -> dict[str, Any]:
    """The arguments by the parameters' own names, none of them given twice."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        own = _spelled(name, known)
        # What would take the place of another argument is refused as it is.
        found[name if own in arguments or own in found else own] = value
    return found


def _meant(kind: type, value: Any) -> Any:
    """A number, a truth value or a list that a model wrote as a string, as itself."""
    if not isinstance(value, str) or kind not in (int, bool, list):
        return value
    text = value.strip()
    if kind is int and not re.fullmatch(r"-?[0-9]{1,9}", text):
        return value
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), value)
    if kind is list and not text.startswith("["):
        return value
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return value


def _checked(parameter: Parameter, kind: type, value: Any) -> Any:
    """The value, of the kind that the parameter takes; InvalidValue if it is not."""
    value = _meant(kind, value)
    if kind is list:
        items = [value] if isinstance(value, str) else value
        if parameter.name in _WORDS and isinstance(value, str) and "," in value:
            items = [word.strip() for word in value.split(",") if word.strip()]
        if not isinstance(items, list) or any(type(item) is not str for item in items):
            raise _wrong(parameter, value, "a list of strings")
        return items
    if kind is int:
        # 5.0 is a whole number in JSON; true is not, though it is one in Python.
        if type(value) is float and value.is_integer():
            return int(value)
        if type(value) is not int:
            raise _wrong(parameter, value, "a whole number")
    elif kind is bool:
        if type(value) is not bool:
            raise _wrong(parameter, value, "true or false")
    elif kind is str and type(value) is not str:
        raise _wrong(parameter, value, "a string")
    return value


def _read(tool: Tool, name: str, value: Any) -> Any:
    """A checked value, its words as what they mean for this parameter."""
    if isinstance(value, list):
        return [meant(tool.command, name, item) for item in value]
    return meant(tool.command, name, value) if isinstance(value, str) else value


def _offered(tool: Tool) -> str:
    shown = ", ".join(one.name for one in tool.parameters if not one.rare)
    return f"It has: {shown}."


def _unknown(tool: Tool, name: str) -> MemcliError:
    from difflib import get_close_matches

    message = f"{tool.name} has no parameter '{name}'"
    near = get_close_matches(name, [one.name for one in tool.parameters], 1, 0.75)
    if name in tool.moved:
        hint = tool.moved[name]
    elif near:
        hint = f"Did you mean '{near[0]}'?"
    else:
        hint = _offered(tool)
    return InvalidValue(message, hint=hint, code="unknown_field")


def _wrong(parameter: Parameter, given: Any, wanted: str) -> MemcliError:
    shown = repr(given)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
    return InvalidValue(
        f"'{parameter.name}' must be {wanted} (got {shown})",
        code=f"invalid_{parameter.name}",
    )


def as_lines(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments; a list for what is read as lines becomes JSON, an item a line."""
    lines = {one.name for one in tool.parameters if one.stdin}
    return {
        name: "\n".join(json.dumps(item) for item in value)
        if name in lines and isinstance(value, list)
        else value
        for name, value in arguments.items()
    }


def as_object(value: Any) -> dict[str, Any] | None:
    """An object of parameters, also one that a model wrote as a string, or None."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None
