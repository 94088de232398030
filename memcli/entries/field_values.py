"""What a field of an entry may hold: values read from files, and given by callers.

Invariant: a value is read in two places with two manners. A file may be a person's: a
list may be one word, `yes` is true. What a caller gives must have its type. A value
needs no writer of its own: `yaml_lines.lines_of` writes it by its type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from memcli.entries import anchors
from memcli.entries.checks import (
    check_choice,
    check_date,
    check_kind,
    check_tag,
    fitting_tag,
)
from memcli.entries.entry import (
    KINDS,
    Source,
    Status,
)
from memcli.entries.frontmatter import is_null
from memcli.entries.ids import is_id
from memcli.entries.projects import NONE, check_project
from memcli.errors import InvalidContent, InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from enum import StrEnum
    from typing import Any


# Words that people and trackers write as a status, and that mean resolved.
_SOLVED_WORDS = (
    *("done", "closed", "fixed", "solved", "completed", "finished", "obsolete"),
    *("cancelled", "canceled", "wontfix", "wont-fix", "won't fix", "deprecated"),
)

# A title is for a line of a table; what needs more is text.
_LONGEST_TITLE = 500


MOST_ASKED, LONGEST_ASKED = 8, 60
"""So many phrases of `asked` an entry takes, of so many characters each."""


class ValueKind(NamedTuple):
    """What a field may hold; both functions take the field's name and raise
    InvalidValue.

    `read` returns the value of a YAML node of a file. `check` returns the value that a
    caller gave in JSON, Python or a flag.
    """

    read: Callable[[Any, str], Any]
    check: Callable[[Any, str], Any]


# --- out of a file ----------------------------------------------------------------


def _read_text(node: Any, field: str) -> str:
    value = node.value
    if not isinstance(value, str):
        raise InvalidValue(f"{field} must be a text", code=f"invalid_{field}")
    if "\0" in value:
        raise InvalidValue(f"{field} holds a NUL", code=f"invalid_{field}")
    return value


def _read_texts(node: Any, field: str) -> tuple[str, ...]:
    if node.id == "mapping":
        raise InvalidValue(f"{field} must be a list", code=f"invalid_{field}")
    items = node.value if node.id == "sequence" else (node,)
    return tuple(_read_text(item, field) for item in items if not is_null(item))


def _read_kind(node: Any, field: str) -> str:
    """Take any word: the vault's config says which kinds there are."""
    kind = _read_text(node, field).strip().lower()
    return (
        kind if re.fullmatch("[a-z0-9][a-z0-9_-]*", kind) else check_kind(kind, KINDS)
    )


def _read_tags(node: Any, _: str) -> tuple[str, ...]:
    return _distinct(check_tag(word) for word in _tag_words(node))


def fitting_tags(node: Any) -> tuple[str, ...]:
    """The nearest tags to those that a node holds, where they are not valid."""
    try:
        tags = map(fitting_tag, _tag_words(node))
    except InvalidValue:
        return ()
    return _distinct(tags)


def _tag_words(node: Any) -> tuple[str, ...]:
    words = _read_texts(node, "tags")
    if node.id == "scalar":
        words = tuple(filter(None, map(str.strip, words[0].split(","))))
    return words


def _read_date(node: Any, field: str) -> str:
    return check_date(_read_text(node, field), field)


def _read_dates(node: Any, field: str) -> tuple[str, ...]:
    return tuple(check_date(text, field) for text in _read_texts(node, field))


def _read_project(node: Any, field: str) -> str | None:
    return _project(_read_text(node, field))


def _read_flag(node: Any, field: str) -> bool:
    word = _read_text(node, field).lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise InvalidValue(f"{field} must be true or false", code=f"invalid_{field}")


def _status(word: str, field: str) -> Status:
    """Take a tracker's word for it: what is done must not come up as if it were not."""
    word = word.strip().lower()
    if word in _SOLVED_WORDS:
        return Status.RESOLVED
    return check_choice(Status, word, field)


def _read_source(node: Any, field: str) -> Source:
    if node.id != "mapping":
        raise InvalidValue(
            f"{field} must hold {', '.join(Source._fields)}", code=f"invalid_{field}"
        )
    parts: dict[str, Any] = {}
    for key, value in node.value:
        name = _read_text(key, field)
        if name not in Source._fields or name in parts:
            raise InvalidValue(
                f"{field}.{name} is not a field, or given twice",
                code=f"invalid_{field}",
            )
        if not is_null(value):
            parts[name] = _read_text(value, f"{field}.{name}")
    seq = parts.get("seq")
    if seq is not None:
        if not re.fullmatch(r"-?[0-9]{1,18}", seq):
            raise InvalidValue(f"{field}.seq must be a number", code="invalid_seq")
        parts["seq"] = int(seq)
    return Source(**parts)


# --- from a caller ----------------------------------------------------------------


