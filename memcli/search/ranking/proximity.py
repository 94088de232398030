"""How a match spreads to the entries beside it in the same session.

Invariant: only documents in scope take part, in their order in the session; sums run
in the order of the terms, so that they come out the same each time.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memcli.search.ranking.corpus import Scope, Scored, Term, Weights
    from memcli.search.reader import Reader

CHANNELS = ("lexical", "neighbours", "session", "feedback", "graph")
"""The parts whose sum is a score."""

_NONE = -1  # no document has this number


class Neighbourhood:
    """The pool, the entries beside it, and how matches spread within a session.

    Args:
        corpus: the documents.
        pool: the best lexical matches, best first.
        scope: which of the entries beside them take part.
        weights: how far and how much a match spreads.
    """

    def __init__(
        self, corpus: Reader, pool: Sequence[int], scope: Scope, weights: Weights
    ) -> None:
        self._weights = weights
        sessions = corpus.columns.sessions
        reach = max(len(weights.after), len(weights.before))
        docs = set(pool)
        # The entries of all sessions in a row, with room between them, so that no step
        # leads from one session into another; document -> its place there.
        self._line: list[int] = []
        self._place: dict[int, int] = {}
        room = [_NONE] * reach
        read: set[int] = set()
        if reach:
            found = dict.fromkeys(sessions[doc] for doc in pool)
            corpus.fetch_sessions([*filter(None, found)][: weights.most_sessions])
        for doc in pool:
            session = sessions[doc]
            if not (session and reach):
                continue
            if session not in read:
                if len(read) >= weights.most_sessions:
                    continue
                read.add(session)
                members = scope.holding(corpus.session_members(session))
                self._line += room
                start = len(self._line)
                self._line += members
                numbers = range(start, start + len(members))
                self._place.update(zip(members, numbers, strict=True))
            place = self._place[doc]
            ahead = place + 1 + len(weights.after)
            docs.update(self._line[place - len(weights.before) : ahead])
        self._line += room
        docs.discard(_NONE)
        self.docs = docs
        self._asking = corpus.asking(docs)
        # Where a match counts: distance from it in the line, and its share there, when
        # its entry states something and when it asks.
        more = weights.after_question
        before = [(-i, share) for i, share in enumerate(weights.before, 1)]
        after = [*enumerate(weights.after, 1)]
        self._stated = after + before
        self._asked = [(i, share * more) for i, share in after] + before
        # Document -> its session's number; one of no session is a session of one.
        self._group = {doc: sessions[doc] or -1 - doc for doc in docs}
        # Term -> document -> what a match there or beside it counts.
        self._reached: dict[str, dict[int, float]] = {}
        # Term -> session -> what the term lifts the session by.
        self._lifts: dict[str, dict[int, float]] = {}

    def combine(
        self, terms: Sequence[Term], table: Mapping[str, Scored]
    ) -> dict[int, float]:
        """The score of every document from all terms: own, beside, session."""
        totals: dict[int, float] = {}
        lifts: dict[int, float] = {}
        for term in terms:
            reached, lifted = self._spread(term, table[term.text])
            self._reached[term.text], self._lifts[term.text] = reached, lifted
            totals, lifts = _sums(totals, reached), _sums(lifts, lifted)
        group, get = self._group, lifts.get
        return {
            doc: score + get(group[doc], 0.0)
            for doc, score in totals.items()
            if doc in group
        }

    def parts(
        self,
        doc: int,
        terms: Sequence[Term],
        extra: Sequence[Term],
        table: Mapping[str, Scored],
        implied: Mapping[str, Collection[int]],
    ) -> dict[str, float]:
        """The pieces of one document's score, by channel."""
        parts = dict.fromkeys(CHANNELS, 0.0)
        if doc not in self.docs:
            return parts
        group = self._group[doc]
        neighbours = session = 0.0
        for term in terms:
            text = term.text
            here = self._reached[text].get(doc, 0.0)
            own = table[text].get(doc)
            if own is not None:
                mine = own[0]
                meant = text in implied and doc in implied[text]
                parts["graph" if meant else "lexical"] += mine
                here -= mine
            neighbours += here
            session += self._lifts[text].get(group, 0.0)
        parts["neighbours"], parts["session"] = neighbours, session
        reached = lift = 0.0
        for term in extra:
            reached += self._reached[term.text].get(doc, 0.0)
            lift += self._lifts[term.text].get(group, 0.0)
        if reached:  # a session is lifted only where a term was found or near
            parts["feedback"] = reached + lift
        return parts

    def reply(self, doc: int) -> int | None:
        """The entry after one that asks, if a closer look is taken at it."""
        if doc not in self._asking or doc not in self._place:
            return None
        after = self._line[self._place[doc] + 1]
        return None if after == _NONE else after

    def _spread(
        self, term: Term, own: Scored
    ) -> tuple[dict[int, float], dict[int, float]]:
        """The score of a term in each document that holds it, or stands beside one.

        And what it lifts each session by, by how often it stands in there. Both in one
        loop, the hottest of the closer look: two took a third more time.
        """
        line, place_of, group = self._line, self._place.get, self._group
        asking, asked, stated = self._asking, self._asked, self._stated
        reached: dict[int, float] = {}
        counts: dict[int, float] = {}
        best, count = reached.get, counts.get
        for doc, (score, n) in own.items():
            session = group[doc]
            counts[session] = count(session, 0.0) + n
            if score >= best(doc, 0.0):
                reached[doc] = score
            place = place_of(doc)
            if place is None:
                continue
            # Some lead to `_NONE`, or beside an entry that is not in the pool.
            for step, share in asked if doc in asking else stated:
                other, beside = line[place + step], score * share
                if beside > best(other, 0.0):
                    reached[other] = beside
        most, half = self._weights.session * term.idf, self._weights.session_k
        lifted = {name: most * n / (n + half) for name, n in counts.items()}
        return reached, lifted if most else {}


def _sums(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    """Both added up; a new dictionary."""
    few, many = (one, other) if len(one) < len(other) else (other, one)
    sums = {**many}
    get = sums.get
    for name, score in few.items():
        sums[name] = get(name, 0.0) + score
    return sums
