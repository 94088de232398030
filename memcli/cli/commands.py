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
        "show": "show",
        "tags": "tags",
        "kinds": "kinds",
        "projects": "projects",
        "evolve": "evolve",
        "edit": "edit",
        "resolve": "resolve",
        "tag": "tag",
        "pin": "pin",
        "unpin": "pin",
        "undo": "undo",
        "log": "log",
        "promote": "promote",
        "verify": "verify",
        "forget": "forget",
    },
    "Review": {
        "review": "review",
        "ideas": "ideas",
        "entities": "entities",
    },
    "Agents": {
        "install": "install",
        "uninstall": "install",
        "skills": "skills",
        "mcp": "mcp",
        "hook": "hook",
        "sweep": "sweep",
        "allow": "allow",
    },
    "Maintenance": {
        "doctor": "doctor",
        "config": "config",
        "completion": "completion",
        "inspect": "inspect",
        "repair": "repair",
        "sync": "sync",
        "view": "view",
        "signals": "signals",
        "import": "import_",
        "export": "export",
        "publish": "publish",
    },
}

COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}


# An unknown agent takes these for an empty vault.
_SHOWING = ("recall", "reflect", "list", "show", "inspect")


def answer(name: str, context: Context, values: dict[str, Any]) -> Result:
    """Run a command: what it answers, and what only the user's other vaults can say.

    Raises:
        MemcliError: the command failed.
    """
    asked = [*(values.get("vaults") or ()), context.vault or ""]
    try:
        result = load(name)(context, **values)
    except EntryNotFound as error:
        from memcli.cli import elsewhere

        raise elsewhere.explained(error, context, asked) from error
    if context.agent and name in _SHOWING:
        from memcli.cli import elsewhere

        result = elsewhere.for_agent(result, context, values)
    return result


def load(name: str) -> Callable[..., Result]:
    """Import a command; returns its function."""
    # Words of Python have a line behind them: `import` is the function `import_`.
    called = COMMANDS[name] if COMMANDS[name] == f"{name}_" else name
    # `importlib` would load Python's warnings as well, half a percent of a recall.
    module = __import__(f"memcli.cli.{COMMANDS[name]}", fromlist=[called])
    function: Callable[..., Result] = getattr(module, called)
    return function
