"""One query, whether its options are words, Python values or a whole `Query`."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault, Vaults
from memcli.entries import dates, layout
from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.errors import InvalidValue
from memcli.recall.query import Query, from_words
from memcli.recall.question import unframed
from tests.conftest import state_of

NOW = dates.to_epoch("2026-11-21T12:00:00Z")
DAY = 86400


def test_without_options_it_is_the_plain_query() -> None:
    assert from_words("deploy", NOW) == Query("deploy", View(NOW))


def test_relative_times_count_from_at() -> None:
    query = from_words("x", NOW, at="2026-06-15", after="yesterday", as_of="yesterday")
    assert query.filters.after == dates.to_epoch("2026-06-14")
    assert query.moment == dates.to_epoch("2026-06-16") - 1
    assert query.view.now == NOW  # what has expired since is not in force
    # What was current at that time: at its end.
    assert query.view.as_of == dates.to_epoch("2026-06-15")


def test_a_query_for_ideas_alone_sees_the_incubating_ones() -> None:
    assert Status.PENDING in from_words("x", NOW, kinds=["idea"]).view.statuses
    assert (
        Status.PENDING not in from_words("x", NOW, kinds=["idea", "note"]).view.statuses
    )
    chosen = from_words("x", NOW, kinds=["idea"], statuses=["active"]).view.statuses
    assert chosen == View(NOW).statuses


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"statuses": ["actve"]}, "invalid_status"),
        ({"after": "someday"}, "invalid_date"),
    ],
)
def test_words_that_mean_nothing_are_refused(
    words: dict[str, object], code: str
) -> None:
    with pytest.raises(InvalidValue) as caught:
        from_words("x", NOW, **words)  # type: ignore[arg-type]
    assert caught.value.code == code


def test_python_takes_a_whole_query_or_a_text_with_options(vault: Vault) -> None:
    vault.save_all([vault.draft({"text": f"deploy {n}"}) for n in range(5)])
    query = from_words("deploy", vault.now_ms() // 1000, limit=2)
    assert vault.recall(query) == vault.recall("deploy", limit=2)
    assert vault.reflect(query) == vault.reflect("deploy", limit=2)
    assert len(Vaults([vault]).recall(query).rows) == 2
    with pytest.raises(InvalidValue, match="not with a query"):
        vault.recall(query, limit=3)


@pytest.mark.parametrize("whole", [True, False])
def test_a_damaged_index_of_several_is_repaired_and_no_other(
    ready_vault: str, tmp_path: Path, whole: bool
) -> None:
    said: list[str] = []
    opened: list[Vault] = []
    for name in ("one", "two"):
        shutil.copytree(ready_vault, tmp_path / name)
        root = str(tmp_path / name)
        vault = Vault.open(root, now_ms=lambda: NOW * 1000, tell=said.append)
        vault.save(f"we deploy {name}")
        opened.append(vault)
    before = Vaults(opened).recall("deploy").rows
    said.clear()
    for path in state_of(opened[1].root, layout.INDEX).glob("*.db"):
        if whole:
            path.write_bytes(b"\xff" * path.stat().st_size)
        else:
            db = sqlite3.connect(path, isolation_level=None)
            db.execute("UPDATE doc SET data = x'7b'")
            db.close()
    fresh = [Vault.open(v.root, now_ms=v.now_ms, tell=said.append) for v in opened]
    assert Vaults(fresh).recall("deploy").rows == before
    assert [text for text in said if "it is damaged (" in text] == said
    assert len(said) == 1
    # The readers are weighed alone again, however the answer came about.
    assert fresh[0].recall("deploy").rows[0].score != before[0].score


# --- a period that is named ----------------------------------------------------------

SATURDAY = dates.to_epoch("2026-11-21T10:20:30Z")


def window(**words: Any) -> tuple[str | None, str | None]:
    """What these flags let pass, as days where they are whole ones."""
    filters = from_words("x", SATURDAY, **words).filters
    bounds = (filters.after, filters.before)
    told = [None if bound is None else dates.iso(bound) for bound in bounds]
    first, last = (one and one.removesuffix("T00:00:00Z") for one in told)
    return first, last


WEEK = ("2026-11-09", "2026-11-16")


@pytest.mark.parametrize(
    ("words", "let_pass"),
    [
        ({"after": "last week"}, WEEK),
        ({"after": " Last  WEEK "}, WEEK),
        ({"after": "today"}, ("2026-11-21", "2026-11-22")),
        ({"before": "last week"}, (None, "2026-11-09")),
        ({"after": "last week", "before": "last week"}, WEEK),
        ({"after": "last month", "before": "last week"}, ("2026-10-01", "2026-11-09")),
        ({"after": "today", "before": "now"}, ("2026-11-21", "2026-11-21T10:20:30Z")),
        ({"after": "last week", "at": "2025-06-18"}, ("2025-06-09", "2025-06-16")),
        # A date and a distance are bounds, and no periods.
        ({"after": "2026-05"}, ("2026-05-01", None)),
        ({"after": "7d"}, ("2026-11-14T10:20:30Z", None)),
        ({"after": "2026-05", "before": "2026-05"}, ("2026-05-01", "2026-06-01")),
        ({}, (None, None)),
    ],
)
def test_a_period_that_is_named_is_that_period_and_a_date_is_a_bound(
    words: dict[str, str], let_pass: tuple[str | None, str | None]
) -> None:
    assert window(**words) == let_pass


@pytest.mark.parametrize(
    ("named", "end"),
    [
        ("last week", "2026-11-16T00:00:00Z"),
        ("2026-10", "2026-11-01T00:00:00Z"),
        # What is not over yet is as of now: nothing expires early.
        ("this week", "2026-11-21T10:20:30Z"),
        ("2026-11", "2026-11-21T10:20:30Z"),
        ("2030", "2031-01-01T00:00:00Z"),
    ],
)
def test_as_of_a_period_is_as_of_its_end(named: str, end: str) -> None:
    as_of = from_words("x", SATURDAY, as_of=named).view.as_of
    assert as_of is not None
    assert dates.iso(as_of) == end


# --- the words around a question ----------------------------------------------------


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What do we know about the ledger?", "the ledger?"),
        ("what did you remember of Ann", "Ann"),
        ("do you remember anything about Ann?", "Ann?"),
        ("Tell me everything you know about the carrier", "the carrier"),
        ("everything we know about the carrier", "the carrier"),
        ("What is known about Redis", "Redis"),
        ("What should I know before I change the mail?", "before I change the mail?"),
        ("What kind of cache do we run?", "cache do we run?"),
        ("Which other types of keys expire?", "keys expire?"),
        ("Is this kind of key safe?", "Is this kind of key safe?"),
        ("Who knows Redis?", "Who knows Redis?"),
        ("What do we have", "What do we have"),
        ("what do we know about", "what do we know about"),
        ("Everything hangs", "Everything hangs"),
        ("How do we have fun on Fridays?", "How do we have fun on Fridays?"),
        ("", ""),
    ],
)
def test_the_frame_of_a_question_is_left_out(question: str, about: str) -> None:
    assert unframed(question).strip() == about


def test_words_of_the_frame_find_nothing(vault: Vault) -> None:
    vault.save("Redis holds the queue, because ops knows Redis")
    mine = vault.save("The ledger is dumped at three").id
    found = vault.reflect("what do we know about the ledger?")
    assert [row.id for row in found.facts] == [mine]
    assert vault.reflect("what do we know about llamas?").facts == []
    assert vault.reflect("what do we know about llamas?").missing_terms == ["llamas"]
