"""What a caller wants saved, checked field by field before anything is touched.

Invariant: pure; a value that `draft` returns can be written as it is. `save`, its
batches and `import` all come through here, so a field means the same everywhere.
"""

from collections.abc import Collection, Mapping
from typing import Any

from memcli.entries.checks import check_choice, check_date, check_kind, check_tag
from memcli.entries.entry import (
    FIELDS,
    Confidence,
    EntityType,
    Entry,
    Item,
    Layer,
    Source,
    Status,
    Subtype,
    Visibility,
)
from memcli.entries.ids import is_id
from memcli.errors import InvalidValue, TooLarge

_DATES = (
    "created", "updated", "occurred_at", "occurred_until", "resolved_at",
    "refreshed_at", "expires_at", "review_after",
)  # fmt: skip
_LISTS = ("tags", "entities", "groups", "evidence", "fingerprints", "seen")
_TEXTS = (
    "title", "agent", "rationale", "supersedes", "superseded_by", "reason",
    "resolved_by", "resolution_note", "key",
)  # fmt: skip
_CHOICES = {
    "layer": Layer,
    "subtype": Subtype,
    "type": EntityType,
    "status": Status,
    "visibility": Visibility,
    "confidence": Confidence,
    "item": Item,
}
# A title is for a line of a table; what needs more is text.
_LONGEST_TITLE = 500
# What other programs call these fields.
_ALIASES = {"body": "text", "content": "text", "tag": "tags", "entity": "entities"}


def draft(
    values: Mapping[str, Any], *, kinds: Collection[str], body_limit: int
) -> Entry:
    """Check the fields of one entry to be.

    Args:
        values: `text` and any field of an entry; None and "" count as not given.
        kinds: the kinds that this vault knows.
        body_limit: the largest text accepted, in characters.

    Returns:
        An entry without a path; its id and dates are empty unless they were given.

    Raises:
        InvalidValue: a field that is unknown, of the wrong type, or not valid.
        TooLarge: more text than the limit.
    """
    given = _named(values)
    fields: dict[str, Any] = {
        "id": "",
        "body": _body(given.pop("text", None), body_limit),
    }
    for name, value in given.items():
        if value is None or value in ("", [], ()):
            continue
        fields[name] = _checked(name, value, kinds)
    entry = Entry(**fields)
    if entry.subtype is not None and entry.layer is not Layer.MODEL:
        raise InvalidValue(
            f"subtype {entry.subtype} belongs to a model; this is of layer "
            f"{entry.layer}",
            hint="Give --layer model with it, or leave it out.",
            code="invalid_subtype",
        )
    if entry.occurred_at and entry.occurred_until:
        from memcli.entries import dates

        if dates.span(entry.occurred_until)[1] <= dates.to_epoch(entry.occurred_at):
            raise InvalidValue(
                f"occurred_until {entry.occurred_until} is before "
                f"occurred_at {entry.occurred_at}",
                code="invalid_occurred_until",
            )
    return entry


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for raw, value in values.items():
        name = _ALIASES.get(raw, raw)
        if name != "text" and name not in FIELDS:
            raise _unknown(raw)
        if name in given:
            raise InvalidValue(f"{raw} and {name} are the same field", code="twice")
        given[name] = value
    return given


def _body(text: Any, limit: int) -> str:
    if text is None or (isinstance(text, str) and not text.strip()):
        raise InvalidValue(
            "there is no text to save",
            hint="Give it as an argument, with --file PATH, or on standard input.",
            code="empty_text",
        )
    if not isinstance(text, str):
        raise _wrong_type("text", text, "a string")
    if len(text) > limit:
        raise TooLarge(
            f"the text has {len(text):,} characters; the limit is {limit:,}",
            hint="Save what matters of it, and name the file it stands in.",
        )
    if "\0" in text:
        raise InvalidValue(
            f"the text holds a NUL character at {text.index(chr(0)):,}",
            hint="It looks like a binary file; save text.",
            code="not_text",
        )
    _refuse_halves("text", text)
    return text if text.endswith("\n") else text + "\n"


def _checked(name: str, value: Any, kinds: Collection[str]) -> Any:
    if name == "kind":
        return check_kind(_text(name, value), kinds)
    if name in _CHOICES:
        return check_choice(_CHOICES[name], _text(name, value), name)
    if name in _DATES:
        # JSON knows no dates, but `2023` is a number in it.
        shown = str(value) if type(value) is int else _text(name, value)
        return check_date(shown, name)
    if name in _LISTS:
        return _list(name, value)
    if name == "title" and len(_text(name, value)) > _LONGEST_TITLE:
        raise InvalidValue(
            f"the title has {len(value):,} characters; at most {_LONGEST_TITLE} fit",
            hint="Put it into the text.",
            code="invalid_title",
        )
    if name in _TEXTS:
        return _one_line(_text(name, value))
    if name == "source":
        return _source(value)
    if name == "pinned":
        if not isinstance(value, bool):
            raise _wrong_type(name, value, "true or false")
        return value
    if name == "id":
        if not (isinstance(value, str) and is_id(value)):
            raise InvalidValue(
                f"not an id: {value!r}",
                hint="Leave it out, or give the 16 characters that memcli made.",
                code="invalid_id",
            )
        return value
    raise AssertionError(name)


def _list(name: str, value: Any) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise _wrong_type(name, value, "a list of strings")
    texts = [_one_line(_text(name, item)) for item in items]
    if name == "tags":
        texts = [check_tag(text) for text in texts]
    if name == "seen":
        texts = [check_date(text, name) for text in texts]
    return tuple(dict.fromkeys(text for text in texts if text))


def _source(value: Any) -> Source:
    if not isinstance(value, Mapping):
        raise _wrong_type("source", value, "an object")
    fields: dict[str, Any] = {}
    for name, item in value.items():
        if name not in Source._fields:
            raise _unknown(name, Source._fields, "source.")
        if item is None or item == "":
            continue
        if name == "seq":
            if isinstance(item, bool) or not isinstance(item, int) or item < 0:
                raise _wrong_type("source.seq", item, "a whole number from 0")
            fields[name] = item
        else:
            fields[name] = _text(f"source.{name}", item)
    return Source(**fields)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong_type(name, value, "a string")
    if "\0" in value:
        raise InvalidValue(f"{name} holds a NUL character", code=f"invalid_{name}")
    _refuse_halves(name, value)
    return value


def _refuse_halves(name: str, text: str) -> None:
    """Refuse what JSON can write and UTF-8 cannot: half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(
            f"{name} holds half a surrogate pair at {error.start:,}", code="not_text"
        ) from error


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _wrong_type(name: str, value: Any, wanted: str) -> InvalidValue:
    shown = repr(value)
    return InvalidValue(
        f"{name} must be {wanted} (got {shown[:60]})", code=f"invalid_{name}"
    )


def _unknown(
    name: Any, known: Collection[str] = ("text", *FIELDS), prefix: str = ""
) -> InvalidValue:
    from difflib import get_close_matches

    near = get_close_matches(str(name), known, 1)
    hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}."
    return InvalidValue(
        f"unknown field '{prefix}{str(name)[:60]}'", hint=hint, code="unknown_field"
    )
