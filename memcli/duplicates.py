"""What a vault holds already of a text: the same memory, or one that is nearly it.

Invariant: the same text is the same memory, unless both say where they stood (in
which session, at which place) and the places differ: two people may thank each other
in the same words twice. Only an active entry, or one in the draft's own state, makes
it a duplicate; others are named, so that whoever writes knows.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli import files
from memcli.entry import Entry, Status, fingerprint
from memcli.errors import MemcliError

if TYPE_CHECKING:
    from memcli.reader import Reader

# Entries this alike (Jaccard of their distinct terms) say nearly the same.
_SIMILAR = 0.6
_MOST_SIMILAR = 3
_ACTIVE = str(Status.ACTIVE)


class Similar(NamedTuple):
    """An entry that says nearly what was saved; `likeness` is 0 to 1."""

    id: str
    title: str
    likeness: float


class Held(NamedTuple):
    """An entry of the vault, as far as duplicates go."""

    id: str
    path: str
    title: str
    status: str
    place: tuple[Any, ...]


class Known:
    """What the vault holds of the texts of some drafts."""

    def __init__(self) -> None:
        self._by_text: dict[str, list[Held]] = {}
        self._by_id: dict[str, Held] = {}

    def add(self, text: str, held: Held) -> None:
        """Count an entry in; `text` is the fingerprint of its body."""
        self._by_text.setdefault(text, []).append(held)
        self._by_id.setdefault(held.id, held)

    def twin(self, entry: Entry) -> Held | None:
        """The entry that makes this draft a duplicate."""
        if entry.id and entry.id in self._by_id:
            return self._by_id[entry.id]
        mine = place(entry.source._asdict())
        for held in self._by_text.get(fingerprint(entry.body), ()):
            same_state = held.status in (_ACTIVE, str(entry.status))
            if same_state and (not mine or mine == held.place):
                return held
        return None

    def earlier(self, entry: Entry) -> list[Held]:
        """Entries with this text that are active no more."""
        found = self._by_text.get(fingerprint(entry.body), ())
        states = (_ACTIVE, str(entry.status))
        return [held for held in found if held.status not in states]


class Later(NamedTuple):
    """Files that changed after the index was made, read one by one instead.

    A save must know them, but not pay for indexing them: after a row of saves that
    would cost each one more than the rest of its work.
    """

    root: str
    changed: Sequence[str]
    removed: Sequence[str]

    @property
    def paths(self) -> frozenset[str]:
        """The paths whose documents in the index are out of date."""
        return frozenset((*self.changed, *self.removed))

    def bodies(self) -> Iterable[tuple[str, bytes, str]]:
        """(path, data, body) of the changed files that are entries."""
        from memcli import codec

        for path in self.changed:
            try:
                data = files.read(os.path.join(self.root, *path.split("/")))
                yield path, data, codec.body_of(data, path)
            except MemcliError:
                continue  # a broken file holds no entry; every reader reports it


def place(source: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where in a session or document an entry stood; empty when nobody said."""
    document = source.get("session") or source.get("transcript")
    position = (source.get("record"), source.get("seq"))
    return (document, *position) if document or any(position) else ()


def known(reader: "Reader", later: Later, drafts: Sequence[Entry]) -> Known:
    """What the vault holds of these drafts' texts and ids."""
    found = Known()
    outdated = later.paths
    wanted = {fingerprint(entry.body) for entry in drafts}
    ids = {entry.id for entry in drafts if entry.id}
    for field, values in (("fingerprint", wanted), ("id", ids)):
        for value in sorted(values):
            for doc in reader.exact(field, value):
                row = reader.row(doc)
                if row["path"] not in outdated:
                    text = value if field == "fingerprint" else fingerprint(row["text"])
                    found.add(text, _held(row))
    for path, data, body in later.bodies():
        text = fingerprint(body)
        if text in wanted or ids:
            entry = _decode(data, path)
            if text in wanted or entry.id in ids:
                found.add(text, held(entry))
    return found


def held(entry: Entry) -> Held:
    """An entry that has a path, as far as duplicates go."""
    return Held(
        id=entry.id,
        path=entry.path,
        title=entry.display_title,
        status=str(entry.status),
        place=place(entry.source._asdict()),
    )


def similar(reader: "Reader", later: Later, entry: Entry) -> list[Similar]:
    """Active entries that say nearly the same, most alike first."""
    from memcli import ranking
    from memcli.document import document
    from memcli.reader import stemmer

    stem = stemmer()
    mine = set(document(entry, stem).row["terms"])
    outdated = later.paths
    rows = []
    plain = ranking.Weights(after=(), before=(), session=0.0, feedback=0.0, pool=10)
    question = [(term, term) for term in sorted(mine)]
    found = ranking.rank(
        question, reader, limit=10, now=0, admit=reader.plain, weights=plain
    )
    for hit in found.hits:
        row = reader.row(hit.doc)
        if row["path"] not in outdated:
            rows.append(row)
    for path, data, body in later.bodies():
        # Half of the words in common is cheap to see, and less cannot be enough.
        if len(mine) > 2 * sum(word in body.lower() for word in mine):
            continue
        row = document(_decode(data, path), stem).row
        if row["status"] == _ACTIVE:
            rows.append(row)
    alike = []
    for row in rows:
        theirs = set(row["terms"])
        likeness = len(mine & theirs) / len(mine | theirs) if mine else 0.0
        if likeness >= _SIMILAR:
            alike.append(Similar(row["id"], row["title"], round(likeness, 3)))
    alike.sort(key=lambda item: (-item.likeness, item.id))
    return alike[:_MOST_SIMILAR]


def _decode(data: bytes, path: str) -> Entry:
    from memcli import codec

    return codec.decode(data, path).entry


def _held(row: Mapping[str, Any]) -> Held:
    return Held(
        row["id"], row["path"], row["title"], row["status"], place(row["origin"])
    )
