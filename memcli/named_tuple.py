"""Named tuples as `typing.NamedTuple` has them, for a sixth of the time to define one.

Invariant: a class that is defined with this one behaves as it would with that one;
tests/test_named_tuple.py holds the two against each other. A recall defines sixty, and
typing's were a tenth of its time: each compiles a function and makes five others. Here
all share theirs. A module that hot commands load takes its tuples from here.

To mypy it is typing's own. So it is to Python from 3.14 on, where a class body does not
have its annotations at hand.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Kind = TypeVar("_Kind")

if TYPE_CHECKING or sys.version_info >= (3, 14):
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    if TYPE_CHECKING:
        from collections.abc import Iterable, Mapping
        from typing import Self

    _new = tuple.__new__

    class _Named(tuple):
        """The methods that all named tuples share."""

        __slots__ = ()
        _fields = ()
        _field_defaults: Mapping[str, Any] = {}

        def __new__(cls, *values: Any, **named: Any) -> Self:
            """Take the values by their places, by their names, or by default."""
            if named or len(values) != len(cls._fields):
                values = cls._completed(values, named)
            return _new(cls, values)

        @classmethod
        def _completed(
            cls, values: tuple[Any, ...], named: Mapping[str, Any]
        ) -> list[Any]:
            """All values in order; raises TypeError where one is missing or unknown."""
            fields = cls._fields
            if not values and len(named) == len(fields):
                try:
                    return [named[name] for name in fields]
                except KeyError:
                    pass  # what is wrong is found below
            first = dict(zip(fields, values, strict=False))
            given = {**cls._field_defaults, **first, **named}
            try:
                every = [given[name] for name in fields]
            except KeyError as error:
                raise TypeError(f"{cls.__name__}: no value for {error}") from None
            if len(values) > len(fields) or len(given) > len(fields):
                raise TypeError(f"{cls.__name__}: a value for no field")
            if not first.keys().isdisjoint(named):
                raise TypeError(f"{cls.__name__}: two values for one field")
            return every

        @classmethod
        def _make(cls, values: Iterable[Any]) -> Self:
            """A tuple of these values, which must be as many as there are fields."""
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                wanted = len(cls._fields)
                raise TypeError(f"Expected {wanted} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changed: Any) -> Self:
            """The same with other values for some fields."""
            made = _new(type(self), map(changed.pop, self._fields, self))
            if changed:
                raise ValueError(f"Got unexpected field names: {list(changed)!r}")
            return made

        def _asdict(self) -> dict[str, Any]:
            """The values by the names of their fields."""
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            pairs = zip(self._fields, self, strict=True)
            inside = ", ".join(f"{name}={value!r}" for name, value in pairs)
            return f"{type(self).__name__}({inside})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    class _Definition(type):
        """Makes a class of the fields that the body of one annotates."""

        def __new__(
            mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]
        ) -> type:
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            for number, field in enumerate(fields):
                body[field] = _tuplegetter(number, f"Field {number}.")
            body |= {
                "__slots__": (),
                "__match_args__": fields,
                "_fields": fields,
                "_field_defaults": defaults,
            }
            above = tuple(_Named if base is NamedTuple else base for base in bases)
            return type.__new__(type, name, above, body)

    NamedTuple = type.__new__(_Definition, "NamedTuple", (), {})


def taken(kind: type[_Kind], source: object, /, **given: object) -> _Kind:
    """A named tuple of a kind: the given values, the others as the source has them
    under the same names."""
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    values = {name: getattr(source, name) for name in fields if name not in given}
    return kind(**values, **given)


def encoded(value: Any) -> Any:
    """A value for JSON: a named tuple by the names of its fields, or as it says."""
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "_asdict"):
        return {name: encoded(each) for name, each in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [encoded(each) for each in value]
    if isinstance(value, dict):
        return {name: encoded(each) for name, each in value.items()}
    return value
