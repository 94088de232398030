"""The segments of an index as one: documents are numbered across all of them.

Invariant: a document that is not live is in no list and no count, so that an index that
was updated a thousand times answers like one that was built at once. Which documents
are live is decided at the beginning; `keep` only takes more of them away.
"""

from array import array
from collections.abc import Collection, Sequence

from memcli.search.packed_facts import Columns, unpack
from memcli.search.segment import Segment, SegmentId
from memcli.search.stored_row import StoredRow


class Segments:
    """The segments of one index.

    Args:
        folder: of the index.
        which: its segments, in order.

    Attributes:
        parts: each segment.

    Raises:
        Damaged, OSError: their files are not there, or not what was written.
    """

    def __init__(self, folder: str, which: Sequence[SegmentId]) -> None:
        self.parts: list[Segment] = []
        base = 0
        for each in which:
            self.parts.append(Segment(folder, each, base))
            base += each.documents

    def __len__(self) -> int:
        return len(self.parts)

    def columns(self) -> Columns:
        """The packed facts of all documents, those that are not live included."""
        return unpack(b"".join(part.packed() for part in self.parts))

    @property
    def live(self) -> bytes:
        """A byte for each document, 1 when it is live."""
        return b"".join(part.live for part in self.parts)

    def keep(self, docs: Collection[int]) -> None:
        """Leave only these documents live; none of them may be deleted."""
        for part in self.parts:
            numbers = range(part.base, part.base + part.count)
            part.keep(bytes(map(docs.__contains__, numbers)))

    def postings(self, field: str, term: str) -> tuple["array[int]", "array[float]"]:
        """The live documents whose field holds a term, with their weights."""
        docs: array[int] = array("I")
        weights: array[float] = array("f")
        for part in self.parts:
            postings = part.postings(field, term)
            if postings is None:
                continue
            if part.base:
                shifted = array("I", [doc + part.base for doc in postings[0]])
                postings = shifted, postings[1]
            if not docs:
                docs, weights = postings
            else:
                docs.extend(postings[0])
                weights.extend(postings[1])
        return docs, weights

    def exact(self, field: str, value: str) -> "array[int]":
        """The live documents whose field has this exact value."""
        return self.postings(field, value)[0]

    def frequency(self, field: str, term: str) -> int:
        """How many live documents hold a term."""
        return sum(part.frequency(field, term) for part in self.parts)

    def starting(self, field: str, prefix: str) -> list[str]:
        """Values of a field that start with a prefix and belong to a live document."""
        values = {text for part in self.parts for text in part.starting(field, prefix)}
        return sorted(value for value in values if self.frequency(field, value))

    def begins_one(self, field: str, prefix: str) -> bool:
        """Whether at most one value of a field starts with a prefix.

        It looks no further than the second one that belongs to a live document.
        """
        found: set[str] = set()
        for part in self.parts:
            for value in part.starting(field, prefix):
                if value not in found and self.frequency(field, value):
                    found.add(value)
                    if len(found) > 1:
                        return False
        return True

    def holds(self, field: str) -> bool:
        """Whether any document, deleted ones included, has a value in a field."""
        return any(True for part in self.parts for _ in part.starting(field, ""))

    def row(self, doc: int) -> StoredRow:
        """What is stored of a document.

        Raises:
            IndexError: there is no such document.
        """
        for part in reversed(self.parts):
            if doc >= part.base:
                return StoredRow.from_json(part.row(doc - part.base))
        raise IndexError(doc)

    def check(self) -> None:
        """Read every posting list and every term; raises as `Segment.check`."""
        for part in self.parts:
            part.check()

    def close(self) -> None:
        """Let go of the files."""
        for part in self.parts:
            part.close()
