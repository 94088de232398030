"""The user's own config file, `config.toml`, as tables.

Invariant: without the file nothing is parsed; looking for it is one failed `open`. A
file that cannot be understood is an error with its path, never a silent default. An
edit changes one setting, and no other byte.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memcli.errors import InvalidConfig


def folder(environ: Mapping[str, str]) -> str:
    """The folder of the user's own settings."""
    # `platformdirs` would cost every command 30 ms to find one path.
    above = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    if not above:
        above = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    return os.path.join(above, "memcli")


def path_of(environ: Mapping[str, str]) -> str:
    """The path of the user's config file, which may not be there."""
    return os.path.join(folder(environ), "config.toml")


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
    import tomllib

    try:
        settings = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidConfig(f"{path}: {error}", hint="Correct the file.") from error
    found = settings.get(name, {})
    if not isinstance(found, dict):
        raise InvalidConfig(f"{path}: {name} must be a table: [{name}]")
    return found, path


def with_words(
    text: str, path: str, name: str, key: str, words: Sequence[str] | None
) -> str:
    """The text of a config file with another list of words in `[name]`.

    A table that has nothing else goes with the key.

    Args:
        text: of the file; empty where there is none.
        path: for errors.
        name, key: of the table and of the setting.
        words: the value; None takes the setting out.

    Raises:
        InvalidConfig: the text does not parse, or is written so that only a person can
            change it.
    """
    import json
    import tomllib

    try:
        wanted: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidConfig(f"{path}: {error}", hint="Correct the file.") from error
    inner = wanted.setdefault(name, {})
    row = f"{key} = {json.dumps(list(words or ()), ensure_ascii=False)}\n"
    by_hand = InvalidConfig(
        f"{path}: memcli cannot change {key} of [{name}] there; nothing was changed",
        hint=f"Take {key} out of it." if words is None else f"Write there: {row[:-1]}",
    )
    if not isinstance(inner, dict):
        raise by_hand
    if words is None:
        inner.pop(key, None)
        row = ""
    else:
        inner[key] = list(words)
    if not inner:
        del wanted[name]
    edited = _edited(text, name, key, row)
    try:
        if tomllib.loads(edited) == wanted:
            return edited
    except tomllib.TOMLDecodeError:
        pass
    raise by_hand


def _edited(text: str, name: str, key: str, row: str) -> str:
    """The text with `row` as the line of a key; the caller checks what it means."""
    head = re.search(rf"(?m)^[ \t]*\[[ \t]*{name}[ \t]*\][^\n]*(?:\n|\Z)", text)
    if head is None:
        if not row:
            return text
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{name}]\n{row}"
    start, rest = text[: head.end()], text[head.end() :]
    after = re.search(r"(?m)^[ \t]*\[", rest)
    own = rest[: after.start()] if after else rest
    old = re.search(rf"(?ms)^[ \t]*{key}[ \t]*=[ \t]*\[.*?\][^\n]*(?:\n|\Z)", own)
    if old is not None:
        own_after = own[: old.start()] + row + own[old.end() :]
    else:
        own_after = row + own
    others = rest[len(own) :]
    if not own_after.strip():  # the table goes, with the blank line above it
        before = text[: head.start()]
        return (before[:-1] if before.endswith("\n\n") and not others else before) + (
            others
        )
    if not start.endswith("\n"):
        start += "\n"
    return start + own_after + others
