"""The command line as Typer sees it: help, completion, and mistakes explained.

Invariant: built from the same `Command` values that `argv` reads, so that nothing
is declared twice. A mistake in the words exits with 2 and, with `--json`, speaks JSON.
"""

import inspect
import os
import sys
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal

import typer

from memcli import __version__
from memcli.cli import render, spec
from memcli.cli.run import run
from memcli.errors import UsageError

_HELP = """Remember what agents and people know, in plain files

    The vault is a folder of markdown files under git. Read, edit and diff them with
    any tool; the next command sees it.

    \b
    Example:
      memcli init ~/memory
      memcli save "We deploy from main, never on Fridays" --kind convention
      memcli recall "when do we deploy?"
    """

# Typer may bundle click or import it; its own names lead to the right classes.
_MISTAKE: type[Exception] = typer.BadParameter.__mro__[2]


def main(words: list[str]) -> int:
    """Run a command line through Typer; returns the exit code."""
    words = words or ["--help"]
    completing = any(name.startswith("_MEMCLI_COMPLETE") for name in os.environ)
    try:
        # Declaring a command costs 1 ms, and the first word mostly tells which it is.
        app = build(spec.COMMANDS if completing else words[:1])
        code = app(args=words, prog_name="memcli", standalone_mode=False)
    except _MISTAKE as mistake:
        return _explain(mistake, words)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        return 0
    return code if isinstance(code, int) else 0


def build(whole: Collection[str] = spec.COMMANDS) -> typer.Typer:
    """The command line as a Typer application.

    Args:
        whole: commands to declare with their parameters; of the others only the name
            and the help, which is all that `memcli --help` shows of them.
    """
    app = typer.Typer(
        name="memcli",
        help=_HELP,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in spec.COMMANDS:
        command = spec.load(name)
        app.command(name)(_function(command, whole=name in whole))
    return app


def _explain(mistake: Any, words: list[str]) -> int:
    name = words[0] if words and words[0] in spec.COMMANDS else ""
    hint = f"See: memcli {name} --help".replace("  ", " ")
    error = UsageError(mistake.format_message(), hint=hint)
    return render.Screen(name, as_json="--json" in words).failure(error)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"memcli {__version__}\n")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    del version


def _function(command: spec.Command, *, whole: bool) -> Callable[..., int]:
    """A function with the signature from which Typer builds the command."""

    def call(**values: Any) -> int:
        given = {name: _given(value) for name, value in values.items()}
        return run(command, given)

    items: list[spec.Option | spec.Argument]
    items = [*command.arguments, *command.options] if whole else []
    parameters = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(item),
            annotation=_annotation(item),
        )
        for item in items
    ]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__doc__ = command.help
    return call


def _default(item: spec.Option | spec.Argument) -> Any:
    if isinstance(item, spec.Argument) and item.required:
        return inspect.Parameter.empty
    return [] if item.repeat else getattr(item, "default", None)


def _given(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _annotation(item: spec.Option | spec.Argument) -> Any:
    if isinstance(item, spec.Argument):
        words: Any = list[str] if item.repeat else str | None
        if item.required and not item.repeat:
            words = str
        return Annotated[words, typer.Argument(help=item.help, metavar=item.metavar)]
    metavar = item.metavar
    if metavar is None and item.kind is str and not item.choices:
        metavar = item.name.upper()
    declared: dict[str, Any] = {"help": item.help, "metavar": metavar}
    if item.default in (None, False):
        declared["show_default"] = False
    kind: Any = item.kind
    if item.choices:
        kind = Literal[item.choices]
    if item.kind is bool:
        return Annotated[bool, typer.Option(*item.flags, **declared)]
    if item.repeat:
        return Annotated[list[kind], typer.Option(*item.flags, **declared)]
    return Annotated[kind | None, typer.Option(*item.flags, **declared)]
