"""One function says how many things there are, so no message says "1 entries"."""

import pytest

from memcli.entries.text.counted import agreeing, counted


@pytest.mark.parametrize(
    ("number", "thing", "said"),
    [
        (0, "entry", "0 entries"),
        (1, "entry", "1 entry"),
        (1200, "entry", "1,200 entries"),
        (1, "day", "1 day"),
        (2, "day", "2 days"),
        (2, "search", "2 searches"),
        (2, "markdown file", "2 markdown files"),
        (2, "memory", "2 memories"),
        (1.5, "day", "1.5 days"),
    ],
)
def test_a_number_is_said_with_its_thing(number: float, thing: str, said: str) -> None:
    assert counted(number, thing) == said


@pytest.mark.parametrize(
    ("number", "word", "said"),
    [(1, "waits", "waits"), (2, "waits", "wait"), (0, "is", "are"), (1, "is", "is")],
)
def test_a_verb_goes_with_its_number(number: int, word: str, said: str) -> None:
    assert agreeing(number, word) == said
