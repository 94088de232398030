"""Time as text: spans of coarse dates, words for a date, bounds that people type.

Invariant: pure and in UTC; the caller always gives `now`. A coarse date (`2023`,
`2023-05`) is a span, never a made-up instant.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from memcli.entries.entry import MONTHS, WEEKDAYS
from memcli.errors import InvalidValue

_DATE = (
    r"(?a:(\d{4})(?:-(\d\d)(?:-(\d\d)"
    r"(?:[Tt ]([01]\d|2[0-3]):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?)?)?)"
)
# Of 2001 and later: seconds, or milliseconds.
_UNIX = r"(?a:([1-9]\d{9})(?:\d{3}|\.\d+)?)"
_DAY = 86_400
_FORMS = "Write 2026, 2026-11, 2026-11-21 or 2026-11-21T09:30:00Z."


def check_date(value: str, field: str) -> str:
    """Return a date as coarse as it was given, or raise InvalidValue.

    Takes `YYYY`, `YYYY-MM`, `YYYY-MM-DD` and ISO 8601 date-times, which come back in
    UTC as `YYYY-MM-DDTHH:MM:SSZ`; one without an offset is taken for UTC. Unix times
    in seconds or milliseconds become one of these.
    """
    found = date_in(value)
    if found is None:
        raise InvalidValue(
            f"{field}: not a date: {value[:60]!r}", hint=_FORMS, code=f"invalid_{field}"
        )
    return found


def date_in(value: object) -> str | None:
    """The value of `check_date`; None when it is no date."""
    if not isinstance(value, str):
        return None
    match = re.fullmatch(_DATE, value.strip())
    if match is None:
        unix = re.fullmatch(_UNIX, value.strip())
        return iso(int(unix[1])) if unix else None
    year, month, day, hour, minute, second, offset = match.groups()
    whole = f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}"
    whole += f":{second or '00'}{(offset or 'Z').upper()}"
    try:
        moment = datetime.fromisoformat(whole).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if hour is None:
        return match.group()
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def span(value: str) -> tuple[int, int]:
    """Return [start, end) of a field's date, in epoch seconds.

    A date-time lasts one second.

    Raises:
        InvalidValue: this is not a date.
    """
    value = check_date(value, "date")
    year, month, day = (*map(int, value[:10].split("-")), 0, 0)[:3]
    start = _midnight(year, month or 1, day or 1)
    if len(value) > 10:
        hour, minute, second = int(value[11:13]), int(value[14:16]), int(value[17:19])
        start += hour * 3600 + minute * 60 + second
        return start, start + 1
    if not day:
        last = month or 12
        return start, _midnight(year, last, _month_length(year, last)) + _DAY
    return start, start + _DAY


def to_epoch(value: str | None) -> int:
    """Return the first second of a field's date, in epoch seconds; 0 without one."""
    return span(value)[0] if value else 0


def iso(epoch_seconds: int) -> str:
    """Return `YYYY-MM-DDTHH:MM:SSZ`; ValueError outside the years 1 to 9999."""
    days, seconds = divmod(epoch_seconds, _DAY)
    try:
        day = date.fromordinal(days + _EPOCH).isoformat()
    except (OverflowError, ValueError) as error:
        raise ValueError(f"no year for {epoch_seconds} s") from error
    minutes, second = divmod(seconds, 60)
    return f"{day}T{minutes // 60:02}:{minutes % 60:02}:{second:02}Z"


