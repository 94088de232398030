"""The entries of teams' vaults that a session is told beside those of its own.

The vault that the repository carries is one of them, once the user allows it.

Invariant: teams only add. A vault that is missing, broken, slow or not indexed is left
out with its reason and costs the caller no more than the time given; nothing is
written to one but its index, of few files. Entries that fit a prompt are ordered by
their evidence, the best two of the own vault among them; at a session's start all teams
share one room.
"""

from __future__ import annotations

import os
import time
from typing import Generic, TypeVar

from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log
from memcli.sessions.briefing import prompt, start
from memcli.sessions.briefing.start import Standing
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memcli.search.postgres.silence import Silence
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Item
    from memcli.sessions.briefing.prompt import Fit
    from memcli.storage.known_vaults import KnownVault
    from memcli.vault.vault import Vault

_Answer = TypeVar("_Answer")

# Entries of the own vault among the three that a prompt brings, if so many fit.
_OWN = 2
# Characters for all teams at a session's start: a third of what hosts take.
_ROOM = 3_000

# Seconds: a hook that has more (a session's start) asks a database that was too late
# for another hook a moment ago.
_PATIENT = 1.0

BEHIND = "its index is being built"
LATE = "it took too long"


class TeamAnswers(NamedTuple, Generic[_Answer]):
    """The answers of vaults, in the order of the config, and why others gave none.

    Attributes:
        answers: (source, answer) of each vault that answered.
        silent: by source, why a vault did not.
        behind: the vaults whose index must be built.
    """

    answers: list[tuple[str, _Answer]]
    silent: dict[str, str]
    behind: list[KnownVault]


def told_by_hooks(
    environ: Mapping[str, str], cwd: str | None = None
) -> list[KnownVault]:
    """The vaults of teams that sessions are told of, each folder once; and that of the
    repository around a folder, if the user allows it.

    Raises:
        InvalidConfig: the user's config cannot be understood.
    """
    vaults = known_vaults.beside(cwd, environ)
    by_path = {vault.path: vault for vault in reversed(vaults) if vault.hooks}
    return list(reversed(by_path.values()))


def ask(
    teams: Sequence[KnownVault],
    answer: Callable[[Vault, Reader], _Answer],
    *,
    own: Vault,
    until: float,
) -> TeamAnswers[_Answer]:
    """Ask vaults side by side until a moment of the monotonic clock.

    Args:
        teams: the vaults.
        answer: gives a vault's answer, without effects; called in a thread for each.
        own: the own vault, which is not asked again; teams are asked as its agent, and
            what is resolved in it is not told from theirs.
        until: the moment; a vault that has not answered then is left out.
    """
    # A thread each: a disk that hangs holds only its own thread, and the process ends
    # without it.
    from threading import Thread

    from memcli.search.following import Behind
    from memcli.sessions.briefing.frame import limited
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    answered: dict[str, _Answer] = {}
    refused: dict[str, str] = {}
    behind: list[KnownVault] = []
    itself: set[str] = set()
    clock = own.caller.now_ms
    caller = Caller(own.environ, clock, agent=own.agent_name, waits=False)
    # The own vault has just answered: its files are not listed once more.
    resolved = own.index.opened.again(lambda reader: reader.claims.own)

    def ask_one(place: KnownVault) -> None:
        try:
            if os.path.realpath(place.path) == os.path.realpath(own.root):
                itself.add(place.source)
                return
            if not place.is_there:
                refused[place.source] = f"there is no vault at {place.path}"
                return
            if place.engine and until - time.monotonic() < _PATIENT:
                _late(place, own).refuse(place.where)
            vault = Vault.at(place, caller)
            vault.index.elsewhere = lambda: resolved
            answered[place.source] = _read(
                vault, lambda vault, reader: answer(vault, limited(reader, place))
            )
        except Behind:
            behind.append(place)
            refused[place.source] = BEHIND
        except BaseException as error:  # noqa: BLE001 the vault's fault, not the hook's
            refused[place.source] = hook_log.named(error)

    threads = [Thread(target=ask_one, args=(place,), daemon=True) for place in teams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    # From here on a thread that comes late changes nothing.
    answers, reasons = dict(answered), dict(refused)
    for place in teams:
        if place.engine and place.source not in {*answers, *reasons}:
            _late(place, own).note()
    asked = [place.source for place in teams if place.source not in itself]
    silent = {name: reasons.get(name, LATE) for name in asked if name not in answers}
    unindexed = [place for place in behind if place.source in silent]
    in_order = [(name, answers[name]) for name in asked if name in answers]
    return TeamAnswers(in_order, silent, unindexed)


def _late(place: KnownVault, own: Vault) -> Silence:
    """The note about a database for which a hook has waited in vain."""
    from memcli.search.postgres.silence import Silence

    return Silence(place.path, own.now_ms, "silent-to-hooks")


def _read(vault: Vault, answer: Callable[[Vault, Reader], _Answer]) -> _Answer:
    """A vault's answer, after an update of its index if few files changed.

    Raises:
        Behind: too many changed for a hook to wait.
    """

    from memcli.search.index import FEW

    index = vault.index.opened
    return index.read(lambda reader: answer(vault, reader), most=FEW)


# --- one text -----------------------------------------------------------------------


def fitting(own: Sequence[Fit], teams: Sequence[Sequence[Fit]]) -> list[Item]:
    """The entries that a prompt brings out of all vaults: those with most evidence.

    Evidence is a sum on one scale in every vault, so it is not weighed again.
    """
    marks: set[str] = set()
    found = [fit for fits in (own, *teams) for fit in fits if _is_new(fit.item, marks)]
    found.sort(key=lambda fit: -fit.evidence)  # equal: the own vault first
    best_own = [fit for fit in found if not fit.item.source][:_OWN]
    others = [fit for fit in found if fit not in best_own]
    others = others[: prompt.MOST - len(best_own)]
    return [fit.item for fit in found if fit in best_own or fit in others]


def standing(own: Standing, teams: Sequence[Standing]) -> Standing:
    """What all vaults have to say at a session's start.

    Under each heading the entries of the own vault come first. Those of a team in the
    words of another vault are left out.
    """
    marks: set[str] = set()
    for item in own.items:
        _is_new(item, marks)
    of_teams = [[item for item in team.items if _is_new(item, marks)] for team in teams]
    items = list(own.items)
    more = own.more + sum(team.more for team in teams)
    room = _ROOM
    for item in _by_turns(of_teams):
        fitting = (each for each in (item, item.by_title) if _cost(each) <= room)
        placed = next(fitting, None)
        if placed is None:
            more += 1
        else:
            items.append(placed)
            room -= _cost(placed)
    items.sort(key=lambda item: start.PARTS.index(item.part))
    return Standing(items, more, own.waiting)


def _cost(item: Item) -> int:
    return len(item.text) + start.AROUND


def _by_turns(queues: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """The items of teams by turns: the next is of the team that has used least room."""
    used = [0] * len(queues)
    place = [0] * len(queues)
    while True:
        waiting = [i for i, queue in enumerate(queues) if place[i] < len(queue)]
        if not waiting:
            return
        turn = min(waiting, key=lambda i: (used[i], i))
        item = queues[turn][place[turn]]
        place[turn] += 1
        used[turn] += _cost(item)
        yield item


def _is_new(item: Item, told: set[str]) -> bool:
    """Whether neither the entry nor its words were told; both are from now on."""
    from memcli.entries.identity import strict_key

    marks = {item.id, strict_key("", item.text)}
    new = told.isdisjoint(marks)
    told |= marks
    return new
