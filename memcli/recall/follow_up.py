"""Follow-ups of an answer: the next questions, and facts that are similar.

Invariant: pure; drawn from the rows that the caller was given, and from the question.
A pair of similar facts is no verdict: both may hold, and the caller looks at both, the
newer named newer.
"""

from __future__ import annotations

from itertools import combinations

from memcli.entries.text import tokens
from memcli.entries.text.differences import differences
from memcli.entries.text.prompt_injection import digest
from memcli.named_tuple import NamedTuple
from memcli.vault.likeness import MOST_SIMILAR, SIMILAR

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from memcli.recall.results import Row

_FEWEST_NEXT, _MOST_NEXT = 2, 4


class Next(NamedTuple):
    """A question to ask next, with its time window, and why."""

    query: str
    after: str | None
    before: str | None
    why: str


def next_queries(
    query: str,
    rows: Sequence[Row],
    weights: Mapping[str, float],
    window: Mapping[str, Any] | None,
) -> list[Next]:
    """The questions to ask next, the most telling first.

    Args:
        query: the question.
        rows: what answers it, each with the words of the question that it holds.
        weights: its words, and what each counts.
        window: the time that it filters by or names.
    """
    held = [word for row in rows for word in row.matched]
    missing = [word for word in weights if word not in held]
    # A window of the question's own words goes on with them.
    if window is not None and not window["filters"]:
        window = None
    after, before = (window["after"], window["before"]) if window else (None, None)

    def heaviest(words: Iterable[str]) -> list[str]:
        return sorted(dict.fromkeys(words), key=lambda word: -weights[word])

    # (words, after, before) -> why; the question itself is in it to be left out.
    queries: dict[tuple[str, str | None, str | None], str] = {
        (query, after, before): ""
    }
    if rows and missing:
        words = " ".join(heaviest(missing)[:4])
        queries.setdefault((words, after, before), "in none of the facts")
    rarest = heaviest(held)[:1]
    for name in _entities(query, rows):
        words = " ".join([name, *rarest])
        queries.setdefault((words, after, before), f"the facts are about {name}")
    if weights and window:
        queries.setdefault((query, None, None), "the same without the time window")
    elif newer := _newer_half(rows):
        queries.setdefault((query, newer, None), "the newer half of the facts")
    for word in heaviest(weights) if len(weights) > 1 else ():
        if len(queries) <= _FEWEST_NEXT:
            queries.setdefault((word, after, before), "one word of the question")
    return [Next(*key, why) for key, why in queries.items() if why][:_MOST_NEXT]


def _entities(query: str, rows: Sequence[Row]) -> list[str]:
    """At most two names that the first facts share and the question lacks."""
    stem = tokens.stemmer()
    terms = set(tokens.terms(query, stem))
    counts: dict[str, int] = {}
    for row in rows[:3]:
        for name in row.entities:
            counts[name] = counts.get(name, 0) + 1
    new = [name for name in counts if not set(tokens.terms(name, stem)) <= terms]
    return [digest(name) for name in sorted(new, key=lambda name: -counts[name])[:2]]


def _newer_half(rows: Sequence[Row]) -> str | None:
    """The day that halves the facts by time, when they span more than a month."""
    days = sorted((row.occurred_at or row.created)[:10] for row in rows)
    middle = days[len(days) // 2] if len(days) > 2 else None
    return middle if middle and middle[:7] > days[0][:7] else None


class Pair(NamedTuple):
    """Two similar facts, as of `vault.likeness.Similar`."""

    older: str
    newer: str
    likeness: float
    differs: tuple[str, ...]


def pairs(rows: Sequence[Row]) -> list[Pair]:
    """The nearest pairs among these rows, at most three, those that differ first.

    Two facts of two projects are no pair: there both can be right.

    >>> pairs([])
    []
    """
    stem = tokens.stemmer()
    words = {row.id: set(tokens.terms(row.text, stem)) for row in rows}
    found = []
    for two in combinations(rows, 2):
        older, newer = sorted(two, key=lambda r: (r.occurred_at or r.created, r.id))
        if older.project and newer.project and older.project != newer.project:
            continue
        mine, theirs = words[older.id], words[newer.id]
        union = len(mine | theirs)
        likeness = round(len(mine & theirs) / union, 3) if union else 0.0
        if likeness >= SIMILAR:
            differs = differences(older.text, newer.text)
            found.append(Pair(older.id, newer.id, likeness, differs))
    found.sort(key=lambda pair: (not pair.differs, -pair.likeness, pair[:2]))
    return found[:MOST_SIMILAR]
