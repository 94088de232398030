"""The fields of an entry: what each may hold.

Invariant: the codec, which reads files, and `draft`, which checks what a caller gives,
both ask `CHECKS`, so a field is added here, with an attribute of `Entry`, and nowhere
else. docs/reference/vault-format.md says what each is for. One function checks a kind
of value, with two manners. A file may be a person's: a list may be one word, `yes` is
true, and a text stays as it is. What a caller gives must have its type. A value needs
no writer of its own: `frontmatter.lines_of` writes it by its type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from memcli.entries import anchors
from memcli.entries.dates import check_date, span
from memcli.entries.entry import (
    FIELDS,
    KINDS,
    LONGEST_TITLE,
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
    check_choice,
    check_kind,
    check_tag,
    fitting_tag,
    nearest,
)
from memcli.entries.frontmatter import lines_of
from memcli.entries.ids import NONE, check_project, is_id
from memcli.errors import InvalidContent, InvalidValue, TooLarge

TYPE_CHECKING = False

if TYPE_CHECKING:
    from enum import StrEnum
    from typing import Any


# Words that people and trackers write as a status, and that mean resolved.
_SOLVED_WORDS = (
    *("done", "closed", "fixed", "solved", "completed", "finished", "obsolete"),
    *("cancelled", "canceled", "wontfix", "wont-fix", "won't fix", "deprecated"),
)
FLAGS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
"""The words for true and false."""

_MOST_ITEMS = 1_000  # of a list; each takes room in the index

MOST_ASKED, LONGEST_ASKED = 8, 60
"""So many phrases of `asked` an entry takes, of so many characters each."""

Check = Callable[["Any", str, bool], "Any"]
"""Takes a value, the name of its field, and whether it was read from a file; returns
the value of the entry, or raises InvalidValue."""


def _text(value: Any, field: str, read: bool) -> str:
    """A text as it is; InvalidValue for what cannot be written as one."""
    if not isinstance(value, str):
        raise _wrong_type(field, value, "a string")
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


def _line(value: Any, field: str, read: bool) -> str:
    """A text in one line; as it is when it was read."""
    checked = _text(value, field, read)
    return checked if read else " ".join(checked.split())


def _title(value: Any, field: str, read: bool) -> str:
    line = _line(value, field, read)
    if not read and len(line) > LONGEST_TITLE:
        raise InvalidValue(
            f"the title has {len(line):,} characters; at most {LONGEST_TITLE} fit",
            hint="Put it into the text.",
            code="invalid_title",
        )
    return line


def _id(value: Any, field: str, _: bool) -> str:
    if not (isinstance(value, str) and is_id(value)):
        raise _wrong_type(field, value, "the 16 characters that memcli made")
    return value


def _kind(value: Any, field: str, read: bool) -> str:
    """A word; the vault's config says which kinds there are."""
    word = _text(value, field, read).strip().lower()
    is_word = re.fullmatch("[a-z0-9][a-z0-9_-]*", word)
    return word if is_word else check_kind(word, KINDS)


def _texts(value: Any, field: str, read: bool) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise _wrong_type(field, value, "a list of strings")
    if len(items) > _MOST_ITEMS:
        raise _wrong_type(field, len(items), f"at most {_MOST_ITEMS:,} of them")
    return [_line(item, field, read) for item in items]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))


def _lines(value: Any, field: str, read: bool) -> tuple[str, ...]:
    """Texts in one line each; of equal ones that a caller gives the first."""
    texts = _texts(value, field, read)
    return tuple(texts) if read else _distinct(texts)


def _asked(value: Any, field: str, read: bool) -> tuple[str, ...]:
    phrases = _lines(value, field, read)
    longest = max(map(len, phrases), default=0)
    if not read and (len(phrases) > MOST_ASKED or longest > LONGEST_ASKED):
        raise InvalidValue(
            f"{field} takes {MOST_ASKED} phrases of {LONGEST_ASKED} characters",
            hint="Keep a few words each: a symptom, an error message, a task.",
            code=f"invalid_{field}",
        )
    return phrases


def _tag_words(value: Any, field: str, read: bool) -> list[str]:
    """Tags as they are given; a text in a file holds several between commas."""
    if read and isinstance(value, str):
        value = list(filter(None, map(str.strip, value.split(","))))
    return _texts(value, field, read)


def _tags(value: Any, field: str, read: bool) -> tuple[str, ...]:
    return _distinct(map(check_tag, _tag_words(value, field, read)))


