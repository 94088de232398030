"""A recall whose rows hold little of the question says so in words."""

from memcli import Vault
from memcli.recall.confidence import Covered, covered
from tests.saving import save


def test_the_words_that_matched_and_those_that_did_not_are_named(
    vault: Vault,
) -> None:
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
