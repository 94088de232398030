"""Usage: what the log of signals says of a vault, and what it says is wrong.

Invariant: reads only. What counts channels leaves the hook of a prompt out, since it
asks by words alone and would make every other channel look unused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import layout
from memcli.entries.entry import Entry, Status
from memcli.entries.text import mentions
from memcli.search.ranking.graph import is_hub
from memcli.vault.health.finding import WARNING, Finding
from memcli.vault.registry import store
from memcli.vault.signals import event
from memcli.vault.signals import log as events
from memcli.vault.signals import summary as signals

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

_RECENT = 200
# From so many answers on, a channel that brought nothing is not just unlucky.
_ENOUGH = 50
_SEVERAL = 2


class Use(NamedTuple):
    """How often a skill was stored or recalled; `title` is None when it is gone."""

    id: str
    title: str | None
    uses: int


class Usage(NamedTuple):
    """What is noted, where, and what it says."""

    on: bool
    path: str
    bytes: int
    summary: signals.Summary
    uses: list[Use]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        summary = self.summary._asdict()
        summary["asked"] = [one._asdict() for one in self.summary.asked]
        summary["feedback"] = [one._asdict() for one in self.summary.feedback]
        head = {"on": self.on, "path": self.path, "bytes": self.bytes}
        return {**head, **summary, "uses": [one._asdict() for one in self.uses]}


class Channels(NamedTuple):
    """Rows by what found them, over the last `recalls` answers that had any."""

    recalls: int
    rows: dict[str, int]


def usage(vault: "Vault") -> Usage:
    """What the log says, and how often each skill was used.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    log = events.read(vault.root)
    counts = log.uses()

    def titles(reader: "Reader") -> dict[str, str]:
        return {
            name: reader.row(docs[0]).title
            for name in counts
            if len(docs := reader.exact("id", name))
        }

    known = vault.read(titles) if counts else {}
    uses = [Use(name, known.get(name), count) for name, count in counts.items()]
    return Usage(
        on=vault.recorder.on,
        path=layout.EVENTS,
        bytes=events.size(vault.root),
        summary=signals.summary(log.events),
        uses=sorted(uses, key=lambda one: (-one.uses, one.id)),
    )


def pairs(vault: "Vault") -> list[signals.Pair]:
    """What a scorer can learn from; see `signals.pairs`.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    return list(signals.pairs(events.read(vault.root).events))


def uses(vault: "Vault", entry: Entry) -> int | None:
    """How often an entry was stored or recalled; None for what is no skill."""
    if not event.is_skill(entry.kind, str(entry.type)):
        return None
    return events.read(vault.root).uses().get(entry.id, 0)


def channels(vault: "Vault") -> Channels:
    """Through what the rows of the last answers came; for an agent, of its own."""
    agent = vault.agent.name if vault.agent else None
    recent = list(_recent(vault.root, agent))
    return Channels(len(recent), signals.channels(recent))


def findings(vault: "Vault", entries: Sequence[Entry]) -> Iterator[Finding]:
    """Channels that brought no row though there is something for them to find.

    Args:
        vault: whose log it is.
        entries: everything in it.
    """
    recent = list(_recent(vault.root, None))
    if len(recent) < _ENOUGH:
        return
    found = signals.channels(recent)
    silent = [name for name in ("entity", "graph", "session") if not found[name]]
    material = _material(vault, entries) if silent else {}
    for name in silent:
        if material.get(name):
            about, hint = _ABOUT[name]
            yield Finding(
                layout.EVENTS,
                1,
                "inert_channel",
                WARNING,
                f"no row of the last {len(recent)} recalls came through the channel "
                f"'{name}', though {material[name]:,} {about}",
                hint,
            )


_ABOUT = {
    "entity": (
        "registered entities are mentioned by several entries",
        "Ask with a name, to see it: memcli recall NAME --explain; what questions call "
        "it may be missing: memcli entities alias NAME OTHER",
    ),
    "graph": (
        "registered entities are mentioned by several entries",
        "Look whether they are the right ones (memcli inspect entities), and ask for "
        "what is connected: memcli recall NAME --explain",
    ),
    "session": (
        "sessions hold several entries",
        "Look whether they are one session each (memcli inspect ID names neighbours), "
        "and ask for one: memcli recall QUESTION --explain",
    ),
}


def _recent(root: str, agent: str | None) -> Iterator[event.Recalled]:
    """The last answers with ranked rows, the newest first; an agent's, or all."""
    return islice(
        (
            one
            for one in events.newest(root, '"event":"recall"')
            if one["event"] == "recall"
            and one["via"] != "hook"
            and agent in (None, one["agent"])
            and any(row["rank"] is not None for row in one["rows"])
        ),
        _RECENT,
    )


def _material(vault: "Vault", entries: Iterable[Entry]) -> dict[str, int]:
    """How much there is for each channel to work with."""
    from memcli.search.document import document_id

    known = store.load(vault.root).names.meant
    names = Counter[str]()
    sessions = Counter[str]()
    force = 0
    for entry in entries:
        if entry.status is not Status.ACTIVE:
            continue
        force += 1
        meant = {known.get(mentions.fold(name)) for name in entry.entities}
        names.update(one for one in meant if one is not None)
        session = document_id(entry)
        if session:
            sessions[session] += 1
    several = [count for count in names.values() if count >= _SEVERAL]
    together = sum(count >= _SEVERAL for count in sessions.values())
    return {
        "entity": len(several),
        # No way leads over a hub.
        "graph": sum(not is_hub(count, force) for count in several),
        "session": together,
    }
