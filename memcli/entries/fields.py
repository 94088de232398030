"""The fields of an entry: one row for each, with what it may hold.

Invariant: `TABLE` has the frontmatter's fields in canonical order. The codec, which
reads files, and `validate`, which checks what a caller gives, both ask this table, so
a field is added here, with an attribute of `Entry`, and nowhere else.

A value is read in two places with two manners. A file may be a person's: a list may be
one word, `yes` is true. What a caller gives must have its type. A value needs no writer
of its own: `frontmatter.lines_of` writes it by its type.
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
    Confidence,
    Enforce,
    EntityType,
    Entry,
    Item,
    Layer,
    ResolutionScope,
    Source,
    Status,
    Subtype,
    Visibility,
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


SOLVED_WORDS = frozenset({"done", "closed", "fixed", "solved", "completed", "finished"})
"""Words that people and trackers write as a status, and that mean resolved."""

# A title is for a line of a table; what needs more is text.
_LONGEST_TITLE = 500


class ValueKind(NamedTuple):
    """What a field may hold; both functions take the field's name and raise
    InvalidValue.

    `read` returns the value of a YAML node of a file. `check` returns the value that a
    caller gave in JSON, Python or a flag.
    """

    read: Callable[[Any, str], Any]
    check: Callable[[Any, str], Any]


class Field(NamedTuple):
    """One field of the frontmatter; `help` says what it holds, for a reference page."""

    name: str
    holds: ValueKind
    help: str

    @property
    def default(self) -> Any:
        """The value that is not written; None where a field has no default."""
        return Entry._field_defaults.get(self.name)


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


def _read_status(node: Any, field: str) -> Status:
    """Take a tracker's word for it: what is done must not come up as if it were not."""
    word = _read_text(node, field).strip().lower()
    if word in SOLVED_WORDS:
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
    # JSON knows no dates, but `2023` is a number in it.
    text = str(value) if type(value) is int else check_text(value, field)
    return check_date(text, field)


def _check_project(value: Any, field: str) -> str | None:
    return _project(check_text(value, field))


def _project(word: str) -> str | None:
    """The project that a word names; `none` is the name of none."""
    return None if word.strip().lower() == NONE else check_project(word)


def _check_lines(value: Any, field: str) -> tuple[str, ...]:
    return _distinct(_lines(value, field))


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


# --- the table --------------------------------------------------------------------


def _choice(choices: type[StrEnum]) -> ValueKind:
    """A word out of a closed set."""
    return ValueKind(
        lambda node, field: check_choice(choices, _read_text(node, field), field),
        lambda value, field: check_choice(choices, check_text(value, field), field),
    )


_ID = ValueKind(_read_text, _check_id)
_KIND = ValueKind(_read_kind, check_text)
_TITLE = ValueKind(_read_text, _check_title)
_LINE = ValueKind(_read_text, _check_line)
_LINES = ValueKind(_read_texts, _check_lines)
_TAGS = ValueKind(_read_tags, _check_tags)
_DATE = ValueKind(_read_date, _check_date)
_DATES = ValueKind(_read_dates, _check_dates)
_PROJECT = ValueKind(_read_project, _check_project)
_CODE = ValueKind(
    lambda node, field: anchors.checked(_read_texts(node, field), field),
    lambda value, field: anchors.checked(_lines(value, field), field),
)
_FLAG = ValueKind(_read_flag, _check_flag)
_SOURCE = ValueKind(_read_source, _check_source)

TABLE: tuple[Field, ...] = (
    Field("id", _ID, "16 characters that never change; any unique prefix addresses it"),
    Field("kind", _KIND, f"{', '.join(KINDS)}, or one that the vault's config adds"),
    Field(
        "layer",
        _choice(Layer),
        "fact, observation (drawn from facts), or model (a report over both)",
    ),
    Field(
        "subtype",
        _choice(Subtype),
        "of a model: structural, emergent, or pinned (kept by people)",
    ),
    Field(
        "type",
        _choice(EntityType),
        f"what it is about: {', '.join(EntityType)}",
    ),
    Field(
        "status",
        ValueKind(_read_status, _choice(Status).check),
        f"{', '.join(Status)}; done, closed, fixed and the like are read as resolved",
    ),
    Field(
        "title",
        _TITLE,
        "one line; else the body's first heading or clause",
    ),
    Field("created", _DATE, "when it was written, UTC; else the id's time"),
    Field("updated", _DATE, "when it was last changed, UTC"),
    Field("occurred_at", _DATE, "when it happened: 2026, 2026-11, 2026-11-21, ..."),
    Field("occurred_until", _DATE, "the end, if it lasted"),
    Field("tags", _TAGS, "lower-case words; key:value is allowed"),
    Field("entities", _LINES, "names of what it mentions, linked when it is written"),
    Field(
        "project",
        _PROJECT,
        "where it holds, as github.com/acme/shop; without one it holds everywhere",
    ),
    Field(
        "code",
        _CODE,
        "the code that it speaks of, as src/app.py or src/app.py:10-20, and what these "
        "lines said, as #11-1a2b3c4d9f8e7d6c@a1b2c3d4e5f6",
    ),
    Field(
        "code_names",
        _CODE,
        "paths, symbols and commands of the project that the text names",
    ),
    Field("agent", _LINE, "the agent that wrote it"),
    Field("visibility", _choice(Visibility), "private, shared or group"),
    Field("groups", _LINES, "the groups of agents that may see it"),
    Field("source", _SOURCE, f"where it came from: {', '.join(Source._fields)}"),
    Field("confidence", _choice(Confidence), "of a mined entry: HIGH, MEDIUM, LOW"),
    Field("rationale", _LINE, "why it was mined"),
    Field("supersedes", _LINE, "the id of the version that it replaces"),
    Field("superseded_by", _LINE, "the id of the version that replaces it"),
    Field("reason", _LINE, "why it was replaced"),
    Field("other_vault", _LINE, "the vault that has the other version, after a move"),
    Field("resolved_at", _DATE, "when it was resolved"),
    Field("resolved_by", _LINE, "who resolved it"),
    Field("resolution_note", _LINE, "how it was resolved"),
    Field(
        "resolution_scope",
        _choice(ResolutionScope),
        "claim: entries of the same words are not shown either; or this entry alone",
    ),
    Field(
        "item",
        _choice(Item),
        "of a reflection item: invariant (a rule) or derived (it fades)",
    ),
    Field("key", _LINE, "of a reflection item: its strict key, item and bare text"),
    Field("seen", _DATES, "when it was met again"),
    Field("evidence", _LINES, "ids or sessions that it rests on"),
    Field(
        "fingerprints", _LINES, "what each id of evidence said then, as id:fingerprint"
    ),
    Field("refreshed_at", _DATE, "up to when an observation or model looked"),
    Field("research", _LINE, "the research run that retrieved what it cites"),
    Field("pinned", _FLAG, "true: it goes into every session"),
    Field(
        "enforce",
        _choice(Enforce),
        "ask or deny: what a host does before a tool that it is about; set by a person",
    ),
    Field("expires_at", _DATE, "not shown from this date on"),
    Field("review_after", _DATE, "when to look whether it still holds"),
)

BY_NAME: Mapping[str, Field] = {field.name: field for field in TABLE}
