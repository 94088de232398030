"""The events of the log of signals: their form, and what is counted of them for good.

Invariant: pure. An event is a JSON object, and holds ids, times, names and numbers,
never a word of a memory or a question. Each has `v` (the version), `at` (epoch seconds)
and `event`:

- `recall`, a question and the rows that answered it: `recall` names the answer;
  `question` is a keyed hash, None where a session's start brought the rows; `via` says
  which way the question came, `agent` who asked, `hit` whether a row answers it, `rows`
  are as `row` makes them.
- `write`, an entry that a commit wrote: `id`, `action`, `writer`, `kind`, `type`;
  without an id it is `count` entries of one sort.
- `feedback`, whether an entry that a recall returned proved useful, and who says so:
  `recall`, `id`, `useful`, `by`.
"""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    Event = Mapping[str, Any]
    EventRow = dict[str, Any]  # see `row`
else:
    Protocol = object

VERSION = 1


class LoggedEntry(Protocol):
    """An entry as `row` takes it: a row of the index, or one of an answer.

    `writer` is the program or person that wrote the entry; None stands for a person.
    """

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def writer(self) -> str | None: ...


CHANNELS = (
    "lexical", "neighbours", "session", "feedback", "entity", "graph", "temporal",
    "constraint",
)  # fmt: skip
"""The channels that find rows; a session's start has names of its own besides."""

_STORED = ("save", "import", "evolve")


def is_skill(kind: str, about: str) -> bool:
    """Whether the uses of an entry of this kind and type are counted."""
    return "skill" in (kind, about)


def channels(parts: Mapping[str, float]) -> list[str]:
    """The channels that gave a row its score, in the order of `CHANNELS`."""
    return [name for name in CHANNELS if parts.get(name)]


def is_hit(rows: Iterable[EventRow]) -> bool:
    """Whether these rows of a question answer it: a constraint that no channel but its
    own has brought is shown with every question."""
    return any(row["channels"] != ["constraint"] for row in rows)


def row(
    entry: LoggedEntry,
    *,
    rank: int | None = None,
    score: float = 0.0,
    channels: Sequence[str] = (),
    parts: Mapping[str, float] | None = None,
) -> EventRow:
    """A row of a recall as its event has it.

    Args:
        entry: the row of the index, or of the answer.
        rank: its place among the rows from 1; None when it was not ranked.
        score: what it was ranked by.
        channels: those that found it.
        parts: the named pieces of its score; zeros are left out.
    """
    made: EventRow = {
        "id": entry.id,
        "rank": rank,
        "score": round(score, 4),
        "channels": list(channels),
        "features": features(parts or {}, entry.writer),
    }
    if is_skill(entry.kind, entry.type):
        made["skill"] = True
    return made


def features(parts: Mapping[str, float], writer: str | None) -> dict[str, float]:
    """The features that a scorer learns from: the pieces of a score, and the writer.

    Never the rank, which would teach a scorer to agree with itself.

    Args:
        parts: as `ranking.Hit` holds them; zeros are left out.
        writer: `source.writer` of the entry; without one a person wrote it.

    >>> features({"lexical": 2.0, "session": 0.0}, None)
    {'lexical': 2.0, 'writer:manual': 1.0}
    """
    held = {name: round(part, 4) for name, part in parts.items() if part}
    return {**held, f"writer:{writer or 'manual'}": 1.0}


def uses(events: Iterable[Event]) -> Counter[str]:
    """How often each skill was stored or recalled, by its id."""
    counts = Counter[str]()
    for event in events:
        if event["event"] == "recall":
            counts.update(row["id"] for row in event["rows"] if row.get("skill"))
        elif event["event"] == "write" and event["id"] and event["action"] in _STORED:
            counts[event["id"]] += is_skill(event["kind"], event["type"])
    return +counts
