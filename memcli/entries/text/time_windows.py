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

Span = tuple[int, int]
"""[start, end) in epoch seconds."""
_Bounds = tuple[int | None, int | None]


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
_NUMBERS = {"a": 1, "an": 1} | {word: n for n, word in enumerate(NUMERALS, 1)}
_LENGTHS = {"day": 1, "week": 7, "month": 31, "year": 366}
# So many characters of an ISO date name the whole unit.
_WHOLE = {"day": 10, "month": 7, "year": 4}
_NAMES = f"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)"
_MONTH = rf"(?P<month>{_NAMES})\.?"
_ON_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\w:/#-]|[.,]\d)"
# A bare year stands behind one of these. "In 2000 lines" is a number, "in 2024 tests"
# may be one.
_IN_FRONT = "|".join(
    rf"(?<=\b{word} )" for word in ("in", "since", "after", "before", "until", "during")
)
_AFTER_YEAR = (
    r"(?=\s*(?:$|[?!.,;:)\]]|(?:and|or|but|did|do|does|was|were|is|are|has|have|had|we|i|"
    r"he|she|they|you|it|the|what|who|when|where|why|how|which|with|for|at|about|by|on|"
    r"to|from|that|than)\b))"
)
# Each as the whole of a time; of two in the same place the first one counts. To compile
# them all takes a recall 10 ms; most questions have neither a digit nor such a word.
_DATES: tuple[str, ...] = (
    rf"{_ON_DAY} (?:of )?{_MONTH},? {_YEAR}",
    rf"{_MONTH} {_ON_DAY},? {_YEAR}",
    r"(?P<date>\d{4}-\d\d(?:-\d\d)?)(?![\w/-]|[.:]\w)",
    rf"(?:(?P<first>{_NAMES}) (?:and|to|-|–) )?{_MONTH},? (?:of )?{_YEAR}",
    rf"Q(?P<quarter>[1-4]) {_YEAR}",
    rf"(?:{_IN_FRONT}){_YEAR}{_AFTER_YEAR}",
)
_COUNT = rf"(?P<count>\d{{1,6}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)"
_RELATIVE = (
    rf"(?<![\d.,]){_COUNT} {_UNIT}s? (?P<ago>ago)",
    rf"(?:last|past) {_COUNT} {_UNIT}s",
    rf"past {_UNIT}",
    r"(?P<period>yesterday|today|"
    rf"(?:this|last) (?:week|month|year)(?! of\b)|last (?:{'|'.join(WEEKDAYS)}))",
)
_RELATIVE_WORDS = ("ago", "last", "past", "this", "yesterday", "today")
_BEFORE_IT = (
    r"(?:(?P<length>day|week|month|year) )?"
    r"(?P<relation>since|before|after|until|till) (?:the )?$"
)
_JOINED = r" ?(?:and|to|until|till|-|–) (?:the )?"
_OPENED = r"\b(?:between|from) (?:the )?$"
_QUOTED = r"`[^`]*`|\"[^\"]*\"|“[^”]*”"


def find(question: str, now: int) -> Window | None:
    """The window that a question names, or None.

    Args:
        question: as it was asked.
        now: the moment that relative words count from, epoch seconds.
    """
    # Quoted words name no time; every space is one, so that patterns need no \s+.
    text = re.sub(_QUOTED, lambda quoted: "." * len(quoted[0]), question)
    text = re.sub(r"\s", " ", text)
    periods = _periods(text, now)
    if not periods:
        return None
    spans = {period.span for period in periods}
    first, last = periods[0], periods[-1]
    if first.span is None or last.span is None or None in spans:
        return None
    start, end = first.place
    head, between = text[:start], text[end : last.place[0]]
    opened = re.search(_OPENED, head, re.I)
    is_pair = len(periods) == 2 and re.fullmatch(_JOINED, between, re.I)
    if opened and is_pair and first.span[0] < last.span[1]:
        place = opened.start(), last.place[1]
        bounds: _Bounds = first.span[0], last.span[1]
        relative = first.relative and last.relative
    elif len(spans) > 1:
        return None
    else:
        relation = re.search(_BEFORE_IT, head, re.I)
        bounds = first.span if relation is None else _bounds(relation, first.span)
        place = (relation.start() if relation else start), end
        relative = first.relative
    return Window(*bounds, text[slice(*place)].strip(), place, relative)


class _Period(NamedTuple):
    """A time in the question; `span` is None for a date that does not exist."""

    place: tuple[int, int]
    span: Span | None
    relative: bool


def _periods(text: str, now: int) -> list[_Period]:
    """The times of a question, in their order."""
    periods: list[_Period] = []
    patterns = _DATES if any(map(str.isdigit, text)) else ()
    if any(word in text.lower() for word in _RELATIVE_WORDS):
        patterns += _RELATIVE
    for pattern in patterns:
        for match in re.finditer(rf"(?<![\w/#:.-])(?:{pattern})\b", text, re.I):
            start, end = match.span()
            if any(start < one.place[1] and one.place[0] < end for one in periods):
                continue
            named = {k: v.lower() for k, v in match.groupdict().items() if v}
            relative = pattern in _RELATIVE
            try:
                span = (_relative if relative else _absolute)(named, now)
            except (ValueError, OverflowError, InvalidValue):
                span = None
            periods.append(_Period((start, end), span, relative))
    return sorted(periods)


def _absolute(named: dict[str, str], now: int) -> Span:
    """The span of a date with its year; ValueError for one too far away."""
    date = named.get("date") or named["year"]
    if not -_YEARS_BACK <= int(date[:4]) - int(dates.iso(now)[:4]) <= _YEARS_AHEAD:
        raise ValueError(date)
    first = last = date
    if "quarter" in named:
        month = 3 * int(named["quarter"])
        first, last = f"{date}-{month - 2:02}", f"{date}-{month:02}"
    elif "month" in named:
        months = [each[:3] for each in MONTHS]
        day = f"-{int(named['day']):02}" if "day" in named else ""
        first, last = (
            f"{date}-{months.index(name[:3]) + 1:02}{day}"
            for name in (named.get("first", named["month"]), named["month"])
        )
    start, end = dates.span(first)[0], dates.span(last)[1]
    if start >= end:  # "in August and June 2025"
        raise ValueError(date)
    return start, end


def _relative(named: dict[str, str], now: int) -> Span | None:
    """The span of a time that counts from now."""
    if "period" in named:
        return dates.period(named["period"], now)
    word, unit = named.get("count", "a"), named["unit"]
    moment = dates.back(now, _NUMBERS.get(word) or int(word), unit + "s")
    if "ago" not in named:  # from the start of the first day until tonight
        start = moment if unit in ("minute", "hour") else moment - moment % _DAY
        return start, now - now % _DAY + _DAY
    if unit in _WHOLE:  # two months ago is that whole month
        return dates.span(dates.iso(moment)[: _WHOLE[unit]])
    half = (moment - dates.back(moment, 1, unit + "s")) // 2
    return moment - half, moment + half


def _bounds(relation: re.Match[str], span: Span) -> _Bounds:
    """The bounds of "since", "the week before" and the like a span."""
    start, end = span
    word, unit = relation["relation"].lower(), relation.groupdict().get("length")
    length = _LENGTHS[unit.lower()] * _DAY if unit else None
    if word in ("since", "after"):
        begin = start if word == "since" else end
        return begin, length and begin + length
    return length and start - length, start
