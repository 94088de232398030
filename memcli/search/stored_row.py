"""A row of the index: everything that is shown of an entry but its file.

Invariant: a row is written as JSON, plain values in field order and nothing else. A
change that adds, moves or drops a field raises `ROW_VERSION` in `index.py`, so that
indexes made before it are rebuilt.
"""

from __future__ import annotations

from memcli.entries.entry import Source
from memcli.entries.ids import is_adopted
from memcli.named_tuple import NamedTuple


class StoredRow(NamedTuple):
    """An entry as the index holds it; its fields are those of `Entry`, as text.

    `text` is the body without the blank lines around it, `title` the one to show,
    `document_id` the session or document that the entry came from, and `key_terms` the
    most frequent words of the entry, each with its count behind it, as one text: as
    JSON they took most of the time of a row. `names` are its `loose_names`, those that
    begin sentences last. `name_keys` has what the index finds
    its entities by, then its names. `findings` are what is wrong in its file (line,
    code, level, message, hint), `links` the targets of its links with their lines.
    What a caller is given of it is a `recall.results.Row`.
    """

    id: str
    text: str
    title: str
    kind: str
    layer: str
    subtype: str | None
    type: str
    status: str
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    project: str | None
    code: tuple[str, ...]
    occurred_at: str | None
    occurred_until: str | None
    created: str
    updated: str
    document_id: str | None
    pinned: bool
    enforce: str | None
    supersedes: str | None
    superseded_by: str | None
    reason: str | None
    resolved_at: str | None
    resolved_by: str | None
    resolution_note: str | None
    resolution_scope: str
    confidence: str | None
    rationale: str | None
    item: str | None
    seen: tuple[str, ...]
    evidence: tuple[str, ...]
    fingerprints: tuple[str, ...]
    refreshed_at: str | None
    research: str | None
    expires_at: str | None
    review_after: str | None
    agent: str | None
    visibility: str
    groups: tuple[str, ...]
    path: str
    key_terms: str
    names: tuple[str, ...]
    name_keys: tuple[str, ...]
    findings: tuple[tuple[int, str, str, str, str | None], ...]
    links: tuple[tuple[str, int], ...]
    source: Source

    @property
    def writer(self) -> str | None:
        """Who wrote the entry: `source.writer`; without one a person did."""
        return self.source.writer

    @property
    def terms(self) -> dict[str, float]:
        """The most frequent words of the entry with their counts, in that order."""
        parts = self.key_terms.split(" ")
        return dict(zip(parts[::2], map(float, parts[1::2]), strict=False))

    def as_json(self) -> bytes:
        """The values to store, in field order; `from_json` makes a row of them."""
        import json

        # ASCII: a path may hold half a surrogate pair, which UTF-8 has no bytes for.
        return json.dumps(self, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes) -> StoredRow:
        """The row that `as_json` made these bytes of."""
        import json

        *values, source = json.loads(data.decode("ascii"))
        # JSON knows no tuples, and no field of a row is a list.
        plain = [tuple(v) if type(v) is list else v for v in values]
        return cls._make((*plain, Source._make(source)))


def enforced(row: StoredRow) -> str | None:
    """ask or deny, where a person set it: not in a note of another program."""
    by_person = row.writer in (None, "manual") and not row.agent
    by_person = by_person and not is_adopted(row.id)
    return row.enforce if by_person else None
