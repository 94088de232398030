"""What hangs together with what was found: hops over entities, links and lineage.

Invariant: pure and deterministic. Only admitted documents are reached or walked
through; a document counts by its strongest way, so that twenty weak ones do not add up
to a strong one; and an edge counts the less, the more documents it leads to.

The dampening is the "fan effect" of spreading activation (Anderson, "A spreading
activation theory of memory", 1983): what is tied to everything says nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from memcli.search.ranking.corpus import Admit, Corpus, Weights, inverse_frequency

# An entity of at least so many entries, and of this share of all, is a hub:
# `inspect entities` calls it one, and no way leads over it.
HUB_ENTRIES = 10
HUB_SHARE = 0.1
# Nor over an edge to so many: nothing tells them apart, and ten such edges would cost
# a recall more than its words do.
CROWD = 64


class Edge(NamedTuple):
    """What ties a document to others.

    `kind` is entity, link, lineage or evidence; `name` an entity's, else empty; `docs`
    is everything that it leads to, the document itself perhaps among it.
    """

    kind: str
    name: str
    docs: Sequence[int]


class Links(Protocol):
    """What the walk reads."""

    def edges(self, doc: int) -> Iterable[Edge]:
        """What ties a document to others, always in the same order."""


class Step(NamedTuple):
    """One hop: from a document, over an edge of a kind and name."""

    doc: int
    kind: str
    name: str


class Reached(NamedTuple):
    """How strongly a document was reached, and over which hops, the first one first."""

    score: float
    way: tuple[Step, ...]


def is_hub(count: int, size: int) -> bool:
    """Whether what `count` of `size` documents share ties too much together."""
    return count >= HUB_ENTRIES and count >= HUB_SHARE * size


def walk(
    totals: Mapping[int, float],
    links: Links,
    corpus: Corpus,
    weights: Weights,
    *,
    admit: Admit | None,
    within: Collection[int] | None,
) -> dict[int, Reached]:
    """What the best documents lead to.

    Args:
        totals: document -> score so far; the walk starts at the best
            `weights.graph_seeds` of them that have `weights.graph_floor` of the best.
        links: what ties documents together.
        admit: whether a document may be shown; None admits all.
        within: when given, only these documents are reached.

    Returns:
        document -> how it was reached, also those that `totals` holds; of the others
        those that reach `weights.graph_brings` of the best score.
    """
    if not totals:
        return {}
    best = max(totals.values())
    found: dict[int, Reached] = {}
    heads = {doc: Reached(score, ()) for doc, score in totals.items()}
    for _ in range(weights.depth):
        news: dict[int, Reached] = {}
        for doc in _strongest(heads, corpus.orders, weights):
            for other, reached in _hop(doc, heads[doc], links, corpus, weights):
                if other in news and news[other].score >= reached.score:
                    continue
                if admit is not None and not admit(other):
                    continue
                if within is not None and other not in within:
                    continue
                news[other] = reached
        for doc, reached in news.items():
            if doc not in found or found[doc].score < reached.score:
                found[doc] = reached
        # The second hop starts from what the first brought, and not from a hit again.
        heads = {doc: one for doc, one in news.items() if doc not in totals}
    floor = [best * weights.graph_brings**hops for hops in range(weights.depth + 1)]
    return {
        doc: one
        for doc, one in found.items()
        if doc in totals or one.score >= floor[len(one.way)]
    }


def _strongest(
    heads: Mapping[int, Reached], orders: Sequence[int], weights: Weights
) -> list[int]:
    if not heads:
        return []
    floor = weights.graph_floor * max(one.score for one in heads.values())
    strong = [doc for doc, one in heads.items() if one.score >= floor]
    strong.sort(key=lambda doc: (-heads[doc].score, orders[doc]))
    return strong[: weights.graph_seeds]


def _hop(
    doc: int, head: Reached, links: Links, corpus: Corpus, weights: Weights
) -> Iterable[tuple[int, Reached]]:
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
            # How much it says of one of them, where one alone would be all.
            told = inverse_frequency(len(others), size) / whole
            reached = Reached(head.score * weights.graph * told, way)
            for other in others:
                yield other, reached
