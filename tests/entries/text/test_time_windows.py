"""A question's time is read when it is said, and only then; it ranks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries.dates import iso, span, to_epoch
from memcli.entries.text import time_windows
from memcli.recall import question as asking
from memcli.recall.query import from_words
from memcli.recall.recall import recall
from tests.saving import save

NOW = to_epoch("2026-11-21T10:20:30Z")  # a Saturday

SAID = [
    ("what did we do yesterday?", "2026-11-20", "2026-11-21"),
    ("the day before yesterday", "2026-11-19", "2026-11-20"),
    ("what did we decide last week?", "2026-11-09", "2026-11-16"),
    ("and this week?", "2026-11-16", "2026-11-23"),
    ("what broke over the past week", "2026-11-14", "2026-11-22"),
    ("what was new last year?", "2025-01-01", "2026-01-01"),
    ("whom did I meet last Monday?", "2026-11-16", "2026-11-17"),
    ("whom did I meet last Saturday?", "2026-11-14", "2026-11-15"),
    ("3 days ago", "2026-11-18", "2026-11-19"),
    ("two months ago", "2026-09-01", "2026-10-01"),
    ("the last 3 days", "2026-11-18", "2026-11-22"),
    ("over the past two weeks", "2026-11-07", "2026-11-22"),
    ("what did we decide in June 2025?", "2025-06-01", "2025-07-01"),
    ("the plan of Sept. 2025", "2025-09-01", "2025-10-01"),
    ("on the 5th of June, 2025", "2025-06-05", "2025-06-06"),
    ("on June 5th, 2025, at noon", "2025-06-05", "2025-06-06"),
    ("what about 2025-06-05?", "2025-06-05", "2025-06-06"),
    ("what was done in 2025-06?", "2025-06-01", "2025-07-01"),
    ("what did we build in 2024?", "2024-01-01", "2025-01-01"),
    ("results of Q2 2025", "2025-04-01", "2025-07-01"),
    ("what was decided since June 2025", "2025-06-01", None),
    ("after 2024, what did we use", "2025-01-01", None),
    ("until last week", None, "2026-11-09"),
    ("the week before 9 June 2023", "2023-06-02", "2023-06-09"),
    ("the day after 9 June 2023", "2023-06-10", "2023-06-11"),
    ("between June 2025 and August 2025", "2025-06-01", "2025-09-01"),
    ("between June and August 2025", "2025-06-01", "2025-09-01"),
    ("from last week to this week", "2026-11-09", "2026-11-23"),
    ("what was done in June 2025, in June 2025?", "2025-06-01", "2025-07-01"),
]

# The first ones are bugs that others shipped: a question whose "we" was a Wednesday,
# a port that was a year, a number that no calendar holds.
WEAK = [
    "why do we deploy on fridays", "we", "which service listens on port 9077?",
    "what runs in 9077?", "what lived here 100000 years ago?",
    "what lived here 1000000 years ago?", "what was in the last 100000 years?",
    "is it faster in 2000 lines?", "does it fail before 2000 ms?",
    "what happens after 2048 requests", "what was said in 1850?",
    "what happens in 2060?", "the 2024 edition", "Python 3.11 or 3.12?", "in 2025.1",
    "CVE-2024-12345", "logs/2025-06-05.log", "report-2025-06-05",
    "https://example.org/2025/06/05", "2025-06-05T10", "#2025", "may I?",
    "may we march on?", "the second of the sun", "what happened in June?",
    "what happened on 5 June?", "what do we do on Monday?", "the last day",
    "the last week of the sprint", "this month of May", "at last", "some time ago",
    "recently", "31 February 2025", "2025-13-01", "0 June 2025",
    'what does "last week" mean?', "what does `last week` mean?", "the Mars 2020 rover",
    "was it last week or in June 2024?", "before the migration", "until now",
    "since when", "", "in August and June 2025",
]  # fmt: skip


def found(question: str) -> time_windows.Window | None:
    return time_windows.find(question, NOW)


@pytest.mark.parametrize(("question", "after", "before"), SAID)
def test_a_time_that_is_said_is_a_window(
    question: str, after: str | None, before: str | None
) -> None:
    window = found(question)
    assert window is not None
    assert asking.may_name_a_time(question)
    bounds = (window.after, window.before)
    assert bounds == (after and to_epoch(after), before and to_epoch(before))
    assert question[slice(*window.place)].strip() == window.words != ""


@pytest.mark.parametrize("question", WEAK)
def test_a_weak_signal_is_no_window(question: str) -> None:
    assert found(question) is None


def test_weeks_ago_is_a_week_around_that_day() -> None:
    window = found("what did we do 3 weeks ago?")
    assert window is not None
    assert (window.after, window.before) == (NOW - 24.5 * 86400, NOW - 17.5 * 86400)


WORDS = st.sampled_from(
    "last this past before after since in during the week year month monday june may 5 "
    "2025 9077 31 2025-06-05 2025-06 99999 ago days and between from to of , ? couple "
    "few a Q2 yesterday 0 - migration previous weekend".split()
)


@given(st.lists(WORDS, max_size=8), st.integers(to_epoch("0002"), span("9998")[0]))
def test_no_question_crashes_and_every_window_is_a_stretch(
    words: list[str], now: int
) -> None:
    question = " ".join(words)
    window = time_windows.find(question, now)
    if window is not None:
        assert window.after is not None or window.before is not None
        if window.after is not None and window.before is not None:
            assert window.after < window.before
        assert asking.may_name_a_time(question)
        for bound in (window.after, window.before):
            assert bound is None or iso(bound)


# --- it ranks ---------------------------------------------------------------------


def order(vault: Vault, question: str) -> list[str]:
    return [row.text for row in recall(vault, from_words(question, NOW)).rows]


def test_the_window_ranks_and_does_not_filter(vault: Vault) -> None:
    save(vault, "Anna fixed the build, the build, the build", occurred_at="2026-10-01")
    save(vault, "Bert fixed the build", occurred_at="2026-11-11")
    assert order(vault, "who fixed the build?")[0].startswith("Anna")
    asked = "who fixed the build last week?"
    assert order(vault, asked)[0].startswith("Bert")
    assert len(order(vault, asked)) == 2
    answer = recall(vault, from_words(asked, NOW, explain=True))
    first, second = answer.rows
    assert "temporal" in first.channels
    assert "temporal" not in second.channels
    assert first.explain is not None
    assert first.explain["temporal"] > 1
    assert answer.window == {
        "after": "2026-11-09T00:00:00Z",
        "before": "2026-11-16T00:00:00Z",
        "filters": False,
        "words": "last week",
    }


def test_a_filter_by_time_is_the_only_window(vault: Vault) -> None:
    save(vault, "We picked redis", occurred_at="2026-11-10")
    asked = "what was picked in 2025?"
    answer = recall(vault, from_words(asked, NOW, after="2026-01-01"))
    assert answer.window == {
        "after": "2026-01-01T00:00:00Z",
        "before": None,
        "filters": True,
        "words": None,
    }
    assert "temporal" not in answer.rows[0].channels
