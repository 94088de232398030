"""The commands: their names, and the typed function behind each.

Invariant: a command is the function of its own name. Its parameters are its command
line, its docstring is its help, and it returns a `Result`; `context` comes first.
"""

from __future__ import annotations

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
        "list": "list_",
        "show": "list_",
        "evolve": "evolve",
        "edit": "edit",
        "resolve": "resolve",
        "tag": "edit",
        "pin": "edit",
        "undo": "history",
        "log": "history",
        "forget": "history",
    },
    "Review": {"review": "review", "ideas": "ideas", "entities": "entities"},
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
        "promote": "repo",
        "verify": "history",
        "mcp": "mcp",
        "hook": "reflect_session",
        "sweep": "reflect_session",
        "allow": "repo",
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
_FILTERING = ("recall", "reflect", "list", "export", "entities", "inspect", "view")
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
