"""What recall promises: who is found, who is shown, and in which order."""

from typing import Any

import pytest

from memcli import Vault
from memcli.errors import InvalidValue
from memcli.recall.confidence import Covered, covered
from memcli.recall.query import from_words
from memcli.recall.recall import recall
from tests.saving import save

NOW = 1_795_000_000


def found(vault: Vault, question: str, **words: Any) -> list[str]:
    return [row.text for row in recall(vault, from_words(question, NOW, **words)).rows]


def test_question_without_content_says_so(vault: Vault) -> None:
    save(vault, "red apples")
    answer = vault.recall("what is it about?")
    assert answer.rows == []
    assert answer.warnings == ["the question holds no word to search for"]


def test_answer_follows_its_question_in_the_session(vault: Vault) -> None:
    turns = ["Which editor do you use?", "Helix, since last year.", "Nice weather."]
    for seq, text in enumerate(turns):
        save(vault, text, source={"session": "s1", "seq": seq})
    assert "Helix, since last year." in found(vault, "which editor?")[:2]


def test_date_words_are_searchable(vault: Vault) -> None:
    save(vault, "Went hiking", occurred_at="2023-05-08")
    save(vault, "Went swimming", occurred_at="2024-06-09")
    assert found(vault, "what happened in May 2023?")[0] == "Went hiking"


def test_what_was_told_soon_after_a_named_time_counts_half_as_within(
    vault: Vault,
) -> None:
    for day in ("2023-06-05", "2023-05-20", "2023-07-05", "2023-04-20"):
        save(vault, f"Hiking trip, told on {day}", occurred_at=day)
    rows = vault.recall("the hiking trip in May 2023", explain=True).rows
    counted = {row.occurred_at: (row.parts or {}).get("temporal") for row in rows}
    assert counted == {
        "2023-05-20": pytest.approx(1.6),
        "2023-06-05": pytest.approx(1.3),
        "2023-07-05": None,
        "2023-04-20": None,
    }


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("any", {"a", "b", "ab", "none"}),
        ("all", {"ab", "none"}),
        ("any_strict", {"a", "b", "ab"}),
        ("all_strict", {"ab"}),
        ("any_or_untagged", {"a", "b", "ab", "none"}),
    ],
)
def test_tags_match_as_the_table_says(
    vault: Vault, mode: str, expected: set[str]
) -> None:
    for name, tags in (("a", ["x"]), ("b", ["y"]), ("ab", ["x", "y"]), ("none", [])):
        save(vault, f"entry {name}", tags=tags)
    save(vault, "entry other", tags=["z"])
    texts = found(vault, "entry", tags=("x", "y"), tags_match=mode)
    assert {text.removeprefix("entry ") for text in texts} == expected


def test_unknown_tag_is_named_with_the_nearest(vault: Vault) -> None:
    save(vault, "red apples", tags=["deploy"])
    answer = vault.recall("apples", tags=["deplyo"])
    assert answer.warnings == ["no entry has the tag 'deplyo'; did you mean 'deploy'?"]


def test_time_filter_takes_coarse_dates_as_spans(vault: Vault) -> None:
    save(vault, "entry year", occurred_at="2023")
    save(vault, "entry month", occurred_at="2023-05")
    save(vault, "entry day", occurred_at="2023-05-08")
    may, june = "2023-05-01", "2023-06-01"
    late = found(vault, "entry", after="2023-05-20")
    assert set(late) == {"entry year", "entry month"}
    assert found(vault, "entry", before=may) == ["entry year"]
    assert len(found(vault, "entry", after=may, before=june)) == 3


def test_constraints_beyond_the_fifth_are_counted(vault: Vault) -> None:
    names = ("main", "release", "beta", "alpha", "stable", "next", "old")
    rules = [{"text": f"Never push {name}", "kind": "constraint"} for name in names]
    ids = [vault.save(vault.draft(rule)).id for rule in rules]
    vault.resolve(ids[0])
    answer = vault.recall("kubernetes")
    assert (len(answer.constraints), answer.more_constraints) == (5, 1)
    assert vault.reflect("kubernetes").more_constraints == 1
    assert vault.recall("beta").more_constraints == 0


def test_filters_are_checked(vault: Vault) -> None:
    wrong: Any = {"kinds": ["x"], "types": ["x"], "layers": ["x"], "budget": "x"}
    for name, value in wrong.items():
        with pytest.raises(InvalidValue, match="must be one of"):
            vault.recall("x", **{name: value})


def test_explain_names_the_pieces_of_the_score(vault: Vault) -> None:
    save(vault, "red apples", entities=["Orchard"])
    (row,) = vault.recall("apples of the orchard", explain=True).rows
    assert row.explain is not None
    assert row.explain["matched"] == ["apples", "orchard"]
    assert row.explain["entity"] == 1.25
    assert row.explain["lexical"] > 0
    assert "entity" in row.channels


# --- low coverage -------------------------------------------------------------------


def test_the_words_that_matched_and_those_that_did_not_are_named(vault: Vault) -> None:
    save(vault, "The price of a parcel is set by its weight")
    answer = vault.recall("price rounding of invoices")
    assert [row.text for row in answer.rows]
    low = answer.low_coverage
    assert low == Covered(["price"], ["rounding", "invoices"])
    assert low.told == "matched: price; nothing about: rounding, invoices"
    assert answer.as_dict()["low_coverage"] == low._asdict()


def test_a_row_that_holds_the_question_is_not_called_low(vault: Vault) -> None:
    """Its idf may be nothing: every entry of a small vault may hold the word."""
    for place in ("Lisbon", "Porto", "Faro"):
        save(vault, f"We deploy from {place}")
    answer = vault.recall("how do we deploy?")
    assert answer.low_coverage is None
    assert answer.as_dict()["low_coverage"] is None


def test_words_of_asked_and_other_spellings_count_as_matched(vault: Vault) -> None:
    save(vault, "PgBouncer keeps twenty connections", asked=["database logins"])
    assert vault.recall("database logins").low_coverage is None
    save(vault, "Postgres listens on 5433")
    assert vault.recall("postgress").low_coverage is None


def test_an_answer_without_a_question_or_a_row_has_no_coverage(vault: Vault) -> None:
    assert vault.recall("nothing here").low_coverage is None
    assert covered([], []).told == "every word matched"
