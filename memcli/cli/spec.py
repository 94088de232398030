"""What a subcommand is: its words for people and programs, and what it runs.

Invariant: a command line means what its `Command` says, whichever of the two
parsers reads it. `argv` understands plain command lines without loading Typer (which
costs more than a whole recall); Typer does the rest: help, completion, mistakes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from memcli.cli.context import (
    Canvas,
    Context,
    Result,
    to_apply,
)

__all__ = ["Canvas", "Context", "Result"]


class Option(NamedTuple):
    """A flag: `kind` is bool, int, float or str; `repeat` collects every use."""

    name: str
    flags: tuple[str, ...]
    kind: type
    help: str
    default: Any = None
    repeat: bool = False
    metavar: str | None = None
    choices: tuple[str, ...] = ()


class Argument(NamedTuple):
    """A word without a flag; `repeat` takes all that remain."""

    name: str
    help: str
    required: bool = False
    repeat: bool = False
    metavar: str | None = None


class Command(NamedTuple):
    """A subcommand; `run(context, **values)` gives its Result."""

    name: str
    help: str
    parameters: tuple[Option | Argument, ...]
    run: Callable[..., Result]

    @property
    def options(self) -> tuple[Option, ...]:
        """The flags of the command, those of every command included."""
        own = tuple(p for p in self.parameters if isinstance(p, Option))
        names = {option.name for option in own}
        return own + tuple(one for one in EVERYWHERE if one.name not in names)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The positional words of the command."""
        return tuple(p for p in self.parameters if isinstance(p, Argument))


EVERYWHERE: tuple[Option, ...] = (
    Option(
        "vault",
        ("--vault",),
        str,
        "A vault's folder, or its name",
        metavar="PATH",
    ),
    Option("json", ("--json",), bool, "Print one JSON document", default=False),
    Option(
        "agent",
        ("--agent",),
        str,
        "The agent that asks and writes (MEMCLI_AGENT); without it, the owner",
        metavar="NAME",
    ),
)
"""Flags that every command takes; one of the same name takes the place of it."""

SEVERAL_VAULTS: tuple[Option, ...] = (
    Option(
        "vault",
        ("--vault",),
        str,
        "Only this vault, by its folder or name; repeatable",
        repeat=True,
        metavar="PATH",
    ),
    Option(
        "personal_only",
        ("--personal-only",),
        bool,
        "Only your default vault, no team's",
        default=False,
    ),
)
"""Flags of commands that ask several vaults at once."""


def to_do_it(values: dict[str, Any]) -> str:
    return to_apply(dry_run=values["dry_run"])


def function(command: Command) -> Callable[..., Result]:
    """A command that is not a typed function yet, as one."""

    def call(context: Context, **given: Any) -> Result:
        values = {
            one.name: [] if one.repeat else one.default for one in command.options
        }
        for argument in command.arguments:
            values[argument.name] = [] if argument.repeat else None
        for everywhere in EVERYWHERE:
            values.pop(everywhere.name)
        named = tuple(given.pop("vaults", None) or ())
        if named:
            context = context._replace(vault=named[0], vaults=named)
        values |= {name: value for name, value in given.items() if value is not None}
        return command.run(context, **values)

    call.__doc__ = command.help
    call.legacy = command  # type: ignore[attr-defined]
    return call


def parameters(command: Command) -> list[Any]:
    """Its own parameters as Typer wants them."""
    import inspect
    from typing import Annotated, Literal

    import typer

    found = []
    for item in command.parameters:
        kind: Any = str if isinstance(item, Argument) else item.kind
        default: Any = None
        if isinstance(item, Option):
            metavar = item.metavar
            if metavar is None and item.kind is str and not item.choices:
                metavar = item.name.upper()
            if item.choices:
                kind = Literal[item.choices]
            declared: Any = typer.Option(*item.flags, help=item.help, metavar=metavar)
            default = item.default
        else:
            declared = typer.Argument(help=item.help, metavar=item.metavar)
            default = inspect.Parameter.empty if item.required else None
        kind = list[kind] if item.repeat else kind
        if default is None:
            kind = kind | None
        name = item.name + "s" if item.name == "vault" else item.name
        found.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[kind, declared],
            )
        )
    return found
