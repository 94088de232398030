"""Signals: what was written, recalled and judged, and what can be learned from it.

Invariant: pure; a signal holds ids, times, names and numbers, never a word of a memory
or a question. What is counted here is counted from signals alone, so that the same log
gives the same answer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

VERSION = 1
Signal = Mapping[str, Any]

CHANNELS = (
    "lexical", "neighbours", "session", "feedback", "entity", "graph", "temporal",
    "constraint",
)  # fmt: skip
"""What finds rows; a session's start has names of its own besides."""

_NUMBER = (int, float)


class Uses(NamedTuple):
    """How often an entry was stored or recalled."""

    id: str
    uses: int


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
    """What the signals say.

    `share` is that of hits among questions, None without one; `mrr` the mean of 1/rank
    of the rows that proved useful, None without one; `told` counts what sessions were
    told without a question.
    """

    since: int | None
    signals: int
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


def is_skill(kind: str, about: str) -> bool:
    """Whether the uses of an entry of this kind and type are counted."""
    return "skill" in (kind, about)


def row(
    entry: Mapping[str, Any],
    *,
    rank: int | None = None,
    score: float = 0.0,
    channels: Sequence[str] = (),
    parts: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """A row of a recall as its signal has it.

    Args:
        entry: its `id`, `kind`, `type`, and in `origin` its source.
        rank: its place among the rows from 1; None for what was not ranked.
        score: what it was ranked by.
        channels: what found it.
        parts: the named pieces of its score; zeros are left out.
    """
    made: dict[str, Any] = {
        "id": entry["id"],
        "rank": rank,
        "score": round(score, 4),
        "channels": list(channels),
        "features": features(parts or {}, entry["origin"].get("writer")),
    }
    if is_skill(entry["kind"], entry["type"]):
        made["skill"] = True
    return made


def features(parts: Mapping[str, float], writer: str | None) -> dict[str, float]:
    """What a row is learned by: the pieces of its score, and who wrote it.

    >>> features({"lexical": 2.0, "session": 0.0}, None)
    {'lexical': 2.0, 'writer:manual': 1.0}
    """
    held = {name: round(part, 4) for name, part in parts.items() if part}
    return {**held, f"writer:{writer or 'manual'}": 1.0}


def is_signal(value: Any) -> bool:
    """Whether a value read from a log is a signal of this version."""
    if not isinstance(value, dict) or value.get("v") != VERSION:
        return False
    if type(value.get("at")) is not int:
        return False
    match value.get("event"):
        case "recall":
            rows = value.get("rows")
            return (
                _has(value, str, "recall", "via")
                and _may_have(value, "question", "agent")
                and isinstance(rows, list)
                and all(map(_is_row, rows))
            )
        case "write":
            texts = _has(value, str, "action", "writer", "kind", "type")
            count = value.get("count", 1)
            return texts and _may_have(value, "id") and type(count) is int
        case "feedback":
            useful = isinstance(value.get("useful"), bool)
            return (
                useful and _has(value, str, "id", "by") and _may_have(value, "recall")
            )
    return False


def pairs(signals: Iterable[Signal]) -> Iterator[dict[str, Any]]:
    """Which row should have stood above which, for a scorer to learn from.

    Within one recall, a row that proved useful is better than each row above it that
    did not, and than each row that was said not to be useful. Rows below say nothing:
    nobody may have read so far. The last word on a row counts.

    Args:
        signals: in the order in which they were noted.

    Returns:
        `question`, `recall`, and `better` and `worse`, each with `id` and `features`.
    """
    recalls, words = _judged(signals)
    for name, recall in recalls.items():
        said = words.get(name, {})
        if not any(said.values()):
            continue
        rows = [one for one in recall["rows"] if one["rank"] is not None]
        for better in rows:
            if not said.get(better["id"]):
                continue
            for worse in rows:
                told = said.get(worse["id"])
                if told or (told is None and worse["rank"] >= better["rank"]):
                    continue
                yield {
                    "question": recall["question"],
                    "recall": name,
                    "better": _learned(better),
                    "worse": _learned(worse),
                }


def summary(signals: Sequence[Signal]) -> Summary:
    """What the signals say, counted."""
    of = {name: [] for name in ("recall", "write", "feedback")}  # type: dict[str, list[Signal]]
    for one in signals:
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
    ranks = list(_useful_ranks(signals))
    return Summary(
        since=min((one["at"] for one in signals), default=None),
        signals=len(signals),
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
        pairs=sum(1 for _ in pairs(signals)),
    )


def channels(signals: Iterable[Signal]) -> dict[str, int]:
    """How many rows came through each channel, in the order of `CHANNELS`."""
    found = dict.fromkeys(CHANNELS, 0)
    for one in signals:
        if one["event"] == "recall":
            for name in (name for row in one["rows"] for name in row["channels"]):
                found[name] = found.get(name, 0) + 1
    return found


def uses(signals: Iterable[Signal]) -> Counter[str]:
    """How often each skill was stored or recalled, by its id."""
    found = Counter[str]()
    for one in signals:
        if one["event"] == "recall":
            found.update(row["id"] for row in one["rows"] if row.get("skill"))
        elif one["event"] == "write" and one["id"] and one["action"] in _STORED:
            found[one["id"]] += is_skill(one["kind"], one["type"])
    return +found


_STORED = ("save", "import", "evolve")


def _asked(way: str, asked: Sequence[Signal]) -> Asked:
    these = [one for one in asked if one["via"] == way]
    return Asked(way, len(these), sum(bool(one["rows"]) for one in these))


def _judged(
    signals: Iterable[Signal],
) -> tuple[dict[str, Signal], dict[str, dict[str, bool]]]:
    """Recalls by name; by recall and id, the last word on it."""
    recalls: dict[str, Signal] = {}
    words: dict[str, dict[str, bool]] = {}
    for one in signals:
        if one["event"] == "recall":
            recalls[one["recall"]] = one
        elif one["event"] == "feedback" and one["recall"] is not None:
            words.setdefault(one["recall"], {})[one["id"]] = one["useful"]
    return recalls, words


def _useful_ranks(signals: Iterable[Signal]) -> Iterator[int]:
    recalls, words = _judged(signals)
    for name, said in words.items():
        for one in recalls[name]["rows"] if name in recalls else ():
            if said.get(one["id"]) and one["rank"] is not None:
                yield one["rank"]


def _learned(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": one["id"], "features": one["features"]}


def _has(value: Mapping[str, Any], kind: type, *names: str) -> bool:
    return all(isinstance(value.get(name), kind) for name in names)


def _may_have(value: Mapping[str, Any], *names: str) -> bool:
    """The key must be there; None is an answer."""
    return all(name in value and isinstance(value[name], str | None) for name in names)


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return False
    rank, held, through = (value.get(n, 0) for n in ("rank", "features", "channels"))
    return (
        (rank is None or (type(rank) is int and rank > 0))
        and isinstance(held, dict)
        and all(type(part) in _NUMBER for part in held.values())
        and isinstance(through, list)
        and all(isinstance(name, str) for name in through)
    )
