"""The commands: their names, and the typed function behind each.

Invariant: a command is the function of its own name. Its parameters are its command
line, its docstring is its help, and it returns a `Result`; `context` comes first.
"""

from collections.abc import Callable

from memcli.cli.context import Result

# Name: module of this package, in the order of `memcli --help`.
COMMANDS = {
    "init": "init",
    "save": "save",
    "recall": "recall",
    "reflect": "reflect",
    "evolve": "evolve",
    "resolve": "resolve",
    "review": "review",
    "ideas": "ideas",
    "entities": "entities",
    "forget": "forget",
    "inspect": "inspect",
    "repair": "repair",
    "signals": "signals",
    "import": "import_",
    "hook": "hook",
    "sweep": "sweep",
    "skills": "skills",
    "mcp": "mcp",
    "install": "install",
    "uninstall": "install",
}


def load(name: str) -> Callable[..., Result]:
    """Import a command; returns its function."""
    from importlib import import_module

    module = import_module(f"memcli.cli.{COMMANDS[name]}")
    # `import` is a word of Python, so its function and module are `import_`.
    function: Callable[..., Result] = getattr(
        module, "import_" if name == "import" else name
    )
    return function
