"""The time that a question names: "last week", "in June 2025", "before the move".

Invariant: pure; a window is read only from words that name a time and nothing else,
since a wrong window is worse than none. A coarse time stays coarse: a year is the whole
year. Two times that do not make one period are no window.

A month or a day without its year ("in June", "on 5 May", "on Monday") is no window,
since it does not say which year; the words of an entry's date are searched anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from memcli.entries import dates
from memcli.entries.checks import MONTHS, NUMERALS, WEEKDAYS
from memcli.errors import InvalidValue
from memcli.named_tuple import NamedTuple

Span = tuple[int, int]
"""[start, end) in epoch seconds."""

Dated = Callable[[str], Span | None]
"""The span of the event of a name; None when no entry of that name has a date."""


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

# In German, French and Spanish, where they are other words; and what is short for one.
_OTHER_MONTHS = (
    "jan januar janvier enero", "feb februar février fevrier febrero", "mar märz marzo",
    "apr avril abril", "mai mayo", "jun juni juin junio", "jul juli juillet julio",
    "aug août aout agosto", "sep sept septembre septiembre",
    "oct oktober octobre octubre", "nov novembre noviembre",
    "dec dezember décembre decembre diciembre",
)  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(zip(MONTHS, _OTHER_MONTHS, strict=True), 1)
    for name in " ".join(names).split()
}
_NUMBERS = {word: number for number, word in enumerate(NUMERALS, 1)}
# "A couple of days ago" is one to three of them, "a few" two to five.
_VAGUE = {"couple": (1, 3), "few": (2, 5)}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}

_YEAR = r"(?P<{}>(?:19|20)\d\d)(?![\w:/#-]|[.,]\d)"
_MONTH = "(?P<{}>" + "|".join(sorted(_MONTHS, key=lambda name: -len(name))) + r")\.?"
_DAY_OF = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th|er|\.)?"
_UNIT = r"(?P<{}>minute|hour|day|week|month|year)s?"
_COUNT = (
    r"(?P<{}>\d{{1,6}}|an?\ couple\ of|an?\ few|the\ few|few|couple\ of|an?|"
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
_PERIODS = (
    rf"{_DAY_OF.format('d1')}\ (?:of\ )?{_MONTH.format('m1')},?\ (?:de\ )?"
    rf"{_YEAR.format('y1')}",
    rf"{_MONTH.format('m2')}\ {_DAY_OF.format('d2')},?\ {_YEAR.format('y2')}",
    r"(?P<date>\d{4}-\d\d-\d\d)(?![\w/-]|[.:]\w)",
    rf"{_MONTH.format('m3')},?\ (?:of\ |de\ )?{_YEAR.format('y3')}",
    rf"{_IN_FRONT}(?P<month_date>\d{{4}}-\d\d)(?![\w/-]|[.:]\w)",
    rf"Q(?P<q>[1-4])\ {_YEAR.format('y4')}",
    rf"{_IN_FRONT}(?:(?:early|mid|late)[ -])?{_YEAR.format('y5')}{_AFTER_YEAR}",
    r"(?P<beforelast>day\ before\ yesterday|vorgestern)",
    r"(?P<yesterday>yesterday|gestern|ayer)",
    r"(?P<hier>(?<=\bfait\ )hier|^hier(?=\W))",
    r"(?P<today>today|heute|aujourd['’]hui|hoy)",
    rf"(?<![\d.,]){_COUNT.format('n1')}\ {_UNIT.format('u1')}\ ago",
    rf"(?:last|past)\ {_COUNT.format('n2')}\ {_UNIT.format('u2')}(?<=s)",
    r"(?P<which>this|last|past|previous)\ (?P<period>week|weekend|month|year)"
    r"(?!\ of\b|\w)",
    rf"last\ (?P<weekday>{'|'.join(WEEKDAYS)})",
    rf"last\ (?P<lastmonth>{'|'.join(MONTHS)})",
    r"(?P<letzte>letzten?|vergangenen?)\ (?P<de>woche|monat|jahr)",
    r"(?P<fr>semaine|mois|année|an)\ (?:dernière|dernier|passée?)",
    r"(?P<es>semana|mes|año)\ pasad[oa]",
)
_FOREIGN = {
    **dict.fromkeys(("woche", "semaine", "semana"), "week"),
    **dict.fromkeys(("monat", "mois", "mes"), "month"),
    **dict.fromkeys(("jahr", "année", "an", "año"), "year"),
}
_ABSOLUTE = frozenset(("date", "month_date", "y1", "y2", "y3", "y4", "y5"))
_PERIOD = r"(?<![\w/#:.-])(?:" + "|".join(_PERIODS) + r")\b"
_BEFORE_IT = (
    r"(?:(?P<unit>day|week|month|year)\ )?"
    r"(?P<relation>since|before|after|until|till)\ (?:the\ )?$"
)
_BEGINNING = (
    rf"(?:{_MONTH.format('month')}|\b{_DAY_OF.format('day')})"
    r"\ ?(?:and|to|or|until|till|-|–)\ ?$"
)
_JOINED = r"\ ?(?:and|to|until|till|-|–)\ (?:the\ )?"
_OPENED = r"\b(?:between|from)\ (?:the\ )?$"
_EVENT = (
    r"\b(?P<relation>before|after|since|until|till|during)\ "
    r"(?P<name>[^\s,;:?!()][^,;:?!()]{0,80}?)\s*(?=[,;:?!)]|\.?$)"
)
_QUOTED = r"`[^`]*`|\"[^\"]*\"|“[^”]*”"


def find(question: str, now: int, dated: Dated | None = None) -> Window | None:
    """The window that a question names, or None.

    Args:
        question: as it was asked.
        now: the moment that relative words count from, epoch seconds.
        dated: called with the name in "before the migration".
    """
    # Quoted words name no time; every space is one, so that patterns need no \s+.
    text = re.sub(_QUOTED, lambda quoted: "." * len(quoted[0]), question)
    text = re.sub(r"\s", " ", text)
    periods = list(_periods(text, now))
    if periods:
        return _joined(text, periods)
    return _event(text, dated) if dated else None


class _Period(NamedTuple):
    """A time in the question; `span` is None for a date that does not exist."""

    place: tuple[int, int]
    span: Span | None
    relative: bool


def _periods(text: str, now: int) -> Iterator[_Period]:
    for match in re.finditer(_PERIOD, text, re.IGNORECASE):
        named = {k: v.lower() for k, v in match.groupdict().items() if v is not None}
        try:
            period = _absolute(named, now) or _relative(named, now)
        except (ValueError, OverflowError, InvalidValue):
            period = None
        yield _Period(match.span(), period, named.keys().isdisjoint(_ABSOLUTE))


def _absolute(named: dict[str, str], now: int) -> Span | None:
    """The span of a date with its year; ValueError for one too far away."""
    date = named.get("date") or named.get("month_date")
    for number in ("1", "2", "3", "4", "5"):
        if year := named.get(f"y{number}"):
            date = year
            if month := named.get(f"m{number}"):
                date += f"-{_MONTHS[month]:02}"
            if day := named.get(f"d{number}"):
                date += f"-{int(day):02}"
    if date is None:
        return None
    present = datetime.fromtimestamp(now, UTC).year
    if not present - _YEARS_BACK <= int(date[:4]) <= present + _YEARS_AHEAD:
        raise ValueError(date)
    if quarter := named.get("q"):
        first = 3 * int(quarter) - 2
        start = dates.span(f"{date}-{first:02}")[0]
        return start, dates.span(f"{date}-{first + 2:02}")[1]
    return dates.span(date)


def _relative(named: dict[str, str], now: int) -> Span | None:
    today = now - now % _DAY
    for name, days in (("today", 0), ("yesterday", 1), ("hier", 1), ("beforelast", 2)):
        if name in named:
            return today - days * _DAY, today - (days - 1) * _DAY
    if "n1" in named:
        return _ago(named["n1"], named["u1"], now)
    if "n2" in named:
        return _up_to_now(_count(named["n2"])[1], named["u2"], now)
    if "weekday" in named:
        back = datetime.fromtimestamp(now, UTC).weekday()
        back -= WEEKDAYS.index(named["weekday"])
        day = today - (back % 7 or 7) * _DAY
        return day, day + _DAY
    if "lastmonth" in named:
        present = datetime.fromtimestamp(now, UTC)
        month = _MONTHS[named["lastmonth"]]
        year = present.year if month < present.month else present.year - 1
        return dates.span(f"{year}-{month:02}")
    foreign = named.get("de") or named.get("fr") or named.get("es")
    which = named.get("which", "last")
    return _calendar(which, _FOREIGN[foreign] if foreign else named["period"], now)


def _calendar(which: str, period: str, now: int) -> Span:
    if which == "past":
        return _up_to_now(1, "week" if period == "weekend" else period, now)
    which = "this" if which == "this" else "last"
    if period == "weekend":
        monday = dates.parse_bound("this week", now, end=False)
        saturday = monday + (5 if which == "this" else -2) * _DAY
        return saturday, saturday + 2 * _DAY
    words = f"{which} {period}"
    return (
        dates.parse_bound(words, now, end=False),
        dates.parse_bound(words, now, end=True),
    )


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
    earlier = re.search(_BEGINNING, head, re.IGNORECASE)
    if earlier and not first.relative:
        return _from(text, earlier, first)
    return _window(text, first.place, first.span, first.relative)


def _from(text: str, earlier: re.Match[str], last: _Period) -> Window | None:
    """The whole window of "June and July 2025", "5-7 June 2025"."""
    start, end = last.span or (0, 0)
    date = dates.iso(start)[:10]
    days = (end - start) // _DAY
    try:
        if earlier["month"] and 27 < days < 32:
            number = _MONTHS[earlier["month"].lower()]
            start = dates.span(f"{date[:4]}-{number:02}")[0]
        elif earlier["day"] and days == 1:
            start = dates.span(f"{date[:8]}{int(earlier['day']):02}")[0]
        elif earlier["month"]:
            return None
    except InvalidValue:
        return None
    if start >= end:
        return None
    return _window(text, (earlier.start(), last.place[1]), (start, end), False)


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


def _event(text: str, dated: Dated) -> Window | None:
    """The window of "before the migration", when one event of that name has a date."""
    windows = []
    for match in re.finditer(_EVENT, text, re.IGNORECASE):
        span = dated(match["name"].strip(" ."))
        if span is not None:
            windows.append(_related(text, match.span(), match, span, False))
    return windows[0] if len(windows) == 1 else None
