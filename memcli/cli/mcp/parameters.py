"""The parameters of a tool: what each is called, and which flag of the command it is.

Invariant: kinds and choices are those of the command's own flag, unless the parameter
says otherwise.
"""

from __future__ import annotations

from memcli.cli import flags
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Parameter(NamedTuple):
    """A tool's parameter, which becomes the command's flag of the same name.

    `to` names another flag, or an argument. The rest is as the command has it.
    `choices` are shown to the client; the command itself refuses anything else. `kind`
    is `list` for several strings, `dict` for an object, `object` for anything.
    `default` is what the tool's `finish` fills in where it is not the command's own
    default. A `rare` parameter is not shown with the tool: memory_admin lists it. An
    empty `help` leaves the name to speak for itself. What is `stdin` is the command's
    standard input, where its flag names a file.
    """

    name: str
    help: str = ""
    to: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    kind: type | None = None
    deprecated: bool = False
    default: str | bool | None = None
    rare: bool = False
    stdin: bool = False


def flag_of(
    parameter: Parameter, command: str
) -> tuple[str, type, bool, tuple[str, ...]]:
    """Where a parameter goes: (parameter, kind, whether it repeats, choices)."""
    flag = parameter.to or f"--{parameter.name.replace('_', '-')}"
    if not command:
        return parameter.name, parameter.kind or str, False, parameter.choices
    known = flags.flags(command)
    if flag in known:
        target, kind, repeat, choices = known[flag]
        kind = list if repeat else kind
    else:
        words = {word[0]: word for word in flags.words(command)}
        # What no word of the command is chooses another command (`tools`).
        word = (parameter.name, False, False, ())
        target, _, repeat, choices = words.get(parameter.to or parameter.name, word)
        kind = str
    return target, parameter.kind or kind, repeat, parameter.choices or choices


def described(parameter: Parameter, command: str) -> dict[str, Any]:
    """The JSON Schema of one parameter."""
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    names[dict] = "object"
    _, kind, _, allowed = flag_of(parameter, command)
    choices = list(allowed)
    value: dict[str, Any] = {} if kind is object else {"type": names.get(kind, "array")}
    if kind is list:
        value["items"] = {"type": "string"}
        if choices:
            value["items"]["enum"] = choices
    elif choices:
        value["enum"] = choices
    if parameter.default is not None:
        value["default"] = parameter.default
    if parameter.deprecated:
        value["deprecated"] = True
    return {**value, "description": parameter.help} if parameter.help else value
