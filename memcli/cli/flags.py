"""The arguments and flags of each command, read from its function.

Invariant: nothing is declared here but which parameters are fields of --set: what few
people need has no flag of its own, and keeps the name and the meaning that it would
have as one.
"""

from __future__ import annotations

import os

from memcli.cli import commands, declared, options
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    Word = tuple[str, bool, bool, tuple[str, ...]]
    """An argument: its parameter, whether required, whether it repeats, its choices."""

    Flag = tuple[str, type, bool, tuple[str, ...]]
    """A flag: its parameter, the kind of its value, whether it repeats, its choices."""

FIELDS = {
    "save": (
        *("occurred_until", "subtype", "item", "confidence", "rationale"),
        *("evidence", "review_after", "groups", "dry_run", "source_writer"),
        *("source_host", "source_session", "source_transcript", "source_record"),
        *("source_seq", "source_excerpt"),
    ),
    "recall": (
        *("types", "layers", "at", "history", "no_graph", "depth", "exact", "all_"),
        *("cursor", "personal_only"),
    ),
    "reflect": ("types", "at", "exact", "response_schema", "personal_only"),
    "list": ("types", "layers", "history", "personal_only"),
    "evolve": ("occurred_at", "expires_at", "subtype"),
}
"""Of a command, the parameters that --set takes; their flags stand in no help."""

_NAMES = {
    name: getattr(declared, name)
    for name in ("Annotated", "Argument", "Literal", "Option")
} | {"options": options}
_READ: dict[str, dict[str, tuple[Any, declared.Option]]] = {}


def parameters(name: str) -> dict[str, tuple[Any, declared.Option]]:
    """The parameters of a command, its own and everyone's, with their annotations."""
    if name not in _READ:
        function = commands.load(name)
        found = {
            parameter: eval(annotation, _NAMES)  # noqa: S307 our own source
            for parameter, annotation in function.__annotations__.items()
            if parameter not in ("context", "return")
        }
        if FIELDS.get(name):
            found["set"] = options.Set
        if "vaults" not in found:
            found["vault"] = options.Vault
        found |= options.EVERYWHERE
        _READ[name] = found
    return _READ[name]


def flags(name: str) -> dict[str, Flag]:
    """The flags of a command, by their spellings."""
    return {
        flag: (parameter, kind, repeat, choices)
        for parameter, annotation in parameters(name).items()
        for about, kind, repeat, choices in (declared.read(annotation),)
        for flag in about.names
    }


def words(name: str) -> list[Word]:
    """The arguments of a command."""
    function: Any = commands.load(name)
    count = function.__code__.co_argcount - len(function.__defaults__ or ())
    return [
        (parameter, number < count, repeat, choices)
        for number, (parameter, annotation) in enumerate(parameters(name).items(), 1)
        for about, _, repeat, choices in (declared.read(annotation),)
        if isinstance(about, declared.Argument)
    ]


def fields(name: str) -> dict[str, str]:
    """The fields of --set of a command, each with its parameter."""
    known = parameters(name)
    return {known[one][1].names[0][2:]: one for one in FIELDS.get(name, ())}


def with_fields(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a command line, with those of --set in their places.

    Raises:
        UsageError: there is no such field, or its value is none of its kind.
    """
    given = values.pop("set", None) or ()
    known = fields(name) if given else {}
    for word in given:
        field, _, text = word.partition("=")
        field = field.strip().replace("_", "-")
        if field not in known or not text:
            raise UsageError(
                f"--set takes FIELD=VALUE (got {word!r})"
                if field in known
                else f"{name} has no field {field!r}",
                hint=f"Fields: {', '.join(known)}.",
            )
        parameter = known[field]
        _, kind, repeat, choices = declared.read(parameters(name)[parameter])
        value = _value(field, text, kind, choices)
        values[parameter] = [*(values.get(parameter) or ()), value] if repeat else value
    return values


def _value(
    field: str, text: str, kind: type, choices: tuple[str, ...]
) -> str | int | bool:
    if choices and text not in choices:
        raise UsageError(f"--set {field}= takes {', '.join(choices)} (got {text!r})")
    if kind is bool and text in ("true", "false"):
        return text == "true"
    if kind is bool:
        raise UsageError(f"--set {field}= takes true or false (got {text!r})")
    if kind is int and not (text.isascii() and text.isdigit()):
        raise UsageError(f"--set {field}= takes a number (got {text!r})")
    return int(text) if kind is int else text


def first_lines() -> dict[str, str]:
    """The first line of each command's help, read from the sources.

    To import all of their modules would take longer than everything else.
    """
    return {name: _first_line(name) for name in commands.COMMANDS}


def _first_line(name: str) -> str:
    import memcli.cli

    module, called = commands.place(name)
    place = f"{memcli.cli.__path__[0]}/{module}"
    path = f"{place}/__init__.py" if os.path.isdir(place) else f"{place}.py"
    with open(path, encoding="utf-8") as source:
        _, _, rest = source.read().partition(f"\ndef {called}(")
    return rest.partition('"""')[2].partition("\n")[0]
