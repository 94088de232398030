"""What the log of signals says: what was written, recalled and judged, counted.

Invariant: pure, and from events alone (`event`): the same log gives the same answer.
The last word on a row of a recall counts.
"""

from __future__ import annotations

from collections import Counter

from memcli.named_tuple import NamedTuple
from memcli.vault.signals.event import CHANNELS, is_hit

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypedDict

    from memcli.vault.signals.event import Event, Recalled
else:
    TypedDict = dict


class Side(TypedDict):
    """One row of a training pair; `score` is as shown."""

    id: str
    rank: int
    score: float
    features: dict[str, float]


class Pair(TypedDict):
    """A row that proved useful and one that did not, of the same recall."""

    question: str
    recall: str
    better: Side
    worse: Side


class Asked(NamedTuple):
    """Questions that came one way, and how many found something."""

    via: str
    questions: int
    hits: int


class Judged(NamedTuple):
    """Judgements of rows, by who or what made them: a user, a citation, an evolve."""

    by: str
    useful: int
    not_useful: int


class Summary(NamedTuple):
    """The log in numbers.

    `since` is the oldest event in epoch seconds; a hit is a question that brought more
    than the constraints that always surface; `share` that of hits among questions,
    None without a question; `mrr` the mean of 1/rank of the rows that proved useful,
    None without one; `told` counts answers that no question asked for, such as those
    at a session's start.
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
    """Count the events of a log."""
    recalls = [event for event in events if event["event"] == "recall"]
    asked = [event for event in recalls if event["question"] is not None]
    writes, actions = Counter[str](), Counter[str]()
    judged: dict[str, list[int]] = {}
    for event in events:
        if event["event"] == "write":
            writes[event["writer"]] += event.get("count", 1)
            actions[event["action"]] += event.get("count", 1)
        elif event["event"] == "feedback":
            judged.setdefault(event["by"], [0, 0])[not event["useful"]] += 1
    hits = sum(is_hit(event["rows"]) for event in asked)
    ranks = list(_useful_ranks(events))
    return Summary(
        since=min((event["at"] for event in events), default=None),
        events=len(events),
        writes=dict(sorted(writes.items())),
        actions=dict(sorted(actions.items())),
        questions=len(asked),
        hits=hits,
        misses=len(asked) - hits,
        share=round(hits / len(asked), 3) if asked else None,
        asked=[_asked(via, asked) for via in sorted({event["via"] for event in asked})],
        told=len(recalls) - len(asked),
        channels=channels(recalls),
        feedback=[Judged(by, *judged[by]) for by in sorted(judged)],
        useful=sum(yes for yes, _ in judged.values()),
        not_useful=sum(no for _, no in judged.values()),
        mrr=round(sum(1 / rank for rank in ranks) / len(ranks), 3) if ranks else None,
        pairs=sum(1 for _ in pairs(events)),
    )


def channels(recalls: Iterable[Recalled]) -> dict[str, int]:
    """How many rows came through each channel, in the order of `CHANNELS`."""
    counts = dict.fromkeys(CHANNELS, 0)
    for recall in recalls:
        for row in recall["rows"]:
            for name in row["channels"]:
                counts[name] = counts.get(name, 0) + 1
    return counts


def pairs(events: Iterable[Event]) -> Iterator[Pair]:
    """The training pairs of a log: each useful row against all others of its recall.

    Rows of a recall where nothing proved useful make no pair, since no row should have
    been first. Neither do rows that were not ranked, such as those of `reflect`, or
    that a hook put into a prompt.

    Returns:
        The pairs, in the order of the recalls and of their rows.
    """
    recalls, verdicts = _judged(events)
    for name, recall in recalls.items():
        useful = {row for row, good in verdicts.get(name, {}).items() if good}
        question = recall["question"]
        # A prompt's rows are ranked by words alone, and shown all at once.
        if not useful or question is None or recall["via"] == "hook":
            continue
        sides: list[Side] = [
            {
                "id": row["id"],
                "rank": row["rank"],
                "score": row["score"],
                "features": row["features"],
            }
            for row in recall["rows"]
            if row["rank"] is not None
        ]
        for better in sides:
            for worse in sides if better["id"] in useful else ():
                if worse["id"] not in useful:
                    yield {
                        "question": question,
                        "recall": name,
                        "better": better,
                        "worse": worse,
                    }


def _asked(via: str, asked: Sequence[Recalled]) -> Asked:
    these = [recall for recall in asked if recall["via"] == via]
    return Asked(via, len(these), sum(is_hit(recall["rows"]) for recall in these))


def _judged(
    events: Iterable[Event],
) -> tuple[dict[str, Recalled], dict[str, dict[str, bool]]]:
    """Recalls by name; by recall and entry, whether the last word on it was good."""
    recalls: dict[str, Recalled] = {}
    verdicts: dict[str, dict[str, bool]] = {}
    for event in events:
        if event["event"] == "recall":
            recalls[event["recall"]] = event
        elif event["event"] == "feedback" and event["recall"] is not None:
            verdicts.setdefault(event["recall"], {})[event["id"]] = event["useful"]
    return recalls, verdicts


def _useful_ranks(events: Iterable[Event]) -> Iterator[int]:
    recalls, verdicts = _judged(events)
    for name, good in verdicts.items():
        for row in recalls[name]["rows"] if name in recalls else ():
            if good.get(row["id"]) and row["rank"] is not None:
                yield row["rank"]
