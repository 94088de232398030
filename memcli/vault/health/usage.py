"""Usage: how a vault is used by its log of signals, and what that shows to be wrong.

Invariant: reads only. Counts of channels leave out the hook of a prompt, since it
asks by words alone and would make every other channel look unused.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from memcli.entries import layout
from memcli.entries.entry import Status
from memcli.entries.finding import WARNING, Finding
from memcli.entries.text import mentions
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple
from memcli.search.ranking.graph import is_hub
from memcli.storage import state_dirs
from memcli.vault.registry import store
from memcli.vault.signals import event
from memcli.vault.signals import log as events
from memcli.vault.signals import summary as signals

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.entries.entry import Entry
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
    """The log of signals: whether it is kept, where, its size, and what it says."""

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
    """Rows by the channel that found them, of the last `recalls` answers with rows."""

    recalls: int
    rows: dict[str, int]


def usage(vault: Vault) -> Usage:
    """What the log of signals says, and how often each skill was used.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    log = events.read(vault.root)
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
        bytes=events.size(vault.root),
        summary=signals.summary(log.events),
        uses=sorted(uses, key=lambda one: (-one.uses, one.id)),
    )


def pairs(vault: Vault) -> list[signals.Pair]:
    """The pairs that a scorer learns from; see `signals.summary.pairs`.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the log of signals")
    return list(signals.pairs(events.read(vault.root).events))


def uses(vault: Vault, entry: Entry) -> int | None:
    """How often a skill was stored or recalled; None for an entry that is no skill.

    For an agent: how often it did so itself, as far as the log goes back.
    """
    if not event.is_skill(entry.kind, str(entry.type)):
        return None
    log = events.read(vault.root)
    if vault.agent is None:
        return log.uses.get(entry.id, 0)
    mine = entry.agent == vault.agent_name
    own = (
        one
        for one in log.events
        if (one["event"] == "recall" and one["agent"] == vault.agent_name)
        or (one["event"] == "write" and mine)
    )
    return event.uses(own)[entry.id]


def channels(vault: Vault) -> Channels:
    """The channels of the last answers' rows; for an agent, of its own answers."""
    agent = vault.agent_name
    recent = list(_recent(vault.root, agent))
    return Channels(len(recent), signals.channels(recent))


def findings(vault: Vault, reader: Reader) -> Iterator[Finding]:
    """Channels that brought no row though there is something for them to find."""
    recent: list[event.Recalled] = []
    brought = set[str]()
    for answer in _recent(vault.root, None):
        recent.append(answer)
        brought.update(name for row in answer["rows"] for name in row["channels"])
        if len(recent) >= _ENOUGH and brought.issuperset(_ABOUT):
            return  # the older ones are not read
    silent = [name for name in _ABOUT if name not in brought]
    there = _material(vault.root, reader) if len(recent) >= _ENOUGH else {}
    for name in silent:
        if there.get(name):
            about, hint = _ABOUT[name]
            yield Finding(
                state_dirs.path(vault.root, layout.EVENTS),
                1,
                "inert_channel",
                WARNING,
                f"no row of the last {counted(len(recent), 'recall')} came through the "
                f"channel '{name}',"
                f" though {there[name]:,} {about}",
                hint,
            )


_ABOUT = {
    "entity": (
        "registered entities are mentioned by several entries",
        "Ask with a name, to see it: memcli recall NAME --explain; an alias that "
        "questions use may be missing: memcli entities alias NAME OTHER",
    ),
    "graph": (
        "registered entities are mentioned by several entries",
        "Check that they are the right ones (memcli inspect entities), and ask for "
        "what they connect: memcli recall NAME --explain",
    ),
    "session": (
        "sessions hold several entries",
        "Check that each is one session (memcli inspect ID names neighbours), and ask "
        "for one: memcli recall QUESTION --explain",
    ),
}


def _recent(root: str, agent: str | None) -> Iterator[event.Recalled]:
    """The last answers with ranked rows, the newest first; an agent's, or all."""
    return islice(
        (
            answer
            for answer in events.newest(root, '"event":"recall"')
            if answer["event"] == "recall"
            and answer["via"] != "hook"
            and agent in (None, answer["agent"])
            and any(row["rank"] is not None for row in answer["rows"])
        ),
        _RECENT,
    )


def _material(root: str, reader: Reader) -> dict[str, int]:
    """How much the entries have for each channel to work with."""
    known = store.load(root).names.meant
    active = set(reader.exact("status", str(Status.ACTIVE)))
    docs: dict[str, set[int]] = {}
    for name, mentioning in reader.values("entity_name").items():
        meant = known.get(mentions.fold(name))
        if meant is not None:
            docs.setdefault(meant, set()).update(active.intersection(mentioning))
    names = Counter({name: len(found) for name, found in docs.items()})
    sessions = Counter(reader.sessions[doc] for doc in active)
    del sessions[0]
    several = [count for count in names.values() if count >= _SEVERAL]
    together = sum(count >= _SEVERAL for count in sessions.values())
    return {
        "entity": len(several),
        # The graph does not go through hubs.
        "graph": sum(not is_hub(count, len(active)) for count in several),
        "session": together,
    }
