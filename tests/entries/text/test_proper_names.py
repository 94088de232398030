"""Possible names are found in prose, in time in line with its length."""

import time

import pytest

from memcli.entries.text.proper_names import proper_names


def names(text: str) -> list[str]:
    return [name.name for name in proper_names(text)]


def test_names_in_mid_sentence_and_in_a_row_are_found() -> None:
    assert names("- Then we asked Ada, and Grace Hopper said no") == [
        "Ada",
        "Grace Hopper",
    ]


def test_a_bullet_is_taken_off_the_start_of_a_line_alone() -> None:
    # The two words are no row of names: a dash stands between them.
    assert "Bob Carol" not in names("2 of us met Bob - Carol came late")
    assert "Carol" in names("2 of us met Bob - Carol came late")


@pytest.mark.parametrize("sign", [" ", "\t", "- ", " -", "> ", "1", "1. ", "A ", "`"])
def test_a_megabyte_of_one_sign_is_read_at_once(sign: str) -> None:
    started = time.process_time()
    proper_names(sign * (1_000_000 // len(sign)))
    assert time.process_time() - started < 5
