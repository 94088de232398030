"""How a match spreads to the entries beside it in the same session.

Invariant: only documents in scope take part, in their order in the session; sums run
in the order of the terms, so that they come out the same each time.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memcli.search.ranking.corpus import Corpus, Scope, Term
    from memcli.search.ranking.weights import Weights

CHANNELS = ("lexical", "neighbours", "session", "feedback", "graph")
"""The parts whose sum is a score."""


class Neighbourhood:
    """The pool, the entries beside it, and how matches spread within a session.

    Args:
        corpus: the documents.
        pool: the best lexical matches, best first.
        scope: which of the entries beside them take part.
        weights: how far and how much a match spreads.
    """

    def __init__(
        self,
        corpus: Corpus,
        pool: Sequence[int],
        scope: Scope,
        weights: Weights,
    ) -> None:
        self.weights = weights
        self.sessions = corpus.sessions
        self.line: dict[int, list[int]] = {}
        self.place: dict[int, int] = {}
        self._asks = corpus.asks
        # Where a match counts: distance from it in the line, and its share there, when
        # its entry states something and when it asks.
        more = weights.after_question
        self.steps = (
            *((i, share, share * more) for i, share in enumerate(weights.after, 1)),
            *((-i, share, share) for i, share in enumerate(weights.before, 1)),
        )
        docs = set(pool)
        reach_after, reach_before = len(weights.after), len(weights.before)
        for doc in pool:
            session = self.sessions[doc]
            if not (session and self.steps):
                continue
            if session not in self.line:
                if len(self.line) >= weights.most_sessions:
                    continue
                line = [
                    member
                    for member in corpus.session_members(session)
                    if scope.holds(member)
                ]
                self.line[session] = line
                self.place.update((member, i) for i, member in enumerate(line))
            line, i = self.line[session], self.place[doc]
            docs.update(line[max(0, i - reach_before) : i + reach_after + 1])
        self.docs = docs
        # Document -> those beside it that it reaches, each with the share.
        self._beside: dict[int, list[tuple[int, float]]] = {}
        # Term -> session -> what the term lifts the session by.
        self.lifts: dict[str, dict[int, float]] = {}

    def combine(
        self,
        terms: Sequence[Term],
        table: Mapping[str, Mapping[int, tuple[float, float]]],
    ) -> dict[int, float]:
        """The score of every document from all terms: own, beside, session."""
        totals: dict[int, float] = {}
        lifts: dict[int, float] = {}
        weights = self.weights
        for term in terms:
            own = table[term.text]
            for doc, score in self._spread(own).items():
                totals[doc] = totals.get(doc, 0.0) + score
            self.lifts[term.text] = {
                group: weights.session * term.idf * n / (n + weights.session_k)
                for group, n in self._counts(own).items()
            }
            for group, lift in self.lifts[term.text].items():
                lifts[group] = lifts.get(group, 0.0) + lift
        sessions = self.sessions
        for doc in totals:
            totals[doc] += lifts.get(sessions[doc] or -1 - doc, 0.0)
        return totals

    def parts(
        self,
        doc: int,
        terms: Sequence[Term],
        extra: Sequence[Term],
        table: Mapping[str, Mapping[int, tuple[float, float]]],
        implied: Mapping[str, Collection[int]],
    ) -> dict[str, float]:
        """The pieces of one document's score, by channel."""
        parts = dict.fromkeys(CHANNELS, 0.0)
        if doc not in self.docs:
            return parts
        line = self.line.get(self.sessions[doc], [doc])
        i = self.place.get(doc, 0)
        group = self.sessions[doc] or -1 - doc
        for term in terms:
            own = table[term.text]
            mine = own[doc][0] if doc in own else 0.0
            meant = doc in implied.get(term.text, ())
            parts["graph" if meant else "lexical"] += mine
            parts["neighbours"] += max(0.0, self._reach(own, line, i) - mine)
            parts["session"] += self.lifts[term.text].get(group, 0.0)
        reached = lift = 0.0
        for term in extra:
            own = table[term.text]
            mine = own[doc][0] if doc in own else 0.0
            reached += max(mine, self._reach(own, line, i))
            lift += self.lifts[term.text].get(group, 0.0)
        if reached:  # a session is lifted only where a term was found or near
            parts["feedback"] = reached + lift
        return parts

    def reply(self, doc: int) -> int | None:
        """The entry after one that asks, if a closer look is taken at it."""
        if doc not in self.place or not self._asks(doc):
            return None
        line, i = self.line[self.sessions[doc]], self.place[doc] + 1
        return line[i] if i < len(line) else None

    def _counts(self, own: Mapping[int, tuple[float, float]]) -> dict[int, float]:
        """How often a term stands in each session.

        An entry of no session is a session of one, numbered -1 - doc.
        """
        sessions = self.sessions
        counts: dict[int, float] = {}
        for doc, (_, n) in own.items():
            group = sessions[doc] or -1 - doc
            counts[group] = counts.get(group, 0.0) + n
        return counts

    def _spread(self, own: Mapping[int, tuple[float, float]]) -> dict[int, float]:
        reached = {doc: score for doc, (score, _) in own.items()}
        if not self.line:
            return reached
        place, beside = self.place, self._beside
        for doc, (score, _) in own.items():
            if doc not in place:
                continue
            if doc not in beside:
                beside[doc] = self._neighbours(doc)
            for other, share in beside[doc]:
                if score * share > reached.get(other, 0.0):
                    reached[other] = score * share
        return reached

    def _neighbours(self, doc: int) -> list[tuple[int, float]]:
        """The documents beside one, each with the share of a match that it gets."""
        line, i = self.line[self.sessions[doc]], self.place[doc]
        asks = self._asks(doc)
        return [
            (line[i + step], asked if asks else stated)
            for step, stated, asked in self.steps
            if 0 <= i + step < len(line) and line[i + step] in self.docs
        ]

    def _reach(
        self, own: Mapping[int, tuple[float, float]], line: Sequence[int], i: int
    ) -> float:
        best = 0.0
        for step, stated, asked in self.steps:
            j = i - step
            if 0 <= j < len(line) and line[j] in own:
                share = asked if self._asks(line[j]) else stated
                best = max(best, own[line[j]][0] * share)
        return best
