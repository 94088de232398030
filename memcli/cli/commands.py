"""The commands: their names, the typed function behind each, and `memcli --help`; their
arguments and flags; and plain command lines, read without Typer.

Invariant: a command is the function of its own name. Its parameters are its command
line, its docstring is its help, and it returns a `Result`; `context` comes first. A
whole command line is understood exactly as Typer would, or given up; a mistake in it is
never reported here. tests/cli/test_argv.py holds the two against each other. What few
people need is a field: it has no flag of its own, keeps its name and its meaning, and
--set takes it.
"""

from __future__ import annotations

import os

from memcli import declared, parameters
from memcli.errors import EntryNotFound, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.cli.context import Context, Result
    from memcli.declared import Parameter


# Heading of `memcli --help`: its commands.
GROUPS = {
    "Every day": "init save recall reflect list show evolve edit resolve tag pin undo "
    "log forget",
    "Review": "review ideas entities",
    "Setup": "install uninstall doctor config inspect sync import",
    "Rare": "promote verify mcp hook allow completion view signals export publish",
}

COMMANDS = " ".join(GROUPS.values()).split()

# Commands in a module of another name.
_MODULES = {
    "recall": "list show",
    "evolve": "edit tag pin",
    "history": "undo log forget verify",
    "review": "ideas",
    "install": "uninstall",
    "init": "promote allow",
    "exchange": "export publish import",
    "reflect_session": "hook",
    "complete": "completion",
}

ALIASES = {"search": "recall", "add": "save", "ls": "list", "rm": "forget"}
"""Other names that people type for a command."""

# Commands whose --project is a filter.
_FILTERING = ("recall", "reflect", "list", "entities", "inspect", "view")
# Commands whose --project says where the entry holds.
_PLACING = ("save", "evolve", "tag")
# An unknown agent takes these for an empty vault.
_SHOWING = ("recall", "reflect", "list", "show", "inspect")


def answer(name: str, context: Context, values: dict[str, Any]) -> Result:
    """Run a command: what it answers, and what only the user's other vaults can say.

    Raises:
        MemcliError: the command failed.
    """
    warning: Callable[[str], str] | None = None
    asked = [*(values.get("vaults") or ()), context.vault or ""]
    try:
        if values.get("project") and name in _FILTERING:
            from memcli.cli import hints

            values["project"] = hints.named_project(context, values)
        elif values.get("project") and name in _PLACING:
            from memcli.cli import hints

            values["project"], warning = hints.placed(context, values["project"])
        result = load(name)(context, **values)
    except EntryNotFound as error:
        from memcli.cli import hints

        raise hints.explained(error, context, asked) from error
    if warning and result.data.get("outcome", "created") == "created":
        said = warning(result.data["id"] or values["entry_id"])
        result = result._replace(warnings=(*result.warnings, said))
    if context.agent and name in _SHOWING:
        from memcli.cli import hints

        result = hints.for_agent(result, context, values)
    return result


def load(name: str) -> Callable[..., Result]:
    """Import a command; returns its function."""
    module, called = place(name)
    # `importlib` would load Python's warnings as well, half a percent of a recall.
    loaded = __import__(f"memcli.cli.{module}", fromlist=[called])
    function: Callable[..., Result] = getattr(loaded, called)
    return function


def place(name: str) -> tuple[str, str]:
    """The module of a command in this package, and the name of its function."""
    at = (module for module, names in _MODULES.items() if name in names.split())
    # Words of Python have a line behind them: `import` is the function `import_`.
    return next(at, name), f"{name}_" if name in ("import", "list") else name


# --- the help of all commands ---------------------------------------------------------

_HELP = """\
Usage: memcli COMMAND [OPTIONS] [ARGS]...

  Remember what agents and people know, in plain files

  The vault is a folder of markdown files under git. Read, edit and diff them
  with any tool; the next command sees it.

  Every command takes --vault (-v), --agent and --json, before its name or
  behind it, and --help. memcli --version prints the version.

  Example:
    memcli init ~/memory
    memcli save "We deploy from main, never on Fridays" --kind convention
    memcli recall "when do we deploy?"
"""


def overview(*, whole: bool) -> str:
    """The help of `memcli`: the commands in their groups, the rare ones if asked."""
    text = _HELP
    for heading, group in GROUPS.items():
        names = group.split()
        if heading == "Rare" and not whole:
            some = ", ".join(names[:6])
            return f"{text}\nMore: memcli help --all ({some}, ...)\n"
        rows = "".join(f"  {name:10}  {first_line(name)}\n" for name in names)
        text += f"\n{heading}:\n{rows}"
    return text


def first_line(name: str) -> str:
    """The first line of a command's help, read from its source.

    To import all of their modules would take longer than everything else.
    """
    module, called = place(name)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), module)
    path += ".py" if os.path.isfile(f"{path}.py") else "/__init__.py"
    with open(path, encoding="utf-8") as source:
        _, _, rest = source.read().partition(f"\ndef {called}(")
    return rest.partition('"""')[2].partition("\n")[0]


# --- arguments and flags --------------------------------------------------------------

_READ: dict[str, dict[str, Parameter]] = {}
_SHARED = declared.described(parameters.Shared.__doc__)


def of(name: str) -> dict[str, Parameter]:
    """The parameters of a command, its own and everyone's, fields among them."""
    if name not in _READ:
        function = load(name)
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
        if value is None:
            takes = ", ".join(one.choices) or _TAKEN[one.kind]
            raise UsageError(f"--set {field}= takes {takes} (got {text!r})")
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
    beside = {*given, values.get("action") or values.get("what") or "list"}
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


_TAKEN = {bool: "true or false", int: "a number"}


def _value(one: Parameter, text: str) -> str | int | bool | None:
    """The value that a text is for a parameter; None where it is none."""
    if one.choices and text not in one.choices:
        return None
    if one.kind is bool:
        return {"true": True, "false": False}.get(text)
    # Digits only: what else int() takes (1_000, Arabic digits) is Typer's.
    if one.kind is int:
        return int(text) if text.isascii() and text.isdigit() else None
    return text


# --- plain command lines --------------------------------------------------------------

# What every command takes may stand before its name as well; whether it takes a value.
EVERYWHERE = {
    flag: one.kind is not bool
    for one in declared.group(parameters.Everywhere).values()
    for flag in one.names
    if one.name != "set"
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
    return [ALIASES.get(rest[0], rest[0]), *first, *rest[1:]]


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
        value = _value(one, text)
        if value is None:
            return None
        values[one.name] = [*values.get(one.name, ()), value] if one.repeat else value
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
