"""What the index stores of an entry to be shown: everything but its file.

Invariant: plain values in field order and nothing else are written, so a row is read
back without a class being named in the file. Whoever adds, moves or drops a field here
raises `ROW_VERSION` in `index.py`; old indexes are rebuilt then.
"""

from typing import Any, NamedTuple

from memcli.entries.entry import Source


class StoredRow(NamedTuple):
    """An entry as the index holds it; its fields are those of `Entry`, as text.

    `text` is the body without the blank lines around it, `title` the one to show,
    `document_id` the session or document that the entry came from, and `terms` are the
    most frequent words of the entry with their counts. What a caller is given of it is
    a `recall.results.Row`.
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
    occurred_at: str | None
    occurred_until: str | None
    created: str
    updated: str
    document_id: str | None
    pinned: bool
    supersedes: str | None
    superseded_by: str | None
    reason: str | None
    resolved_at: str | None
    resolved_by: str | None
    resolution_note: str | None
    confidence: str | None
    rationale: str | None
    item: str | None
    seen: tuple[str, ...]
    evidence: tuple[str, ...]
    fingerprints: tuple[str, ...]
    refreshed_at: str | None
    expires_at: str | None
    review_after: str | None
    agent: str | None
    visibility: str
    groups: tuple[str, ...]
    path: str
    terms: dict[str, float]
    source: Source

    @property
    def writer(self) -> str | None:
        """Who wrote the entry: `source.writer`; without one a person did."""
        return self.source.writer

    def as_plain(self) -> tuple[Any, ...]:
        """The values to store, in field order; `from_plain` makes a row of them."""
        return (*self[:-1], tuple(self.source))

    @classmethod
    def from_plain(cls, values: tuple[Any, ...]) -> "StoredRow":
        """The row that `as_plain` gave these values of."""
        return cls._make((*values[:-1], Source._make(values[-1])))
