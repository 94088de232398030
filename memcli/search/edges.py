"""Where an entry leads: entities, names, links both ways, versions, evidence.

Invariant: a link means one entry, the same for inspect, for the graph and for the lint:
the first reading of the link that an entry has as a name, and an active entry before
others. Reads only; a link to what an agent may not see leads nowhere.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.entries.text import tokens
from memcli.entries.text.identifiers import is_code_term
from memcli.entries.text.mentions import fold
from memcli.named_tuple import NamedTuple
from memcli.search.ranking.corpus import Edge

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow


# A word is a name where one of so many entries that hold it say it in mid-sentence.
_WORDS_A_NAME = 3


class Decided(NamedTuple):
    """The decisions of persons on names: folded form -> its entity, and the
    folded forms that are no entity."""

    meant: Mapping[str, str]
    ignored: Collection[str]


UNDECIDED = Decided({}, ())


class EntryLinks:
    """The edges of a vault, as `graph.walk` reads them.

    Args:
        reader: the index.
        decided: gives what was decided on names; asked at the first name.
    """

    def __init__(
        self, reader: Reader, decided: Callable[[], Decided] = lambda: UNDECIDED
    ) -> None:
        self._reader = reader
        self._decided = decided
        self._decisions: Decided | None = None
        self._has_links = reader.holds("link")
        self._has_evidence = reader.holds("evidence")
        # By entity, since the best entries share entities and a look-up costs 12 µs.
        self._about: dict[str, Sequence[int]] = {}
        self._said: dict[str, Sequence[int]] = {}

    def edges(self, docs: Collection[int]) -> dict[int, Iterator[Edge]]:
        """The edges of each of some documents, always in the same order."""
        self._fetch(docs)
        return {doc: self._edges(doc) for doc in docs}

    def _edges(self, doc: int) -> Iterator[Edge]:
        """The edges of a document: entities, names, links, lineage, evidence."""
        reader = self._reader
        row = reader.row(doc)
        entities = row.entities
        for name, key in zip(entities, row.name_keys, strict=False):
            yield Edge("entity", name, self._of_entity(name, key))
        for name, key in zip(row.names, row.name_keys[len(entities) :], strict=True):
            yield from self._of_name(doc, name, key, entities)
        if self._has_links:
            linked = {*outgoing(reader, row), *backlinks(reader, row, doc)}
            yield Edge("link", "", sorted(linked))
        yield Edge("lineage", "", self._versions(row))
        if self._has_evidence:
            rests_on = [d for name in row.evidence for d in reader.exact("id", name)]
            rest_on_it = reader.exact("evidence", row.id)
            yield Edge("evidence", "", sorted({*rests_on, *rest_on_it}))

    def _fetch(self, docs: Collection[int]) -> None:
        """Read at once most of the lists that the edges of documents are made of."""
        self._reader.fetch_rows(docs)
        wanted: dict[str, list[str]] = {}
        for doc in docs:
            row = self._reader.row(doc)
            count = len(row.entities)
            wanted.setdefault("entity", []).extend(row.name_keys[:count])
            wanted.setdefault("name_said", []).extend(row.name_keys[count:])
            others = (row.supersedes, row.superseded_by, *row.evidence)
            wanted.setdefault("id", []).extend(filter(None, others))
            if self._has_evidence:
                wanted.setdefault("evidence", []).append(row.id)
            if self._has_links:
                from memcli.entries.text.links import link_keys, link_readings, links

                names = link_keys(row.id, row.path, row.title)
                wanted.setdefault("link", []).extend(names)
                for target in links(row.text):
                    readings = link_readings(target, row.path)
                    wanted.setdefault("name", []).extend(readings)
        for field, values in wanted.items():
            self._reader.fetch(field, values)

    def _of_entity(self, name: str, key: str) -> Sequence[int]:
        """The entries about an entity; of a registered one those that only name it."""
        if name not in self._about:
            docs: Sequence[int] = self._reader.exact("entity", key)
            if self._meant(name) is not None:
                docs = sorted({*docs, *self._reader.exact("name_said", key)})
            self._about[name] = docs
        return self._about[name]

    def _of_name(
        self, doc: int, name: str, key: str, entities: Collection[str]
    ) -> Iterator[Edge]:
        """The edge over a name in the text that recurs and that no person ignored."""
        meant = self._meant(name)
        if meant is not None:
            if meant not in entities:
                docs = self._of_entity(meant, tokens.name_key(meant))
                yield Edge("entity", meant, docs)
            return
        if name not in self._said:
            ignored = fold(name) in self._known().ignored
            self._said[name] = () if ignored else sharing(self._reader, key)
        docs = self._said[name]
        if len(docs) > 1 and doc in docs:
            yield Edge("code" if is_code_term(name) else "name", name, docs)

    def _meant(self, name: str) -> str | None:
        """The registered entity that a name means."""
        meant = self._known().meant
        return meant.get(fold(name)) if meant else None

    def _known(self) -> Decided:
        if self._decisions is None:
            self._decisions = self._decided()
        return self._decisions

    def _versions(self, row: StoredRow) -> list[int]:
        reader = self._reader
        ids = (row.supersedes, row.superseded_by)
        docs = {doc for name in ids if name for doc in reader.exact("id", name)}
        return sorted(docs)


def sharing(reader: Reader, key: str) -> Sequence[int]:
    """The entries that share a name which an entry says in mid-sentence.

    A single word counts wherever it stands, unless most entries that hold it do not say
    it as a name: then those alone that do share it.

    Args:
        reader: the index.
        key: the name, as `tokens.name_key` has it.
    """
    said = reader.exact("name_said", key)
    if said and key.isalpha():
        term = tokens.stemmer()(key)
        # A long list is not read to learn that it is long.
        if reader.frequency(term) <= _WORDS_A_NAME * len(said):
            return reader.postings(term)[0]
    return said


def meant(reader: Reader, target: str, path: str) -> int | None:
    """The entry that a link in the file at `path` means; active ones come first."""
    from memcli.entries.text.links import link_readings

    for name in link_readings(target, path):
        docs = reader.exact("name", name)
        if len(docs) == 1:
            return docs[0]
        if docs:
            return min(docs, key=lambda doc: _preference(reader.row(doc)))
    return None


def outgoing(reader: Reader, row: StoredRow) -> list[int]:
    """The entries that the links in an entry's text mean."""
    from memcli.entries.text.links import links

    docs = (meant(reader, target, row.path) for target in links(row.text))
    return [doc for doc in docs if doc is not None]


def backlinks(
    reader: Reader, row: StoredRow, doc: int, names: Sequence[str] | None = None
) -> set[int]:
    """The entries with a link that means this entry, and not another of the same name.

    Args:
        reader: the index.
        row: the entry's row.
        doc: its number.
        names: what a link may call it; without them its id, path and title.
    """
    from memcli.entries.text.links import link_keys, link_readings, links

    if names is None:
        names = link_keys(row.id, row.path, row.title)
    mine = set(names)
    linking = set()
    for other in {d for name in mine for d in reader.exact("link", name)} - {doc}:
        theirs = reader.row(other)
        near = [
            target
            for target in links(theirs.text)
            if not mine.isdisjoint(link_readings(target, theirs.path))
        ]
        # No such link in its text: then it is one that an evolve left in `links`.
        if not near or any(meant(reader, t, theirs.path) == doc for t in near):
            linking.add(other)
    return linking


def _preference(row: StoredRow) -> tuple[bool, str, str]:
    # The path decides last, since two files of one id have numbers in no fixed order.
    return row.status != str(Status.ACTIVE), row.id, row.path
