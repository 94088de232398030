"""What is tied to a hit is found by it, and never crowds out what the words found."""

import random
from collections.abc import Iterable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries.eligibility import HISTORY_STATUSES, View
from memcli.errors import InvalidValue
from memcli.recall.query import Filters, Query
from memcli.recall.recall import recall
from memcli.recall.results import Recalled
from memcli.search.ranking.corpus import Edge, Question, Scope, Weights
from memcli.search.ranking.graph import walk
from memcli.search.ranking.order import LEXICAL_SHARE
from memcli.search.ranking.rank import Ranking, rank
from tests.saving import save, write
from tests.search.ranking.test_ranking import DOCS, Doc, Toy, filtered
from tests.search.ranking.test_ranking import NOW as MOMENT

NOW = 1_795_000_000


class Web:
    """Ties between documents in memory, by their place in a list."""

    def __init__(self, *edges: Edge) -> None:
        self._edges = edges

    def __call__(self, docs: Iterable[int]) -> dict[int, list[Edge]]:
        """The edges that hold each of some documents."""
        return {doc: [e for e in self._edges if doc in e.docs] for doc in docs}


def toy(count: int, words: tuple[str, ...] = ("other",)) -> Toy:
    return Toy([Doc(i + 1, words) for i in range(count)])


def reached(
    seeds: dict[int, float], web: Web, corpus: Toy, **options: object
) -> dict[int, float]:
    weights = options.pop("weights", Weights(graph_brings=0.0))
    scope = Scope(edges=web, **options)  # type: ignore[arg-type]
    found = walk(seeds, corpus, scope, weights)  # type: ignore[arg-type]
    return {doc: one.score for doc, one in found.items()}


# --- the walk -----------------------------------------------------------------------


def test_a_wide_edge_counts_less_than_a_narrow_one() -> None:
    corpus = toy(200)
    narrow = Edge("entity", "narrow", [0, 1])
    wide = Edge("entity", "wide", [0, *range(2, 15)])
    found = reached({0: 10.0}, Web(narrow, wide), corpus)
    assert found[1] > found[2] > 0


def test_a_hub_leads_nowhere() -> None:
    corpus = toy(40)
    hub = Edge("entity", "team", list(range(12)))
    assert reached({0: 10.0}, Web(hub), corpus) == {}
    small = Edge("entity", "team", list(range(9)))
    assert set(reached({0: 10.0}, Web(small), corpus)) == set(range(1, 9))


def test_a_weak_way_lifts_a_hit_and_brings_nothing_new() -> None:
    corpus = toy(40)
    some = Edge("entity", "team", list(range(8)))
    hits = {0: 10.0, 1: 1.0}
    assert set(reached(hits, Web(some), corpus, weights=Weights())) == {1}
    few = Edge("entity", "team", [0, 1, 2])
    assert set(reached(hits, Web(few), corpus, weights=Weights())) == {1, 2}


def test_many_weak_ways_are_no_strong_one() -> None:
    corpus = toy(100)
    web = Web(*(Edge("link", "", [i, 50]) for i in range(8)))
    many = reached(dict.fromkeys(range(8), 1.0), web, corpus)[50]
    assert many == reached({0: 1.0}, web, corpus)[50]


@given(st.sets(st.integers(0, 9)), st.data())
def test_what_is_not_admitted_is_not_reached(
    allowed: set[int], data: st.DataObject
) -> None:
    pairs = st.tuples(st.integers(0, 9), st.integers(0, 9))
    ties = data.draw(st.lists(pairs, max_size=12))
    web = Web(*(Edge("link", "", sorted({a, b})) for a, b in ties))
    seeds = dict.fromkeys(sorted(allowed)[:3], 1.0)
    corpus, weights = toy(10), Weights(graph_brings=0.0)
    for options in ({"shown": partial(filtered, allowed)}, {"within": allowed}):
        found = reached(seeds, web, corpus, weights=weights, **options)
        assert set(found) <= allowed
    among = Web(*(Edge("link", "", [*{a, b}]) for a, b in ties if {a, b} <= allowed))
    # As if the others were not there; only how wide an edge is may tell.
    without = reached(seeds, among, corpus, weights=weights)
    assert set(found) == set(without)


