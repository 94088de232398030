"""Declarations of parameters: their names, what they take, what they mean.

Invariant: a parameter is declared once, by an annotation: of a command, or of a group
that commands share (`memcli.parameters`). The command line, the keys of a batch, the
parameters of MCP tools and the options of Python are read from there, without the
modules that would make a recall wait: `typing` and Typer.
"""

from __future__ import annotations

import sys

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Method = TypeVar("Method", bound=Callable[..., Any])


class Option:
    """A flag of a command, with its help.

    `tool` is the help of an MCP tool, where fewer words do. `needs` are parameters one
    of which it goes with; alone it means nothing.
    """

    def __init__(
        self,
        *names: str,
        metavar: str = "",
        help: str = "",  # noqa: A002 as Typer calls it
        tool: str | None = None,
        needs: str = "",
        hidden: bool = False,
    ) -> None:
        self.names = names
        self.metavar = metavar
        self.help = help
        self.tool = help if tool is None else tool
        self.needs = needs
        self.hidden = hidden


class Argument(Option):
    """A word of a command line that no flag stands before."""


class Field(Option):
    """A field that few people need: it has no flag of its own, and --set takes it."""

    def __init__(
        self,
        metavar: str,
        help: str,  # noqa: A002 as Typer calls it
        word: str = "",
        needs: str = "",
    ) -> None:
        super().__init__(metavar=metavar, help=help, needs=needs)
        self.word = word


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


class TypedDict:
    """Stands for `typing.TypedDict`: a group of parameters."""

    def __init_subclass__(cls, *, total: bool = True) -> None:
        del total


class Unpack:
    """Stands for `typing.Unpack`: the parameters of a group, one by one."""

    def __class_getitem__(cls, group: type) -> type:
        return group


class Parameter(NamedTuple):
    """A parameter that was read; `repeat` says whether it takes several values."""

    name: str
    about: Option
    kind: type
    repeat: bool
    choices: tuple[str, ...]
    default: Any = None
    required: bool = False

    @property
    def is_argument(self) -> bool:
        """Whether it is a word of the command line that no flag stands before."""
        return isinstance(self.about, Argument)

    @property
    def word(self) -> str:
        """Its name as scripts and --set spell it: the long flag without dashes."""
        about = self.about
        own = about.names[0][2:] if about.names else getattr(about, "word", "")
        return own or self.name.strip("_").replace("_", "-")

    @property
    def flag(self) -> str:
        """How a person gives it."""
        if self.is_argument:
            return self.about.metavar
        return f"--{'' if self.about.names else 'set '}{self.word}"


_STANDING = {
    one.__name__: one for one in (Annotated, Argument, Field, Literal, Option, Unpack)
} | {"Sequence": list}


def parameters(function: Callable[..., Any], **modules: Any) -> dict[str, Parameter]:
    """The parameters of a function by their names, those of a group last.

    Args:
        function: its annotations are the declarations; `context` is none.
        modules: what the annotations name besides the classes of this module.
    """
    code = function.__code__
    count = code.co_argcount - len(function.__defaults__ or ())
    required = code.co_varnames[:count]
    defaults = function.__kwdefaults__ or {}
    found: dict[str, Parameter] = {}
    for name, text in function.__annotations__.items():
        if name in ("context", "return"):
            continue
        value = eval(text, {**_STANDING, **modules})  # noqa: S307 our own source
        if isinstance(value, type):
            found |= group(value)
        else:
            one = read(name, value)
            found[name] = one._replace(
                default=defaults.get(name, one.default), required=name in required
            )
    return found


def group(declared: type) -> dict[str, Parameter]:
    """The parameters of a group, those of the groups that it adds to first."""
    found: dict[str, Parameter] = {}
    for each in reversed(declared.__mro__):
        names = {**vars(sys.modules[each.__module__]), **_STANDING}
        for name, text in getattr(each, "__annotations__", {}).items():
            found[name] = read(name, eval(text, names))  # noqa: S307 our own source
    return found


def read(name: str, annotation: tuple[Any, Option]) -> Parameter:
    """A parameter by its annotation."""
    kind, about = annotation
    if isinstance(kind, Literal):
        return Parameter(name, about, str, False, kind.choices)
    if not isinstance(kind, type) and not hasattr(kind, "__origin__"):
        kind = kind.__args__[0]  # of `kind | None`
    if getattr(kind, "__origin__", None) is list:
        return Parameter(name, about, kind.__args__[0], True, ())
    return Parameter(name, about, kind, False, (), False if kind is bool else None)


# --- the keywords of a Python function ------------------------------------------------


def takes(group_: type) -> Callable[[Method], Method]:
    """Give a method the keywords of a group: by its signature, and by a check."""

    def taking(method: Method) -> Method:
        import inspect
        from functools import wraps

        known = group(group_)
        own = inspect.signature(method)
        named = {*own.parameters, "filters", "view"} - {"options"}

        @wraps(method)
        def checked(self: Any, *words: Any, **options: Any) -> Any:
            for name, value in options.items():
                if name not in named:
                    _check(method.__name__, known, name, value)
            return method(self, *words, **options)

        keyword = inspect.Parameter.KEYWORD_ONLY
        checked.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[
                *(one for one in own.parameters.values() if one.kind < 4),
                *(
                    inspect.Parameter(name, keyword, default=one.default)
                    for name, one in known.items()
                    if name not in named
                ),
            ]
        )
        return checked  # type: ignore[return-value]

    return taking


def _check(method: str, known: Mapping[str, Parameter], name: str, value: Any) -> None:
    """Refuse a keyword that there is not, and a value of another type.

    Raises:
        TypeError: there is no such keyword.
        InvalidValue: `invalid_NAME`, of the keyword.
    """
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
        raise TypeError(f"{method}() has no keyword argument '{name}'; {hint}")
    one = known[name]
    items = value if one.repeat else [value]
    wanted = f"a sequence of {one.kind.__name__}" if one.repeat else one.kind.__name__
    listed = isinstance(items, list | tuple | set | frozenset)
    if value is None or (listed and all(_is(item, one.kind) for item in items)):
        return
    raise InvalidValue(
        f"{name} must be {wanted} (got {str(value)[:60]!r})", code=f"invalid_{name}"
    )


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
