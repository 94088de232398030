"""Usage: how a vault is used, by its log of signals.

Invariant: reads only.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries import layout
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.vault import signals
from memcli.vault.signals import CHANNELS, is_hit

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.vault.signals import Event
    from memcli.vault.vault import Vault


class Use(NamedTuple):
    """How often a skill was stored or recalled; `title` is None when it is gone."""

    id: str
    title: str | None
    uses: int


class Usage(NamedTuple):
    """The log of signals: whether it is kept, where, its size, and what it says."""

    on: bool
    path: str
    bytes: int
    summary: Summary
    uses: list[Use]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = self._asdict()
        summary: Summary = fields.pop("summary")
        return {**fields, **summary._asdict()}


def usage(vault: Vault) -> Usage:
    """The log of signals in numbers, and how often each skill was used.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    log = signals.read(vault.root)
    counts = log.uses

    def titles(reader: Reader) -> dict[str, str]:
        return {
            name: reader.row(docs[0]).title
            for name in counts
            if len(docs := reader.exact("id", name))
        }

    known = vault.read(titles) if counts else {}
    uses = [Use(name, known.get(name), count) for name, count in counts.items()]
    return Usage(
        on=vault.recorder.on,
        path=state_dirs.path(vault.root, layout.EVENTS),
        bytes=signals.size(vault.root),
        summary=summary(log.events),
        uses=sorted(uses, key=lambda one: (-one.uses, one.id)),
    )


def pairs(vault: Vault) -> list[dict[str, Any]]:
    """The pairs that a scorer learns from; see `training_pairs`.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    return list(training_pairs(signals.read(vault.root).events))


def uses(vault: Vault, entry: Entry) -> int | None:
    """How often a skill was stored or recalled; None for an entry that is no skill.

    For an agent: how often it did so itself, as far as the log goes back.
    """
    if not signals.is_skill(entry.kind, str(entry.type)):
        return None
    log = signals.read(vault.root)
    if vault.agent is None:
        return log.uses.get(entry.id, 0)
    mine = entry.agent == vault.agent_name
    own = (
        one
        for one in log.events
        if (one["event"] == "recall" and one["agent"] == vault.agent_name)
        or (one["event"] == "write" and mine)
    )
    return signals.uses(own)[entry.id]


# --- counted ------------------------------------------------------------------------


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
    recalls = [one for one in events if one["event"] == "recall"]
    asked = [one for one in recalls if one["question"] is not None]
    writes, actions = Counter[str](), Counter[str]()
    judged: dict[str, list[int]] = {}
    for one in events:
        if one["event"] == "write":
            writes[one["writer"]] += one.get("count", 1)
            actions[one["action"]] += one.get("count", 1)
        elif one["event"] == "feedback":
            judged.setdefault(one["by"], [0, 0])[not one["useful"]] += 1
    hits = sum(is_hit(one["rows"]) for one in asked)
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
        asked=[_asked(via, asked) for via in sorted({one["via"] for one in asked})],
        told=len(recalls) - len(asked),
        channels=by_channel(recalls),
        feedback=[Judged(by, *judged[by]) for by in sorted(judged)],
        useful=sum(yes for yes, _ in judged.values()),
        not_useful=sum(no for _, no in judged.values()),
        mrr=round(sum(1 / rank for rank in ranks) / len(ranks), 3) if ranks else None,
        pairs=sum(1 for _ in training_pairs(events)),
    )


def by_channel(recalls: Iterable[Event]) -> dict[str, int]:
    """How many rows came through each channel, in the order of `CHANNELS`."""
    counts = dict.fromkeys(CHANNELS, 0)
    for recall in recalls:
        for row in recall["rows"]:
            for name in row["channels"]:
                counts[name] = counts.get(name, 0) + 1
    return counts


def training_pairs(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    """The training pairs of a log: each useful row against all others of its recall.

    Rows of a recall where nothing proved useful make no pair, since no row should have
    been first. Neither do rows that were not ranked, such as those of `reflect`, or
    that a hook put into a prompt.

    Returns:
        The pairs, in the order of the recalls and of their rows: the `question` and
        its `recall`, and the `better` and the `worse` row.
    """
    recalls, verdicts = _judged(events)
    for name, recall in recalls.items():
        useful = {row for row, good in verdicts.get(name, {}).items() if good}
        question = recall["question"]
        # A prompt's rows are ranked by words alone, and shown all at once.
        if not useful or question is None or recall["via"] == "hook":
            continue
        sides = [
            {name: row[name] for name in ("id", "rank", "score", "features")}
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


def _asked(via: str, asked: Sequence[Event]) -> Asked:
    these = [recall for recall in asked if recall["via"] == via]
    return Asked(via, len(these), sum(is_hit(recall["rows"]) for recall in these))


def _judged(
    events: Iterable[Event],
) -> tuple[dict[str, Event], dict[str, dict[str, bool]]]:
    """Recalls by name; by recall and entry, whether the last word on it was good."""
    recalls: dict[str, Event] = {}
    verdicts: dict[str, dict[str, bool]] = {}
    for one in events:
        if one["event"] == "recall":
            recalls[one["recall"]] = one
        elif one["event"] == "feedback" and one["recall"] is not None:
            verdicts.setdefault(one["recall"], {})[one["id"]] = one["useful"]
    return recalls, verdicts


def _useful_ranks(events: Iterable[Event]) -> Iterator[int]:
    recalls, verdicts = _judged(events)
    for name, good in verdicts.items():
        for row in recalls[name]["rows"] if name in recalls else ():
            if good.get(row["id"]) and row["rank"] is not None:
                yield row["rank"]
