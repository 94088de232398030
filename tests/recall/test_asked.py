"""Words of `asked` find an entry when somebody asks, and are no evidence for a hook."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries.eligibility import View
from memcli.entries.entry import Entry
from memcli.entries.text.tokens import stemmer
from memcli.search.document import document
from memcli.search.ranking.corpus import ASKED
from memcli.sessions.briefing import prompt as briefing
from tests.conftest import NOW, VaultMaker
from tests.saving import save, texts

POOL = "PgBouncer keeps at most twenty connections to the ledger"
LOGINS = ("database refuses logins", "too many clients already")


def test_an_entry_is_found_by_words_that_its_text_lacks(vault: Vault) -> None:
    save(vault, "The staging cluster sleeps on Sundays")
    save(vault, POOL, asked=LOGINS)
    answer = vault.recall("why are logins refused?")
    assert [row.text for row in answer.rows] == [POOL]
    assert answer.missing_terms == []


def test_a_word_of_the_text_counts_more_than_one_of_asked(vault: Vault) -> None:
    save(vault, POOL, asked=LOGINS)
    save(vault, "The office door refuses old badges")
    assert texts(vault, "refuses")[0] == "The office door refuses old badges"


WORDS = st.lists(st.sampled_from(["ledger", "pool", "login", "client"]), max_size=5)


@given(WORDS, WORDS)
def test_only_words_that_the_entry_lacks_are_added_each_once(
    text: list[str], asked: list[str]
) -> None:
    plain = Entry("1m7xvn68xtqp489w", title="pool", tags=("ledger",))
    plain = plain.replace(body=" ".join(text))
    both = document(plain.replace(asked=(" ".join(asked), *asked)), stemmer())
    without = document(plain, stemmer())
    stems = {stemmer()(word) for word in asked}
    added = dict.fromkeys(stems - set(without.terms), ASKED)
    assert both.terms == {**without.terms, **added}
    assert both.numbers == without.numbers
    assert both.row.key_terms == without.row.key_terms


def test_phrases_beyond_the_limits_of_a_file_by_hand_are_not_searched(
    vault: Vault,
) -> None:
    many = Entry("1m7xvn68xtqp489w", body="text", asked=("one",) * 8 + ("ninth",))
    assert "ninth" not in document(many, stemmer()).terms
    long = many.replace(asked=("x " * 40 + "faraway",))
    assert stemmer()("faraway") not in document(long, stemmer()).terms


PROMPTS = (
    "the database refuses logins: too many clients already",
    "PgBouncer connections to the ledger and too many clients",
    "how many connections does PgBouncer keep to the ledger?",
)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_prompt_is_told_the_same_with_and_without_asked(
    make_vault: VaultMaker, prompt: str
) -> None:
    told = []
    for name, phrases in (("plain", ()), ("asked", LOGINS)):
        vault = make_vault(name)
        save(vault, POOL, asked=phrases)
        save(vault, "Clients of the gateway wait thirty seconds", asked=phrases)
        question = briefing.question(prompt)
        found = vault.read(
            lambda reader: briefing.fitting(vault, reader, question, View(NOW), ())  # noqa: B023
        )
        told.append([(item.text, item.evidence) for item in found])
    assert told[0] == told[1]
    assert bool(told[0]) == (prompt != PROMPTS[0])
