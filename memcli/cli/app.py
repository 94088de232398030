"""The command line as Typer sees it: help, and mistakes explained.

Invariant: nothing is declared here that `flags` does not read from the commands. A
mistake in the words exits with 2 and, with `--json`, speaks JSON.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from memcli import __version__, parameters
from memcli.cli import commands, flags, render
from memcli.cli.run import run
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from memcli.declared import Parameter

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

# `memcli --help` says once what every command takes.
_HIDDEN = {*parameters.Everywhere.__annotations__} - {"set"}
# Typer may bundle click or import it; its own names lead to the right classes.
_MISTAKE: type[Exception] = typer.BadParameter.__mro__[2]


def main(words: list[str]) -> int:
    """Run a command line through Typer; returns the exit code."""
    words = words or ["--help"]
    _Grouped.whole = words == ["help", "--all"]
    if _Grouped.whole:
        words = ["--help"]
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
    """The commands in groups, as `commands.GROUPS` has them; the rare ones if asked."""

    whole = False

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group with its heading; Typer calls this for `memcli --help`."""
        del ctx
        lines = flags.first_lines()
        for heading, group in commands.GROUPS.items():
            if heading == "Rare" and not self.whole:
                formatter.write_paragraph()
                some = ", ".join([*group][:6])
                formatter.write_text(f"More: memcli help --all ({some}, ...)")
                continue
            with formatter.section(heading):
                indent = " " * formatter.current_indent
                for name in group:
                    # In one line each, however long: Typer would break it.
                    line = f"{indent}{name:<{_NAMES_WIDTH}}  {lines[name]}"
                    formatter.write(f"{line}\n")


# The lines of all groups begin in one column.
_NAMES_WIDTH = max(map(len, commands.COMMANDS))


def _explain(mistake: Any, words: list[str]) -> int:
    from memcli.cli import hints
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
        meant = hints.nearest(choice[1], re.findall(r"'([^']*)'", choice[2]))
    elif not name and words and not words[0].startswith("-"):
        meant = _meant(words[0], TOPICS)
    if meant:
        hint = f"Did you mean: {meant}? {hint}"
    elif way := _way(name, message, words):
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

    own = taken(name) if whole else []
    call.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in own}
    if whole:
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
        for one in flags.of(name).values()
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
        f"      {field:18} {one.help}" for field, one in flags.fields(name).items()
    ]
    head = "\n    \b\n    Fields of --set:\n"
    return head + "\n".join(lines) if lines else ""


# --- guesses at what was meant --------------------------------------------------------

# What other programs call it.
_ALSO = {
    **commands.ALIASES,
    "remember": "save", "store": "save", "new": "save", "put": "save",
    "find": "recall", "query": "recall", "get": "recall",
    "ask": "recall", "dir": "list", "cat": "show", "view": "show", "print": "show",
    "status": "doctor", "stats": "inspect",
    "info": "inspect", "history": "log", "changes": "log", "revert": "undo",
    "open": "edit", "update": "evolve", "replace": "evolve", "change": "evolve",
    "delete": "forget", "remove": "forget",
    "done": "resolve", "close": "resolve", "solve": "resolve", "fix": "doctor --fix",
    "approve": "review --approve", "reject": "review --reject",
    "health": "doctor", "check": "doctor", "fsck": "inspect lint",
    "mine": "reflect --session", "create": "init", "setup": "install",
    "serve": "mcp", "server": "mcp", "help": "--help",
}  # fmt: skip


def _meant(word: str, topics: Collection[str]) -> str | None:
    """The command line that an unknown command was meant to be."""
    from memcli.cli import hints

    if word in topics:
        return f"memcli inspect {word}"
    meant = hints.nearest(word, commands.COMMANDS, _ALSO)
    if meant:
        return f"memcli {meant}"
    topic = hints.nearest(word, topics)
    return topic and f"memcli inspect {topic}"


# What to do with more words than a command takes.
_MORE_WORDS = {
    "save": "A text of several words needs quotes.",
    "evolve": "A text of several words needs quotes.",
    "init": "A name with spaces needs quotes.",
    "list": "Words are searched by recall, not by list.",
    "undo": "Each call takes one change back.",
    "log": "How many are shown is -n N.",
    "install": "Name one host at a time.",
    "uninstall": "Name one host at a time; --all takes every one.",
    "import": "Name one file or folder at a time.",
    "export": "The file is named by --out FILE.",
    "view": "The file is named by --out FILE.",
}


def _way(name: str, message: str, words: Sequence[str]) -> str | None:
    """A sentence about what goes instead of a mistake in a command's words.

    Args:
        name: of the command; "" for an unknown one.
        message: what is wrong, as Typer says it.
        words: the command line, the command's name first.
    """
    if message.startswith("Got unexpected extra argument"):
        return _MORE_WORDS.get(name)
    if message.startswith("No such option"):
        if any(word.startswith("-") and " " in word for word in words):
            return (
                f'A text that begins with - stands behind --: memcli {name} -- "-...".'
            )
        if name == "install" and "--all" in words:
            return _MORE_WORDS[name]
    return None
