"""A file of a vault as the row that is staged for the database.

Invariant: pure; the same file, settings and vault give the same row.
"""

from __future__ import annotations

from memcli.entries.eligibility import Agent, Facts, ReadPolicy, visible
from memcli.entries.entry import Status, Visibility
from memcli.named_tuple import NamedTuple
from memcli.search.document import numbered
from memcli.search.packed_facts import (
    ONLY_THIS,
    PINNED,
    SPAN,
    STATUS_MASK,
    STATUS_NUMBER,
    one,
)
from memcli.search.postgres.packing import packed_words, place_of, signed
from memcli.search.prepared import Prepared
from memcli.search.stored_row import StoredRow

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.search.reading import Found

COLUMNS = {
    "vault": "int4",
    "place": "bytea",
    "path": "bytea",
    "blob": "text",
    "version": "text",
    "line": "int4",
    "reason": "bytea",
    "doc": "int8",
    "bucket": "int4",
    "access": "int8",
    "reach": "bytea",
    "length": "int8",
    "facts": "bytea",
    '"row"': "bytea",
    "words": "bytea",
    "exact": "bytea",
    "session": "int8",
    "claim": "int8",
    "settles": "bool",
    "moment": "int8",
    "span": "bool",
    "rule": "bool",
    "pinned": "bool",
    "created": "int8",
}
"""The columns of `memcli.staged`, with the type that COPY sends."""

_RESOLVED = STATUS_NUMBER[Status.RESOLVED]


class Reach(NamedTuple):
    """Who may see an entry: all that `eligibility.visible` looks at."""

    agent: str | None
    visibility: Visibility
    groups: tuple[str, ...]

    def number(self, vault: int) -> int:
        """The `access` of entries with this reach: the same in every publish."""
        parts = (str(vault), self.agent or "", str(self.visibility), *self.groups)
        return signed(numbered("\0".join(parts)))

    def as_json(self) -> bytes:
        """For the tables; `from_json` makes a reach of it."""
        import json

        return json.dumps(self).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes) -> Reach:
        """The reach that `as_json` made these bytes of."""
        import json

        agent, visibility, groups = json.loads(data)
        return cls(agent, Visibility(visibility), tuple(groups))

    def shown_to(self, agent: Agent) -> bool:
        """Whether an agent may see entries with this reach."""
        facts = Facts(
            Status.ACTIVE,
            0,
            agent=self.agent,
            visibility=self.visibility,
            groups=self.groups,
        )
        return visible(facts, agent)


def reach(
    agents: Mapping[str, Agent],
    agent: str | None,
    visibility: Visibility,
    groups: tuple[str, ...],
) -> Reach:
    """The reach of an entry, by as little as decides it.

    An agent that reads all shared entries sees its own among them. So those of all such
    agents are one class: every class is a list of its own for each word.
    """
    if visibility is not Visibility.GROUP:
        groups = ()
    policy = (agents.get(agent or "") or Agent("")).policy
    if visibility is Visibility.SHARED and policy is ReadPolicy.SHARED:
        agent = None
    return Reach(agent, visibility, tuple(sorted(groups)))


class Stage(NamedTuple):
    """What is the same for all files of one publish.

    `vault` is its number, `bits` those of a document's number that say its bucket,
    `version` what a document depends on besides its file.
    """

    vault: int
    bits: int
    version: str
    agents: Mapping[str, Agent]

    def broken(self, found: Found, blob: str) -> tuple[Any, ...]:
        """The row of a file that is no entry."""
        line, reason = found.broken or (1, "")
        head = self._head(found.path, blob)
        said = reason.encode("utf-8", "surrogatepass")
        return (*head, min(line, 2**31 - 1), said, *([None] * (len(COLUMNS) - 7)))

    def document(self, found: Found, blob: str) -> tuple[Any, ...]:
        """The row of an entry."""
        import json

        document = found.document or Prepared({}, {}, b"", b"")
        row = StoredRow.from_json(document.row)
        facts = one(document.packed)
        shown = reach(self.agents, row.agent, Visibility(row.visibility), row.groups)
        resolved = facts.flags & STATUS_MASK == _RESOLVED
        exact = {**document.exact}
        if facts.flags & PINNED:
            exact["pinned"] = ("1",)
        return (
            *self._head(found.path, blob),
            None,
            None,
            signed(facts.order),
            bucket_of(facts.order, self.bits),
            shown.number(self.vault),
            shown.as_json(),
            facts.length,
            document.packed,
            document.row,
            packed_words(document.terms),
            json.dumps(exact, separators=(",", ":")).encode("ascii"),
            signed(facts.session),
            signed(facts.claim),
            bool(facts.claim and resolved and not facts.flags & ONLY_THIS),
            facts.time,
            bool(facts.flags & SPAN),
            row.kind == "constraint",
            bool(facts.flags & PINNED),
            facts.created,
        )

    def _head(self, path: str, blob: str) -> tuple[Any, ...]:
        name = path.encode("utf-8", "surrogatepass")
        return self.vault, place_of(path), name, blob, self.version


def bucket_of(doc: int, bits: int) -> int:
    """The bucket of a document: the first bits of its number."""
    return doc >> (64 - bits) if bits else 0


def bits_for(documents: int) -> int:
    """How many bits a vault's buckets have: each shall hold some 64,000 documents.

    A publish writes the buckets of what changed anew: of one entry some fifty lists, of
    at most a megabyte each.
    """
    return max(0, (documents >> 16).bit_length())
