"""Our named tuples are typing's, as far as anybody can see."""

import copy
import json
import pickle
import typing
from typing import Any

import pytest

from memcli import named_tuple


class Ours(named_tuple.NamedTuple):
    """A tuple with every sort of field."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = ()

    @property
    def doubled(self) -> int:
        """What a method sees of the fields."""
        return 2 * self.a

    @classmethod
    def of(cls, a: int) -> "Ours":
        return cls(a)


class Theirs(typing.NamedTuple):
    """A tuple with every sort of field."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = ()


def made(kind: Any, values: list[Any], named: dict[str, Any]) -> Any:
    try:
        return kind(*values, **named)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("values", [[], [1], [1, 2, 3], [1, 2, 3, 4]])
@pytest.mark.parametrize("named", [{}, {"a": 1}, {"b": 2, "c": 3}, {"d": 1}])
def test_values_are_taken_as_typing_takes_them(
    values: list[int], named: dict[str, int]
) -> None:
    ours, theirs = made(Ours, values, named), made(Theirs, values, named)
    assert ours == theirs
    if theirs is TypeError:
        return
    assert type(ours) is Ours
    assert ours._asdict() == theirs._asdict()
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")


def test_a_class_describes_itself_as_typings_does() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__annotations__"):
        assert getattr(Ours, name) == getattr(Theirs, name), name
    assert Ours.__doc__ == Theirs.__doc__
    assert Ours.__module__ == __name__
    assert type(Ours) is type
    assert not hasattr(Ours(1), "__dict__")
    assert isinstance(Ours(1), tuple)


def test_a_tuple_is_changed_copied_and_pickled() -> None:
    one = Ours(1, c=(2,))
    assert one._replace(b="x") == (1, "x", (2,))
    assert type(one._replace(b="x")) is Ours
    assert Ours._make([1, "2", ()]) == (1, "2", ())
    assert copy.deepcopy(one) == one == pickle.loads(pickle.dumps(one))
    assert type(pickle.loads(pickle.dumps(one))) is Ours
    assert json.dumps(one) == '[1, "b", [2]]'
    assert Ours.of(3).doubled == 6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="unexpected field names: \\['d'\\]"):
        Ours(1)._replace(d=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Expected 3 arguments, got 1"):
        Ours._make([1])
    with pytest.raises(AttributeError):
        Ours(1).a = 2  # type: ignore[misc]
