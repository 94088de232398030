"""Reading a query's text for one vault: its terms, its entities, and its time.

Invariant: the time that a text names, its window, ranks and never filters. A query that
filters by time has said which time it means, so its text is not read for one.
"""

from __future__ import annotations

import re

from memcli.entries.ids import number
from memcli.entries.text import mentions, tokens
from memcli.recall.filters import extent
from memcli.search.ranking.corpus import Inside, Question
from memcli.vault import registry as store

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.entries.text.time_windows import Window
    from memcli.recall.query import Filters, Query
    from memcli.search.reader import Reader


MOST_CONSTRAINTS = 5
# So many are counted: each takes two microseconds, and a database is asked for them.
COUNTED_CONSTRAINTS = 100
"""Constraints are shown at any score, but no more of them than this."""
LATE = 0.5
"""How far an entry lies in a window that ends before it by no more than its length."""
_WEEK = 7 * 86400  # such an entry may be so late, however short the window is
_LONGEST_NAME = 4  # words of an entity's name that a question is searched for

# How the words begin that name a time by themselves, and those that name one beside a
# stretch of time: "last week". Most questions hold neither, and need not load
# `time_windows`, whose patterns cost a tenth of a recall.
_ALONE = r"\b(?:tod|yes|ago)|\d{4}"
_WHICH = r"\b(?:thi|las|pas|pre)"
_STRETCHES = (
    r"\b(?:day|wee|mon|yea|hou|min|tue|wed|thu|fri|sat|sun"
    "|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)


def window_of(query: Query) -> Window | None:
    """The time that the text of a query names, unless the query filters by time."""
    filters, view = query.filters, query.view
    timeless = filters.after is None and filters.before is None and view.as_of is None
    if not (timeless and may_name_a_time(query.text)):
        return None
    from memcli.entries.text import time_windows

    return time_windows.find(query.text, query.moment or view.now)


def read(reader: Reader, query: Query, window: Window | None) -> Question:
    """The question of a query, as the ranking of this vault reads it."""
    from memcli.search.readings import readings

    text = query.text
    share = None
    if window is not None:
        share = inside(reader, window)
        dated = reader.dated(window.after, window.before) if window.relative else ()
        # Where no entry lies in it, "last year" may be words of an entry, after all.
        if any(map(share, dated)):
            start, end = window.place
            text = f"{text[:start]} {text[end:]}"
    stem = tokens.stemmer()
    text = text if query.exact else unframed(text)
    terms = tokens.question(text, stem)
    named, implied = entities(reader, text, stem)
    elsewhere = None
    if query.here and not query.filters.project:
        elsewhere = reader.elsewhere(number(query.here))
    answers = tokens.asked(query.text)
    others = {} if query.exact else readings(terms, reader)
    now = query.moment or query.view.now
    return Question(terms, now, named, implied, share, elsewhere, answers, others)


def echo(filters: Filters, window: Window | None = None) -> dict[str, Any] | None:
    """The window, or else the filter by time, as `data.window` shows it."""
    after, before = (window or filters).after, (window or filters).before
    if after is None and before is None:
        return None
    from memcli.entries import dates

    return {
        "after": None if after is None else dates.iso(after),
        "before": None if before is None else dates.iso(before),
        "filters": window is None,
        "words": window and window.words,
    }


def entities(
    reader: Reader, query: str, stem: tokens.Stem
) -> tuple[dict[str, Sequence[int]], dict[str, set[int]]]:
    """The entities that a question names, as `Question` holds them: named, implied.

    Entities that entries mention are found by their own name, those of the registry by
    every alias, too.
    """
    named: dict[str, Sequence[int]] = {}
    for name in reader.existing("entity", [*_names(query)]):
        named[name] = reader.exact("entity", name)
    implied: dict[str, set[int]] = {}
    names = store.load(reader.root, reader.agent).names
    if not names.places:
        return named, implied
    for form in mentions.forms(query, names.places):
        meant = names.meant.get(form)
        if meant is None or mentions.fold(meant) == form:
            continue
        key = tokens.name_key(meant)
        docs = reader.exact("entity", key)
        if docs:
            named[key] = docs
            for text, _ in tokens.question(form, stem):
                implied.setdefault(text, set()).update(docs)
    return named, implied


def _names(query: str) -> Iterator[str]:
    """The words of a question that may name an entity, one to four together."""
    words = tokens.words(query)[:64]
    for length in range(1, _LONGEST_NAME + 1):
        for i in range(len(words) - length + 1):
            name = " ".join(words[i : i + length])
            if length > 1 or name not in tokens.STOP_WORDS:
                yield name


def may_name_a_time(query: str) -> bool:
    """Whether it is worth looking for a window in a question."""
    text = query.lower()
    beside = re.search(_WHICH, text) and re.search(_STRETCHES, text)
    return bool(beside or re.search(_ALONE, text))


def inside(reader: Reader, window: Window) -> Inside:
    """How much of a document lies in a window.

    A coarse date counts by the share of it that the window covers: an entry of 2025
    is a twelfth in June 2025, and no more in January than in June. What happened in a
    window is often told some days behind it: an entry from there counts `LATE`.
    """
    after = float("-inf") if window.after is None else window.after
    before = float("inf") if window.before is None else window.before
    late = before + max(before - after, _WEEK) if before > after > 0 else before
    shares: dict[int, float] = {}

    def share(doc: int) -> float:
        if doc not in shares:
            start, end = extent(reader, doc)
            covered = min(end, before) - max(start, after)
            told_late = LATE if before <= start < late else 0.0
            # 0 is an entry without a date.
            shares[doc] = max(told_late, covered / (end - start)) if start else 0.0
        return shares[doc]

    return share


# --- the words around a question that say only that it is one -------------------------

_OPENING = frozenset(
    """
    what what's which do does tell remind can please so and everything anything
    """.split()
)
_FRAME = _OPENING | frozenset(
    """
    did is we you i they me that there already so far should must know known remember
    recall have all more something other kind kinds sort sorts type types
    """.split()
)
_KNOW = ("what should i know", "what must i know")
_ABOUT = frozenset("about of on regarding concerning".split())


def unframed(text: str) -> str:
    """A question without its frame.

    >>> unframed("What do we know about the ledger?")
    'the ledger?'
    >>> unframed("Who knows Redis?")
    'Who knows Redis?'
    """
    words = text.split()
    plain = [word.lower().strip(",") for word in words]
    if not plain or plain[0] not in _OPENING:
        return text
    end = 4 if " ".join(plain[:4]) in _KNOW else 0
    for place, word in enumerate(plain, 1):
        if word in _ABOUT:
            end = place
        elif word not in _FRAME:
            break
    rest = " ".join(words[end:])
    return rest if re.search(r"\w", rest) else text
