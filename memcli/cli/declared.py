"""What the annotations of commands name: flags and arguments, declared without Typer.

Invariant: a command line is declared once, by the signatures of the commands. They are
read here, without the modules that would make a recall wait: `typing` and Typer.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Option:
    """A flag of a command, with its help."""

    def __init__(
        self,
        *names: str,
        metavar: str = "",
        help: str = "",  # noqa: A002 as Typer calls it
        hidden: bool = False,
    ) -> None:
        self.names = names
        self.metavar = metavar
        self.help = help
        self.hidden = hidden


class Argument(Option):
    """A word of a command line that no flag stands before."""


class Annotated:
    """Stands for `typing.Annotated`: a kind of value, and its declaration."""

    def __class_getitem__(cls, parts: tuple[Any, Option]) -> tuple[Any, Option]:
        return parts


class Literal:
    """Stands for `typing.Literal`: the choices of a value."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def __class_getitem__(cls, choices: str | tuple[str, ...]) -> Literal:
        return cls(*((choices,) if isinstance(choices, str) else choices))

    def __or__(self, _none: None) -> Literal:
        return self


def read(annotation: tuple[Any, Option]) -> tuple[Option, type, bool, tuple[str, ...]]:
    """(declaration, kind of value, whether it repeats, choices) of a parameter."""
    kind, declared = annotation
    if isinstance(kind, Literal):
        return declared, str, False, kind.choices
    if not isinstance(kind, type) and not hasattr(kind, "__origin__"):
        kind = kind.__args__[0]  # of `kind | None`
    if getattr(kind, "__origin__", None) is list:
        return declared, kind.__args__[0], True, ()
    return declared, kind, False, ()
