"""The command line as Typer sees it: help, and mistakes explained.

Invariant: the commands' own functions are all that is declared. Typer reads them here,
and the table by which `argv` reads plain command lines is generated from them here. A
mistake in the words exits with 2 and, with `--json`, speaks JSON.
"""

from __future__ import annotations

import inspect
import re
import sys
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperGroup

from memcli import __version__
from memcli.cli import commands, flags, options, render
from memcli.cli.context import Context, Result
from memcli.cli.run import run
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# What the annotations of commands name; these modules import it for type checkers only.
_NAMES = {
    "Annotated": Annotated,
    "Argument": typer.Argument,
    "Context": Context,
    "Literal": Literal,
    "Option": typer.Option,
    "Result": Result,
    "options": options,
}

_HELP = """Remember what agents and people know, in plain files

    The vault is a folder of markdown files under git. Read, edit and diff them with
    any tool; the next command sees it.

    Every command takes --vault (-v), --agent and --json, before its name or behind it,
    and --help.

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
    try:
        # Declaring a command costs 1 ms, and the first word mostly tells which it is.
        app = build(words[:1])
        code = app(args=words, prog_name="memcli", standalone_mode=False)
    except _MISTAKE as mistake:
        return _explain(mistake, words)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        return 0
    return code if isinstance(code, int) else 0


def build(whole: Collection[str] = tuple(commands.COMMANDS)) -> typer.Typer:
    """The command line as a Typer application.

    Args:
        whole: commands to declare with their parameters; of the others only the name
            and the line that `memcli --help` shows, which come from a table. Importing
            all of their modules would take longer than Typer itself.
    """
    app = typer.Typer(
        name="memcli",
        cls=_Grouped,
        help=_HELP,
        # `memcli completion` has scripts that evaluate nothing of a vault.
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in commands.COMMANDS:
        app.command(name)(_command(name, whole=name in whole))
    return app


class _Grouped(TyperGroup):
    """The commands in groups, as `commands.GROUPS` has them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group with its heading; Typer calls this for `memcli --help`."""
        del ctx
        for heading, group in commands.GROUPS.items():
            with formatter.section(heading):
                indent = " " * formatter.current_indent
                for name in group:
                    # In one line each, however long: Typer would break it.
                    line = f"{indent}{name:<{_NAMES_WIDTH}}  {flags.HELP[name]}"
                    formatter.write(f"{line}\n")


# The lines of all groups begin in one column.
_NAMES_WIDTH = max(map(len, commands.COMMANDS))


def _explain(mistake: Any, words: list[str]) -> int:
    from memcli.cli import suggest
    from memcli.cli.inspect import TOPICS

    name = words[0] if words and words[0] in commands.COMMANDS else ""
    message = " ".join(
        mistake.format_message().split()
    )  # choices have lines of their own
    if not name and words and words[0].partition("=")[0] in flags.EVERYWHERE:
        message = "no command is named"
    elif message.startswith("No such command"):
        message = message.partition(" Did you mean")[0]  # by the words' letters alone
    hint = f"See: memcli {name} --help".replace("  ", " ")
    choice = re.search(r"'([^']*)' is not one of (.+)\.$", message)
    meant = None
    if choice:
        meant = suggest.nearest(choice[1], re.findall(r"'([^']*)'", choice[2]))
    elif not name and words and not words[0].startswith("-"):
        meant = suggest.command(words[0], commands.COMMANDS, TOPICS)
    if meant:
        hint = f"Did you mean: {meant}? {hint}"
    elif way := suggest.way(name, message, words):
        hint = f"{way} {hint}"
    error = UsageError(message, hint=hint)
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


def _command(name: str, *, whole: bool) -> Callable[..., int]:
    """The function that Typer registers for a command: it runs it, and exits with 0."""

    def call(**values: Any) -> int:
        return run(name, values)

    function = commands.load(name) if whole else None
    own = parameters(function) if function else []
    call.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in own}
    call.__doc__ = function.__doc__ if function else flags.HELP[name]
    return call


def parameters(function: Callable[..., Result]) -> list[inspect.Parameter]:
    """What a command takes from its command line: its own parameters and everyone's."""
    signature = inspect.signature(function, locals=_NAMES, eval_str=True)
    _, *own = signature.parameters.values()  # the first is the context
    vault, *others = _of_every_command()
    if all(parameter.name != "vaults" for parameter in own):
        own.append(vault)
    own += others
    return [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]


def _of_every_command() -> list[inspect.Parameter]:
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, kind, default=default, annotation=annotation)
        for name, annotation, default in (
            ("vault", options.Vault, None),
            ("json", options.Json, False),
            ("header", options.Header, False),
            ("agent", options.Agent, None),
        )
    ]


def tables() -> str:
    """The source of the tables in `flags`: what plain command lines may say."""
    words, rows, lines = [], [], []
    everywhere = "".join(map(_rows, _of_every_command()))
    for name in commands.COMMANDS:
        row, block = "", ""
        function = commands.load(name)
        first = (function.__doc__ or "").partition("\n")[0]
        lines.append(f"    {name!r}: {first!r},\n")
        for parameter in parameters(function):
            declared, _, repeat, choices = _read(parameter.annotation)
            if isinstance(declared, typer.models.ArgumentInfo):
                required = parameter.default is parameter.empty
                row += f'("{parameter.name}", {required}, {repeat}, {choices}), '
                continue
            block += _rows(parameter)
        words.append(f'    "{name}": ({row.rstrip()}),\n')
        block = block.replace(everywhere, "        **EVERYWHERE,\n")
        rows.append(f'    "{name}": {{\n{block}    }},\n')
    return (
        f"WORDS: dict[str, tuple[Word, ...]] = {{\n{''.join(words)}}}\n\n"
        f"EVERYWHERE: dict[str, Flag] = {{\n{everywhere}}}\n\n"
        f"FLAGS: dict[str, dict[str, Flag]] = {{\n{''.join(rows)}}}\n\n"
        f"HELP: dict[str, str] = {{\n{''.join(lines)}}}"
    )


def _rows(parameter: inspect.Parameter) -> str:
    """The rows of an option in the source of `flags`, one for each of its spellings."""
    declared, kind, repeat, choices = _read(parameter.annotation)
    value = f'("{parameter.name}", {kind.__name__}, {repeat}, {choices})'
    # In an annotation Typer takes the first flag for a default.
    flags = (declared.default, *declared.param_decls)
    cells = ", ".join(f'"{flag}": {value}' for flag in flags)
    return f"        {cells},\n"


def _read(annotation: Any) -> tuple[Any, type, bool, tuple[str, ...]]:
    """(declaration, kind of value, whether it repeats, choices) of a parameter."""
    kind, declared = get_args(annotation)
    kinds = [each for each in get_args(kind) if each is not NoneType]
    if NoneType in get_args(kind):
        (kind,) = kinds
    repeat = get_origin(kind) is list
    if repeat:
        (kind,) = get_args(kind)
    if get_origin(kind) is Literal:
        return declared, str, repeat, get_args(kind)
    return declared, kind, repeat, ()