def fitting_tags(value: Any) -> tuple[str, ...]:
    """The nearest tags to those that a file holds, where they are not valid."""
    try:
        return _distinct(map(fitting_tag, _tag_words(value, "tags", True)))
    except InvalidValue:
        return ()


def _date(value: Any, field: str, read: bool) -> str:
    """A date, as coarse as it was given."""
    # JSON knows no dates, but `2023` is a number in it, and so are Unix times.
    if type(value) in (int, float):
        value = str(value)
    return check_date(_text(value, field, read), field)


def _dates(value: Any, field: str, read: bool) -> tuple[str, ...]:
    checked = [check_date(each, field) for each in _texts(value, field, read)]
    return tuple(checked) if read else _distinct(checked)


def _project(value: Any, field: str, read: bool) -> str | None:
    """The project that a word names; the word `none` means no project."""
    word = _text(value, field, read)
    return None if word.strip().lower() == NONE else check_project(word)


def _code(value: Any, field: str, read: bool) -> tuple[str, ...]:
    return anchors.checked(_texts(value, field, read))


def _flag(value: Any, field: str, read: bool) -> bool:
    found = FLAGS.get(_text(value, field, read).lower()) if read else value
    if not isinstance(found, bool):
        raise _wrong_type(field, value, "true or false")
    return found


def _status(value: Any, field: str, read: bool) -> Status:
    """A status; a tracker's word for it: what is done must not come up as if not."""
    word = _text(value, field, read).strip().lower()
    return (
        Status.RESOLVED if word in _SOLVED_WORDS else check_choice(Status, word, field)
    )


def _source(value: Any, field: str, read: bool) -> Source:
    if not isinstance(value, Mapping):
        raise _wrong_type(field, value, f"an object of {', '.join(Source._fields)}")
    parts: dict[str, Any] = {}
    for name, item in value.items():
        if name not in Source._fields:
            raise _unknown(f"{field}.{name}", Source._fields)
        if item is None or (item == "" and not read):
            continue
        if name != "seq":
            parts[name] = _text(item, f"{field}.{name}", read)
            continue
        if read and re.fullmatch(r"-?[0-9]{1,18}", str(item)):
            item = int(item)
        if type(item) is not int or (item < 0 and not read):
            raise _wrong_type(f"{field}.seq", item, "a whole number from 0")
        parts[name] = item
    return Source(**parts)


def _choice(choices: type[StrEnum]) -> Check:
    """A word out of a closed set."""
    return lambda value, field, read: check_choice(
        choices, _text(value, field, read), field
    )


def _wrong_type(field: str, value: Any, wanted: str) -> InvalidValue:
    return InvalidValue(
        f"{field} must be {wanted} (got {repr(value)[:60]})", code=f"invalid_{field}"
    )


def _unknown(name: str, known: Collection[str]) -> InvalidValue:
    return InvalidValue(
        f"unknown field '{name[:60]}'",
        hint=nearest(name.rpartition(".")[2], known) or f"Known: {', '.join(known)}.",
        code="unknown_field",
    )


CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(
        ("agent", "rationale", "supersedes", "superseded_by", "reason",
         "resolved_by", "resolution_note", "resolved_text", "research"),
        _line,
    ),
    **dict.fromkeys(
        ("created", "updated", "occurred_at", "occurred_until", "resolved_at",
         "refreshed_at", "expires_at", "review_after"),
        _date,
    ),
    **dict.fromkeys(("entities", "groups", "evidence", "fingerprints"), _lines),
    "code": _code,
    "id": _id,
    "kind": _kind,
    "status": _status,
    "title": _title,
    "tags": _tags,
    "asked": _asked,
    "project": _project,
    "source": _source,
    "seen": _dates,
    "pinned": _flag,
    "layer": _choice(Layer),
    "subtype": _choice(Subtype),
    "type": _choice(EntityType),
    "visibility": _choice(Visibility),
    "confidence": _choice(Confidence),
    "resolution_scope": _choice(ResolutionScope),
    "item": _choice(Item),
    "enforce": _choice(Enforce),
}  # fmt: skip
"""The values that each field of the frontmatter may hold."""

FIELDS_LIMIT = 200_000
"""Characters of all fields beside the text. `frontmatter` reads a quarter more, which
is for what memcli adds to an entry later."""
_MOST_KEYS = 900  # unknown ones; `frontmatter` reads 1,000 keys, those of memcli too

# What other programs call these fields.
_ALIASES = {
    "body": "text",
    "content": "text",
    "tag": "tags",
    "entity": "entities",
    "resolvedAt": "resolved_at",
    "resolvedBy": "resolved_by",
    "resolutionNote": "resolution_note",
}


