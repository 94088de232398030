"""Checks of kinds, tags, dates and words out of a closed set.

Invariant: pure; a value that passed its check needs no second look anywhere above.
What few values need (difflib, unicodedata, datetime) is imported where it is used.
"""

from __future__ import annotations

import re

from memcli.entries.entry import EntityType, Layer, Status
from memcli.errors import InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from enum import StrEnum
    from typing import TypeVar

    _Choice = TypeVar("_Choice", bound=StrEnum)


MONTHS = tuple(
    "january february march april may june july august september october november "
    "december".split()
)
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
NUMERALS = "one two three four five six seven eight nine ten eleven twelve".split()

_TAG = r"\w[\w:./+-]*"
_DATE = (
    r"(?a:(\d{4})(?:-(\d\d)(?:-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?)?)?)"
)
# Of 2001 and later: seconds, or milliseconds.
_UNIX = r"(?a:([1-9]\d{9})(?:\d{3}|\.\d+)?)"
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def check_kind(value: str, kinds: Collection[str]) -> str:
    """Return the kind in lower case, or raise InvalidValue with those that exist."""
    kind = value.strip().lower()
    if kind in kinds:
        return kind
    for what, words in (("layer", Layer), ("type", EntityType), ("status", Status)):
        if kind in set(words):
            raise InvalidValue(
                f"{kind} is a {what}, not a kind; kinds are {', '.join(kinds)}",
                hint=f"Give it with --{what} {kind}."
                if what != "status"
                else f"It filters by --status {kind}.",
                code="invalid_kind",
            )
    raise _refusal("kind", value, kinds)


def check_choice(choices: type[_Choice], value: str, field: str) -> _Choice:
    """Return the member that a word names, or raise InvalidValue with the words."""
    word = value.strip().lower()
    for member in choices:
        if member.value.lower() == word:
            return member
    raise _refusal(field, value, [member.value for member in choices])


def check_tag(value: str) -> str:
    """Return the tag trimmed and in lower case, or raise InvalidValue.

    Letters of any script, digits and `_ : . / + -`; it starts with a letter, a digit
    or `_`.
    """
    tag = value.strip().lower()
    if re.fullmatch(_TAG, tag if tag.isascii() else _unmarked(tag)):
        return tag if tag.isascii() else _composed(tag)
    fitting = fitting_tag(value)
    parts = [each for each in map(fitting_tag, value.split(",")) if each]
    if len(parts) > 1:
        fitting = "' and '".join(parts)
    raise InvalidValue(
        f"not a tag: {_shown(value)}: one word of letters, digits and _ : . / + -",
        hint=f"Use '{fitting}'." if fitting else None,
        code="invalid_tag",
    )


def fitting_tag(value: str) -> str:
    """Return the nearest text that `check_tag` accepts; empty when there is none."""
    tag = re.sub(r"\s+", "-", _composed(value.strip().lstrip("#").strip().lower()))
    valid = "".join(c for c in tag if re.fullmatch(_TAG, "a" + c) or not _unmarked(c))
    start = re.search(r"\w", valid)
    return re.sub("-{2,}", "-", valid[start.start() :]).rstrip("-") if start else ""


def _composed(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _unmarked(text: str) -> str:
    r"""Drop what belongs to words but not to `\w`: vowel signs, accents, joiners."""
    import unicodedata

    return "".join(
        letter
        for letter in unicodedata.normalize("NFC", text)
        if unicodedata.category(letter)[0] != "M" and letter not in "\u200c\u200d"
    )


def check_date(value: str, field: str) -> str:
    """Return a date as coarse as it was given, or raise InvalidValue.

    Takes `YYYY`, `YYYY-MM`, `YYYY-MM-DD` and ISO 8601 date-times, which come back in
    UTC as `YYYY-MM-DDTHH:MM:SSZ`; one without an offset is taken for UTC. Unix times
    in seconds or milliseconds become one of these.
    """
    date = _date(value)
    if date is None:
        raise InvalidValue(
            f"{field}: not a date: {_shown(value)}",
            hint="Write 2026, 2026-11, 2026-11-21 or 2026-11-21T09:30:00Z.",
            code=f"invalid_{field}",
        )
    return date


def _date(value: str) -> str | None:
    """The value of `check_date`; None when it is no date."""
    match = re.fullmatch(_DATE, value.strip())
    if match is None:
        unix = re.fullmatch(_UNIX, value.strip())
        if unix is None:
            return None
        from datetime import UTC, datetime

        return f"{datetime.fromtimestamp(int(unix[1]), UTC):%Y-%m-%dT%H:%M:%SZ}"
    year, month, day, hour, minute, second, offset = match.groups()
    if not _exists(int(year), int(month or 1), int(day or 1)):
        return None
    if hour is None:
        return match.group()
    if hour > "23" or minute > "59" or (second or "00") > "59":
        return None
    if offset in (None, "Z", "z") or offset.strip("+-0:") == "":
        return f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}Z"
    from datetime import UTC, datetime

    stamp = f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{offset}"
    try:
        moment = datetime.fromisoformat(stamp).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _exists(year: int, month: int, day: int) -> bool:
    if not (year and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]):
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return leap or (month, day) != (2, 29)


def _refusal(field: str, value: str, options: Iterable[str]) -> InvalidValue:
    from difflib import get_close_matches

    words = {option.lower(): option for option in options}
    near = get_close_matches(value.strip().lower()[:60], words, 1)
    return InvalidValue(
        f"{field} must be one of {', '.join(words.values())} (got {_shown(value)})",
        hint=f"Did you mean '{words[near[0]]}'?" if near else None,
        code=f"invalid_{field}",
    )


def _shown(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:60] + "…")
