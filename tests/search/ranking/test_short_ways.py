"""What the ranking does not look at changes no answer, to the last bit."""

import random
from collections.abc import Mapping

import pytest

from memcli.search.ranking import rank
from memcli.search.ranking.bm25 import Neighbourhood
from memcli.search.ranking.corpus import (
    WHOLE,
    Question,
    Scope,
    Scored,
    Term,
    Weights,
)
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


def asked(seed: int, corpus: Toy) -> Question:
    chance = random.Random(f"question {seed}")
    words = chance.sample(WORDS, chance.randint(1, 6))
    docs = range(corpus.size)
    return Question(
        [(word, word) for word in words],
        NOW,
        named={"ana": chance.sample(docs, 9)} if seed % 3 == 0 else {},
        inside=(lambda doc: (doc % 5) / 4) if seed % 4 == 0 else None,
        elsewhere=(lambda doc: doc % 2 == 0) if seed % 5 == 0 else None,
    )


def every_match(
    scores: Mapping[int, float],
    question: Question,
    corpus: Toy,
    scope: Scope,
    weights: Weights,
) -> list[int]:
    inside = question.inside or (lambda doc: 0.0)
    found = {
        doc: score * (1 + weights.temporal * inside(doc))
        for doc, score in scores.items()
        if scope.holding([doc])
    }
    found_in_order = sorted(found, key=lambda doc: (-found[doc], corpus.orders[doc]))
    return found_in_order[: weights.pool]


@pytest.mark.parametrize("seed", range(24))
def test_a_ranking_is_the_one_that_looks_at_everything(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = toy(seed)
    question = asked(seed, corpus)
    scope = Scope(lambda docs: [d for d in docs if d % 7]) if seed % 2 else WHOLE
    weights = Weights(pool=12)
    limits = (1, 3, 10)

    def answers() -> list[rank.Ranking]:
        return [
            rank.rank(question, corpus, limit=limit, scope=scope, weights=weights)  # type: ignore[arg-type]
            for limit in limits
        ]

    short = answers()
    monkeypatch.setattr(rank, "_pool", every_match)
    assert short == answers()


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
