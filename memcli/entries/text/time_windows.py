"""The time that a question names: "last week", "in June 2025", "before the move".

Invariant: pure; a window is read only from words that name a time and nothing else,
since a wrong window is worse than none. A coarse time stays coarse: a year is the whole
year. Two times that do not make one period are no window.

A month or a day without its year ("in June", "on 5 May", "on Monday") is no window,
since it does not say which year; the words of an entry's date are searched anyway.
"""

from __future__ import annotations

import re

from memcli.entries import dates
from memcli.entries.entry import MONTHS, NUMERALS, WEEKDAYS
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

Span = tuple[int, int]
"""[start, end) in epoch seconds."""


class Window(NamedTuple):
    """A period: at or after, strictly before; None is open.

    `words` are the words of the question that name it, at `place`. With `relative`
    ("last week") they are not searched for, since they name no entry.
    """

    after: int | None
    before: int | None
    words: str
    place: tuple[int, int]
    relative: bool


_DAY = 86_400
# A year further away than this is a number (a port, a count, a price).
_YEARS_BACK, _YEARS_AHEAD = 120, 20

_NUMBERS = {word: number for number, word in enumerate(NUMERALS, 1)}
# "A couple of days ago" is one to three of them, "a few" two to five.
_VAGUE = {"couple": (1, 3), "few": (2, 5)}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_MONTH = f"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)"
_TH = "(?:st|nd|rd|th)?"
_ON_DAY = rf"(?P<day>\d{{1,2}}){_TH}"
_OF_MONTH = rf"(?P<month>{_MONTH})\.?"
# The beginning of "June and July 2025" and of "5-7 June 2025".
_FROM = (
    rf"(?:(?:(?P<first_month>{_MONTH})\.?|(?P<first_day>\d{{1,2}}){_TH})"
    r"\ ?(?:and|to|or|until|till|-|–)\ ?)?"
)
_OF_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\w:/#-]|[.,]\d)"
_UNITS = r"(?P<unit>minute|hour|day|week|month|year)s?"
_COUNT = (
    r"(?P<count>\d{1,6}|an?\ couple\ of|an?\ few|the\ few|few|couple\ of|an?|"
    + "|".join(_NUMBERS)
    + ")"
)
# One of these must stand before a bare year or month in digits.
_IN_FRONT = (
    r"(?:(?<=\bin\ )|(?<=\bsince\ )|(?<=\bafter\ )|(?<=\bbefore\ )|(?<=\buntil\ )|"
    r"(?<=\bduring\ )|(?<=\byear\ ))"
)
# What may follow a bare year. "In 2000 lines" is a number, "in 2024 tests" may be one.
_AFTER_YEAR = (
    r"(?=\s*(?:$|[?!.,;:)\]]|(?:and|or|but|did|do|does|was|were|is|are|has|have|had|we|i|"
    r"he|she|they|you|it|the|what|who|when|where|why|how|which|with|for|at|about|by|on|"
    r"to|from|that|than)\b))"
)
# Each as the whole of a time; of two in the same place the first one counts. To compile
# them all takes a recall 10 ms; most questions have neither a digit nor such a word.
_DATES: tuple[str, ...] = (
    rf"{_FROM}{_ON_DAY}\ (?:of\ )?{_OF_MONTH},?\ {_OF_YEAR}",
    rf"{_OF_MONTH}\ {_ON_DAY},?\ {_OF_YEAR}",
    r"(?P<date>\d{4}-\d\d-\d\d)(?![\w/-]|[.:]\w)",
    rf"{_FROM}{_OF_MONTH},?\ (?:of\ )?{_OF_YEAR}",
    rf"{_IN_FRONT}(?P<date>\d{{4}}-\d\d)(?![\w/-]|[.:]\w)",
    rf"Q(?P<quarter>[1-4])\ {_OF_YEAR}",
    rf"{_IN_FRONT}(?:(?:early|mid|late)[ -])?{_OF_YEAR}{_AFTER_YEAR}",
)
_RELATIVE = (
    r"(?P<before_last>day\ before\ yesterday)",
    r"(?P<word>yesterday|today)",
    rf"(?<![\d.,]){_COUNT}\ {_UNITS}\ (?P<ago>ago)",
    rf"(?:last|past)\ {_COUNT}\ {_UNITS}(?<=s)",
    r"(?P<which>this|last|past|previous)\ (?P<period>week|weekend|month|year)"
    r"(?!\ of\b|\w)",
    rf"last\ (?P<period>{'|'.join(WEEKDAYS)})",
    rf"last\ (?P<last_month>{'|'.join(MONTHS)})",
)
_RELATIVE_WORDS = ("ago", "last", "past", "this", "previous", "yesterday", "today")
_BEFORE_IT = (
    r"(?:(?P<unit>day|week|month|year)\ )?"
    r"(?P<relation>since|before|after|until|till)\ (?:the\ )?$"
)
_JOINED = r"\ ?(?:and|to|until|till|-|–)\ (?:the\ )?"
_OPENED = r"\b(?:between|from)\ (?:the\ )?$"
_EVENT = (
    r"\b(?P<relation>before|after|since|until|till|during)\ "
    r"(?P<name>[^\s,;:?!()][^,;:?!()]{0,80}?)\s*(?=[,;:?!)]|\.?$)"
)
_QUOTED = r"`[^`]*`|\"[^\"]*\"|“[^”]*”"


