"""Documents that are tied to the best hits: hops over entities, links and lineage.

Invariant: pure and deterministic. Only documents in scope are reached or walked
through; a document counts by its strongest way, so that twenty weak ones do not add up
to a strong one; and an edge counts the less, the more documents it leads to.

The dampening is the "fan effect" of spreading activation (Anderson, "A spreading
activation theory of memory", 1983): what is tied to everything says nothing.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple
from memcli.search.ranking.corpus import average_length, by_length, inverse_frequency

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memcli.search.ranking.corpus import Corpus, Edge, Scope, Weights

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
    """One hop: from a document, over an edge of a kind and name."""

    doc: int
    kind: str
    name: str


class Reached(NamedTuple):
    """How strongly a document was reached, and over which hops, in their order."""

    score: float
    way: tuple[Step, ...]


def is_hub(count: int, size: int) -> bool:
    """Whether too many documents share it: `count` of `size`."""
    return count >= HUB_ENTRIES and count >= HUB_SHARE * size


def walk(
    totals: Mapping[int, float], corpus: Corpus, scope: Scope, weights: Weights
) -> dict[int, Reached]:
    """The documents that the best ones lead to.

    Args:
        totals: document -> score so far; the walk starts at the best
            `weights.graph_seeds` of them that have `weights.graph_floor` of the best.
        corpus: its orders break ties, its size says what is a hub.
        scope: the edges to follow, and which documents may be reached.
        weights: `depth` is how many hops.

    Returns:
        document -> how it was reached, also those that `totals` holds; of the others
        those that reach `weights.graph_brings` of the best score.
    """
    if scope.links is None or not totals:
        return {}
    best = max(totals.values())
    shares = _Shares(corpus, weights)
    reached: dict[int, Reached] = {}
    heads = {
        doc: Reached(totals[doc], ()) for doc in _strongest(totals, corpus, weights)
    }
    floor = [best * weights.graph_brings**hops for hops in range(weights.depth + 1)]
    for hops in range(1, weights.depth + 1):
        news: dict[int, Reached] = {}
        scope.links.fetch(heads)
        # Where no hop follows, an edge below it is too weak to bring an entry, as most
        # are; it counts for those that `totals` holds.
        least = floor[hops] if hops == weights.depth else 0.0
        arrivals: list[tuple[Reached, list[int]]] = []
        for doc, head in heads.items():
            arrivals += _hop(doc, head, scope.links.edges(doc), shares, totals, least)
        beyond = {doc for _, others in arrivals for doc in others if doc not in totals}
        # What `totals` holds takes part, or it would not be there.
        held = totals.keys() | scope.holding([*beyond])
        for arrival, others in arrivals:
            for other in others:
                if other in held:
                    before = news.get(other)
                    if before is None or before.score < arrival.score:
                        news[other] = arrival
        for doc, arrival in news.items():
            if doc not in reached or reached[doc].score < arrival.score:
                reached[doc] = arrival
        # The second hop starts from what the first brought, and not from a hit again.
        brought = {
            doc: arrival.score for doc, arrival in news.items() if doc not in totals
        }
        heads = {doc: news[doc] for doc in _strongest(brought, corpus, weights)}
    return {
        doc: arrival
        for doc, arrival in reached.items()
        if doc in totals or arrival.score >= floor[len(arrival.way)]
    }


def _strongest(
    scores: Mapping[int, float], corpus: Corpus, weights: Weights
) -> list[int]:
    if not scores:
        return []
    floor = weights.graph_floor * max(scores.values())
    strong = [doc for doc, score in scores.items() if score >= floor]
    orders = corpus.orders
    strong.sort(key=lambda doc: (-scores[doc], orders[doc]))
    return strong[: weights.graph_seeds]


class _Shares:
    """How much of a score goes over an edge, by how much it leads to."""

    def __init__(self, corpus: Corpus, weights: Weights) -> None:
        self.size = corpus.size
        self._whole = inverse_frequency(1, self.size)
        average = average_length(corpus)
        self._by_name = by_length(weights.names, average, weights.half_length)
        self._weight = weights.graph
        self._known: dict[int, float] = {}

    def arriving(self, score: float, edge: Edge, number: int) -> float:
        """The score that arrives over an edge at each of so many documents."""
        share = self._known.get(number)
        if share is None:
            # How much the edge says of each of them; of one alone it says everything.
            share = inverse_frequency(number, self.size) / self._whole
            self._known[number] = share
        if edge.kind == "name":
            share *= self._by_name
        elif edge.kind == "lineage":
            share *= _VERSIONS
        return score * self._weight * share


def _hop(
    doc: int,
    head: Reached,
    edges: Iterable[Edge],
    shares: _Shares,
    totals: Mapping[int, float],
    least: float,
) -> Iterable[tuple[Reached, list[int]]]:
    """How an edge of a document arrives, and where, for each edge that is followed.

    An edge that arrives with less than `least` is followed to `totals` only.
    """
    passed = {doc, *(step.doc for step in head.way)}
    for edge in edges:
        fan = len(edge.docs)
        if fan > CROWD or is_hub(fan, shares.size):
            continue
        number = fan - sum(map(edge.docs.count, passed))
        if not number:
            continue
        score = shares.arriving(head.score, edge, number)
        followed = edge.docs if score >= least else totals.keys() & edge.docs
        others = [other for other in followed if other not in passed]
        if others:
            step = Step(doc, edge.kind, edge.name)
            yield Reached(score, (*head.way, step)), others
