"""Words have the stems that Whoosh's stemmer gives them."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whoosh.lang.snowball.english import EnglishStemmer

from memcli.entries.text.english_stems import stem
from memcli.storage import package_data
from tests.benchmarks.words import ENGLISH, SOFTWARE

ENDINGS = """
    ization ational fulness ousness iveness tional biliti lessli entli ation alism aliti
    ousli iviti fulli enci anci abli izer ator alli bli ogi li alize icate iciti ative
    ical ness ful ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al
    er ic e l ll s ss us sses ies ied ed ing eed edly ingly eedly y ly ily ying
""".split()
BEGINNINGS = st.one_of(
    st.text("aeiouybcdlstrwxgn", max_size=6),
    st.sampled_from(["gener", "commun", "arsen", "proceed", "inning", "sky"]),
)
WORDS = st.tuples(
    BEGINNINGS, st.lists(st.sampled_from(ENDINGS), min_size=1, max_size=3).map("".join)
).map("".join)
THEIRS = EnglishStemmer().stem


@pytest.mark.slow
@settings(max_examples=1_000)
@given(WORDS)
def test_a_word_of_any_letters_has_the_stem_that_whoosh_gives_it(word: str) -> None:
    assert stem(word) == THEIRS(word)


def test_the_words_of_a_dictionary_have_the_stems_that_whoosh_gives_them() -> None:
    folder = Path(package_data.folder("words"))
    texts = [*ENGLISH, *SOFTWARE, folder.joinpath("ordinary.txt").read_text()]
    words = {word for text in texts for word in re.findall("[a-z]+", text.lower())}
    assert len(words) > 1_000
    assert [word for word in words if stem(word) != THEIRS(word)] == []


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("committed", "commit"),
        ("skies", "sky"),
        ("generously", "generous"),
        ("sayings", "say"),
        ("cosmos", "cosmos"),
        ("hoping", "hope"),
        ("hopping", "hop"),
        ("relational", "relat"),
        ("by", "by"),
        ("", ""),
    ],
)
def test_what_a_stem_is(word: str, wanted: str) -> None:
    assert stem(word) == wanted
