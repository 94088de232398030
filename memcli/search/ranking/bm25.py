"""BM25: the score of a word in each document that holds it, or borrows it; and how a
match spreads to the entries beside it in the same session.

Invariant: pure; sums run in the order of the terms, so that a score is the same to the
last bit each time. It is BM25 (Robertson & Zaragoza, "The Probabilistic Relevance
Framework", 2009) with constants for short texts and for long ones. A document that
holds another word instead borrows this one; one that holds the word itself, or means
it, borrows nothing for it, so no reading changes what a word's own documents count. A
match spreads to documents in scope only, in their order in the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from memcli.named_tuple import NamedTuple
from memcli.search.documents import ASKS, held_of
from memcli.search.ranking.corpus import (
    NEAR,
    Question,
    Reading,
    Term,
    Weights,
    average_length,
    by_length,
    inverse_frequency,
)
from memcli.search.store import WEIGHTED

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from memcli.search.ranking.corpus import Scope, Scored, Table
    from memcli.search.reader import Reader
    from memcli.search.store import Listed


COMMON = 0.05
"""A near word that more of the entries hold says too little to stand for another."""

_FEW = 5  # entries, at least, that a near word may stand in


class Loan(NamedTuple):
    """The documents that one term borrows.

    `counts` says by document how often it counts as holding the term, `read` by which
    reading; `frequency` is how many documents hold the commonest of these readings.
    """

    counts: dict[int, float]
    read: dict[int, Reading]
    frequency: int


Loans = Mapping[str, Loan]
"""Term -> what it borrows."""


def _standing(
    question: Question, corpus: Reader
) -> dict[str, list[tuple[Reading, int]]]:
    """By term the readings that may stand for it, and how many hold each at most."""
    asked = {text for text, _ in question.terms}
    most = max(_FEW, COMMON * corpus.size)
    found: dict[str, list[tuple[Reading, int]]] = {}
    for text, readings in question.readings.items():
        for reading in readings:
            if not asked.issuperset(reading.terms):
                n = min(map(corpus.frequency, reading.terms))
                if n and (reading.kind != NEAR or n <= most):
                    found.setdefault(text, []).append((reading, n))
    return found


def _loan(
    readings: Sequence[tuple[Reading, int]],
    own: Set[int],
    corpus: Reader,
    damped: float,
) -> Loan:
    """The borrowing of a term.

    Args:
        readings: those that stand for it.
        own: the documents that hold or mean it.
        corpus: the documents.
        damped: what a near word counts beside its similarity.
    """
    counts: dict[int, float] = {}
    read: dict[int, Reading] = {}
    for reading, _ in readings:
        share = reading.share * (damped if reading.kind == NEAR else 1.0)
        found = {doc: n * share for doc, n in _together(reading.terms, corpus)}
        # By sets, since the lists of a large vault are long and share little.
        for doc in [*(found.keys() & own)]:
            del found[doc]
        for doc in [*(found.keys() & counts.keys())]:
            if found[doc] <= counts[doc]:
                del found[doc]
        counts.update(found)
        read.update(dict.fromkeys(found, reading))
    return Loan(counts, read, max(n for _, n in readings))


def _weighed(terms: list[Term], borrowed: Loans, size: int) -> list[Term]:
    """The terms that a document holds or borrows, most selective first.

    A term that no document holds weighs what its commonest reading does.
    """
    known = []
    for term in terms:
        if not term.frequency and term.text in borrowed:
            n = borrowed[term.text].frequency
            term = term._replace(frequency=n, idf=inverse_frequency(n, size))
        if term.frequency:
            known.append(term)
    return sorted(known, key=lambda term: (term.frequency, term.text))


def _together(terms: tuple[str, ...], corpus: Reader) -> Iterable[tuple[int, float]]:
    """The documents that hold all of these terms, and how often the rarest."""
    if len(terms) == 1:
        return zip(*corpus.postings(terms[0]), strict=True)
    first, *rest = (dict(zip(*corpus.postings(term), strict=True)) for term in terms)
    for counts in rest:
        first = {doc: min(n, counts[doc]) for doc, n in first.items() if doc in counts}
    return first.items()


class Matches(NamedTuple):
    """The documents that hold the words of a question, or count as if they did.

    `known` are the terms that a document holds or borrows; `postings` has by term the
    documents that hold it, with how often each does, and then others with what they
    count: those that mean it, and those that borrow it.
    """

    known: list[Term]
    borrowed: Loans
    postings: Mapping[str, tuple[Listed, list[Mapping[int, float]]]]


def matches_of(
    terms: list[Term], question: Question, corpus: Reader, weights: Weights
) -> Matches:
    """The matches of a question; its `implied` do not hold the term."""
    standing = _standing(question, corpus)
    read = [
        t for each in standing.values() for reading, _ in each for t in reading.terms
    ]
    corpus.fetch(WEIGHTED, [*(term.text for term in terms if term.frequency), *read])
    damped = by_length(weights.near, average_length(corpus), weights.half_length)
    implied, borrowed = question.implied, {}
    for text, readings in standing.items():
        own = {*corpus.postings(text)[0], *implied.get(text, ())}
        borrowed[text] = _loan(readings, own, corpus, damped)
    known = _weighed(terms, borrowed, corpus.size)
    postings = {}
    for text in (term.text for term in known):
        more: list[Mapping[int, float]] = []
        if meaning := implied.get(text):
            more.append(dict.fromkeys(sorted(meaning), weights.implied))
        if text in borrowed:
            more.append(borrowed[text].counts)
        postings[text] = (corpus.postings(text), more)
    return Matches(known, borrowed, postings)


# So many documents are looked up one by one in the lists of a question's words.
_MOST_FOUND = 1_000


class BM25:
    """BM25 for one term in one document."""

    def __init__(self, corpus: Reader, weights: Weights) -> None:
        average, half = average_length(corpus), weights.half_length
        k1, b = (by_length(each, average, half) for each in (weights.k1, weights.b))
        self._gain, self._base, self._slope = k1 + 1, k1 * (1 - b), k1 * b / average
        self._lengths, self._count = corpus.columns.lengths, weights.pool

    def lexical(
        self,
        matches: Matches,
        within: Collection[int] | None,
        best: Callable[[Mapping[int, float]], Sequence[int]] | None,
    ) -> dict[int, float]:
        """Scores of every document that holds a term; the hot loop of a recall.

        Args:
            matches: the terms, most selective first.
            within: only these documents are scored; None means all.
            best: gives the pool of some scores; then documents that cannot come into
                the last pool are left out, since the commonest terms weigh too little
                (the idea of MaxScore: Turtle & Flood, "Query Evaluation", 1995).
        """
        scores: dict[int, float] = {}
        get = scores.get
        if within is not None and len(within) <= _MOST_FOUND:
            return self._added(scores, matches, within)
        base, slope, lengths = self._base, self._slope, self._lengths
        rest, least = sum(term.idf for term in matches.known) * self._gain, 0.0
        for term in matches.known:
            if best and len(scores) > _MOST_FOUND and rest < max(scores.values()) / 2:
                least = least or self._least(best(scores), scores, rest)
            if least:
                scores = {doc: n for doc, n in scores.items() if n >= least - rest}
                self._added(scores, matches._replace(known=[term]), scores)
            gain = term.idf * self._gain
            rest -= gain
            listed, more = matches.postings[term.text]
            lists = (zip(*listed, strict=True), *(each.items() for each in more))
            for pairs in () if least else lists:
                for doc, n in pairs:
                    weight = gain * n / (n + base + slope * lengths[doc])
                    scores[doc] = get(doc, 0.0) + weight
        if within is None:
            return scores
        return {doc: score for doc, score in scores.items() if doc in within}

    def _least(
        self, pool: Sequence[int], scores: Mapping[int, float], rest: float
    ) -> float:
        """The lowest score of a full pool, when no document without a score reaches it
        with the terms that are left, which add at most `rest`; else 0."""
        # Sums of other orders differ in their last digits.
        least = scores[pool[-1]] * (1 - 1e-9) if len(pool) == self._count else 0.0
        return least if rest < least else 0.0

    def _added(
        self, scores: dict[int, float], matches: Matches, docs: Collection[int]
    ) -> dict[int, float]:
        """Scores, with what these documents get for the words that they hold."""
        for held in self.table(matches, docs).values():
            for doc, (score, _) in held.items():
                scores[doc] = scores.get(doc, 0.0) + score
        return scores

    def table(self, matches: Matches, docs: Collection[int]) -> Table:
        """The scores of these documents by term, for the closer look."""
        table = {}
        for term in matches.known:
            listed, more = matches.postings[term.text]
            held = held_of(listed, docs)
            for each in more:
                held.update((doc, n) for doc, n in each.items() if doc in docs)
            table[term.text] = self.scored(term, held)
        return table

    def scored(self, term: Term, held: Mapping[int, float]) -> Scored:
        """The scores of a term in the documents that hold it so often."""
        base, slope, gain = self._base, self._slope, term.idf * self._gain
        lengths = self._lengths
        return {
            doc: (gain * n / (n + base + slope * lengths[doc]), n)
            for doc, n in held.items()
        }


# --- beside a match ---------------------------------------------------------------

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
        self, corpus: Reader, pool: Sequence[int], scope: Scope, weights: Weights
    ) -> None:
        self._weights, self._flags = weights, corpus.columns.flags
        # Where the words alone count, the column is not read: each stands alone.
        of = corpus.columns.sessions if weights.after else bytes(corpus.sums.end)
        read = [*filter(None, dict.fromkeys(of[doc] for doc in pool))]
        read = read[: weights.most_sessions]
        corpus.fetch("session", [f"{session:016x}" for session in read])
        # Document -> the entries of its session that take part, and its place there.
        self._place: dict[int, tuple[Sequence[int], int]] = {}
        for session in read:
            line = scope.holding(corpus.session_members(session))
            self._place.update((doc, (line, at)) for at, doc in enumerate(line))
        beside = {other for doc in pool for other, _ in self._around(doc)}
        self.docs = beside.union(pool)
        # Document -> where a match in it counts, too, and its share there.
        self._beside = {doc: self._around(doc) for doc in self.docs}
        # Document -> its session's number; one of no session is a session of one.
        self._group = {doc: of[doc] or -1 - doc for doc in self.docs}
        # Term -> document -> what a match there or beside it counts.
        self._reached: dict[str, dict[int, float]] = {}
        # Term -> session -> what the term lifts the session by.
        self._lifts: dict[str, dict[int, float]] = {}

    def _around(self, doc: int) -> list[tuple[int, float]]:
        """The entries beside one in its session, with the share of a match there; more
        of it counts in what follows a question."""
        weights, (line, at) = self._weights, self._place.get(doc, ((), 0))
        more = weights.after_question if self._flags[doc] & ASKS else 1.0
        before = line[max(0, at - len(weights.before)) : at][::-1]
        after = line[at + 1 : at + 1 + len(weights.after)]
        shares = [share * more for share in weights.after[: len(after)]]
        shares += weights.before[: len(before)]
        return [*zip([*after, *before], shares, strict=True)]

    def combine(
        self, terms: Sequence[Term], table: Mapping[str, Scored]
    ) -> dict[int, float]:
        """The score of every document from all terms: own, beside, session."""
        totals: dict[int, float] = {}
        lifts: dict[int, float] = {}
        for term in terms:
            reached, lifted = self._spread(term, table[term.text])
            self._reached[term.text], self._lifts[term.text] = reached, lifted
            for doc, score in reached.items():
                totals[doc] = totals.get(doc, 0.0) + score
            for session, lift in lifted.items():
                lifts[session] = lifts.get(session, 0.0) + lift
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
        for term in terms:
            text = term.text
            here = self._reached[text].get(doc, 0.0)
            if doc in table[text]:
                mine = table[text][doc][0]
                parts["graph" if doc in implied.get(text, ()) else "lexical"] += mine
                here -= mine
            parts["neighbours"] += here
            parts["session"] += self._lifts[text].get(group, 0.0)
        reached = lift = 0.0
        for term in extra:
            reached += self._reached[term.text].get(doc, 0.0)
            lift += self._lifts[term.text].get(group, 0.0)
        if reached:  # a session is lifted only where a term was found or near
            parts["feedback"] = reached + lift
        return parts

    def reply(self, doc: int) -> int | None:
        """The entry after one that asks, if a closer look is taken at it."""
        line, at = self._place.get(doc, ((), 0))
        asks = self._flags[doc] & ASKS and at + 1 < len(line)
        return line[at + 1] if asks else None

    def _spread(
        self, term: Term, own: Scored
    ) -> tuple[dict[int, float], dict[int, float]]:
        """The score of a term in each document that holds it, or stands beside one.

        And what it lifts each session by, by how often it stands in there. Both in one
        loop, the hottest of the closer look: two took a third more time.
        """
        group, around = self._group, self._beside
        reached: dict[int, float] = {}
        counts: dict[int, float] = {}
        best, count = reached.get, counts.get
        for doc, (score, n) in own.items():
            session = group[doc]
            counts[session] = count(session, 0.0) + n
            if score >= best(doc, 0.0):
                reached[doc] = score
            # Some are not in the pool.
            for other, share in around[doc]:
                if (beside := score * share) > best(other, 0.0):
                    reached[other] = beside
        most, half = self._weights.session * term.idf, self._weights.session_k
        lifted = {name: most * n / (n + half) for name, n in counts.items()}
        return reached, lifted if most else {}
