"""What the vaults of teams add to what a session is told unasked.

Invariant: they only add. A vault that is missing, broken, slow or not indexed is left
out with its reason and costs the caller no more than the time given; nothing is
written to one but its index, of few files. What fits a prompt is ordered as if all
were one vault, the own one's best two are among it, and teams together have so much
room.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from memcli.sessions import hook_log
from memcli.sessions.briefing import compose
from memcli.sessions.briefing.frame import Item
from memcli.storage import known_vaults

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.compose import Fitting
    from memcli.storage.known_vaults import KnownVault
    from memcli.vault.vault import Vault

_Answer = TypeVar("_Answer")

# Of four entries that a prompt brings, so many are the own vault's if it has them.
_OWN = 2
# Characters at a session's start, of all teams together: a third of what hosts take.
_ROOM = 3_000
# What a line has around its text: the id, the vault's name, a dash and brackets.
_AROUND = 40

BEHIND = "its index is being built"
LATE = "it took too long"


class TeamAnswers(NamedTuple, Generic[_Answer]):
    """What each vault answered, in the order of the config, and why others did not.

    `silent` has the reason by source; `behind` are those whose index must be built.
    """

    answers: list[tuple[str, _Answer]]
    silent: dict[str, str]
    behind: "list[KnownVault]"


def told_by_hooks(environ: Mapping[str, str]) -> "list[KnownVault]":
    """The vaults of teams that sessions are told of, each folder once.

    Raises:
        InvalidConfig: the user's config cannot be understood.
    """
    found = known_vaults.configured(environ).values()
    by_path = {one.path: one for one in reversed(found) if one.recall and one.hooks}
    return list(reversed(by_path.values()))


def ask(
    teams: "Sequence[KnownVault]",
    answer: "Callable[[Vault, Reader], _Answer]",
    *,
    own: str,
    until: float,
    agent: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> TeamAnswers[_Answer]:
    """Ask vaults side by side until a moment of the monotonic clock.

    Args:
        teams: whom to ask.
        answer: has no effects, and is called in another thread for each.
        own: the folder of the own vault, which is not asked again.
        until: what has not answered then is left out.
        agent: who asks, as of `Vault`.
        environ: as of `Vault`.
    """
    # A thread each: a disk that hangs holds its own thread, and the process ends
    # without it.
    from threading import Thread

    from memcli.search.index import Behind
    from memcli.vault.vault import Vault

    given: dict[str, _Answer] = {}
    refused: dict[str, str] = {}
    behind: list[KnownVault] = []
    itself: set[str] = set()

    def one(place: "KnownVault") -> None:
        try:
            if os.path.realpath(place.path) == os.path.realpath(own):
                itself.add(place.source)
                return
            if not os.path.isdir(os.path.join(place.path, ".memcli")):
                refused[place.source] = f"there is no vault at {place.path}"
                return
            vault = Vault(place.path, environ=environ, agent=agent, source=place.source)
            given[place.source] = _read(vault, answer)
        except Behind:
            behind.append(place)
            refused[place.source] = BEHIND
        except BaseException as error:  # noqa: BLE001 its own fault, whatever it is
            refused[place.source] = hook_log.named(error)

    threads = [Thread(target=one, args=(place,), daemon=True) for place in teams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    # From here on a thread that comes late changes nothing.
    answers, reasons = dict(given), dict(refused)
    asked = [place.source for place in teams if place.source not in itself]
    silent = {name: reasons.get(name, LATE) for name in asked if name not in answers}
    told = [(name, answers[name]) for name in asked if name in answers]
    return TeamAnswers(
        told, silent, [place for place in behind if place.source in silent]
    )


def _read(vault: "Vault", answer: "Callable[[Vault, Reader], _Answer]") -> _Answer:
    """The answer; few files that changed are indexed before, of more nobody waits."""

    def look(reader: "Reader", changed: list[str], gone: list[str]) -> Any:
        return None if changed or gone else (answer(vault, reader),)

    found = vault.index.at_once(look)
    if found is None:
        return vault.index.read(lambda reader: answer(vault, reader))
    first: _Answer = found[0]
    return first


# --- one text -----------------------------------------------------------------------


def fitting(own: "Fitting", teams: "Sequence[Fitting]") -> list[Item]:
    """What fits a prompt best of all vaults, weighed as if they were one."""
    if not teams:
        return [one.item for one in own.found[: compose.MOST]]
    from memcli.search.ranking.corpus import inverse_frequency

    every = [own, *teams]
    size = sum(one.size for one in every)
    counts: dict[str, int] = {}
    for one in every:
        for word, count in one.counts.items():
            counts[word] = counts.get(word, 0) + count
    told: set[str] = set()
    scored: list[tuple[float, Item]] = []
    for one in every:
        for fit in one.found:
            if not _is_new(fit.item, told):
                continue
            here = sum(inverse_frequency(one.counts[w], one.size) for w in fit.matched)
            there = sum(inverse_frequency(counts[w], size) for w in fit.matched)
            scored.append((fit.score * there / here, fit.item))
    scored.sort(key=lambda one: -one[0])  # equal scores: the own vault first
    mine = [one for one in scored if not one[1].source][:_OWN]
    rest = [one for one in scored if one not in mine][: compose.MOST - len(mine)]
    return [one[1] for one in scored if one in mine or one in rest]


def standing(
    own: Sequence[Item], teams: Sequence[Sequence[Item]], shown: Collection[str]
) -> tuple[list[Item], list[Item]]:
    """What is told at a session's start, in order; and what teams have no room for.

    Under each heading the own vault's stands first. Nothing that was `shown`, and
    nothing of a team in the words of another vault.
    """
    mine = [one for one in own if one.id not in shown]
    told: set[str] = set()
    for one in own if teams else ():
        _is_new(one, told)
    theirs = [
        [one for one in items if one.id not in shown and _is_new(one, told)]
        for items in teams
    ]
    kept: list[Item] = []
    left: list[Item] = []
    room = _ROOM
    for one in _by_turns(theirs):
        cost = len(one.text) + _AROUND
        (kept if cost <= room else left).append(one)
        room -= cost if cost <= room else 0
    everything = sorted([*mine, *kept], key=lambda one: compose.PARTS.index(one.part))
    return everything, left


def _by_turns(queues: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """The next of whoever has said least, so that no team takes another one's room."""
    said = [0] * len(queues)
    place = [0] * len(queues)
    while True:
        waiting = [i for i, one in enumerate(queues) if place[i] < len(one)]
        if not waiting:
            return
        one = min(waiting, key=lambda i: (said[i], i))
        item = queues[one][place[one]]
        place[one] += 1
        said[one] += len(item.text) + _AROUND
        yield item


def _is_new(item: Item, told: set[str]) -> bool:
    """Whether neither the entry nor its words were told; both are from now on."""
    from memcli.entries.identity import strict_key

    marks = {item.id, strict_key("", item.text)}
    new = told.isdisjoint(marks)
    told |= marks
    return new
