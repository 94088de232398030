"""A word is read as another only where that is safe, and the answer says so."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.search.readings import one_edit


def save(vault: Vault, *texts: str) -> None:
    vault.save_all([vault.draft({"text": text}) for text in texts])


def edits(word: str, letters: str) -> set[str]:
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    return {
        word,
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + c + b[1:] for a, b in cuts if b for c in letters),
        *(a + c + b for a, b in cuts for c in letters),
    }


_LETTERS = st.text("abc", max_size=5)


@given(one=_LETTERS, other=_LETTERS)
def test_one_edit_is_what_an_edit_can_make(one: str, other: str):
    assert one_edit(one, other) == (other in edits(one, "abc"))


READINGS = [
    ("postgress", "postgres"),
    ("psotgres", "postgres"),
    ("opstgres", "postgres"),
    ("kuberntes", "kubernetes"),
    ("kube", None),  # four letters are no prefix; the developers' table knows it
    ("authenticat", "authentication"),
]


def test_a_word_found_nowhere_is_read_as_one_that_is(vault: Vault):
    save(vault, "the postgres pool", "kubernetes limits", "authentication by key")
    for asked, read in READINGS:
        answer = vault.recall(asked)
        assert answer.rows
        assert answer.missing_terms == [asked]
        assert answer.reading == ({asked: [read]} if read else {})
        assert answer.coverage == 0.0
        assert answer.as_dict()["reading"] == answer.reading


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("mongo is down", "mango"),  # an ordinary word is spelled as it was meant
        ("grpcio 1.62.1 works", "1.62.2"),  # a digit is never a slip
        ("error E4711", "E4712"),
        ("the cat", "bat"),  # three letters are too few
        ("postgres", "pstgrse"),  # two edits
    ],
)
def test_what_may_be_meant_is_not_respelled(vault: Vault, said: str, asked: str):
    save(vault, said)
    answer = vault.recall(asked)
    assert asked.lower() not in answer.reading
    assert answer.reading == {}


def test_a_word_that_an_entry_holds_is_never_respelled(vault: Vault):
    save(vault, "the postgress fork", "postgres itself")
    answer = vault.recall("postgress")
    assert [row.text for row in answer.rows] == ["the postgress fork"]
    assert answer.reading == {}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("kubernetes", "k8s quota"),
        ("PR", "open a pull request first"),
        ("pull request template", "the PR template"),
        ("CI", "run it in continuous integration"),
        ("buy", "Noor bought the domain"),
        ("child", "two children use one tablet"),
        ("who built it?", "they build in the morning"),
    ],
)
def test_developers_words_and_forms_of_a_word_meet_in_both_directions(
    vault: Vault, asked: str, found: str
):
    save(vault, found, "lunch is at noon")
    assert [row.text for row in vault.recall(asked).rows] == [found]


def test_exact_counts_the_words_as_typed(vault: Vault):
    save(vault, "the postgres pool", "k8s quota", "soccer on friday")
    for asked in ("postgress", "kubernetes", "sport"):
        assert vault.recall(asked).rows
        exact = vault.recall(asked, exact=True)
        assert exact.rows == []
        assert exact.reading == {}
        assert vault.reflect(asked, exact=True).facts == []


def test_explain_says_what_was_read_as_what(vault: Vault):
    save(vault, "soccer on friday")
    row = vault.recall("which sport?", explain=True).rows[0]
    assert row.explain is not None
    assert row.explain["matched"] == []
    (read,) = row.explain["read"]
    assert (read["word"], read["read_as"], read["kind"]) == ("sport", "soccer", "near")
    assert 0.55 <= read["share"] < 1


def test_reflect_names_the_reading_and_trusts_it_no_more(vault: Vault):
    save(vault, "the postgres pool", "postgres is at 15")
    found = vault.reflect("postgress")
    assert found.reading == {"postgress": ["postgres"]}
    assert found.missing_terms == ["postgress"]
    assert found.confidence == "low"


def test_a_pasted_log_is_answered_in_time(vault: Vault):
    save(vault, "the postgres pool")
    vault.recall("pool")
    log = " ".join(
        f"wrd{chr(97 + i % 26)}{'xyz'[i % 3] * (i % 7)}q" for i in range(5000)
    )
    start = time.process_time()
    answer = vault.recall(f"postgress {log}")
    assert time.process_time() - start < 2
    assert answer.reading == {"postgress": ["postgres"]}