def check_text(value: Any, field: str) -> str:
    """Return a text as it is; InvalidValue for what cannot be written as one."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "a string")
    if "\0" in value:
        raise InvalidValue(f"{field} holds a NUL character", code=f"invalid_{field}")
    check_unicode(value, field)
    return value


def check_unicode(text: str, field: str) -> None:
    """Refuse what JSON can write and UTF-8 cannot: half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidContent(
            f"{field} holds half a surrogate pair at {error.start:,}", code="not_text"
        ) from error


def _check_line(value: Any, field: str) -> str:
    return " ".join(check_text(value, field).split())


def _check_title(value: Any, field: str) -> str:
    if len(check_text(value, field)) > _LONGEST_TITLE:
        raise InvalidValue(
            f"the title has {len(value):,} characters; at most {_LONGEST_TITLE} fit",
            hint="Put it into the text.",
            code="invalid_title",
        )
    return _check_line(value, field)


def _check_id(value: Any, _: str) -> str:
    if not (isinstance(value, str) and is_id(value)):
        raise InvalidValue(
            f"not an id: {value!r}",
            hint="Leave it out, or give the 16 characters that memcli made.",
            code="invalid_id",
        )
    return value


def _check_date(value: Any, field: str) -> str:
    # JSON knows no dates, but `2023` is a number in it, and so are Unix times.
    text = str(value) if type(value) in (int, float) else check_text(value, field)
    return check_date(text, field)


def _check_project(value: Any, field: str) -> str | None:
    return _project(check_text(value, field))


def _project(word: str) -> str | None:
    """The project that a word names; the word `none` means no project."""
    return None if word.strip().lower() == NONE else check_project(word)


def _check_lines(value: Any, field: str) -> tuple[str, ...]:
    return _distinct(_lines(value, field))


def _check_asked(value: Any, field: str) -> tuple[str, ...]:
    phrases = _check_lines(value, field)
    if len(phrases) > MOST_ASKED:
        raise InvalidValue(
            f"{field} has {len(phrases)} phrases; at most {MOST_ASKED} fit",
            hint="Keep those whose words the text lacks.",
            code=f"invalid_{field}",
        )
    for phrase in phrases:
        if len(phrase) > LONGEST_ASKED:
            raise InvalidValue(
                f"{field}: '{phrase[:30]}...' has {len(phrase):,} characters; at most "
                f"{LONGEST_ASKED} fit",
                hint="A few words are enough: a symptom, an error message, a task.",
                code=f"invalid_{field}",
            )
    return phrases


def _check_tags(value: Any, field: str) -> tuple[str, ...]:
    return _distinct(check_tag(line) for line in _lines(value, field))


def _check_dates(value: Any, field: str) -> tuple[str, ...]:
    return _distinct(check_date(line, field) for line in _lines(value, field))


def _lines(value: Any, field: str) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise wrong_type(field, value, "a list of strings")
    return [_check_line(item, field) for item in items]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))


def _check_flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(field, value, "true or false")
    return value


def _check_source(value: Any, _: str) -> Source:
    if not isinstance(value, Mapping):
        raise wrong_type("source", value, "an object")
    parts: dict[str, Any] = {}
    for name, item in value.items():
        if name not in Source._fields:
            raise unknown_field(name, Source._fields, "source.")
        if item is None or item == "":
            continue
        if name == "seq":
            if isinstance(item, bool) or not isinstance(item, int) or item < 0:
                raise wrong_type("source.seq", item, "a whole number from 0")
            parts[name] = item
        else:
            parts[name] = check_text(item, f"source.{name}")
    return Source(**parts)


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


# --- kinds of values --------------------------------------------------------------


def choice(choices: type[StrEnum]) -> ValueKind:
    """A word out of a closed set."""
    return ValueKind(
        lambda node, field: check_choice(choices, _read_text(node, field), field),
        lambda value, field: check_choice(choices, check_text(value, field), field),
    )


ID = ValueKind(_read_text, _check_id)
KIND = ValueKind(_read_kind, check_text)
TITLE = ValueKind(_read_text, _check_title)
LINE = ValueKind(_read_text, _check_line)
LINES = ValueKind(_read_texts, _check_lines)
ASKED = ValueKind(_read_texts, _check_asked)
TAGS = ValueKind(_read_tags, _check_tags)
DATE = ValueKind(_read_date, _check_date)
DATES = ValueKind(_read_dates, _check_dates)
PROJECT = ValueKind(_read_project, _check_project)
CODE = ValueKind(
    lambda node, field: anchors.checked(_read_texts(node, field), field),
    lambda value, field: anchors.checked(_lines(value, field), field),
)
FLAG = ValueKind(_read_flag, _check_flag)
SOURCE = ValueKind(_read_source, _check_source)
STATUS = ValueKind(
    lambda node, field: _status(_read_text(node, field), field),
    lambda value, field: _status(check_text(value, field), field),
)