_WORDS = ("deploy", "queue")
_TIES = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=24)


def _ranked(
    docs: list[Doc], ties: Iterable[tuple[int, int]], limit: int, **weights: object
) -> Ranking:
    """Rank for "deploy queue"; ties are between orders."""
    at = {doc.order: i for i, doc in enumerate(docs)}
    web = Web(
        *(
            Edge("link", "", sorted({at[a % len(docs) + 1], at[b % len(docs) + 1]}))
            for a, b in ties
        )
    )
    return rank(
        Question([(word, word) for word in _WORDS], MOMENT),
        Toy(docs),  # type: ignore[arg-type]
        limit=limit,
        scope=Scope(edges=web),
        weights=Weights(**weights),  # type: ignore[arg-type]
    )


@given(docs=DOCS, ties=_TIES, limit=st.integers(1, 10), depth=st.integers(0, 1))
def test_lexical_hits_keep_their_share_of_the_slots(
    docs: list[Doc], ties: list[tuple[int, int]], limit: int, depth: int
) -> None:
    hits = _ranked(docs, ties, limit, depth=depth).hits
    holding = sum(1 for doc in docs if set(doc.words) & set(_WORDS))
    matched = sum(1 for hit in hits if hit.matched)
    assert matched >= min(holding, int(LEXICAL_SHARE * len(hits)))
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.doc for hit in hits}) == len(hits)


@given(docs=DOCS, ties=_TIES, chance=st.randoms(), depth=st.integers(0, 1))
def test_the_graph_is_independent_of_the_numbering(
    docs: list[Doc], ties: list[tuple[int, int]], chance: random.Random, depth: int
) -> None:
    shuffled = list(docs)
    chance.shuffle(shuffled)
    first, second = (
        [
            (numbering[hit.doc].order, hit.score, hit.parts)
            for hit in _ranked(numbering, ties, 8, depth=depth).hits
        ]
        for numbering in (docs, shuffled)
    )
    assert first == second


# --- recall -------------------------------------------------------------------------


def register(vault: Vault, name: str, *aliases: str) -> None:
    text = f"---\ntitle: {name}\naliases: [{', '.join(aliases)}]\n---\n"
    write(vault, f"entities/tool/{name.lower()}.md", text)


def ask(
    vault: Vault, question: str, view_: View | None = None, *, depth: int = 1
) -> Recalled:
    return recall(vault, Query(question, view_ or View(NOW), explain=True, depth=depth))


@pytest.mark.parametrize(
    ("said", "begun"),
    [
        ("Card payments run through Kestrel", "Kestrel restarts at two"),
        ("Card payments run in what we call Falcon", "Falcon's log is full"),
        ("Card payments run in a script called `heron`.", "Stop heron at two"),
        ("Card payments were written by Noor Haddad", "Noor Haddad sits in Lisbon"),
        ("Card payments: see ./cmd/sum/", "Bob reviews ./cmd/sum/"),
    ],
)
def test_a_name_that_nobody_registered_leads_both_ways(
    vault: Vault, said: str, begun: str
) -> None:
    hit, tied = save(vault, said), save(vault, begun)
    save(vault, "Lunch is at noon")
    rows = ask(vault, "how do card payments work?").rows
    assert [row.id for row in rows] == [hit, tied]
    assert rows[1].channels == ["graph"]
    assert rows[1].entities == []
    assert [row.id for row in ask(vault, "card payments", depth=0).rows] == [hit]
    back = begun.partition(" ")[2]
    assert [row.id for row in ask(vault, back).rows] == [tied, hit]


def test_words_that_begin_sentences_or_are_mostly_written_small_lead_nowhere(
    vault: Vault,
) -> None:
    hit = save(vault, "Deploy card payments first")
    for other in ("Deploy on green", "We can deploy at noon", "a deploy of docs"):
        save(vault, other)
    assert [row.id for row in ask(vault, "card payments").rows] == [hit]
    button = save(vault, "For the theme press the Deploy button")
    assert [row.id for row in ask(vault, "theme").rows] == [button]


