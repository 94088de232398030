"""Documents that are tied to the best hits: a vault's edges, and one hop over them.

Invariant: only documents in scope are reached; a document counts by
its strongest way, so that twenty weak ones do not add up to a strong one; and an edge
counts the less, the more documents it leads to. A link means one entry, the same for
inspect, for the graph and for the lint: the first reading of the link that an entry has
as a name, and an active entry before others. A link to what an agent may not see leads
nowhere.

The dampening is the "fan effect" of spreading activation (Anderson, "A spreading
activation theory of memory", 1983): what is tied to everything says nothing.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.entries.text import tokens
from memcli.entries.text.identifiers import is_code_term
from memcli.entries.text.mentions import fold
from memcli.named_tuple import NamedTuple
from memcli.search.ranking.corpus import (
    Edge,
    average_length,
    by_length,
    inverse_frequency,
    strongest,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memcli.search.ranking.corpus import Scope, Weights
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

# An entity of at least so many entries, and of this share of all, is a hub: the list
# of entities calls it one, and the walk does not follow it.
HUB_ENTRIES = 10
HUB_SHARE = 0.1
# Nor does it follow an edge to more than so many: nothing tells them apart, and ten
# such edges would cost a recall more than its words do.
CROWD = 64
# What another version alone says leaves it in front of this one.
_VERSIONS = 0.8


class Step(NamedTuple):
    """The hop from a document, over an edge of a kind and name."""

    doc: int
    kind: str
    name: str


class Reached(NamedTuple):
    """How strongly a document was reached, and over which hop."""

    score: float
    step: Step


def is_hub(count: int, size: int) -> bool:
    """Whether too many documents share it: `count` of `size`."""
    return count >= HUB_ENTRIES and count >= HUB_SHARE * size


def walk(
    totals: Mapping[int, float], corpus: Reader, scope: Scope, weights: Weights
) -> dict[int, Reached]:
    """The documents that the best ones lead to.

    Args:
        totals: document -> score so far; the walk starts at the best
            `weights.graph_seeds` of them that have `weights.graph_floor` of the best.
        corpus: its orders break ties, its size says what is a hub.
        scope: the edges to follow, and which documents may be reached.
        weights: how much of a score goes over.

    Returns:
        document -> how it was reached, also those that `totals` holds; of the others
        those that reach `weights.graph_brings` of the best score.
    """
    if scope.edges is None or not totals:
        return {}
    share = _shares(corpus, weights)
    floor = weights.graph_floor * max(totals.values())
    strong = {doc: score for doc, score in totals.items() if score >= floor}
    heads = strongest(strong, corpus, weights.graph_seeds)
    # An edge below it is too weak to bring an entry, as most are; it counts for those
    # that `totals` holds.
    least = max(totals.values()) * weights.graph_brings
    arrivals: list[tuple[Reached, list[int]]] = []
    for doc, edges in scope.edges(heads).items():
        for edge in edges:
            score = totals[doc] * weights.graph * share(edge, doc)
            if score:
                docs = edge.docs if score >= least else totals.keys() & edge.docs
                others = [other for other in docs if other != doc]
                step = Step(doc, edge.kind, edge.name)
                arrivals.append((Reached(score, step), others))
    beyond = {doc for _, others in arrivals for doc in others if doc not in totals}
    # What `totals` holds takes part, or it would not be there.
    held = totals.keys() | scope.holding([*beyond])
    reached: dict[int, Reached] = {}
    for arrival, others in arrivals:
        for other in held.intersection(others):
            if other not in reached or reached[other].score < arrival.score:
                reached[other] = arrival
    return reached


def _shares(corpus: Reader, weights: Weights) -> Callable[[Edge, int], float]:
    """Gives how much of a score goes over an edge to each document but one.

    It is 0 for an edge that is not followed.
    """
    size = corpus.size
    whole = inverse_frequency(1, size)
    by_name = by_length(weights.names, average_length(corpus), weights.half_length)
    kinds = {"name": by_name, "lineage": _VERSIONS}

    def share(edge: Edge, doc: int) -> float:
        fan = len(edge.docs)
        if fan > CROWD or is_hub(fan, size):
            return 0.0
        number = fan - edge.docs.count(doc)
        # How much the edge says of each of them; of one alone it says everything.
        says = inverse_frequency(number, size) / whole if number else 0.0
        return says * kinds.get(edge.kind, 1.0)

    return share


# --- the edges of a vault --------------------------------------------------------

# A word is a name where one of so many entries that hold it say it in mid-sentence.
_WORDS_A_NAME = 3


class EntryLinks:
    """The edges of a vault, as `walk` reads them.

    Args:
        reader: the index.
        registered: the entity that a folded name means, as persons have decided.
    """

    def __init__(self, reader: Reader, registered: Mapping[str, str]) -> None:
        self._reader, self._registered = reader, registered
        self._has_links = reader.holds("link")
        self._has_evidence = reader.holds("evidence")

    def edges(self, docs: Collection[int]) -> dict[int, Iterator[Edge]]:
        """The edges of each of some documents, always in the same order.

        Most of the lists that they are made of are read at once: a database answers
        each question late.
        """
        self._reader.fetch_rows(docs)
        rows = [self._reader.row(doc) for doc in docs]
        registered = [k for row in rows for k in row.name_keys[: len(row.entities)]]
        said = [k for row in rows for k in row.name_keys[len(row.entities) :]]
        self._reader.fetch("entity", registered)
        self._reader.fetch("name_said", said)
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
        ids = filter(None, (row.supersedes, row.superseded_by))
        versions = {d for name in ids for d in reader.exact("id", name)}
        yield Edge("lineage", "", sorted(versions))
        if self._has_evidence:
            rests_on = [d for name in row.evidence for d in reader.exact("id", name)]
            rest_on_it = reader.exact("evidence", row.id)
            yield Edge("evidence", "", sorted({*rests_on, *rest_on_it}))

    def _of_entity(self, name: str, key: str) -> Sequence[int]:
        """The entries about an entity; of a registered one those that only name it."""
        docs = self._reader.exact("entity", key)
        if fold(name) not in self._registered:
            return docs
        return sorted({*docs, *self._reader.exact("name_said", key)})

    def _of_name(
        self, doc: int, name: str, key: str, entities: Collection[str]
    ) -> Iterator[Edge]:
        """The edge over a name in the text that recurs."""
        meant = self._registered.get(fold(name))
        if meant is not None:
            if meant not in entities:
                docs = self._of_entity(meant, tokens.name_key(meant))
                yield Edge("entity", meant, docs)
            return
        docs = sharing(self._reader, key)
        if len(docs) > 1 and doc in docs:
            yield Edge("code" if is_code_term(name) else "name", name, docs)


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