def find(
    question: str, now: int, dated: Callable[[str], Span | None] | None = None
) -> Window | None:
    """The window that a question names, or None.

    Args:
        question: as it was asked.
        now: the moment that relative words count from, epoch seconds.
        dated: gives the span of the event of a name, as in "before the migration";
            None when no entry of that name has a date.
    """
    # Quoted words name no time; every space is one, so that patterns need no \s+.
    text = re.sub(_QUOTED, lambda quoted: "." * len(quoted[0]), question)
    text = re.sub(r"\s", " ", text)
    periods = _periods(text, now)
    if periods:
        return _joined(text, periods)
    return _event(text, dated) if dated else None


class _Period(NamedTuple):
    """A time in the question; `span` is None for a date that does not exist."""

    place: tuple[int, int]
    span: Span | None
    relative: bool


def _periods(text: str, now: int) -> list[_Period]:
    """The times of a question, in their order."""
    periods: list[_Period] = []
    lower = text.lower()
    patterns = _DATES if any(map(str.isdigit, text)) else ()
    if any(word in lower for word in _RELATIVE_WORDS):
        patterns += _RELATIVE
    for pattern in patterns:
        whole = rf"(?<![\w/#:.-])(?:{pattern})\b"
        for match in re.finditer(whole, text, re.IGNORECASE):
            start, end = match.span()
            if any(start < one.place[1] and one.place[0] < end for one in periods):
                continue
            named = {
                k: v.lower() for k, v in match.groupdict().items() if v is not None
            }
            relative = named.keys().isdisjoint(("date", "year"))
            try:
                span = _relative(named, now) if relative else _absolute(named, now)
            except (ValueError, OverflowError, InvalidValue):
                span = None
            periods.append(_Period((start, end), span, relative))
    return sorted(periods)


def _absolute(named: dict[str, str], now: int) -> Span:
    """The span of a date with its year; ValueError for one too far away."""
    date = named.get("date") or named["year"]
    if not -_YEARS_BACK <= int(date[:4]) - int(dates.iso(now)[:4]) <= _YEARS_AHEAD:
        raise ValueError(date)
    if "quarter" in named:
        last = 3 * int(named["quarter"])
        return dates.span(f"{date}-{last - 2:02}")[0], dates.span(f"{date}-{last:02}")[
            1
        ]
    if "month" not in named:
        return dates.span(date)
    month, day = named["month"], named.get("day")
    first = named.get("first_month", month), named.get("first_day", day)
    start, end = (
        dates.span(f"{date}-{_month(m):02}" + (f"-{int(d):02}" if d else ""))[edge]
        for edge, (m, d) in enumerate((first, (month, day)))
    )
    # "June and 7 July", "5 and June": what they mean is not certain.
    if start >= end or ("first_month" if day else "first_day") in named:
        raise ValueError(date)
    return start, end


def _month(name: str) -> int:
    """The number of a month by a name that `_MONTH` finds."""
    return 1 + [each[:3] for each in MONTHS].index(name[:3])


