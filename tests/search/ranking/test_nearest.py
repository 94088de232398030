"""The nearest documents are those that the whole ranking by words gives."""

import random
from collections.abc import Callable, Collection, Mapping

import pytest

from memcli.search.ranking.corpus import Question, Scope
from memcli.search.ranking.nearest import nearest
from memcli.search.ranking.rank import rank
from memcli.search.ranking.weights import LEXICAL
from tests.search.ranking.test_ranking import Doc, Toy

WORDS = [f"word{number}" for number in range(60)]
WEIGHTS = [1 / (number + 1) for number in range(60)]


class Counting(Toy):
    """A corpus that counts how many lists were read whole."""

    whole = 0

    def postings(self, term: str) -> tuple[list[int], list[float]]:
        self.whole += 1
        return super().postings(term)

    def frequency(self, term: str) -> int:
        return sum(term in doc.words for doc in self.docs)

    def held(self, term: str, docs: Collection[int]) -> Mapping[int, float]:
        words = {doc: self.docs[doc].words for doc in docs}
        return {doc: float(w.count(term)) for doc, w in words.items() if term in w}


def corpus(rng: random.Random, size: int) -> Counting:
    orders = rng.sample(range(size), size)
    texts = [
        tuple(rng.choices(WORDS, WEIGHTS, k=rng.randint(1, 25))) for _ in range(size)
    ]
    # Some say the same, so that their order decides.
    texts[::7] = [texts[0]] * len(texts[::7])
    docs = zip(orders, texts, strict=True)
    return Counting([Doc(order, words, session=order % 3) for order, words in docs])


def by_all(
    terms: set[str], docs: Toy, limit: int, admit: Callable[[int], bool] | None,
    within: set[int] | None,
) -> list[int]:  # fmt: skip
    question = Question([(term, term) for term in sorted(terms)])
    weights = LEXICAL._replace(pool=limit)
    ranked = rank(
        question, docs, limit=limit, scope=Scope(admit, within), weights=weights
    )
    return [hit.doc for hit in ranked.hits]


@pytest.mark.parametrize("seed", range(30))
def test_the_nearest_are_those_of_the_whole_ranking(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.choice([1, 5, 40, 300])
    docs = corpus(rng, size)
    terms = {*rng.sample(WORDS, rng.randint(0, 40)), "nowhere"}
    terms |= set(docs.docs[0].words) if seed % 2 else set()
    share = rng.choice([0.02, 0.5, 1])
    shown = {doc for doc in range(size) if rng.random() < share}
    some = {doc for doc in range(size) if rng.random() < share}
    for limit in (1, 3, 10, 20):
        for admit in (None, shown.__contains__):
            for within in (None, some, set[int]()):
                found = nearest(terms, docs, limit=limit, scope=Scope(admit, within))
                assert found == by_all(terms, docs, limit, admit, within)


def test_lists_of_frequent_words_are_not_read_whole() -> None:
    docs = corpus(random.Random(1), 2000)
    terms = {*WORDS[:6], *WORDS[50:]}
    docs.whole = 0
    assert nearest(terms, docs, limit=3, scope=Scope())
    assert docs.whole < len(terms) - 3
