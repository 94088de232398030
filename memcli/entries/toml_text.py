"""Settings in TOML, read with a limit: they come from other people.

Invariant: a text is read in a time that grows with its length, or refused.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

_MOST_DOTS = 50
"""tomllib takes the square of the parts of a key; memcli's own keys have three."""


def tables(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises:
        ValueError: it is no TOML.
        RecursionError: it is nested deeper than a person writes.
    """
    import tomllib

    if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):
        raise RecursionError  # as tomllib does for brackets
    return tomllib.loads(text)


def leaves(value: Any, *key: str) -> dict[tuple[str, ...], Any]:
    """The settings of a table by their keys; an empty table is one."""
    if not isinstance(value, dict) or not value:
        return {key: value}
    return {
        inner: leaf
        for name in value
        for inner, leaf in leaves(value[name], *key, name).items()
    }


def flat(text: str) -> dict[tuple[str, ...], Any] | None:
    """Settings by their keys; None for what is no TOML, or nested too deep."""
    try:
        return leaves(tables(text))
    except (ValueError, RecursionError):
        return None
