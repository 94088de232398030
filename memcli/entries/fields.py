"""The fields of an entry: one row for each, with what it may hold.

Invariant: `TABLE` has the frontmatter's fields in canonical order. The codec, which
reads files, and `draft`, which checks what a caller gives, both ask this table, so a
field is added here, with an attribute of `Entry`, and nowhere else.
"""

from __future__ import annotations

from memcli.entries import field_values as hold
from memcli.entries.entry import (
    FIELDS,
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
    check_kind,
)
from memcli.entries.field_values import MOST_ASKED, check_unicode, choice, unknown_field
from memcli.entries.plain_yaml import lines_of
from memcli.errors import InvalidContent, InvalidValue, TooLarge
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from memcli.entries.field_values import Check


class Field(NamedTuple):
    """One field of the frontmatter; `help` says what it holds, for a reference page."""

    name: str
    holds: Check
    help: str

    @property
    def default(self) -> Any:
        """The value that is not written; None where a field has no default."""
        return Entry._field_defaults.get(self.name)


# fmt: off
TABLE: tuple[Field, ...] = (
    Field("id", hold.entry_id, "16 characters that never change; any unique prefix addresses it"),
    Field("kind", hold.kind, f"{', '.join(KINDS)}, or one that the vault's config adds"),
    Field("layer", choice(Layer), "fact, observation (drawn from facts), or model (a report over both)"),
    Field("subtype", choice(Subtype), "of a model: structural, emergent, or pinned (kept by people)"),
    Field("type", choice(EntityType), f"what it is about: {', '.join(EntityType)}"),
    Field("status", hold.status, f"{', '.join(Status)}; done, closed, fixed and the like are read as resolved"),
    Field("title", hold.title, "one line; else the body's first heading or clause"),
    Field("created", hold.date, "when it was written, UTC; else the id's time"),
    Field("updated", hold.date, "when it was last changed, UTC"),
    Field("occurred_at", hold.date, "when it happened: 2026, 2026-11, 2026-11-21, ..."),
    Field("occurred_until", hold.date, "the end, if it lasted"),
    Field("tags", hold.tags, "lower-case words; key:value is allowed"),
    Field("asked", hold.asked, f"up to {MOST_ASKED} phrases in other words that a question may use"),
    Field("entities", hold.lines, "names of what it mentions, linked when it is written"),
    Field("project", hold.project, "where it holds, as github.com/acme/shop; without one it holds everywhere"),
    Field("code", hold.code, "the code that it speaks of, as src/app.py or src/app.py:10-20, and what these lines said, as #11-1a2b3c4d9f8e7d6c@a1b2c3d4e5f6"),
    Field("code_names", hold.code, "paths and symbols of the project that the text names"),
    Field("agent", hold.line, "the agent that wrote it"),
    Field("visibility", choice(Visibility), "private, shared or group"),
    Field("groups", hold.lines, "the groups of agents that may see it"),
    Field("source", hold.source, f"where it came from: {', '.join(Source._fields)}"),
    Field("confidence", choice(Confidence), "of a mined entry: HIGH, MEDIUM, LOW"),
    Field("rationale", hold.line, "why it was mined"),
    Field("supersedes", hold.line, "the id of the version that it replaces"),
    Field("superseded_by", hold.line, "the id of the version that replaces it"),
    Field("reason", hold.line, "why it was replaced"),
    Field("other_vault", hold.line, "the vault that has the other version, after a move"),
    Field("resolved_at", hold.date, "when it was resolved"),
    Field("resolved_by", hold.line, "who resolved it"),
    Field("resolution_note", hold.line, "how it was resolved"),
    Field("resolution_scope", choice(ResolutionScope), "claim: entries of the same words are not shown either; or this entry alone"),
    Field("item", choice(Item), "of a reflection item: invariant (a rule) or derived (it fades)"),
    Field("key", hold.line, "of a reflection item: its strict key, item and bare text"),
    Field("seen", hold.dates, "when it was met again"),
    Field("evidence", hold.lines, "ids or sessions that it rests on"),
    Field("fingerprints", hold.lines, "what each id of evidence said then, as id:fingerprint"),
    Field("refreshed_at", hold.date, "up to when an observation or model looked"),
    Field("research", hold.line, "the research run that retrieved what it cites"),
    Field("pinned", hold.flag, "true: it goes into every session"),
    Field("enforce", choice(Enforce), "ask or deny: what a host does before a tool that it is about; set by a person"),
    Field("expires_at", hold.date, "not shown from this date on"),
    Field("review_after", hold.date, "when to look whether it still holds"),
)
# fmt: on

BY_NAME: Mapping[str, Field] = {field.name: field for field in TABLE}


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
        if value is None or value in ("", [], ()):
            continue
        fields[name] = _checked(name, value, kinds)
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
    if not isinstance(given, str):
        raise hold.wrong_type("text", given, "a string")
    text: str = given
    if len(text) > limit:
        raise TooLarge(
            f"the text has {len(text):,} characters; the limit is {limit:,}",
            hint="Save what matters of it, and name the file it stands in.",
        )
    if "\0" in text:
        raise InvalidContent(
            f"the text holds a NUL character at {text.index(chr(0)):,}",
            hint="It looks like a binary file; save text.",
            code="not_text",
        )
    check_unicode(text, "text")
    if "<<<<<<< " in text and ">>>>>>> " in text:
        # Quoted marks of a merge are indented, else the file would be taken for one.
        text = "".join(
            f" {line}" if line.startswith(("<<<<<<< ", ">>>>>>> ")) else line
            for line in text.splitlines(keepends=True)
        )
    return text if text.endswith("\n") else text + "\n"


def _checked(name: str, value: Any, kinds: Collection[str]) -> Any:
    checked = BY_NAME[name].holds(value, name, False)
    return check_kind(checked, kinds) if name == "kind" else checked
