"""The events of the log of signals: their form, and what is counted of them for good.

Invariant: pure. An event is a JSON object, as its line in the log has it, and holds
ids, times, names and numbers, never a word of a memory or a question.
"""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, NotRequired, Protocol, TypedDict
else:
    Protocol = object
    TypedDict = dict

VERSION = 1


class EventRow(TypedDict):
    """An entry that a recall returned; `rank` is None when it was not ranked."""

    id: str
    rank: int | None
    score: float
    channels: list[str]
    features: dict[str, float]
    skill: NotRequired[bool]


class Recalled(TypedDict):
    """A question and the rows that answered it.

    `question` is a keyed hash, None where a session's start brought the rows; `via`
    says which way the question came.
    """

    v: int
    at: int
    event: Literal["recall"]
    recall: str
    question: str | None
    via: str
    agent: str | None
    hit: bool
    rows: list[EventRow]


class Written(TypedDict):
    """An entry that a commit wrote; without an id `count` entries of one sort."""

    v: int
    at: int
    event: Literal["write"]
    id: str | None
    action: str
    writer: str
    kind: str
    type: str
    count: NotRequired[int]


class Feedback(TypedDict):
    """Whether an entry that a recall returned proved useful, and who says so."""

    v: int
    at: int
    event: Literal["feedback"]
    recall: str | None
    id: str
    useful: bool
    by: str


Event = Recalled | Written | Feedback


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
