"""The documents that were written last, when thousands were written in one second.

Invariant: of one second, the larger ids come first. Only rows hold ids by document, so
few rows are read, however many documents an import wrote at once.
"""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.search.reader import Reader

# So many rows are read faster than the table of ids.
_FEW = 100


def last_written(reader: Reader, docs: Iterable[int], most: int) -> list[int]:
    """The documents that were written last, the newest first.

    Args:
        reader: of the index.
        docs: the documents to choose from.
        most: how many at most.
    """
    created = reader.columns.created
    order = sorted(docs, key=created.__getitem__, reverse=True)
    if not 0 < most < len(order):
        chosen = order if most > 0 else []
    else:
        least = created[order[most - 1]]
        later = [doc for doc in order[:most] if created[doc] > least]
        same = [doc for doc in order if created[doc] == least]
        chosen = later + _last_of(reader, same, most - len(later))
    rows = {doc: reader.row(doc) for doc in chosen}
    # An id may be given twice.
    keys = {doc: (created[doc], row.id, row.path) for doc, row in rows.items()}
    return sorted(chosen, key=keys.__getitem__, reverse=True)[:most]


def _last_of(reader: Reader, docs: list[int], most: int) -> list[int]:
    """Those with the largest ids, and perhaps others."""
    if len(docs) <= most + _FEW:
        return docs
    wanted = set(docs)
    # Ids tell the time, so those of the newest are mostly the largest of all.
    names = islice(reader.largest("id"), 2 * len(docs))
    named = (doc for name in names for doc in reader.exact("id", name))
    found = list(islice((doc for doc in named if doc in wanted), most))
    return found if len(found) == most else docs
