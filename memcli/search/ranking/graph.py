"""Documents that are tied to the best hits: hops over entities, links and lineage.

Invariant: pure and deterministic. Only documents in scope are reached or walked
through; a document counts by its strongest way, so that twenty weak ones do not add up
to a strong one; and an edge counts the less, the more documents it leads to.

The dampening is the "fan effect" of spreading activation (Anderson, "A spreading
activation theory of memory", 1983): what is tied to everything says nothing.
"""

from __future__ import annotations

from functools import partial

from memcli.named_tuple import NamedTuple
from memcli.search.ranking.corpus import (
    Corpus,
    Links,
    Scope,
    average_length,
    inverse_frequency,
)
from memcli.search.ranking.weights import Weights, by_length
from memcli.search.source import Ahead

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# An entity of at least so many entries, and of this share of all, is a hub: the list
# of entities calls it one, and the walk does not follow it.
HUB_ENTRIES = 10
HUB_SHARE = 0.1
# Nor does it follow an edge to more than so many: nothing tells them apart, and ten
# such edges would cost a recall more than its words do.
CROWD = 64


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
    """What the best documents lead to.

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
    by_name = by_length(weights.names, average_length(corpus), weights.half_length)
    reached: dict[int, Reached] = {}
    heads = {doc: Reached(score, ()) for doc, score in totals.items()}
    floor = [best * weights.graph_brings**hops for hops in range(weights.depth + 1)]
    for hops in range(1, weights.depth + 1):
        news: dict[int, Reached] = {}
        strongest = _strongest(heads, corpus, weights)
        scope.links.ahead(strongest)
        arrivals: list[tuple[Reached, list[int]]] = []
        for doc in strongest:
            for arrival, others in _hop(
                doc, heads[doc], scope.links, corpus, weights, by_name
            ):
                if hops == weights.depth and arrival.score < floor[hops]:
                    # Too weak to bring an entry; most edges are.
                    others = [other for other in others if other in totals]
                arrivals.append((arrival, others))
        corpus.ahead(partial(_facts_of, arrivals))
        for arrival, others in arrivals:
            for other in others:
                if other in news and news[other].score >= arrival.score:
                    continue
                if scope.holds(other):
                    news[other] = arrival
        for doc, arrival in news.items():
            if doc not in reached or reached[doc].score < arrival.score:
                reached[doc] = arrival
        # The second hop starts from what the first brought, and not from a hit again.
        heads = {doc: arrival for doc, arrival in news.items() if doc not in totals}
    return {
        doc: arrival
        for doc, arrival in reached.items()
        if doc in totals or arrival.score >= floor[len(arrival.way)]
    }


def _facts_of(arrivals: Sequence[tuple[Reached, Sequence[int]]]) -> Ahead:
    return Ahead(facts=[doc for _, others in arrivals for doc in others])


def _strongest(
    heads: Mapping[int, Reached], corpus: Corpus, weights: Weights
) -> list[int]:
    if not heads:
        return []
    floor = weights.graph_floor * max(head.score for head in heads.values())
    strong = [doc for doc, head in heads.items() if head.score >= floor]
    orders = corpus.orders
    strong.sort(key=lambda doc: (-heads[doc].score, orders[doc]))
    return strong[: weights.graph_seeds]


def _hop(
    doc: int,
    head: Reached,
    links: Links,
    corpus: Corpus,
    weights: Weights,
    by_name: float,
) -> Iterable[tuple[Reached, list[int]]]:
    """How an edge of a document arrives, and where, for each edge that is followed."""
    size = corpus.size
    whole = inverse_frequency(1, size)
    for edge in links.edges(doc):
        fan = len(edge.docs)
        if fan > CROWD or is_hub(fan, size):
            continue
        way = (*head.way, Step(doc, edge.kind, edge.name))
        passed = {step.doc for step in way}
        others = [other for other in edge.docs if other not in passed]
        if others:
            # How much the edge says of each of them; of one alone it says everything.
            share = inverse_frequency(len(others), size) / whole
            share *= by_name if edge.kind == "name" else 1.0
            arrival = Reached(head.score * weights.graph * share, way)
            yield arrival, others