def test_what_is_tied_to_a_hit_is_found_and_no_more(vault: Vault) -> None:
    first = save(vault, "Checkout times out", entities=["ledger-db"])
    second = save(vault, "Vacuum at two", entities=["ledger-db", "cron-host"])
    save(vault, "Kernel upgrade on Sunday", entities=["cron-host"])
    rows = ask(vault, "checkout").rows
    assert [row.id for row in rows] == [first, second]
    assert rows[1].explain is not None
    assert rows[1].explain["path"] == [{"entry": first}, {"entity": "ledger-db"}]


def test_a_link_leads_both_ways(vault: Vault) -> None:
    plan = save(vault, "Roll back in steps", title="Rollback plan")
    note = save(vault, "The outage of May, see [[Rollback plan]]")
    assert [row.id for row in ask(vault, "outage").rows] == [note, plan]
    assert [row.id for row in ask(vault, "steps").rows] == [plan, note]


def test_evidence_and_what_rests_on_it_lead_to_each_other(vault: Vault) -> None:
    fact = save(vault, "Ana paired on every deploy in May")
    model = save(
        vault, "The team learns by pairing up", layer="observation", evidence=[fact]
    )
    assert [row.id for row in ask(vault, "deploy").rows] == [fact, model]
    assert [row.id for row in ask(vault, "learns").rows] == [model, fact]


def test_lineage_leads_on_in_the_history_alone(vault: Vault) -> None:
    old = save(vault, "The port is 8080")
    new = vault.evolve(old, text="It listens on 9090").id
    assert [row.id for row in ask(vault, "listens").rows] == [new]
    both = ask(vault, "listens", View(NOW, HISTORY_STATUSES)).rows
    assert [row.id for row in both] == [new, old]
    assert both[1].explain is not None
    assert both[1].explain["path"] == [{"entry": new}, {"over": "lineage"}]


def test_a_question_that_calls_an_entity_by_an_alias_finds_it(vault: Vault) -> None:
    register(vault, "PostgreSQL", "Pg")
    about = save(vault, "PostgreSQL keeps the ledger")
    save(vault, "Lunch is at noon")
    answer = ask(vault, "what does Pg keep?")
    assert [row.id for row in answer.rows] == [about]
    assert answer.missing_terms == []
    assert answer.coverage == 1.0
    row = answer.rows[0]
    assert {"graph", "lexical", "entity"} <= set(row.channels)
    assert row.explain is not None
    assert row.explain["path"] == [{"entity": "PostgreSQL"}]
    plain = ask(vault, "what does Pg keep?", depth=0)
    assert plain.missing_terms == ["pg"]
    assert "graph" not in plain.rows[0].channels


def test_a_depth_that_is_none_is_refused(vault: Vault) -> None:
    for depth in (-1, 2):
        with pytest.raises(InvalidValue) as error:
            ask(vault, "x", depth=depth)
        assert error.value.code == "invalid_depth"


def test_a_filter_by_entity_knows_its_other_names(vault: Vault) -> None:
    register(vault, "PostgreSQL", "Pg")
    about = save(vault, "PostgreSQL keeps the ledger")
    save(vault, "The ledger is old")
    for name in ("postgresql", "pg"):
        chosen = Filters(entities=(name,))
        rows = recall(vault, Query("ledger", View(NOW), filters=chosen)).rows
        assert [row.id for row in rows] == [about]
    nobody = Filters(entities=("PostgreSQ",))
    answer = recall(vault, Query("ledger", View(NOW), filters=nobody))
    assert answer.rows == []
    assert answer.warnings == [
        "no entry mentions the entity 'PostgreSQ'; did you mean 'PostgreSQL'?"
    ]


def test_what_says_the_alias_itself_stands_before_what_is_meant(vault: Vault) -> None:
    register(vault, "Redis", "kv")
    save(vault, "Redis needs a bigger host")
    save(vault, "Sessions are kept in Redis")
    said = save(vault, "kv moves to the new host soon, on Sunday at the latest")
    assert ask(vault, "kv").rows[0].id == said
