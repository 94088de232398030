"""The arguments and flags of each command, read from its function; and plain command
lines, read without Typer.

Invariant: a whole command line is understood exactly as Typer would, or given up; a
mistake in it is never reported here. tests/cli/test_argv.py holds the two against each
other. Nothing is declared here. What few people need is a field: it has no flag of
its own, keeps its name and its meaning, and --set takes it.
"""

from __future__ import annotations

from memcli import declared, parameters
from memcli.cli import commands
from memcli.cli.commands import ALIASES
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.declared import Parameter

_READ: dict[str, dict[str, Parameter]] = {}
_SHARED = declared.described(parameters.Shared.__doc__)


def of(name: str) -> dict[str, Parameter]:
    """The parameters of a command, its own and everyone's, fields among them."""
    if name not in _READ:
        function = commands.load(name)
        found = declared.parameters(function, parameters, _SHARED)
        every = declared.group(parameters.Everywhere)
        if not any(one.field for one in found.values()):
            del every["set"]
        if "vaults" in found:
            del every["vault"]
        _READ[name] = found | every
    return _READ[name]


def flags(name: str) -> dict[str, Parameter]:
    """The parameters of a command that have flags, by each spelling of a flag."""
    return {flag: one for one in of(name).values() for flag in one.names}


def arguments(name: str) -> list[Parameter]:
    """The arguments of a command."""
    return [one for one in of(name).values() if one.is_argument]


def fields(name: str) -> dict[str, Parameter]:
    """The fields of --set of a command, by their names."""
    return {one.field: one for one in of(name).values() if one.field}


def with_fields(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a command line, with those of --set in their places.

    Raises:
        UsageError: there is no such field, its value is none of its kind, or a
            parameter means nothing without another one.
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
        one = known[field]
        value = _value(one, text)
        many = [*(values.get(one.name) or ()), value] if one.repeat else value
        values[one.name] = many
    check_needs(name, values)
    return values


def check_needs(name: str, values: Mapping[str, Any]) -> None:
    """Refuse what means nothing without another parameter, or beside it.

    Raises:
        UsageError: that one is not given, or is.
    """
    given = {
        one.flag.strip("[]."): one
        for one in of(name).values()
        if values.get(one.name) not in (None, False, [], one.default)
    }
    beside = {*given, values.get("action") or "list"}
    for flag, one in given.items():
        if one.needs and beside.isdisjoint(one.needs):
            other = " or ".join(one.needs)
            hint = f"Drop {flag}, or add {other}."
            raise UsageError(f"{flag} goes with {other}", hint=hint)
        for bar in one.bars:
            if bar in beside:
                raise UsageError(
                    f"{flag} and {bar} cannot be combined", hint="Drop one of them."
                )


def _value(one: Parameter, text: str) -> str | int | bool:
    if one.choices and text not in one.choices:
        takes = ", ".join(one.choices)
    elif one.kind is bool and text not in ("true", "false"):
        takes = "true or false"
    elif one.kind is int and not (text.isascii() and text.isdigit()):
        takes = "a number"
    elif one.kind is bool:
        return text == "true"
    else:
        return int(text) if one.kind is int else text
    raise UsageError(f"--set {one.word}= takes {takes} (got {text!r})")


# --- plain command lines --------------------------------------------------------------

# What every command takes may stand before its name as well; whether it takes a value.
EVERYWHERE = {
    "--vault": True,
    "-v": True,
    "--agent": True,
    "--json": False,
    "--header": False,
}


def in_order(words: list[str]) -> list[str]:
    """The words of a command line with the command's own name first.

    >>> in_order(["--vault", "work", "search", "deploys"])
    ['recall', '--vault', 'work', 'deploys']
    """
    at = 0
    while at < len(words):
        flag, equals, _ = words[at].partition("=")
        if flag not in EVERYWHERE:
            break
        at += 2 if EVERYWHERE[flag] and not equals else 1
    first, rest = words[:at], words[at:]
    if rest[:1] == ["help"] and rest != ["help", "--all"]:
        return [*(ALIASES.get(word, word) for word in rest[1:2]), "--help"]
    if not rest or rest[0].startswith("-"):
        return rest or words  # a mistake, or --help
    name = ALIASES.get(rest[0], rest[0])
    return [name, *first, *rest[1:]]


def parse(name: str, words: list[str]) -> dict[str, Any] | None:
    """Read the words behind a command's name.

    Returns:
        The parameters that the words give, by name; None when it takes Typer to read
        them.
    """
    known = flags(name)
    values: dict[str, Any] = {}
    loose: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            loose.extend(rest)
            break
        if not word.startswith("-") or word == "-":
            loose.append(word)
            continue
        flag, equals, text = word.partition("=")
        if flag not in known:
            return None
        one = known[flag]
        # To Typer the sign belongs to the value of a short flag.
        if equals and (one.kind is bool or not flag.startswith("--")):
            return None
        if one.kind is bool:
            values[one.name] = True
            continue
        if not equals:
            text = next(rest, "--")
            if text.startswith("-"):
                return None
        # Digits only: what else int() takes (1_000, Arabic digits) is Typer's.
        if one.kind is not str and not (text.isascii() and text.isdigit()):
            return None
        if one.choices and text not in one.choices:
            return None
        if one.repeat:
            values.setdefault(one.name, []).append(text)
        else:
            values[one.name] = one.kind(text)
    return values if _place(values, loose, arguments(name)) else None


def _place(
    values: dict[str, Any], loose: list[str], arguments: Sequence[Parameter]
) -> bool:
    """Give the words without a flag to the arguments; whether all fit."""
    for one in arguments:
        if one.required and not any(loose[:1]):
            return False
        taken = loose if one.repeat else loose[:1]
        loose = loose[len(taken) :]
        if one.choices and not set(taken) <= set(one.choices):
            return False
        if taken:
            values[one.name] = taken if one.repeat else taken[0]
    return not loose
