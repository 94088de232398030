"""What a word borrows ranks below what holds it, and is never said to be held."""

from memcli.search.ranking.corpus import NEAR, SAME, SPELLING, Question, Reading
from memcli.search.ranking.rank import Ranking, rank
from tests.search.ranking.test_ranking import NOW, Doc, Toy

LONGER = tuple(
    Doc(order, (f"filler{order}", f"more{order}"), session=0)
    for order in range(100, 140)
)


def asked(
    docs: list[Doc], question: str, limit: int = 10, **readings: Reading
) -> Ranking:
    words = [(word, word) for word in question.split()]
    others = {text: (reading,) for text, reading in readings.items()}
    return rank(Question(words, NOW, readings=others), Toy(docs), limit=limit)  # type: ignore[arg-type]


def near(term: str, share: float = 0.9) -> Reading:
    return Reading((term,), share, NEAR)


def test_a_near_word_is_found_below_the_word_itself():
    docs = [Doc(1, ("kafka", "topic")), Doc(2, ("queue", "topic")), *LONGER]
    hits = asked(docs, "queue", queue=near("kafka")).hits
    assert [docs[hit.doc].order for hit in hits] == [2, 1]
    assert hits[1].read == (("queue", near("kafka")),)
    assert hits[1].matched == ()


def test_several_near_words_do_not_pass_what_holds_the_rarest_word():
    docs = [
        Doc(1, ("kafka", "outage", "pager")),
        Doc(2, ("queue", *(f"word{i}" for i in range(60)))),
        *LONGER,
    ]
    found = asked(
        docs,
        "queue incident oncall",
        queue=near("kafka", 1.0),
        incident=near("outage", 1.0),
        oncall=near("pager", 1.0),
    )
    assert [docs[hit.doc].order for hit in found.hits] == [2, 1]
    assert found.missing == ["incident", "oncall"]


def test_coverage_counts_what_an_entry_holds_alone():
    docs = [Doc(1, ("kafka", "deploy")), *LONGER]
    with_, without = (
        asked(docs, "queue deploy", queue=near("kafka")),
        asked(docs, "queue deploy"),
    )
    assert with_.coverage == without.coverage
    spelled = Reading(("kafka",), 1.0, SPELLING)
    assert asked(docs, "kafak", kafak=spelled).coverage == 0.0
    assert asked(docs, "kafak", kafak=spelled).missing == ["kafak"]


def test_a_near_word_of_many_entries_stands_for_nothing():
    docs = [Doc(order, ("kafka", f"w{order}")) for order in range(10)]
    docs += LONGER
    assert asked(docs, "queue", queue=near("kafka")).hits == []
    same = Reading(("kafka",), 1.0, SAME)
    assert len(asked(docs, "queue", queue=same).hits) == 10


def test_a_name_of_several_words_takes_all_of_them():
    docs = [Doc(1, ("pull", "handle")), Doc(2, ("request", "pull")), *LONGER]
    same = Reading(("pull", "request"), 1.0, SAME)
    assert [docs[h.doc].order for h in asked(docs, "pr", pr=same).hits] == [2]


def test_what_holds_a_word_borrows_nothing_for_it():
    docs = [Doc(1, ("queue", "kafka")), Doc(2, ("queue", "x")), *LONGER]
    found = asked(docs, "queue", queue=near("kafka"))
    assert all(not hit.read for hit in found.hits)
    assert [hit.score for hit in found.hits] == [
        hit.score for hit in asked(docs, "queue").hits
    ]
