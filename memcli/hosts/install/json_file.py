"""Settings as JSON, read and written so that nothing of another's is lost.

Invariant: what is written has the indent, line ends and escapes of the text before. A
file with comments is read, and never written.
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
        raise refused(f"{path}:{line}:{column}: is not UTF-8") from error


def edited(text: str, path: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Settings with a change; empty when nothing is left in them.

    Args:
        text: the settings; blank for a file that is empty or not there.
        path: for errors.
        change: changes the object; ValueError says what is wrong with it.

    Raises:
        InvalidConfig: they do not parse, are of another kind, or have comments, which
            writing would lose: the hint has what to put in by hand.
    """
    before = load(text, path)
    after = deepcopy(before)
    try:
        change(after)
    except ValueError as error:
        raise refused(f"{path}: {error}") from error
    if after == before:
        return text
    if _plain(text) != text.removeprefix(_BOM):
        snippet: dict[str, Any] = {}
        change(snippet)
        shown = json.dumps(snippet, indent=2, ensure_ascii=False)
        by_hand = f"Put this in by hand, or take them out and repeat:\n{shown}"
        raise refused(
            f"{path}: has comments or trailing commas, which writing would lose",
            by_hand if snippet else "Take memcli's entries out by hand.",
        )
    return _dumped(after, text) if after else ""


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
        try:  # a client's file of 30 MB, which has no comments, is not searched
            value = json.loads(text.removeprefix(_BOM), object_pairs_hook=_unique)
        except json.JSONDecodeError:
            value = json.loads(_plain(text), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise refused(f"{place}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        nested = isinstance(error, RecursionError)
        raise refused(f"{path}: {'nested too deep' if nested else error}") from error
    if not isinstance(value, dict):
        raise refused(f"{path}: not an object")
    return value


def _dumped(value: dict[str, Any], like: str) -> str:
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
