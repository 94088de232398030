"""Settings as JSON, read and written so that nothing of another's is lost.

Invariant: what `dump` writes has the indent, line ends and escapes of the text before.
A file with comments is read, and never written.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy

from memcli.errors import InvalidConfig

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def decoded(data: bytes, path: str) -> str:
    """The text of a settings file.

    Raises:
        InvalidConfig: it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InvalidConfig(
            f"{path}:{line}:{column}: is not UTF-8; nothing was changed",
            hint="Save the file as UTF-8, then repeat the command.",
            code="invalid_settings",
        ) from error


def put_in_by_hand(snippet: dict[str, Any]) -> str:
    """The hint for settings that only a person can change."""
    shown = json.dumps(snippet, indent=2, ensure_ascii=False)
    return f"Put this in by hand, or take them out and repeat:\n{shown}"


def edited(
    text: str, path: str, change: Callable[[dict[str, Any]], None], by_hand: str
) -> str | None:
    """Settings with a change; None when nothing is left in them.

    Args:
        text: the settings; blank for a file that is empty or not there.
        path: for errors.
        change: changes the object.
        by_hand: what to do where they have comments.

    Raises:
        InvalidConfig: they do not parse, or would lose comments.
    """
    before = load(text, path)
    after = deepcopy(before)
    change(after)
    if after == before:
        return text
    if not is_strict(text):
        what = "has comments or trailing commas, which writing would lose"
        raise refused(f"{path}: {what}", by_hand)
    return dump(after, text) if after else None


_BOM = "\ufeff"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)


def load(text: str, path: str) -> dict[str, Any]:
    """The object that settings hold; an empty one for a blank file.

    Raises:
        InvalidConfig: they do not parse, hold another value, or a name twice.
    """
    if not text.strip(_BOM + " \t\r\n"):
        return {}
    try:
        value = _parsed(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise refused(f"{place}: {error.msg}") from error
    except RecursionError as error:
        raise refused(f"{path}: nested too deep") from error
    except ValueError as error:
        raise refused(f"{path}: {error}") from error
    if not isinstance(value, dict):
        raise refused(f"{path}: not an object")
    return value


def _parsed(text: str) -> Any:
    try:  # a client's file of 30 MB, which has no comments, is not searched for them
        return json.loads(text.removeprefix(_BOM), object_pairs_hook=_unique)
    except json.JSONDecodeError:
        return json.loads(_plain(text), object_pairs_hook=_unique)


def is_strict(text: str) -> bool:
    """Whether settings have neither comments nor trailing commas."""
    return _plain(text) == text.removeprefix(_BOM)


def dump(value: dict[str, Any], like: str) -> str:
    """Settings as text, in the form of an earlier text of them."""
    margin = re.search(r"\n([ \t]+)\S", like)
    flat = "\n" not in like.strip() and like.strip(_BOM + " \t\r\n") not in ("", "{}")
    text = json.dumps(
        value,
        indent=None if flat else margin[1] if margin else 2,
        # A file with escapes keeps them; half a character has no other form.
        ensure_ascii="\\u" in like,
    )
    end = like[len(like.rstrip(" \t\r\n")) :] if like.strip() else "\n"
    text = text.replace("\n", "\r\n" if "\r\n" in like else "\n") + end
    return _BOM + text if like.startswith(_BOM) else text


def refused(what: str, hint: str = "Correct the file, then repeat.") -> InvalidConfig:
    """The error for settings that are left as they are."""
    message = f"{what}; nothing was changed"
    return InvalidConfig(message, hint=hint, code="invalid_settings")


def _plain(text: str) -> str:
    """The text without comments and trailing commas, each character in its place."""

    def blank(match: re.Match[str]) -> str:
        return match[1] or re.sub(r"[^\r\n]", " ", match[0])

    text = _COMMENT.sub(blank, text.removeprefix(_BOM))
    return _LAST_COMMA.sub(blank, text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'"{twice}" stands twice in one object')
    return value
