"""The command line as Typer sees it: a command's help, and mistakes explained.

Invariant: nothing is declared here that `commands` does not read from the commands. A
mistake in the words exits with 2 and, with `--json`, speaks JSON.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal

import typer

from memcli import parameters
from memcli.cli import commands, render
from memcli.cli.run import run
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memcli.declared import Parameter

# `memcli --help` says once what every command takes.
_HIDDEN = {*parameters.Everywhere.__annotations__} - {"set"}
# Typer may bundle click or import it; its own names lead to the right classes.
_MISTAKE: type[Exception] = typer.BadParameter.__mro__[2]


def main(words: list[str]) -> int:
    """Run a command line through Typer; returns the exit code."""
    if not (words and words[0] in commands.COMMANDS):
        return _explain("", _no_command(words), words)
    try:
        app = build(words[:1])  # declaring a command costs 1 ms
        code = app(args=words, prog_name="memcli", standalone_mode=False)
    except _MISTAKE as mistake:
        said: str = mistake.format_message()  # type: ignore[attr-defined]
        # Choices have lines of their own.
        return _explain(words[0], " ".join(said.split()), words)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        return 0
    return code if isinstance(code, int) else 0


def build(names: Collection[str] = tuple(commands.COMMANDS)) -> typer.Typer:
    """Commands, as a Typer application."""
    app = typer.Typer(
        name="memcli",
        # `memcli completion` has scripts that evaluate nothing of a vault.
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(lambda: None)  # a single command keeps its name in its usage
    for name in names:
        app.command(name)(_command(name))
    return app


def _no_command(words: list[str]) -> str:
    first = words[0].partition("=")[0] if words else ""
    if not first or first in commands.EVERYWHERE:
        return "no command is named"
    return f"No such {'option:' if first[0] == '-' else 'command'} '{words[0]}'."


def _explain(name: str, message: str, words: list[str]) -> int:
    """Print a mistake in a command's words, with what may have been meant."""
    hint = f"See: memcli {name} --help".replace("  ", " ")
    known = not name and words and not words[0].startswith("-")
    if known and (meant := _meant(words[0])):
        hint = f"Did you mean: {meant}? {hint}"
    elif message.startswith("Got unexpected extra argument"):
        hint = f"A text of several words needs quotes. {hint}"
    elif message.startswith("No such option") and any(" " in word for word in words):
        hint = f'A text that begins with - stands behind --: memcli {name} -- "-...".'
    error = UsageError(message, hint=hint)
    return render.Screen(name, as_json="--json" in words).failure(error)


def _command(name: str) -> Callable[..., int]:
    """The function that Typer registers for a command: it runs it, and exits with 0."""

    def call(**values: Any) -> int:
        return run(name, values)

    own = taken(name)
    call.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in own}
    said = (commands.load(name).__doc__ or "").partition("    Options:\n")[0]
    call.__doc__ = said + _fields(name)
    return call


def taken(name: str) -> list[inspect.Parameter]:
    """The parameters of a command as Typer takes them; it knows no field of --set."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(
            one.name,
            kind,
            default=inspect.Parameter.empty if one.required else one.default,
            annotation=_of_typer(one),
        )
        for one in commands.of(name).values()
        if not one.field
    ]


def _of_typer(one: Parameter) -> Any:
    """A declaration as Typer has it."""
    kind: Any = Literal[one.choices] if one.choices else one.kind
    value: Any = list[kind] if one.repeat else kind
    if kind is not bool and not one.required and one.default is None:
        value = value | None
    made: Any = typer.Argument if one.is_argument else typer.Option
    return Annotated[
        value,
        made(
            *one.names,
            metavar=one.metavar or None,
            help=one.help,
            hidden=one.name in _HIDDEN,
        ),
    ]


def _fields(name: str) -> str:
    """The part of a command's help about --set."""
    lines = [
        f"      {field:18} {one.help}" for field, one in commands.fields(name).items()
    ]
    head = "\n    \b\n    Fields of --set:\n"
    return head + "\n".join(lines) if lines else ""


# --- guesses at what was meant --------------------------------------------------------

# What other programs call it.
_ALSO = {
    **commands.ALIASES,
    "remember": "save", "store": "save", "new": "save", "put": "save",
    "find": "recall", "query": "recall", "get": "recall", "ask": "recall",
    "cat": "show", "print": "show", "status": "doctor", "history": "log",
    "revert": "undo", "open": "edit", "update": "evolve", "replace": "evolve",
    "delete": "forget", "remove": "forget", "done": "resolve", "close": "resolve",
    "check": "doctor", "create": "init", "help": "--help",
}  # fmt: skip


def _meant(word: str) -> str | None:
    """The command line that an unknown command was meant to be."""
    from memcli.cli import hints
    from memcli.cli.inspect import TOPICS

    also = {**{topic: f"inspect {topic}" for topic in TOPICS}, **_ALSO}
    meant = hints.nearest(word, commands.COMMANDS, also)
    return meant and f"memcli {meant}"