def draft(
    values: Mapping[str, Any], *, kinds: Collection[str], body_limit: int
) -> Entry:
    """Check the fields of a new entry.

    Args:
        values: `text` and any field of an entry; None and "" count as not given.
        kinds: the kinds that this vault allows.
        body_limit: the largest text accepted, in characters.

    Returns:
        An entry without a path; its id and dates are empty unless they were given.

    Raises:
        InvalidValue: a field that is unknown, of the wrong type, or not valid.
        TooLarge: more text than the limit.
        SecretFound: a tag; a tag loses its capitals, and is looked at before.
    """
    given: dict[str, Any] = {}
    for raw, value in values.items():
        name = _ALIASES.get(raw, raw)
        if name != "text" and name not in FIELDS:
            raise _unknown(str(raw), ("text", *FIELDS))
        if name in given:
            raise InvalidValue(f"{raw} and {name} are the same field", code="twice")
        given[name] = value
    body = _body(given.pop("text", None), body_limit)
    fields: dict[str, Any] = {"id": "", "body": body}
    for name, value in given.items():
        if value is not None and value not in ("", [], ()):
            fields[name] = CHECKS[name](value, name, False)
    if "tags" in fields:
        from memcli.entries import no_secrets

        tags = given["tags"]
        words = tags if isinstance(tags, str) else "\n".join(map(str, tags))
        no_secrets.refuse_texts({"tags": f"{words}\n{words.upper()}"})
    if "kind" in fields:
        fields["kind"] = check_kind(fields["kind"], kinds)
    if "resolved_at" in fields:
        fields.setdefault("status", Status.RESOLVED)  # as in a file: it is over
    entry = Entry(**fields)
    refuse_wide(entry)
    for name, message, hint in _contradictions(entry):
        raise InvalidValue(f"{name} {message}", hint=hint, code=f"invalid_{name}")
    return entry


def _contradictions(entry: Entry) -> Iterator[tuple[str, str, str | None]]:
    """The fields that a draft may not have, or not beside others: message and hint."""
    start, end = entry.occurred_at, entry.occurred_until
    if entry.research is not None:
        said = "is what memcli notes when a research run has retrieved the citations"
        yield "research", said, "Save it with --research NAME, or leave the field out."
    if entry.enforce is not None:
        said = "keeps an agent's tools from running, which only a person decides"
        hint = "A person sets it at a terminal: memcli evolve ID --enforce deny"
        yield "enforce", said, hint
    if entry.subtype is not None and entry.layer is not Layer.MODEL:
        said = f"{entry.subtype} belongs to a model; this is of layer {entry.layer}"
        yield "subtype", said, "Give --layer model with it, or leave it out."
    if start and end and span(end)[1] <= span(start)[0]:
        yield "occurred_until", f"{end} is before occurred_at {start}", None


def refuse_wide(entry: Entry) -> None:
    """Refuse fields that no command could read again (`frontmatter` has a limit).

    Raises:
        TooLarge: they take more than `FIELDS_LIMIT` characters, or are too many.
    """
    size = sum(
        len(lines_of(name, value))
        for name, value, default in zip(FIELDS, entry, Entry(""), strict=False)
        if name != "id" and value != default
    ) + sum(len(lines) for _, lines in entry.extra)
    longest = max(len(value) for value in entry if isinstance(value, tuple))
    if size > FIELDS_LIMIT or len(entry.extra) > _MOST_KEYS or longest > _MOST_ITEMS:
        raise TooLarge(
            f"the fields beside the text have {size:,} characters, "
            f"{len(entry.extra):,} unknown keys and a list of {longest:,} values; the "
            f"limits are {FIELDS_LIMIT:,}, {_MOST_KEYS:,} and {_MOST_ITEMS:,}",
            hint="Put what is long into the text.",
        )


def _body(given: Any, limit: int) -> str:
    if given is None or (isinstance(given, str) and not given.strip()):
        raise InvalidValue(
            "there is no text to save",
            hint="Give it as an argument, with --file PATH, or on standard input.",
            code="empty_text",
        )
    text = _text(given, "text", False)
    if len(text) > limit:
        raise TooLarge(
            f"the text has {len(text):,} characters; the limit is {limit:,}",
            hint="Save what matters of it, and name the file it stands in.",
        )
    if "<<<<<<< " in text and ">>>>>>> " in text:
        # Quoted marks of a merge are indented, else the file would be taken for one.
        text = re.sub(r"(?m)^(?=<<<<<<< |>>>>>>> )", " ", text)
    return text if text.endswith("\n") else text + "\n"
