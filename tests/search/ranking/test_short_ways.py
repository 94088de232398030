"""A match spreads to what stands beside it, to the last bit as the weights say."""

import random
from typing import Any

import pytest

from memcli.search.ranking import bm25
from memcli.search.ranking.bm25 import BM25, Neighbourhood
from memcli.search.ranking.corpus import WHOLE, Question, Scope, Scored, Term, Weights
from memcli.search.ranking.rank import rank
from tests.search.ranking.test_ranking import DAY, NOW, Doc, Toy

WORDS = [f"word{number}" for number in range(40)]
ODDS = [1 / (place + 1) for place in range(40)]


def toy(seed: int, size: int = 150) -> Toy:
    """Documents of frequent and rare words, some of them in sessions."""
    chance = random.Random(seed)
    return Toy(
        [
            Doc(
                order=chance.getrandbits(40),
                words=tuple(chance.choices(WORDS, ODDS, k=chance.randint(1, 25))),
                session=chance.randint(0, 12),
                seq=number,
                asks=chance.random() < 0.2,
                moment=chance.choice([0, NOW - DAY, NOW - 200 * DAY]),
            )
            for number in range(size)
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_match_spreads_as_the_weights_say(seed: int) -> None:
    corpus, chance = toy(seed, 60), random.Random(seed)
    weights = Weights(most_sessions=5)
    chosen = chance.sample(range(corpus.size), 15)
    around = Neighbourhood(corpus, chosen, WHOLE, weights)  # type: ignore[arg-type]
    terms = [Term(word, word, 1, chance.random()) for word in WORDS[:4]]
    table: dict[str, Scored] = {
        term.text: {
            doc: (chance.random(), float(chance.randint(1, 3)))
            for doc in sorted(around.docs)
            if chance.random() < 0.4
        }
        for term in terms
    }
    read = list(dict.fromkeys(filter(None, (corpus.sessions[d] for d in chosen))))[:5]

    def spread(own: Scored, doc: int) -> float:
        counts = [own[doc][0]] if doc in own else []
        session = corpus.sessions[doc]
        line = corpus.session_members(session) if session in read else []
        for other in line:
            step = line.index(doc) - line.index(other)
            if other not in own or step == 0 or abs(step) > 2:
                continue
            share = (weights.after if step > 0 else weights.before)[abs(step) - 1]
            if step > 0 and corpus.docs[other].asks:
                share *= weights.after_question
            counts.append(own[other][0] * share)
        return max(counts, default=0.0)

    def lift(term: Term, doc: int) -> float:
        group = corpus.sessions[doc]
        n = 0.0
        for other, (_, count) in table[term.text].items():
            if other == doc or (group and corpus.sessions[other] == group):
                n += count
        return weights.session * term.idf * n / (n + weights.session_k)

    expected = {}
    for doc in around.docs:
        total = lifted = 0.0
        for term in terms:
            total += spread(table[term.text], doc)
            lifted += lift(term, doc)
        if total:
            expected[doc] = total + lifted
    assert around.combine(terms, table) == expected
    for doc, total in expected.items():
        parts = around.parts(doc, terms, [], table, {})
        assert sum(parts.values()) == pytest.approx(total)
        own = sum(table[t.text].get(doc, (0.0, 0.0))[0] for t in terms)
        assert parts["lexical"] == pytest.approx(own)


@pytest.mark.parametrize(
    ("rare", "shown", "best"),
    [(1, range(300), [0, 5, 6, 7, 8]), (5, [0, 1, 7, 8], [0, 1, 7, 8])],
)
def test_no_document_is_left_out_too_early(
    rare: int, shown: range, best: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    once = ("rare", *(f"other{n}" for n in range(800)))
    docs = [("rare",) * 3] * rare + [once] * (5 - rare) + [("common", "x")] * 60
    docs = [Doc(n, w) for n, w in enumerate([*docs, *([("y", "z")] * 235)])]  # type: ignore[misc]
    monkeypatch.setattr(bm25, "_MOST_FOUND", 0)
    asked = Question([("rare", "rare"), ("common", "common")], NOW)
    scope = Scope(lambda docs: [doc for doc in docs if doc in shown])
    found = rank(asked, Toy(docs), limit=5, scope=scope, weights=Weights(pool=5))  # type: ignore[arg-type]
    assert sorted(hit.doc for hit in found.hits) == best


@pytest.mark.parametrize("seed", range(8))
def test_documents_are_left_out_that_cannot_come_into_the_pool(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (WORDS[0], WORDS[1], WORDS[20 + seed], WORDS[28 + seed])
    corpus, asked = toy(seed), Question([(word, word) for word in words], NOW)
    scope = Scope(lambda docs: [doc for doc in docs if doc % 3])
    found, left, least = [], [], BM25._least

    def noted(*given: Any) -> Any:
        left.append(least(*given))
        return left[-1]

    monkeypatch.setattr(BM25, "_least", noted)
    for most in (10**6, 0):
        monkeypatch.setattr(bm25, "_MOST_FOUND", most)
        weights = Weights(pool=5)
        found.append(rank(asked, corpus, limit=9, scope=scope, weights=weights).hits)  # type: ignore[arg-type]
    assert found[0] == found[1]
    assert any(left)
