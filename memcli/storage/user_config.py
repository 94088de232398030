"""The user's own config file, `config.toml`, as tables.

Invariant: without the file nothing is parsed; looking for it is one failed `open`. A
file that cannot be understood is an error with its path, never a silent default. An
edit changes one setting, and no other byte.
"""

from __future__ import annotations

import os
import re
import sys

from memcli.errors import InvalidConfig
from memcli.named_tuple import NamedTuple
from memcli.storage.state_dirs import path_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["path_of", "sync_settings", "table"]


def table(name: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The table `[name]` of the user's config, and the path of the file.

    A file that does not name it is not parsed, since reading TOML costs a start-up
    11 ms.

    Raises:
        InvalidConfig: the file does not parse, or it has something else of this name.
    """
    path = path_of(environ)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}, path
    except OSError as error:
        raise InvalidConfig(f"{path}: {error.strerror}") from error
    # TOML may spell a key with escapes.
    if name.encode() not in data and b"\\" not in data:
        return {}, path
    try:
        settings = read(data.decode(), path)
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{path}: {error}", hint="Correct the file.") from error
    found = settings.get(name, {})
    if not isinstance(found, dict):
        raise InvalidConfig(f"{path}: {name} must be a table: [{name}]")
    return found, path


OFF, SESSIONS, WRITES = "off", "sessions", "writes"
"""When memcli syncs by itself: never; when a session begins and ends; and after each
write, too."""

_MODES = (OFF, SESSIONS, WRITES)
_TABLE = "sync"
_LONGEST = 60


class SyncSettings(NamedTuple):
    """The settings. `machine` is the name of this machine in merges."""

    auto: str = OFF
    machine: str = ""


def sync_settings(environ: Mapping[str, str]) -> SyncSettings:
    """Read `[sync]`; a file that does not name it is not parsed.

    Raises:
        InvalidConfig: the file does not parse, or a setting is not valid.
    """
    found, path = table(_TABLE, environ)
    where = f"{path}: [sync]"
    unknown = sorted(set(found) - set(SyncSettings._fields))
    if unknown:
        raise InvalidConfig(
            f"{where} does not know '{unknown[0]}'", hint="Known: auto, machine."
        )
    auto = found.get("auto", OFF)
    if auto not in _MODES:
        raise InvalidConfig(
            f"{where} auto must be one of {', '.join(_MODES)} (got {auto!r})"
        )
    machine = found.get("machine", "")
    if not isinstance(machine, str) or len(machine) > _LONGEST or _odd(machine):
        raise InvalidConfig(
            f"{where} machine must be one line of at most {_LONGEST} characters, "
            f"without a comma (got {machine!r})"
        )
    return SyncSettings(auto, machine.strip() or _host(environ))


def _odd(text: str) -> bool:
    return "," in text or not text.isprintable()


def _host(environ: Mapping[str, str]) -> str:
    """The machine's own name, without its domain."""
    name = environ.get("COMPUTERNAME", "")
    if not name and sys.platform != "win32":
        name = os.uname().nodename
    return re.sub(r"[^\w-]", "", name.partition(".")[0])[:_LONGEST] or "this machine"


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str, path: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        InvalidConfig: it does not parse; the message begins with `path`.
    """
    from memcli.entries import toml_text

    try:
        return toml_text.tables(text)
    except RecursionError as error:
        message = f"{path}: nested too deep"
        raise InvalidConfig(message, hint="Correct the file.") from error
    except ValueError as error:
        raise InvalidConfig(f"{path}: {error}", hint="Correct the file.") from error


def literal(value: Any) -> str:
    """A value as TOML writes it: a string, a number, true or false, or a list."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, str):
        import json

        # TOML takes the escapes of JSON, and no DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)


def with_value(text: str, path: str, table: str, key: str, value: Any) -> str:
    """The text of a config file with another value in `[table]`.

    A table that has nothing else goes with the key.

    Args:
        text: of the file; empty where there is none.
        path: for errors.
        table: its name, with dots between its parts.
        key: the setting.
        value: as `literal` takes it; None takes the setting out.

    Raises:
        InvalidConfig: the text does not parse, or is written so that only a person can
            change it.
    """
    import tomllib

    wanted = read(text, path)
    row = "" if value is None else f"{key} = {literal(value)}\n"
    by_hand = InvalidConfig(
        f"{path}: memcli cannot change {key} of [{table}] there; nothing was changed",
        hint=f"Take {key} out of it." if value is None else f"Write there: {row[:-1]}",
    )
    if not all(map(_BARE.fullmatch, [*table.split("."), key])):
        raise by_hand
    try:
        _put(wanted, [*table.split("."), key], value)
        edited = _edited(text, table, key, row)
        if _full(tomllib.loads(edited)) == _full(wanted):
            return edited
    except (tomllib.TOMLDecodeError, TypeError):
        pass
    raise by_hand


def _put(tables: dict[str, Any], names: list[str], value: Any) -> None:
    """Put a value into nested tables; None takes it out. A value in the place of a
    table raises TypeError."""
    first, *rest = names
    if not rest:
        if value is None:
            tables.pop(first, None)
        else:
            tables[first] = list(value) if isinstance(value, tuple) else value
        return
    inner = tables.setdefault(first, {})
    if not isinstance(inner, dict):
        raise TypeError(f"{first} is no table")
    _put(inner, rest, value)


def _full(tables: dict[str, Any]) -> dict[str, Any]:
    """Nested tables without the empty ones, which set nothing."""
    found = {
        name: _full(value) if isinstance(value, dict) else value
        for name, value in tables.items()
    }
    return {name: value for name, value in found.items() if value != {}}


def _edited(text: str, table: str, key: str, row: str) -> str:
    """The text with `row` as the line of a key; the caller checks what it means."""
    parts = r"[ \t]*\.[ \t]*".join(map(re.escape, table.split(".")))
    head = re.search(rf"(?m)^[ \t]*\[[ \t]*{parts}[ \t]*\][^\n]*(?:\n|\Z)", text)
    if head is None:
        if not row:
            return text
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{table}]\n{row}"
    start, rest = text[: head.end()], text[head.end() :]
    after = re.search(r"(?m)^[ \t]*\[[ \t\"'\w]", rest)
    own = rest[: after.start()] if after else rest
    others = rest[len(own) :]
    place = _setting(own, key)
    own_after = own[: place[0]] + row + own[place[1] :] if place else row + own
    if not own_after.strip():  # the table goes, with the blank line above it
        before = text[: head.start()]
        blank = before.endswith("\n\n") and not others
        return (before[:-1] if blank else before) + others
    if not start.endswith("\n"):
        start += "\n"
    return start + own_after + others


def _setting(own: str, key: str) -> tuple[int, int] | None:
    """Where the lines of a setting begin and end in the text of its table."""
    import tomllib

    begun = re.search(rf"(?m)^[ \t]*{re.escape(key)}[ \t]*=", own)
    if begun is None:
        return None
    for end in re.finditer(r"\n|\Z", own[begun.end() :]):
        stop = begun.end() + end.end()
        try:
            tomllib.loads(own[begun.start() : stop])
        except tomllib.TOMLDecodeError:
            continue  # a value of several lines
        return begun.start(), stop
    return None
