"""The user's own config file, `config.toml`, as tables.

Invariant: without the file nothing is parsed; looking for it is one failed `open`. A
file that cannot be understood is an error with its path, never a silent default.
"""

from __future__ import annotations

import os
import re
import sys

from memcli.entries import toml_text
from memcli.errors import InvalidConfig, Unreadable
from memcli.storage import files
from memcli.storage.state_dirs import path_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["auto_sync", "path_of", "table"]


def table(name: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The table `[name]` of the user's config, and the path of the file.

    A file that does not name it is not parsed, since reading TOML costs a start-up
    11 ms.

    Raises:
        InvalidConfig: the file does not parse, or it has something else of this name.
    """
    path = path_of(environ)
    try:
        data = files.read(path)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return {}, path
        raise InvalidConfig(error.message) from error
    # TOML may spell a key with escapes.
    if name.encode() not in data and b"\\" not in data:
        return {}, path
    found = toml_text.read(decoded(data, path), path).get(name, {})
    if not isinstance(found, dict):
        raise InvalidConfig(f"{path}: {name} must be a table: [{name}]")
    return found, path


# What a default is, what may stand for it, and how that is called.
_TYPES: tuple[tuple[type, tuple[type, ...], str], ...] = (
    (bool, (bool,), "true or false"),
    (int, (int,), "a whole number"),
    (float, (int, float), "a number"),
    (tuple, (list, tuple), "a list of texts"),
    (str, (str,), "a text"),
)
MOST = 1_000_000_000
"""Of anything that is counted."""


def wrong(
    value: Any,
    default: Any,
    choices: Sequence[str] = (),
    bounds: tuple[int, int] = (0, MOST),
) -> str:
    """Why a value cannot stand in the place of a default; empty where it can."""
    accepted, called = next(row[1:] for row in _TYPES if isinstance(default, row[0]))
    is_one = isinstance(value, accepted)
    if isinstance(value, bool) and bool not in accepted:
        is_one = False  # true and false are not numbers
    if is_one and isinstance(default, tuple):
        is_one = all(isinstance(each, str) for each in value)
    if not is_one:
        return f"must be {called}"
    if choices and value not in choices:
        return f"must be one of {', '.join(choices)}"
    if isinstance(value, int | float) and not bounds[0] <= value <= bounds[1]:
        return f"must be a number from {bounds[0]:,} to {bounds[1]:,}"
    return ""


def checked(
    table: object,
    where: str,
    defaults: Mapping[str, Any],
    choices: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """The values of a table, and the defaults of what it does not say.

    No value is in an error: one may hold a password.

    Args:
        table: as it was read.
        where: the file and the table, for errors.
        defaults: of every setting that it may have.
        choices: of those that are one of some words.

    Raises:
        InvalidConfig: a setting is unknown, or not of its default's type.
    """
    if not isinstance(table, dict):
        raise InvalidConfig(f"{where} must be a table")
    for key in sorted(table):
        if key not in defaults:
            hint = f"Known: {', '.join(defaults)}."
            raise InvalidConfig(f"{where} does not know '{key}'", hint=hint)
        if reason := wrong(table[key], defaults[key], choices.get(key, ())):
            raise InvalidConfig(f"{where} {key} {reason}")
    return {**defaults, **table}


OFF, SESSIONS, WRITES = "off", "sessions", "writes"
"""When memcli syncs by itself: never; when a session begins and ends; and after each
write, too."""

SYNC = {"auto": OFF}
"""The settings of `[sync]`."""

_LONGEST = 60


def auto_sync(environ: Mapping[str, str]) -> str:
    """When memcli syncs by itself; a file that does not name `[sync]` is not parsed.

    Raises:
        InvalidConfig: the file does not parse, or a setting is not valid.
    """
    found, path = table("sync", environ)
    choices = {"auto": (OFF, SESSIONS, WRITES)}
    mode: str = checked(found, f"{path}: [sync]", SYNC, choices)["auto"]
    return mode


def machine(environ: Mapping[str, str]) -> str:
    """The name of this machine in merges: its own, without its domain."""
    name = environ.get("COMPUTERNAME", "")
    if not name and sys.platform != "win32":
        name = os.uname().nodename
    return re.sub(r"[^\w-]", "", name.partition(".")[0])[:_LONGEST] or "this machine"


def decoded(data: bytes, path: str) -> str:
    """The text of a file of settings.

    Raises:
        InvalidConfig: it is not UTF-8.
    """
    try:
        return files.decoded(data, path)
    except Unreadable as error:
        raise InvalidConfig(error.message, hint=error.hint) from error
