"""The arguments that a client gives to a tool, as the command's values.

Invariant: what a model may have meant is read as that when it can mean nothing else: a
list in one text, the singular of a name, a word for a value. The rest is refused, never
dropped: a filter dropped in silence would be a wrong answer. What a model gave is made
whole, never replaced.
"""

from __future__ import annotations

import json
import re

from memcli.cli.mcp import catalog
from memcli.entries import entry
from memcli.errors import InvalidValue, MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from memcli.cli.mcp.catalog import Tool
    from memcli.declared import Parameter


def values(
    tool: Tool, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], str | None]:
    """The command's values for a client's arguments, and its standard input.

    Raises:
        InvalidValue, UsageError: an argument that the tool does not know, or a value
        that its parameter does not take.
    """
    known = tool.parameters()
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
        one = known[name]
        target = one.name or name
        if name == "answers" and isinstance(value, list):
            value = "\n".join(json.dumps(item) for item in value)
        checked = _meant(tool.command, name, _checked(name, one, value))
        if other := given.get(target):
            raise UsageError(
                f"give '{other}' or '{name}', not both",
                hint="Make two calls when both are meant.",
            )
        given[target] = name
        values[target] = [checked] if one.repeat and checked is value else checked
    if tool.required and not str(arguments.get(tool.required) or "").strip():
        raise UsageError(f"{tool.name} needs '{tool.required}'", hint=_offered(tool))
    stdin = None
    if tool is catalog.JUDGE:
        stdin = _judged(values)
    elif tool is catalog.SAVE:
        values["source"] = "skill"
    elif tool in (catalog.RECALL, catalog.REFLECT):
        _asked(values)
    return values, stdin


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
    "memory_id": "id",
    "entry_id": "id",
    "why": "reason",
    "team": "vault",
    "team_id": "vault",
}
_SINCE = frozenset({"since", "start_date"})
# Lists of single words, in which a comma can only part them.
_WORDS = frozenset({"tags", "untag", "kinds", "types", "layers", "statuses", "ids"})


def _spelled(name: str, known: Collection[str]) -> str:
    """The parameter that a name means: itself, its plural or singular, a synonym."""
    if name in known:
        return name
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    for other in (plural, f"{name}es", singular, _SYNONYMS.get(name, "")):
        if other in known:
            return other
    return name


def _respelled(arguments: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The arguments by the parameters' own names, none of them given twice."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        own = _spelled(name, known)
        # What would take the place of another argument is refused as it is.
        found[name if own in arguments or own in found else own] = value
    return found


def _parsed(kind: type, value: Any) -> Any:
    """A number, a truth value or a list that a model wrote as a string, as itself."""
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


def _checked(name: str, one: Parameter, value: Any) -> Any:
    """The value, of the kind that the parameter takes; InvalidValue if it is not."""
    kind = list if catalog.is_list(one) else one.kind
    if isinstance(value, str) and kind in (int, bool, list):
        value = _parsed(kind, value)
    if kind is list:
        items = [value] if isinstance(value, str) else value
        if name in _WORDS and isinstance(value, str) and "," in value:
            items = [word.strip() for word in value.split(",") if word.strip()]
        if not isinstance(items, list) or any(type(item) is not str for item in items):
            raise _wrong(name, value, "a list of strings")
        return items
    if kind is int:
        # 5.0 is a whole number in JSON; true is not, though it is one in Python.
        if type(value) is float and value.is_integer():
            return int(value)
        if type(value) is not int:
            raise _wrong(name, value, "a whole number")
    elif kind is bool:
        if type(value) is not bool:
            raise _wrong(name, value, "true or false")
    elif name != "response_schema" and type(value) is not str:
        raise _wrong(name, value, "a string")
    return value


def _offered(tool: Tool) -> str:
    return f"It has: {', '.join(tool.shown.replace('!', '').split())}."


def _unknown(tool: Tool, name: str) -> MemcliError:
    from difflib import get_close_matches

    message = f"{tool.name} has no parameter '{name}'"
    near = get_close_matches(name, tool.parameters(), 1, 0.75)
    hint = f"Did you mean '{near[0]}'?" if near else _offered(tool)
    return InvalidValue(message, hint=hint, code="unknown_field")


def _wrong(name: str, given: Any, wanted: str) -> MemcliError:
    shown = repr(given)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
    message = f"'{name}' must be {wanted} (got {shown})"
    return InvalidValue(message, code=f"invalid_{name}")


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


# --- words that models give for a value, where they can mean nothing else -------------

_KINDS = {
    **{f"{kind}{'es' if kind == 'fix' else 's'}": kind for kind in entry.KINDS},
    "user_preference": "preference",
    "todo": "action",
}
_TYPES = {
    "user": "person",
    "people": "person",
    **{f"{name}s": name for name in (*map(str, entry.Layer), "project", "tool")},
}
_MEANT: Mapping[str, Mapping[str, str]] = {
    "budget": {
        **dict.fromkeys(("medium", "normal", "default"), "mid"),
        "small": "low",
        "large": "high",
    },
    "kinds": _KINDS,
    # A fact is a layer; a claim without a kind is a note.
    "kind": {**_KINDS, "fact": "note", "facts": "note"},
    "type": _TYPES,
    "types": _TYPES,
    "layers": _TYPES,
    "project": {"all": "any", "*": "any", "global": "none"},
}
# What is saved for all projects holds everywhere; what is asked of all is in any.
_EVERYWHERE = dict.fromkeys(("global", "everywhere", "all", "any", "*"), "none")


def _meant(command: str, name: str, value: Any) -> Any:
    """A checked value, its words as what they mean for this parameter."""
    if isinstance(value, list):
        return [_meant(command, name, item) for item in value]
    if not isinstance(value, str):
        return value
    words = _MEANT.get(name, {})
    if name == "project" and command in ("save", "evolve"):
        words = _EVERYWHERE
    return words.get(value.strip().lower(), value)


# --- what a tool adds to the values ---------------------------------------------------

# What narrows a search enough to list what is left, when no words are asked for.
_NARROWS = ("kinds", "tags", "entities", "after", "before", "statuses", "types")


def _asked(values: dict[str, Any]) -> None:
    """Filters without a question list what they let through, as `all` does."""
    if values.pop("expand", True) is False:
        values["depth"] = 0
    # Prompts that were written for the tool that this one replaces count on untagged
    # entries; the command's own default is stricter.
    if values.get("tags"):
        values.setdefault("tags_match", "any")
    if "all" in values.get("statuses", ()):
        values["statuses"] = ["active", "resolved", "superseded", "expired"]
    words = " ".join(values.get("query") or ()).strip(" *")
    feedback = values.get("useful") or values.get("not_useful")
    if not words and not feedback and any(values.get(name) for name in _NARROWS):
        values.pop("query", None)
        values["all_"] = True


def _judged(values: dict[str, Any]) -> str | None:
    """The answers of a judge, which are the command's standard input; without them the
    question."""
    answers: str | None = values.pop("judged", None)
    if answers:
        values["judged"] = "-"
        return answers
    if values.pop("dry_run", False):
        raise UsageError("dry_run goes with answers; without them nothing changes")
    values["digest"] = True
    return None