def date_words(value: str) -> tuple[str, ...]:
    """Return the words that a question would use for a date, as coarse as the date.

    `2023-05-08` gives `8`, `may`, `2023`, `monday`; a text that is no date gives none.
    """
    year, month, day = (*(date_in(value) or "")[:10].split("-"), "", "")[:3]
    year = year.lstrip("0")
    if not month:
        return (year,) if year else ()
    if not day:
        return (MONTHS[int(month) - 1], year)
    # The 1st of January 1970 was a Thursday.
    weekday = (_midnight(int(year), int(month), int(day)) // _DAY + 3) % 7
    return (str(int(day)), MONTHS[int(month) - 1], year, WEEKDAYS[weekday])


_UNITS = {
    **dict.fromkeys(("min", "minute", "minutes"), "minutes"),
    **dict.fromkeys(("h", "hour", "hours"), "hours"),
    **dict.fromkeys(("d", "day", "days"), "days"),
    **dict.fromkeys(("w", "week", "weeks"), "weeks"),
    **dict.fromkeys(("m", "month", "months"), "months"),
    **dict.fromkeys(("y", "year", "years"), "years"),
}
_SECONDS = {"minutes": 60, "hours": 3600, "days": _DAY, "weeks": 7 * _DAY}
_AGO = r"(?a:(\d{1,6}|an?)\s*([a-z]+)(?:\s+ago)?)"
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_PERIOD = rf"(this|last|next) (week|month|year|{'|'.join(WEEKDAYS)})"


def _read(text: str, now: int, *, ahead: bool = False) -> tuple[int, int, int]:
    """The span of what a person typed, and how many characters of ISO are as coarse.

    Raises:
        ValueError, OverflowError: it lies in no year.
        InvalidValue: it names no time.
    """
    words = " ".join(text.lower().split())
    if words == "now":
        return now, now, 20
    distance = re.fullmatch(_AGO, words.removeprefix("in "))
    if distance and distance[2] in _UNITS:
        count = 1 if distance[1] in ("a", "an") else int(distance[1])
        unit = _UNITS[distance[2]]
        forward = words.startswith("in ") or (ahead and not words.endswith(" ago"))
        moment = back(now, -count if forward else count, unit)
        return moment, moment, 20 if unit in ("minutes", "hours") else 10
    named = period(words, now)
    if named is not None:
        return *named, {"month": 7, "year": 4}.get(words.rpartition(" ")[2], 10)
    found = check_date(words, "date")
    return *span(found), len(found)


def parse_bound(text: str, now: int, *, end: bool) -> int:
    """Return the moment that a person names, in epoch seconds.

    A period (`2025-06`, `yesterday`, `last week`, which starts on Monday, `next
    friday`) stands for its first second, or with `end` for the first second after it.
    `7d`, `2w`, `3m`, `1y`, `12h`, `30min` and `3 days ago` are moments: that long
    before `now`, with calendar months; `in 2 weeks` is one after it.

    Raises:
        InvalidValue: anything else; the hint lists the forms.
    """
    try:
        return _read(text, now)[end]
    except (ValueError, OverflowError, InvalidValue) as error:
        raise _refusal("not a moment", text, "date") from error


def _refusal(what: str, text: str, field: str) -> InvalidValue:
    return InvalidValue(
        f"{what}: {text[:60]!r}",
        hint="Write 2025, 2025-06, 2025-06-30, 2025-06-30T12:00:00Z, 7d, 2w, 3m, 1y, "
        "12h, '3 days ago', 'in 2 weeks', today, yesterday, tomorrow, 'last week', "
        "'next month' or 'last friday'.",
        code=f"invalid_{field}",
    )


def field_date(text: str, now: int, field: str, *, ahead: bool = False) -> str:
    """Return the date of a field, as coarse as a person names it.

    Dates stay as they are (`check_date`). `today`, `yesterday`, `tomorrow`,
    `7d`, `2 weeks` and `next friday` are a day, `12h` and `30min` a moment; `last
    month` is a month.

    >>> field_date("2 weeks ago", to_epoch("2026-11-21"), "occurred_at")
    '2026-11-07'

    Args:
        text: what was typed.
        now: the moment that relative words count from, epoch seconds.
        field: whose date it is, for an error.
        ahead: whether a distance without a direction lies in the future.

    Raises:
        InvalidValue: the text names no date.
    """
    try:
        start, _, length = _read(text, now, ahead=ahead)
        return iso(start)[:length]
    except (ValueError, OverflowError, InvalidValue) as error:
        raise _refusal(f"{field}: not a date", text, field) from error


def period(text: str, now: int) -> tuple[int, int] | None:
    """The span of `today`, `last week`, `next friday` and the like; None for others."""
    words = " ".join(text.lower().split())
    today = now - now % _DAY
    if words in _DAYS:
        start = today + _DAYS[words] * _DAY
        return start, start + _DAY
    named = re.fullmatch(_PERIOD, words)
    if named is None:
        return None
    which, unit = named.groups()
    moment = datetime.fromtimestamp(now, UTC)
    monday = today - moment.weekday() * _DAY
    if unit == "week":
        start = monday + {"last": -7, "this": 0, "next": 7}[which] * _DAY
        return start, start + 7 * _DAY
    if unit in WEEKDAYS:
        # The nearest before or after today; this week's may be either, or today.
        start = monday + WEEKDAYS.index(unit) * _DAY
        if which == "last" and start >= today:
            start -= 7 * _DAY
        if which == "next" and start <= today:
            start += 7 * _DAY
        return start, start + _DAY
    length = 7 if unit == "month" else 4
    start, end = span(moment.isoformat()[:length])
    if which == "this":
        return start, end
    return span(iso(start - 1 if which == "last" else end)[:length])


def back(now: int, count: int, unit: str) -> int:
    """The moment so many `minutes`, `hours`, ... `years` before `now`.

    Raises:
        ValueError: it lies before the year 1.
    """
    if unit in _SECONDS:
        moment = now - count * _SECONDS[unit]
        iso(moment)  # refuses what lies before the year 1
        return moment
    today = datetime.fromtimestamp(now, UTC)
    months = today.year * 12 + today.month - 1 - count * (12 if unit == "years" else 1)
    year, month = divmod(months, 12)
    # A month before the 31st of March is the last of February.
    day = min(today.day, _month_length(year, month + 1))
    return _midnight(year, month + 1, day) + now % _DAY


_EPOCH = date(1970, 1, 1).toordinal()


def _midnight(year: int, month: int, day: int) -> int:
    return (date(year, month, day).toordinal() - _EPOCH) * _DAY


def _month_length(year: int, month: int) -> int:
    if month == 12:
        return 31
    return (_midnight(year, month + 1, 1) - _midnight(year, month, 1)) // _DAY
