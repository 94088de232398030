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
    from collections.abc import Callable, Collection, Mapping

    from memcli.search.ranking.corpus import Edge, Scope, Weights
    from memcli.search.reader import Reader

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
    totals: Mapping[int, float], corpus: Reader, scope: Scope, weights: Weights
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
    if scope.edges is None or not totals:
        return {}
    best = max(totals.values())
    share = _shares(corpus, weights)
    reached: dict[int, Reached] = {}
    heads = {
        doc: Reached(totals[doc], ()) for doc in _strongest(totals, corpus, weights)
    }
    floor = [best * weights.graph_brings**hops for hops in range(weights.depth + 1)]
    for hops in range(1, weights.depth + 1):
        # Where no hop follows, an edge below it is too weak to bring an entry, as most
        # are; it counts for those that `totals` holds.
        least = floor[hops] if hops == weights.depth else 0.0
        arrivals: list[tuple[Reached, list[int]]] = []
        for doc, edges in scope.edges(heads).items():
            head = heads[doc]
            passed = {doc, *(step.doc for step in head.way)}
            for edge in edges:
                score = head.score * weights.graph * share(edge, passed)
                if score:
                    docs = edge.docs if score >= least else totals.keys() & edge.docs
                    way = (*head.way, Step(doc, edge.kind, edge.name))
                    others = [other for other in docs if other not in passed]
                    arrivals.append((Reached(score, way), others))
        beyond = {doc for _, others in arrivals for doc in others if doc not in totals}
        # What `totals` holds takes part, or it would not be there.
        held = totals.keys() | scope.holding([*beyond])
        news: dict[int, Reached] = {}
        for arrival, others in arrivals:
            for other in held.intersection(others):
                if other not in news or news[other].score < arrival.score:
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
    scores: Mapping[int, float], corpus: Reader, weights: Weights
) -> list[int]:
    if not scores:
        return []
    floor = weights.graph_floor * max(scores.values())
    strong = [doc for doc, score in scores.items() if score >= floor]
    orders = corpus.columns.orders
    strong.sort(key=lambda doc: (-scores[doc], orders[doc]))
    return strong[: weights.graph_seeds]


def _shares(
    corpus: Reader, weights: Weights
) -> Callable[[Edge, Collection[int]], float]:
    """Gives how much of a score goes over an edge to each document but some.

    It is 0 for an edge that is not followed.
    """
    size = corpus.size
    whole = inverse_frequency(1, size)
    by_name = by_length(weights.names, average_length(corpus), weights.half_length)
    kinds = {"name": by_name, "lineage": _VERSIONS}

    def share(edge: Edge, passed: Collection[int]) -> float:
        fan = len(edge.docs)
        if fan > CROWD or is_hub(fan, size):
            return 0.0
        number = fan - sum(map(edge.docs.count, passed))
        # How much the edge says of each of them; of one alone it says everything.
        says = inverse_frequency(number, size) / whole if number else 0.0
        return says * kinds.get(edge.kind, 1.0)

    return share
