"""The commands: their names, the typed function behind each, and `memcli --help`.

Invariant: a command is the function of its own name. Its parameters are its command
line, its docstring is its help, and it returns a `Result`; `context` comes first.
"""

from __future__ import annotations

import os

from memcli.errors import EntryNotFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.cli.context import Context, Result


# Heading of `memcli --help`: its commands, each with its module of this package.
GROUPS: dict[str, dict[str, str]] = {
    "Every day": {
        "init": "init",
        "save": "save",
        "recall": "recall",
        "reflect": "reflect",
        "list": "recall",
        "show": "recall",
        "evolve": "evolve",
        "edit": "evolve",
        "resolve": "resolve",
        "tag": "evolve",
        "pin": "evolve",
        "undo": "history",
        "log": "history",
        "forget": "history",
    },
    "Review": {"review": "review", "ideas": "review", "entities": "entities"},
    "Setup": {
        "install": "install",
        "uninstall": "install",
        "doctor": "doctor",
        "config": "config",
        "inspect": "inspect",
        "sync": "sync",
        "import": "import_",
    },
    "Rare": {
        "promote": "init",
        "verify": "history",
        "mcp": "mcp",
        "hook": "reflect_session",
        "allow": "init",
        "completion": "complete",
        "view": "view",
        "signals": "signals",
        "export": "export",
        "publish": "export",
    },
}

ALIASES = {"search": "recall", "add": "save", "ls": "list", "rm": "forget"}
"""Other names that people type for a command."""

COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}

# Commands whose --project is a filter.
_FILTERING = ("recall", "reflect", "list", "entities", "inspect", "view")
# An unknown agent takes these for an empty vault.
_SHOWING = ("recall", "reflect", "list", "show", "inspect")


def answer(name: str, context: Context, values: dict[str, Any]) -> Result:
    """Run a command: what it answers, and what only the user's other vaults can say.

    Raises:
        MemcliError: the command failed.
    """
    asked = [*(values.get("vaults") or ()), context.vault or ""]
    try:
        if values.get("project") and name in _FILTERING:
            from memcli.cli import hints

            values["project"] = hints.named_project(context, values)
        result = load(name)(context, **values)
    except EntryNotFound as error:
        from memcli.cli import hints

        raise hints.explained(error, context, asked) from error
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
    module = COMMANDS[name]
    # Words of Python have a line behind them: `import` is the function `import_`.
    return module, f"{name}_" if name in ("import", "list") else name


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
    lines = first_lines()
    for heading, group in GROUPS.items():
        if heading == "Rare" and not whole:
            some = ", ".join([*group][:6])
            return f"{text}\nMore: memcli help --all ({some}, ...)\n"
        rows = "".join(f"  {name:10}  {lines[name]}\n" for name in group)
        text += f"\n{heading}:\n{rows}"
    return text


def first_lines() -> dict[str, str]:
    """The first line of each command's help, read from the sources.

    To import all of their modules would take longer than everything else.
    """
    return {name: _first_line(name) for name in COMMANDS}


def _first_line(name: str) -> str:
    module, called = place(name)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), module)
    path += ".py" if os.path.isfile(f"{path}.py") else "/__init__.py"
    with open(path, encoding="utf-8") as source:
        _, _, rest = source.read().partition(f"\ndef {called}(")
    return rest.partition('"""')[2].partition("\n")[0]
