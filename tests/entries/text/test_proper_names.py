"""Possible names are found in prose, in time in line with its length."""

import time

import pytest

from memcli.entries.text import proper_names


def names(text: str) -> list[str]:
    found = proper_names.proper_names(text)
    return [name.name for name in found if not name.begins]


def test_names_in_mid_sentence_and_in_a_row_are_found() -> None:
    assert names("- Then we asked Ada, and Grace Hopper said no") == [
        "Ada",
        "Grace Hopper",
    ]


def test_a_text_that_calls_a_word_a_name_says_so() -> None:
    assert names("a script called `theme-sync` and one named heron.") == [
        "theme-sync",
        "heron",
    ]
    assert names("it is called twice, called automatically, called by the hook") == []


@pytest.mark.parametrize("sign", [" ", "\t", "- ", " -", "> ", "1", "1. ", "A ", "`"])
def test_a_megabyte_of_one_sign_is_read_at_once(sign: str) -> None:
    started = time.process_time()
    proper_names.proper_names(sign * (1_000_000 // len(sign)))
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we saw it. Later Ada came", ["Ada"]),
        ("we saw it.) Grace came", []),
        ("we saw \u2014 it\u2014 Grace came", []),
        ("we saw it, Grace came", ["Grace"]),
        ("we saw it's Grace", ["Grace"]),
        ("Ada well-known Grace", ["Grace"]),
    ],
)
def test_a_word_with_a_small_letter_ends_a_name_and_maybe_a_sentence(
    text: str, found: list[str]
) -> None:
    assert names(text) == found
