"""Ranking is a pure function of what the documents hold, not of their numbers."""

import random
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.entries.text import tokens
from memcli.search.documents import ANSWERS_SHIFT, ASKS
from memcli.search.ranking.corpus import Question, Scope, Weights
from memcli.search.ranking.order import LEXICAL_SHARE, Adjust, Hit
from memcli.search.ranking.rank import Ranking, rank

NOW = 1_795_262_400
DAY = 86_400
VOCABULARY = ("deploy", "friday", "queue", "retry", "port", "ana", "heron")


class Doc(NamedTuple):
    """A document; its order is its name, and not its number."""

    order: int
    words: tuple[str, ...]
    session: int = 0
    seq: int = 0
    asks: bool = False
    moment: int = 0
    answers: int = 0


class Toy:
    """A corpus in memory, with the documents numbered as they are given."""

    def __init__(self, docs: list[Doc]) -> None:
        self.docs = docs
        self.size = len(docs)
        self.lengths = [len(doc.words) for doc in docs]
        self.total_length = sum(self.lengths)
        self.sessions = [doc.session for doc in docs]
        self.orders = [doc.order for doc in docs]
        self.flags = [doc.answers << ANSWERS_SHIFT | doc.asks * ASKS for doc in docs]
        self.times = [doc.moment for doc in docs]
        self.columns = self

    def postings(self, term: str) -> tuple[list[int], list[float]]:
        found = [i for i, doc in enumerate(self.docs) if term in doc.words]
        return found, [float(self.docs[i].words.count(term)) for i in found]

    def frequency(self, term: str) -> int:
        return len(self.postings(term)[0])

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return [*map(self.frequency, terms)]

    def fetch(self, _field: str, _values: object) -> None:
        pass

    def fetch_rows(self, _docs: object) -> None:
        pass

    def session_members(self, session: int) -> list[int]:
        members = [i for i, doc in enumerate(self.docs) if doc.session == session]
        return sorted(members, key=lambda i: (self.docs[i].seq, self.docs[i].order))

    def row(self, doc: int) -> Any:
        words = self.docs[doc].words
        terms = {word: float(words.count(word)) for word in sorted(set(words))}
        return SimpleNamespace(terms=terms)


def ranked(
    docs: list[Doc], question: str, limit: int = 10, **options: object
) -> Ranking:
    asked = Question([(word, word) for word in question.split()], NOW)
    named = {"": options.pop("named", ())}
    scope = Scope(options.pop("shown", None), options.pop("within", None))  # type: ignore[arg-type]
    return rank(
        asked._replace(named=named),  # type: ignore[arg-type]
        Toy(docs),  # type: ignore[arg-type]
        limit=limit,
        scope=scope,
        **options,  # type: ignore[arg-type]
    )


def filtered(some: Collection[int], docs: Iterable[int]) -> list[int]:
    return [doc for doc in docs if doc in some]


def orders(docs: list[Doc], question: str, **options: object) -> list[int]:
    return [docs[hit.doc].order for hit in ranked(docs, question, **options).hits]  # type: ignore[arg-type]


DOCS = st.lists(
    st.builds(
        Doc,
        order=st.just(0),
        words=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6).map(tuple),
        session=st.integers(0, 2),
        seq=st.integers(0, 3),
        asks=st.booleans(),
        moment=st.sampled_from([0, NOW - DAY, NOW - 900 * DAY, NOW + DAY]),
    ),
    min_size=1,
    max_size=14,
).map(lambda docs: [doc._replace(order=i + 1) for i, doc in enumerate(docs)])
_QUESTION = st.lists(st.sampled_from([*VOCABULARY, "nowhere"]), max_size=4).map(
    " ".join
)


@given(docs=DOCS, question=_QUESTION, chance=st.randoms(), limit=st.integers(1, 6))
def test_ranking_is_independent_of_the_numbering(
    docs: list[Doc], question: str, chance: random.Random, limit: int
) -> None:
    shuffled = list(docs)
    chance.shuffle(shuffled)
    first, second = (
        [
            (numbering[hit.doc].order, hit.score, hit.parts, hit.matched)
            for hit in ranked(numbering, question, limit).hits
        ]
        for numbering in (docs, shuffled)
    )
    assert first == second


@given(docs=DOCS, question=_QUESTION, limit=st.integers(1, 6))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(
    docs: list[Doc], question: str, limit: int
) -> None:
    short = ranked(docs, question, limit).hits
    best = ranked(docs, question, 99).hits[:limit]
    if sum(bool(hit.matched) for hit in best) >= int(LEXICAL_SHARE * len(best)):
        assert [hit.doc for hit in short] == [hit.doc for hit in best]
    else:  # what holds a word took the place of what does not
        assert {hit.doc for hit in best if hit.matched} < {hit.doc for hit in short}


@given(docs=DOCS, question=_QUESTION)
def test_scores_fall_and_coverage_is_a_share(docs: list[Doc], question: str) -> None:
    found = ranked(docs, question)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert 0.0 <= found.coverage <= 1.0 + 1e-9
    held = {word for doc in docs for word in doc.words}
    assert set(found.missing) == set(question.split()) - held
    assert bool(found.hits) == bool(set(question.split()) & held)


@settings(max_examples=25)
@given(docs=DOCS, question=_QUESTION)
def test_the_pieces_add_up_to_the_score(docs: list[Doc], question: str) -> None:
    for hit in ranked(docs, question).hits:
        parts = dict(hit.parts)
        factor = 1.0
        for name in ("entity", "question", "reply", "recency", "held_back"):
            factor *= parts.pop(name, 1.0)
        assert hit.score == pytest.approx(sum(parts.values()) * factor)


