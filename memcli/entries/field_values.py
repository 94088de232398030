"""The values that a field may hold, read from files and given by callers.

Invariant: one function checks a kind of value, with two manners. A file may be a
person's: a list may be one word, `yes` is true, and a text stays as it is. What a
caller gives must have its type. A value needs no writer of its own:
`frontmatter.lines_of` writes it by its type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from memcli.entries import anchors
from memcli.entries.dates import check_date
from memcli.entries.entry import (
    KINDS,
    Source,
    Status,
    check_choice,
    check_kind,
    check_tag,
    fitting_tag,
)
from memcli.entries.ids import NONE, check_project, is_id
from memcli.errors import InvalidContent, InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from enum import StrEnum
    from typing import Any


# Words that people and trackers write as a status, and that mean resolved.
_SOLVED_WORDS = (
    *("done", "closed", "fixed", "solved", "completed", "finished", "obsolete"),
    *("cancelled", "canceled", "wontfix", "wont-fix", "won't fix", "deprecated"),
)
_FLAGS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}

# A title is for a line of a table; what needs more is text.
_LONGEST_TITLE = 500

MOST_ASKED, LONGEST_ASKED = 8, 60
"""So many phrases of `asked` an entry takes, of so many characters each."""

Check = Callable[["Any", str, bool], "Any"]
"""Takes a value, the name of its field, and whether it was read from a file; returns
the value of the entry, or raises InvalidValue."""


def text(value: Any, field: str, read: bool = False) -> str:
    """A text as it is; InvalidValue for what cannot be written as one."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "a string")
    if "\0" in value:
        raise InvalidContent(
            f"{field} holds a NUL character",
            hint="It looks like a binary file; save text.",
            code="not_text",
        )
    if not read:
        try:
            value.encode()
        except UnicodeEncodeError as error:  # JSON can write it, and UTF-8 cannot
            where = f"{field} holds half a surrogate pair at {error.start:,}"
            raise InvalidContent(where, code="not_text") from error
    return value


def line(value: Any, field: str, read: bool) -> str:
    """A text in one line; as it is when it was read."""
    checked = text(value, field, read)
    return checked if read else " ".join(checked.split())


def title(value: Any, field: str, read: bool) -> str:
    """The title of an entry."""
    if not read and len(text(value, field)) > _LONGEST_TITLE:
        raise InvalidValue(
            f"the title has {len(value):,} characters; at most {_LONGEST_TITLE} fit",
            hint="Put it into the text.",
            code="invalid_title",
        )
    return line(value, field, read)


def entry_id(value: Any, field: str, read: bool) -> str:
    """The id of an entry."""
    if not (read or (isinstance(value, str) and is_id(value))):
        raise wrong_type(field, value, "the 16 characters that memcli made")
    return text(value, field, read)


def kind(value: Any, field: str, read: bool) -> str:
    """A word; the vault's config says which kinds there are."""
    word = text(value, field, read)
    if not read:
        return word
    word = word.strip().lower()
    is_word = re.fullmatch("[a-z0-9][a-z0-9_-]*", word)
    return word if is_word else check_kind(word, KINDS)


def _texts(value: Any, field: str, read: bool) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise wrong_type(field, value, "a list of strings")
    return [line(item, field, read) for item in items]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))


def lines(value: Any, field: str, read: bool) -> tuple[str, ...]:
    """Texts in one line each; of equal ones that a caller gives the first."""
    texts = _texts(value, field, read)
    return tuple(texts) if read else _distinct(texts)


def asked(value: Any, field: str, read: bool) -> tuple[str, ...]:
    """Short phrases."""
    phrases = lines(value, field, read)
    longest = max(map(len, phrases), default=0)
    if not read and (len(phrases) > MOST_ASKED or longest > LONGEST_ASKED):
        raise InvalidValue(
            f"{field} takes {MOST_ASKED} phrases of {LONGEST_ASKED} characters",
            hint="Keep a few words each: a symptom, an error message, a task.",
            code=f"invalid_{field}",
        )
    return phrases


def _tag_words(value: Any, field: str, read: bool) -> list[str]:
    if read and isinstance(value, str):
        value = list(filter(None, map(str.strip, value.split(","))))
    return _texts(value, field, read)


def tags(value: Any, field: str, read: bool) -> tuple[str, ...]:
    """Tags; a text in a file holds several between commas."""
    return _distinct(map(check_tag, _tag_words(value, field, read)))


def fitting_tags(value: Any) -> tuple[str, ...]:
    """The nearest tags to those that a file holds, where they are not valid."""
    try:
        return _distinct(map(fitting_tag, _tag_words(value, "tags", True)))
    except InvalidValue:
        return ()


def date(value: Any, field: str, read: bool) -> str:
    """A date, as coarse as it was given."""
    # JSON knows no dates, but `2023` is a number in it, and so are Unix times.
    if type(value) in (int, float):
        value = str(value)
    return check_date(text(value, field, read), field)


def dates(value: Any, field: str, read: bool) -> tuple[str, ...]:
    """Dates; of equal ones that a caller gives the first."""
    checked = (check_date(each, field) for each in _texts(value, field, read))
    return tuple(checked) if read else _distinct(checked)


def project(value: Any, field: str, read: bool) -> str | None:
    """The project that a word names; the word `none` means no project."""
    word = text(value, field, read)
    return None if word.strip().lower() == NONE else check_project(word)


def code(value: Any, field: str, read: bool) -> tuple[str, ...]:
    """Anchors, or names of code."""
    return anchors.checked(_texts(value, field, read), field)


def flag(value: Any, field: str, read: bool) -> bool:
    """True or false."""
    found = _FLAGS.get(text(value, field, read).lower()) if read else value
    if not isinstance(found, bool):
        raise wrong_type(field, value, "true or false")
    return found


def status(value: Any, field: str, read: bool) -> Status:
    """A status; a tracker's word for it: what is done must not come up as if not."""
    word = text(value, field, read).strip().lower()
    return (
        Status.RESOLVED if word in _SOLVED_WORDS else check_choice(Status, word, field)
    )


def source(value: Any, field: str, read: bool) -> Source:
    """Where an entry came from."""
    if not isinstance(value, Mapping):
        raise wrong_type(field, value, f"an object of {', '.join(Source._fields)}")
    parts: dict[str, Any] = {}
    for name, item in value.items():
        if name not in Source._fields:
            raise unknown_field(name, Source._fields, f"{field}.")
        if item is None or (item == "" and not read):
            continue
        if name != "seq":
            parts[name] = text(item, f"{field}.{name}", read)
            continue
        if read and re.fullmatch(r"-?[0-9]{1,18}", str(item)):
            item = int(item)
        if type(item) is not int or (item < 0 and not read):
            raise wrong_type(f"{field}.seq", item, "a whole number from 0")
        parts[name] = item
    return Source(**parts)


def choice(choices: type[StrEnum]) -> Check:
    """A word out of a closed set."""
    return lambda value, field, read: check_choice(
        choices, text(value, field, read), field
    )


def wrong_type(field: str, value: Any, wanted: str) -> InvalidValue:
    """The refusal of a value that has another type than its field."""
    return InvalidValue(
        f"{field} must be {wanted} (got {repr(value)[:60]})", code=f"invalid_{field}"
    )


def unknown_field(name: Any, known: Collection[str], prefix: str = "") -> InvalidValue:
    """The refusal of a field that does not exist, with the nearest that does."""
    from difflib import get_close_matches

    near = get_close_matches(str(name), known, 1)
    hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}."
    return InvalidValue(
        f"unknown field '{prefix}{str(name)[:60]}'", hint=hint, code="unknown_field"
    )
