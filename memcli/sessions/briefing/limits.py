"""What hooks tell of a vault that is not the user's own: the kinds and lengths that its
`[vaults.NAME]` allows.

Invariant: the limit stands in the one question that every answer asks, `verdict`. In a
module of its own, since only a session with such vaults loads the reader for it.
"""

from __future__ import annotations

from memcli.search.reader import Reader

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.eligibility import View
    from memcli.storage.known_vaults import KnownVault

NOT_ALLOWED = "hooks do not tell it: its kind or its length is not allowed"


class _Limited(Reader):
    def __init__(self, reader: Reader, place: KnownVault) -> None:
        self.__dict__.update(reader.__dict__)
        self._place = place

    def verdict(self, doc: int, view: View) -> str | None:
        refusal = super().verdict(doc, view)
        if refusal is None:
            row = self.row(doc)
            fits = len(row.text) <= self._place.max_chars
            # The rules of a session are of no kind.
            if not fits or not (row.item or row.kind in self._place.kinds):
                return NOT_ALLOWED
        return refusal


def limited(reader: Reader, place: KnownVault) -> Reader:
    """The reader as hooks read it: what they may not tell of a vault is refused."""
    return _Limited(reader, place)
