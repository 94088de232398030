"""The fields of an entry: what each may hold.

Invariant: the codec, which reads files, and `draft`, which checks what a caller gives,
both ask `CHECKS`, so a field is added here, with an attribute of `Entry`, and nowhere
else. docs/reference/vault-format.md says what each is for.
"""

from __future__ import annotations

from memcli.entries import field_values as hold
from memcli.entries.entry import (
    FIELDS,
    Confidence,
    Enforce,
    EntityType,
    Entry,
    Item,
    Layer,
    ResolutionScope,
    Status,
    Subtype,
    Visibility,
    check_kind,
)
from memcli.entries.field_values import choice, unknown_field
from memcli.entries.frontmatter import lines_of
from memcli.errors import InvalidValue, TooLarge

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from memcli.entries.field_values import Check


CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(
        ("agent", "rationale", "supersedes", "superseded_by", "reason", "other_vault",
         "resolved_by", "resolution_note", "resolved_text", "key", "research"),
        hold.line,
    ),
    **dict.fromkeys(
        ("created", "updated", "occurred_at", "occurred_until", "resolved_at",
         "refreshed_at", "expires_at", "review_after"),
        hold.date,
    ),
    **dict.fromkeys(("entities", "groups", "evidence", "fingerprints"), hold.lines),
    **dict.fromkeys(("code", "code_names"), hold.code),
    "id": hold.entry_id,
    "kind": hold.kind,
    "status": hold.status,
    "title": hold.title,
    "tags": hold.tags,
    "asked": hold.asked,
    "project": hold.project,
    "source": hold.source,
    "seen": hold.dates,
    "pinned": hold.flag,
    "layer": choice(Layer),
    "subtype": choice(Subtype),
    "type": choice(EntityType),
    "visibility": choice(Visibility),
    "confidence": choice(Confidence),
    "resolution_scope": choice(ResolutionScope),
    "item": choice(Item),
    "enforce": choice(Enforce),
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
    """
    given = _named(values)
    fields: dict[str, Any] = {
        "id": "",
        "body": _body(given.pop("text", None), body_limit),
    }
    for name, value in given.items():
        if value is not None and value not in ("", [], ()):
            fields[name] = CHECKS[name](value, name, False)
    if "kind" in fields:
        fields["kind"] = check_kind(fields["kind"], kinds)
    if "resolved_at" in fields:
        fields.setdefault("status", Status.RESOLVED)  # as in a file: it is over
    entry = Entry(**fields)
    refuse_wide(entry)
    if entry.research is not None:
        raise InvalidValue(
            "research is what memcli notes when a research run has retrieved the "
            "citations",
            hint="Save it with --research NAME, or leave the field out.",
            code="invalid_research",
        )
    if entry.enforce is not None:
        raise InvalidValue(
            "enforce keeps an agent's tools from running, which only a person decides",
            hint="A person sets it at a terminal: memcli evolve ID --enforce deny",
            code="invalid_enforce",
        )
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


def refuse_wide(entry: Entry) -> None:
    """Refuse fields that no command could read again (`frontmatter` has a limit).

    Raises:
        TooLarge: they take more than `FIELDS_LIMIT` characters, or are too many.
    """
    if len(entry.extra) > _MOST_KEYS:
        raise TooLarge(
            f"{len(entry.extra):,} unknown keys; the limit is {_MOST_KEYS:,}",
            hint="Put what is long into the text.",
        )
    size = sum(
        len(lines_of(name, value))
        for name, value, default in zip(FIELDS, entry, Entry(""), strict=False)
        if name != "id" and value != default
    ) + sum(len(lines) for _, lines in entry.extra)
    if size > FIELDS_LIMIT:
        raise TooLarge(
            f"the fields beside the text have {size:,} characters; "
            f"the limit is {FIELDS_LIMIT:,}",
            hint="Put what is long into the text.",
        )


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for raw, value in values.items():
        name = _ALIASES.get(raw, raw)
        if name != "text" and name not in FIELDS:
            raise unknown_field(raw, ("text", *FIELDS))
        if name in given:
            raise InvalidValue(f"{raw} and {name} are the same field", code="twice")
        given[name] = value
    return given


def _body(given: Any, limit: int) -> str:
    if given is None or (isinstance(given, str) and not given.strip()):
        raise InvalidValue(
            "there is no text to save",
            hint="Give it as an argument, with --file PATH, or on standard input.",
            code="empty_text",
        )
    text = hold.text(given, "text")
    if len(text) > limit:
        raise TooLarge(
            f"the text has {len(text):,} characters; the limit is {limit:,}",
            hint="Save what matters of it, and name the file it stands in.",
        )
    if "<<<<<<< " in text and ">>>>>>> " in text:
        # Quoted marks of a merge are indented, else the file would be taken for one.
        text = "".join(
            f" {line}" if line.startswith(("<<<<<<< ", ">>>>>>> ")) else line
            for line in text.splitlines(keepends=True)
        )
    return text if text.endswith("\n") else text + "\n"
