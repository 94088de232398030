"""Declarations of parameters: their names, what they take, what they mean.

Invariant: a parameter is declared once: its type in the signature of a command, or in a
group that commands share (`memcli.parameters`), its flags and its help in the docstring
there. The command line, the keys of a batch, the parameters of MCP tools and the
options of Python are read from there, without the modules that would make a recall
wait: `typing` and Typer.
"""

from __future__ import annotations

from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Method = TypeVar("Method", bound=Callable[..., Any])


class TypedDict:
    """Stands for `typing.TypedDict`: a group of parameters."""

    def __init_subclass__(cls, *, total: bool = True) -> None:
        del total


class Parameter(NamedTuple):
    """A parameter that was read.

    Attributes:
        repeat: whether it takes several values.
        names: its spellings as a flag, the long one first.
        field: its name for --set, of what few people need: it has no flag of its own.
        needs: flags or actions one of which it goes with; alone it means nothing.
        bars: flags and arguments that it cannot stand beside.
    """

    name: str
    kind: type
    repeat: bool = False
    choices: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    field: str = ""
    metavar: str = ""
    help: str = ""
    needs: tuple[str, ...] = ()
    bars: tuple[str, ...] = ()
    default: Any = None
    required: bool = False

    @property
    def is_argument(self) -> bool:
        """Whether it is a word of the command line that no flag stands before."""
        return not (self.names or self.field)

    @property
    def word(self) -> str:
        """Its name as scripts and --set spell it: the long flag without dashes."""
        return self.names[0][2:] if self.names else self.field

    @property
    def flag(self) -> str:
        """How a person gives it."""
        if self.is_argument:
            return self.metavar
        return self.names[0] if self.names else f"--set {self.field}"


def parameters(
    function: Callable[..., Any], groups: object, shared: Mapping[str, str]
) -> dict[str, Parameter]:
    """The parameters of a function by their names, those of a group last.

    Args:
        function: its signature and its docstring are the declarations; `context` is
            none.
        groups: has the groups that it names, as its attributes.
        shared: the words for parameters that its own docstring does not describe.
    """
    code = function.__code__
    count = code.co_argcount - len(function.__defaults__ or ())
    required = code.co_varnames[:count]
    words = {**shared, **described(function.__doc__)}
    found: dict[str, Parameter] = {}
    for name, kind in function.__annotations__.items():
        if name in ("context", "return"):
            continue
        if kind.startswith("Unpack["):
            found |= group(getattr(groups, kind[:-1].rpartition(".")[2]))
        else:
            found[name] = _read(name, kind, words[name], required=name in required)
    for name, default in (function.__kwdefaults__ or {}).items():
        found[name] = found[name]._replace(default=default)
    return found


def group(declared: type) -> dict[str, Parameter]:
    """The parameters of a group, those of the groups that it adds to first."""
    found: dict[str, Parameter] = {}
    for each in reversed(declared.__mro__):
        kinds = vars(each).get("__annotations__") or {}
        words = described(each.__doc__) if kinds else {}
        found |= {name: _read(name, kind, words[name]) for name, kind in kinds.items()}
    return found


def described(doc: str | None) -> dict[str, str]:
    """The words for each parameter, from the end of a docstring.

    >>> described(f"List.{chr(10)}Options:{chr(10)} limit: `--limit -n N` Show N")
    {'limit': '`--limit -n N` Show N'}
    """
    lines = (doc or "").partition("Options:\n")[2].splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[indent : indent + 1].isspace():
            found[name] += f" {line.strip()}"
        elif line.strip():
            name, _, text = line.strip().partition(":")
            found[name] = text.strip()
    return found


def _read(name: str, kind: str, words: str, *, required: bool = False) -> Parameter:
    """A parameter by its type and its words.

    They begin with how it is given: `--limit -n N`, `[QUERY]...` for an argument,
    `--set at=WHEN` for a field, and behind it `, with --all` what it needs, and
    `, without QUERY or --batch` what it cannot stand beside.
    """
    given, _, said = words.removeprefix("`").partition("` ")
    given, _, bars = given.partition(", without ")
    given, _, needs = given.partition(", with ")
    names: tuple[str, ...] = ()
    field, metavar = "", given
    if given.startswith("--set ") and given[6].islower():
        field, _, metavar = given[6:].partition("=")
    elif given.startswith("-"):
        names = tuple(word for word in given.split() if word.startswith("-"))
        metavar = given.removeprefix(" ".join(names)).strip()
    of = bool if kind == "bool" else int if kind.startswith("int") else str
    return Parameter(
        name,
        of,
        repeat=kind.startswith(("list[", "Sequence[")),
        choices=tuple(kind.split("'")[1::2]),
        names=names,
        field=field,
        metavar=metavar,
        help=said,
        needs=tuple(needs.split(" or ")) if needs else (),
        bars=tuple(bars.split(" or ")) if bars else (),
        default=False if of is bool else None,
        required=required,
    )


_WANTED = {int: "a whole number", bool: "true or false", dict: "an object"}


def check(one: Parameter, value: Any, name: str) -> None:
    """Refuse a value, of Python or of JSON, that a parameter does not take.

    Raises:
        InvalidValue: it is of another type (code `invalid_NAME`).
    """
    items = value if one.repeat else [value]
    # True is no whole number, though it is one in Python.
    if isinstance(items, list | tuple | set | frozenset) and all(
        isinstance(item, one.kind) and isinstance(item, bool) is (one.kind is bool)
        for item in items
    ):
        return
    wanted = "a list of strings" if one.repeat else _WANTED.get(one.kind, "a string")
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
    raise InvalidValue(
        f"'{name}' must be {wanted} (got {shown})", code=f"invalid_{name}"
    )


# --- the keywords of a Python function ------------------------------------------------


def takes(group_: type) -> Callable[[Method], Method]:
    """Give a method the keywords of a group: by its signature, and by a check."""

    def taking(method: Method) -> Method:
        import inspect
        from functools import wraps

        known = group(group_)
        own = inspect.signature(method)
        named = own.parameters.keys() - {"options"}

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
        InvalidValue: as `check`.
    """
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
        raise TypeError(f"{method}() has no keyword argument '{name}'; {hint}")
    if value is not None:
        check(known[name], value, name)