def _relative(named: dict[str, str], now: int) -> Span | None:
    if "before_last" in named:
        return dates.period("yesterday", now - _DAY)
    if "word" in named:
        return dates.period(named["word"], now)
    if "ago" in named:
        return _ago(named["count"], named["unit"], now)
    if "count" in named:
        return _up_to_now(_count(named["count"])[1], named["unit"], now)
    if "last_month" in named:
        year, present = int(dates.iso(now)[:4]), int(dates.iso(now)[5:7])
        month = _month(named["last_month"])
        return dates.span(f"{year - (month >= present)}-{month:02}")
    which, period = named.get("which", "last"), named["period"]
    if which == "past":
        return _up_to_now(1, "week" if period == "weekend" else period, now)
    which = "this" if which == "this" else "last"
    if period == "weekend":
        week = dates.period(f"{which} week", now)
        return week and (week[1] - 2 * _DAY, week[1])
    return dates.period(f"{which} {period}", now)


def _ago(count: str, unit: str, now: int) -> Span:
    """As coarse as its unit: two months ago is that whole month."""
    few, many = _count(count)
    first = dates.back(now, many, unit + "s")
    last = dates.back(now, few, unit + "s")
    if unit in ("month", "year"):
        length = 7 if unit == "month" else 4
        start = dates.span(dates.iso(first)[:length])[0]
        return start, dates.span(dates.iso(last)[:length])[1]
    if unit == "day":
        return first - first % _DAY, last - last % _DAY + _DAY
    half = (last - dates.back(last, 1, unit + "s")) // 2
    return first - half, last + half


def _count(word: str) -> Span:
    """The smallest and the largest number that a word stands for."""
    for name, vague in _VAGUE.items():
        if name in word:
            return vague
    count = 1 if word in ("a", "an") else _NUMBERS.get(word) or int(word)
    return count, count


def _up_to_now(count: int, unit: str, now: int) -> Span:
    """The last three days: from the start of the day three days ago."""
    start = dates.back(now, count, unit + "s")
    if unit not in ("minute", "hour"):
        start -= start % _DAY
    return start, now - now % _DAY + _DAY


def _joined(text: str, periods: list[_Period]) -> Window | None:
    """The one window that the times of a question make, or None."""
    if any(period.span is None for period in periods):
        return None
    first, last = periods[0], periods[-1]
    between = text[first.place[1] : last.place[0]]
    if len(periods) == 2 and re.fullmatch(_JOINED, between, re.IGNORECASE):
        opened = re.search(_OPENED, text[: first.place[0]], re.IGNORECASE)
        if opened and first.span and last.span and first.span[0] < last.span[1]:
            place = (opened.start(), last.place[1])
            span = (first.span[0], last.span[1])
            return _window(text, place, span, first.relative and last.relative)
    if len({period.span for period in periods}) > 1 or first.span is None:
        return None
    head = text[: first.place[0]]
    relation = re.search(_BEFORE_IT, head, re.IGNORECASE)
    if relation:
        place = (relation.start(), first.place[1])
        return _related(text, place, relation, first.span, first.relative)
    return _window(text, first.place, first.span, first.relative)


def _related(
    text: str,
    place: tuple[int, int],
    relation: re.Match[str],
    span: Span,
    relative: bool,
) -> Window:
    start, end = span
    word, unit = relation["relation"].lower(), relation.groupdict().get("unit")
    stretch = _UNIT_DAYS[unit.lower()] * _DAY if unit else 0
    bounds: tuple[int | None, int | None] = {
        "since": (start, None),
        "after": (end, end + stretch if stretch else None),
        "during": (start, end),
    }.get(word, (start - stretch if stretch else None, start))
    return Window(*bounds, text[slice(*place)].strip(), place, relative)


def _window(text: str, place: tuple[int, int], span: Span, relative: bool) -> Window:
    return Window(*span, text[slice(*place)].strip(), place, relative)


def _event(text: str, dated: Callable[[str], Span | None]) -> Window | None:
    """The window of "before the migration", when one event of that name has a date."""
    windows = []
    for match in re.finditer(_EVENT, text, re.IGNORECASE):
        span = dated(match["name"].strip(" ."))
        if span is not None:
            windows.append(_related(text, match.span(), match, span, False))
    return windows[0] if len(windows) == 1 else None