def unheld(hit: Hit) -> float:
    """The score before a row without a word of the question was held back."""
    return hit.score / hit.parts.get("held_back", 1.0)


def learned(docs: list[Doc]) -> Adjust:
    """A factor that means nothing and moves everything."""
    return lambda at, parts: 0.9 + docs[at].order * 7 % 5 / 20


@given(docs=DOCS, question=_QUESTION, limit=st.integers(1, 6))
def test_a_learned_factor_moves_what_it_may_and_the_beginning_stays_the_beginning(
    docs: list[Doc], question: str, limit: int
) -> None:
    plain = ranked(docs, question, 99).hits
    scores = {hit.doc: unheld(hit) for hit in plain}
    adjust = learned(docs)
    moved = ranked(docs, question, 99, adjust=adjust).hits
    assert {hit.doc for hit in moved} == set(scores)
    for hit in moved:
        factor = adjust(hit.doc, {})
        assert unheld(hit) == pytest.approx(scores[hit.doc] * factor)
        assert hit.parts.get("scorer", 1.0) == factor
    assert [hit.score for hit in moved] == sorted(
        (hit.score for hit in moved), reverse=True
    )
    assert ranked(docs, question, limit, adjust=adjust).hits == moved[:limit]


def doc(order: int, text: str, session: int = 0, seq: int = 0, moment: int = 0) -> Doc:
    return Doc(order, tuple(text.split()), session, seq, moment=moment)


def test_the_rarer_word_counts_more() -> None:
    docs = [doc(1, "port x"), doc(2, "heron x"), *(doc(i, "port y") for i in (3, 4, 5))]
    assert orders(docs, "port heron")[0] == 2


def test_a_reply_to_what_asks_for_a_rare_word_wins_among_equals() -> None:
    docs = [
        doc(1, "heron port", session=7, seq=1),
        doc(2, "heron", session=7, seq=2),
        doc(3, "heron port", session=8, seq=1)._replace(asks=True),
        doc(4, "heron", session=8, seq=2),
        *(doc(i, "heron") for i in range(5, 20)),
    ]
    parts = {docs[hit.doc].order: hit.parts for hit in ranked(docs, "port").hits}
    assert parts[4]["reply"] == 1 + Weights().reply
    assert [order for order in parts if "reply" in parts[order]] == [4]
    parts = {docs[hit.doc].order: hit.parts for hit in ranked(docs, "heron port").hits}
    assert [order for order in parts if "reply" in parts[order]] == [4]


def test_what_holds_the_kind_of_answer_wins_among_equals() -> None:
    docs = [doc(1, "heron"), doc(2, "heron")._replace(answers=tokens.TIME)]
    asked = Question([("heron", "heron")], NOW, answers=tokens.TIME)
    found = rank(asked, Toy(docs), limit=2).hits  # type: ignore[arg-type]
    assert [hit.doc for hit in found] == [1, 0]
    assert found[0].parts["answer"] == 1 + Weights().answers
    assert orders(docs, "heron") == [1, 2]


def test_what_holds_no_word_stands_below_what_holds_the_rarest_word() -> None:
    said = "message broker " * 4
    session = [doc(i, said, session=7, seq=i) for i in (2, 3, 5, 6)]
    between = doc(4, "filler", session=7, seq=4)
    others = [doc(i, "x") for i in range(10, 90)]
    docs = [*session, between, doc(1, "queue" + " x" * 9), *others]
    found = ranked(docs, "message broker queue", 20)
    order = [docs[hit.doc].order for hit in found.hits]
    assert order.index(4) > order.index(1)
    shares = [hit.parts.get("held_back", 1.0) for hit in found.hits]
    assert shares[order.index(4)] < 1.0


def test_a_hidden_neighbour_lifts_nobody() -> None:
    docs = [doc(1, "heron", session=7, seq=1), doc(2, "filler", session=7, seq=2)]
    assert orders(docs, "heron", shown=partial(filtered, {1})) == []


def test_named_entries_newer_ones_and_statements_win_among_equals() -> None:
    docs = [doc(1, "heron"), doc(2, "heron")]
    assert orders(docs, "heron", named={1}) == [2, 1]
    docs = [doc(1, "heron", moment=NOW - 700 * DAY), doc(2, "heron", moment=NOW)]
    assert orders(docs, "heron") == [2, 1]
    docs = [doc(1, "heron")._replace(asks=True), doc(2, "heron")]
    assert orders(docs, "heron") == [2, 1]


def test_an_empty_corpus_and_an_empty_question_have_no_hits() -> None:
    empty = ranked([], "heron")
    assert (empty.hits, empty.coverage, empty.missing) == ([], 0.0, ["heron"])
    nothing = ranked([doc(1, "heron")], "")
    assert (nothing.hits, nothing.coverage, nothing.missing) == ([], 0.0, [])


def test_a_very_long_question_is_cut_to_its_most_selective_terms() -> None:
    docs = [doc(i, f"port word{i}") for i in range(60)]
    question = "port " + " ".join(f"word{i}" for i in range(60))
    found = ranked(docs, question, 5)
    assert len(found.terms) == Weights().most_terms
    assert "port" not in [term.text for term in found.terms]


def test_words_found_nowhere_push_no_word_out_of_a_very_long_question() -> None:
    nowhere = [f"nowhere{i}" for i in range(60)]
    found = ranked([doc(1, "heron"), doc(2, "port")], " ".join([*nowhere, "heron"]))
    assert [hit.matched for hit in found.hits] == [("heron",)]
    assert found.missing == nowhere
