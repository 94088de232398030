"""Signals: what was written, recalled and judged, and what can be learned from it.

Invariant: pure, and from events alone (`event`): the same log gives the same answer.
The last word on a row of a recall counts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from memcli.vault.signals.event import CHANNELS, Event, is_event


class Asked(NamedTuple):
    """Questions that came one way, and how many found something."""

    via: str
    questions: int
    hits: int


class Judged(NamedTuple):
    """What was said of rows, by whom or by what deed."""

    by: str
    useful: int
    not_useful: int


class Summary(NamedTuple):
    """What the events say.

    `share` is that of hits among questions, None without one; `mrr` the mean of 1/rank
    of the rows that proved useful, None without one; `told` counts what sessions were
    told without a question.
    """

    since: int | None
    events: int
    writes: dict[str, int]
    actions: dict[str, int]
    questions: int
    hits: int
    misses: int
    share: float | None
    asked: list[Asked]
    told: int
    channels: dict[str, int]
    feedback: list[Judged]
    useful: int
    not_useful: int
    mrr: float | None
    pairs: int


def summary(events: Sequence[Event]) -> Summary:
    """What the events say, counted."""
    names = ("recall", "write", "feedback")
    of: dict[str, list[Event]] = {name: [] for name in names}
    for one in events:
        of[one["event"]].append(one)
    writes, actions = Counter[str](), Counter[str]()
    for one in of["write"]:
        writes[one["writer"]] += one.get("count", 1)
        actions[one["action"]] += one.get("count", 1)
    asked = [one for one in of["recall"] if one["question"] is not None]
    hits = sum(bool(one["rows"]) for one in asked)
    ways = sorted({one["via"] for one in asked})
    judged = {one["by"]: [0, 0] for one in of["feedback"]}
    for one in of["feedback"]:
        judged[one["by"]][not one["useful"]] += 1
    ranks = list(_useful_ranks(events))
    return Summary(
        since=min((one["at"] for one in events), default=None),
        events=len(events),
        writes=dict(sorted(writes.items())),
        actions=dict(sorted(actions.items())),
        questions=len(asked),
        hits=hits,
        misses=len(asked) - hits,
        share=round(hits / len(asked), 3) if asked else None,
        asked=[_asked(way, asked) for way in ways],
        told=len(of["recall"]) - len(asked),
        channels=channels(of["recall"]),
        feedback=[Judged(by, *judged[by]) for by in sorted(judged)],
        useful=sum(yes for yes, _ in judged.values()),
        not_useful=sum(no for _, no in judged.values()),
        mrr=round(sum(1 / rank for rank in ranks) / len(ranks), 3) if ranks else None,
        pairs=sum(1 for _ in pairs(events)),
    )


def channels(events: Iterable[Event]) -> dict[str, int]:
    """How many rows came through each channel, in the order of `CHANNELS`."""
    found = dict.fromkeys(CHANNELS, 0)
    for one in events:
        if one["event"] == "recall":
            for name in (name for row in one["rows"] for name in row["channels"]):
                found[name] = found.get(name, 0) + 1
    return found


def pairs(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    """The training pairs of a log: each useful row against all others of its recall.

    Rows of a recall where nothing was useful make no pair: nothing says that one of
    them should have been first. Nor do rows that were not ranked, such as those of
    `reflect`, or were put into a prompt. Events that are not whole are passed over.

    Returns:
        `question`, `recall`, `better` and `worse`; a side is `id`, `rank`, `score`
        (as shown) and `features`. In the order of the recalls and of their rows.
    """
    recalls, words = _judged(filter(is_event, events))
    for name, one in recalls.items():
        useful = {row for row, good in words.get(name, {}).items() if good}
        # A prompt's rows are ranked by words alone, and shown all at once.
        if not useful or one["question"] is None or one["via"] == "hook":
            continue
        sides = [
            {part: row[part] for part in ("id", "rank", "score", "features")}
            for row in one["rows"]
            if row["rank"] is not None
        ]
        for better in sides:
            for worse in sides if better["id"] in useful else ():
                if worse["id"] not in useful:
                    yield {
                        "question": one["question"],
                        "recall": name,
                        "better": better,
                        "worse": worse,
                    }


def _asked(way: str, asked: Sequence[Event]) -> Asked:
    these = [one for one in asked if one["via"] == way]
    return Asked(way, len(these), sum(bool(one["rows"]) for one in these))


def _judged(
    events: Iterable[Event],
) -> tuple[dict[str, Event], dict[str, dict[str, bool]]]:
    """Recalls by name; by recall and id, the last word on it."""
    recalls: dict[str, Event] = {}
    words: dict[str, dict[str, bool]] = {}
    for one in events:
        if one["event"] == "recall":
            recalls[one["recall"]] = one
        elif one["event"] == "feedback" and one["recall"] is not None:
            words.setdefault(one["recall"], {})[one["id"]] = one["useful"]
    return recalls, words


def _useful_ranks(events: Iterable[Event]) -> Iterator[int]:
    recalls, words = _judged(events)
    for name, said in words.items():
        for one in recalls[name]["rows"] if name in recalls else ():
            if said.get(one["id"]) and one["rank"] is not None:
                yield one["rank"]
