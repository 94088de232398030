"""A document in the form in which a segment holds it: plain values and bytes.

Invariant: pure; the same document gives the same bytes, in every process.
"""

from __future__ import annotations

from memcli.entries.entry import ResolutionScope
from memcli.named_tuple import NamedTuple
from memcli.search.document import Document, numbered
from memcli.search.packed_facts import (
    ANSWERS_SHIFT,
    ASKS,
    CONFLICT,
    ONLY_THIS,
    PINNED,
    SPAN,
    STATUS_NUMBER,
    Packed,
    pack,
)


class Prepared(NamedTuple):
    """What is written of one document.

    `terms` has a weight for each, `exact` the values of each field by which filters
    look up; `row` is JSON, `packed` the record of `packed_facts`.
    """

    terms: dict[str, float]
    exact: dict[str, tuple[str, ...]]
    row: bytes
    packed: bytes


def prepared(doc: Document) -> Prepared:
    """The form of a document that is written."""
    flags = STATUS_NUMBER[doc.facts.status]
    flags |= (ASKS if doc.asks else 0) | (SPAN if doc.is_span else 0)
    flags |= doc.answers << ANSWERS_SHIFT
    flags |= PINNED if doc.row.pinned else 0
    flags |= CONFLICT if doc.facts.conflict else 0
    flags |= ONLY_THIS if doc.row.resolution_scope == ResolutionScope.ENTRY else 0
    session, said = doc.exact["session"], doc.exact["claim"]
    packed = Packed(
        order=numbered(doc.row.id + "\0" + doc.row.path),
        session=numbered(session[0]) if session else 0,
        time=doc.time,
        created=doc.facts.created,
        expires=doc.facts.expires,
        ended=doc.facts.ended,
        claim=int(said[0], 16) if said else 0,
        length=min(doc.length, 0xFFFFFFFF),
        seq=max(-1, min(doc.seq, 0x7FFFFFFF)),
        flags=flags,
        project=doc.facts.project,
    )
    exact = doc.exact | {"session": (f"{packed.session:016x}",) if session else ()}
    return Prepared(doc.terms, exact, doc.row.as_json(), pack(packed))
