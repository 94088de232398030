"""A row of the index: everything that is shown of an entry but its file.

Invariant: a row is written as JSON, plain values in field order and nothing else. A
change that adds, moves or drops a field raises `ROW_VERSION` in `index.py`, so that
indexes made before it are rebuilt.
"""

from __future__ import annotations

from functools import cache

from memcli.entries.entry import Source
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class StoredRow(NamedTuple):
    """An entry as the index holds it; its fields are those of `Entry`, as text.

    `text` is the body without the blank lines around it, `title` the one to show,
    `document_id` the session or document that the entry came from, and `key_terms` the
    most frequent words of the entry as `packed_terms` writes them; `names` are its
    `loose_names`, those that begin sentences last. `name_keys` has what the index finds
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
    code_names: tuple[str, ...]
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
        found = {}
        for line in self.key_terms.split("\n") if self.key_terms else ():
            count, *words = line.split(" ")
            found.update(dict.fromkeys(words, float(count)))
        return found

    def as_json(self) -> bytes:
        """The values to store, in field order; `from_json` makes a row of them."""
        import json

        # ASCII: a path may hold half a surrogate pair, which UTF-8 has no bytes for.
        return json.dumps(self, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes) -> StoredRow:
        """The row that `as_json` made these bytes of."""
        # `json.loads` looks for the encoding first, a fourth of a row's time.
        (*values, source), _ = _decoder()(data.decode("ascii"), 0)
        # JSON knows no tuples, and no field of a row is a list.
        plain = [tuple(v) if type(v) is list else v for v in values]
        return cls._make((*plain, Source._make(source)))


def enforced(row: StoredRow) -> str | None:
    """ask or deny, where a person set it."""
    by_person = row.writer in (None, "manual") and not row.agent
    return row.enforce if by_person else None


def packed_terms(terms: Mapping[str, float]) -> str:
    """Words with their counts, in their order, as `StoredRow.key_terms` holds them.

    Each line is a count and its words: as JSON, 48 words with a number each took most
    of the time of a row, and few rows are asked for them. No word holds a space.
    """
    lines: list[str] = []
    before = None
    for word, count in terms.items():
        if count != before:
            lines.append(repr(count))
            before = count
        lines[-1] += f" {word}"
    return "\n".join(lines)


@cache
def _decoder() -> Callable[[str, int], tuple[Any, int]]:
    """The function that decodes the JSON value at a place and says where it ends."""
    import json

    return json.JSONDecoder().raw_decode
