"""The fields of an entry: one row for each, with what it may hold.

Invariant: `TABLE` has the frontmatter's fields in canonical order. The codec, which
reads files, and `validate`, which checks what a caller gives, both ask this table, so
a field is added here, with an attribute of `Entry`, and nowhere else.
"""

from __future__ import annotations

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
from memcli.entries.field_values import (
    ASKED,
    CODE,
    DATE,
    DATES,
    FLAG,
    ID,
    KIND,
    LINE,
    LINES,
    MOST_ASKED,
    PROJECT,
    SOURCE,
    STATUS,
    TAGS,
    TITLE,
    ValueKind,
    choice,
)
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Field(NamedTuple):
    """One field of the frontmatter; `help` says what it holds, for a reference page."""

    name: str
    holds: ValueKind
    help: str

    @property
    def default(self) -> Any:
        """The value that is not written; None where a field has no default."""
        return Entry._field_defaults.get(self.name)


TABLE: tuple[Field, ...] = (
    Field("id", ID, "16 characters that never change; any unique prefix addresses it"),
    Field("kind", KIND, f"{', '.join(KINDS)}, or one that the vault's config adds"),
    Field(
        "layer",
        choice(Layer),
        "fact, observation (drawn from facts), or model (a report over both)",
    ),
    Field(
        "subtype",
        choice(Subtype),
        "of a model: structural, emergent, or pinned (kept by people)",
    ),
    Field(
        "type",
        choice(EntityType),
        f"what it is about: {', '.join(EntityType)}",
    ),
    Field(
        "status",
        STATUS,
        f"{', '.join(Status)}; done, closed, fixed and the like are read as resolved",
    ),
    Field(
        "title",
        TITLE,
        "one line; else the body's first heading or clause",
    ),
    Field("created", DATE, "when it was written, UTC; else the id's time"),
    Field("updated", DATE, "when it was last changed, UTC"),
    Field("occurred_at", DATE, "when it happened: 2026, 2026-11, 2026-11-21, ..."),
    Field("occurred_until", DATE, "the end, if it lasted"),
    Field("tags", TAGS, "lower-case words; key:value is allowed"),
    Field(
        "asked",
        ASKED,
        f"up to {MOST_ASKED} phrases in other words by which somebody may ask for it",
    ),
    Field("entities", LINES, "names of what it mentions, linked when it is written"),
    Field(
        "project",
        PROJECT,
        "where it holds, as github.com/acme/shop; without one it holds everywhere",
    ),
    Field(
        "code",
        CODE,
        "the code that it speaks of, as src/app.py or src/app.py:10-20, and what these "
        "lines said, as #11-1a2b3c4d9f8e7d6c@a1b2c3d4e5f6",
    ),
    Field(
        "code_names",
        CODE,
        "paths, symbols and commands of the project that the text names",
    ),
    Field("agent", LINE, "the agent that wrote it"),
    Field("visibility", choice(Visibility), "private, shared or group"),
    Field("groups", LINES, "the groups of agents that may see it"),
    Field("source", SOURCE, f"where it came from: {', '.join(Source._fields)}"),
    Field("confidence", choice(Confidence), "of a mined entry: HIGH, MEDIUM, LOW"),
    Field("rationale", LINE, "why it was mined"),
    Field("supersedes", LINE, "the id of the version that it replaces"),
    Field("superseded_by", LINE, "the id of the version that replaces it"),
    Field("reason", LINE, "why it was replaced"),
    Field("other_vault", LINE, "the vault that has the other version, after a move"),
    Field("resolved_at", DATE, "when it was resolved"),
    Field("resolved_by", LINE, "who resolved it"),
    Field("resolution_note", LINE, "how it was resolved"),
    Field(
        "resolution_scope",
        choice(ResolutionScope),
        "claim: entries of the same words are not shown either; or this entry alone",
    ),
    Field(
        "item",
        choice(Item),
        "of a reflection item: invariant (a rule) or derived (it fades)",
    ),
    Field("key", LINE, "of a reflection item: its strict key, item and bare text"),
    Field("seen", DATES, "when it was met again"),
    Field("evidence", LINES, "ids or sessions that it rests on"),
    Field(
        "fingerprints", LINES, "what each id of evidence said then, as id:fingerprint"
    ),
    Field("refreshed_at", DATE, "up to when an observation or model looked"),
    Field("research", LINE, "the research run that retrieved what it cites"),
    Field("pinned", FLAG, "true: it goes into every session"),
    Field(
        "enforce",
        choice(Enforce),
        "ask or deny: what a host does before a tool that it is about; set by a person",
    ),
    Field("expires_at", DATE, "not shown from this date on"),
    Field("review_after", DATE, "when to look whether it still holds"),
)

BY_NAME: Mapping[str, Field] = {field.name: field for field in TABLE}
