"""Coarse dates are spans, and a bound is what a person meant by it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.dates import (
    date_words,
    field_date,
    iso,
    parse_bound,
    span,
    to_epoch,
)
from memcli.errors import InvalidValue

NOW = to_epoch("2026-11-21T10:20:30Z")  # a Saturday
DAY = 86_400


def bound(text: str, *, end: bool = False) -> str:
    return iso(parse_bound(text, NOW, end=end))


@pytest.mark.parametrize(
    ("value", "start", "days"),
    [
        ("2023", "2023-01-01T00:00:00Z", 365),
        ("2024", "2024-01-01T00:00:00Z", 366),
        ("2024-02", "2024-02-01T00:00:00Z", 29),
        ("2023-12", "2023-12-01T00:00:00Z", 31),
        ("2023-05-08", "2023-05-08T00:00:00Z", 1),
        ("9999-12", "9999-12-01T00:00:00Z", 31),
        ("0001", "0001-01-01T00:00:00Z", 365),
    ],
)
def test_a_coarse_date_is_a_span(value: str, start: str, days: int) -> None:
    first, after = span(value)
    assert (iso(first), after - first) == (start, days * DAY)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2023-05-08", ("8", "may", "2023", "monday")),
        ("2023-05-08T23:59:59Z", ("8", "may", "2023", "monday")),
        ("2023-05", ("may", "2023")),
        ("2023", ("2023",)),
        ("soon", ()),
        ("", ()),
    ],
)
def test_the_words_of_a_date_are_as_coarse_as_it(
    value: str, words: tuple[str, ...]
) -> None:
    assert date_words(value) == words


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2025", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2025-06", "2025-06-01T00:00:00Z", "2025-07-01T00:00:00Z"),
        ("2025-06-30t12:00+02:00", "2025-06-30T10:00:00Z", "2025-06-30T10:00:01Z"),
        (" Today ", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"),
        ("yesterday", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"),
        ("last  week", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"),
        ("last month", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"),
        ("last year", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ],
)
def test_a_stretch_of_time_has_two_bounds(text: str, start: str, end: str) -> None:
    assert bound(text) == start
    assert bound(text, end=True) == end


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", "2026-11-21T10:20:30Z"),
        ("7d", "2026-11-14T10:20:30Z"),
        ("3m", "2026-08-21T10:20:30Z"),
        ("11m", "2025-12-21T10:20:30Z"),
        ("12h", "2026-11-20T22:20:30Z"),
        ("3 days ago", "2026-11-18T10:20:30Z"),
        ("an hour ago", "2026-11-21T09:20:30Z"),
        ("0d", "2026-11-21T10:20:30Z"),
        ("in 2 weeks", "2026-12-05T10:20:30Z"),
    ],
)
def test_so_long_ago_is_a_moment(text: str, moment: str) -> None:
    assert bound(text) == bound(text, end=True) == moment


@pytest.mark.parametrize(
    "text",
    [
        *("", "we", "soon", "7", "d", "7x", "-7d", "2025-13", "on monday", "999999y"),
        *("999999999d", "30000m", "9077 port", "7d 2w", "tomorrowish", "٣d"),
    ],
)
def test_anything_else_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(InvalidValue, match="not a moment") as caught:
        bound(text)
    assert "3 days ago" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "behind", "ahead"),
    [
        ("2026-05", "2026-05", "2026-05"),
        ("2026-05-01T10:00+01:00", "2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z"),
        ("Yesterday", "2026-11-20", "2026-11-20"),
        ("tomorrow", "2026-11-22", "2026-11-22"),
        ("30d", "2026-10-22", "2026-12-21"),
        ("a month", "2026-10-21", "2026-12-21"),
        ("12h", "2026-11-20T22:20:30Z", "2026-11-21T22:20:30Z"),
        ("now", "2026-11-21T10:20:30Z", "2026-11-21T10:20:30Z"),
        ("next week", "2026-11-23", "2026-11-23"),
        ("next year", "2027", "2027"),
        # 2026-11-21 is a Saturday.
        ("last friday", "2026-11-20", "2026-11-20"),
        ("next friday", "2026-11-27", "2026-11-27"),
        ("last saturday", "2026-11-14", "2026-11-14"),
        ("next saturday", "2026-11-28", "2026-11-28"),
        ("this monday", "2026-11-16", "2026-11-16"),
    ],
)
def test_a_field_takes_what_a_bound_takes_and_the_future_where_it_lies_there(
    text: str, behind: str, ahead: str
) -> None:
    assert field_date(text, NOW, "occurred_at") == behind
    assert field_date(text, NOW, "expires_at", ahead=True) == ahead


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001
def test_a_day_is_counted_as_python_counts_it(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    text = moment.isoformat().replace("+00:00", "Z")
    epoch = int(moment.timestamp())
    assert span(text) == (epoch, epoch + 1)
    assert iso(epoch) == text
    midnight = epoch - epoch % DAY
    assert span(text[:10]) == (midnight, midnight + DAY)
