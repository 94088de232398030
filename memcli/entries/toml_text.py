"""Settings in TOML, read with a limit, since they come from other people; and changed.

Invariant: a text is read in a time that grows with its length, or refused. An edit
changes the settings that it names, and no other byte.
"""

from __future__ import annotations

from memcli.errors import InvalidConfig

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_MOST_DOTS = 50
"""tomllib takes the square of the parts of a key; memcli's own keys have three."""
LARGEST = 100_000
"""Bytes of a vault's config."""


def read(text: str, path: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        InvalidConfig: it does not parse, or is nested deeper than a person writes; the
            message begins with `path`.
    """
    import tomllib

    try:
        if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):
            raise RecursionError  # as tomllib does for brackets
        return tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        what = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InvalidConfig(f"{path}: {what}", hint="Correct the file.") from error


def leaves(value: Any, *key: str) -> dict[tuple[str, ...], Any]:
    """The settings of a table by their keys; the mere name of a table is none."""
    if not isinstance(value, dict):
        return {key: value}
    return {
        inner: leaf
        for name in value
        for inner, leaf in leaves(value[name], *key, name).items()
    }


def flat(text: str) -> dict[tuple[str, ...], Any] | None:
    """Settings by their keys; None for what is no TOML, too long or nested too deep."""
    try:
        return leaves(read(text, "")) if len(text) <= LARGEST else None
    except InvalidConfig:
        return None


def with_values(text: str, path: str, values: Mapping[str, Any]) -> str:
    """The text of a config file with other values of some settings.

    A table that has nothing else goes with its key; what is said in comments stays.

    Args:
        text: of the file; empty where there is none.
        path: for errors.
        values: by the name of each setting, with dots between its parts: a text, a
            number, true or false, or several texts; None takes the setting out.

    Raises:
        InvalidConfig: the text does not parse, or has something else in the place of
            a table.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    tables = read(text, path)
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise InvalidConfig(f"{path}: {error}", hint="Correct the file.") from error
    end = ""
    for name, value in values.items():
        table, _, key = name.rpartition(".")
        *above, last = table.split(".")
        found: Any = tables
        for part in (*above, last):
            found = found.get(part, {}) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            raise InvalidConfig(f"{path}: {table} must be a table: [{table}]")
        if value is None and key not in found:
            continue
        inner: Any = document
        for part in above:
            inner = inner.setdefault(part, tomlkit.table(is_super_table=True))
        own = inner.setdefault(last, tomlkit.table())
        if value is not None:
            own[key] = list(value) if isinstance(value, tuple) else value
            continue
        del own[key]
        if not own.as_string().strip():  # no other settings, nor comments
            del inner[last]
            end = "\n"  # with the blank line above it, where it was the last one
    edited = tomlkit.dumps(document)
    return edited.rstrip(end) + end * bool(edited.strip()) if end else edited
