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
from itertools import chain, zip_longest

from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log
from memcli.sessions.briefing import prompt, start
from memcli.sessions.briefing.start import Standing

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Item
    from memcli.sessions.briefing.prompt import Fit
    from memcli.storage.known_vaults import KnownVault
    from memcli.vault.vault import Vault

# Entries of the own vault among the three that a prompt brings, if so many fit.
_OWN = 2
# Characters for all teams at a session's start: a third of what hosts take.
_ROOM = 3_000

BEHIND = "its index is being built"
LATE = "it took too long"


class TeamAnswers(NamedTuple):
    """The answers of vaults, in the order of the config, and why others gave none.

    Attributes:
        answers: of each vault that answered.
        silent: by source, why a vault did not.
        behind: the vaults whose index must be built.
    """

    answers: list[Any]
    silent: dict[str, str]
    behind: list[KnownVault]


def ask(
    teams: Sequence[KnownVault],
    answer: Callable[[Vault, Reader], Any],
    *,
    own: Vault,
    until: float,
) -> TeamAnswers:
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
    from memcli.search.index import FEW
    from memcli.sessions.briefing.frame import limited
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    answered: dict[str, Any] = {}
    refused: dict[str, str] = {}
    caller = Caller(own.environ, own.caller.now_ms, agent=own.agent_name, waits=False)
    # The own vault has just answered: its files are not listed once more.
    resolved = own.opened.again(lambda reader: reader.claims.own)

    def ask_one(place: KnownVault) -> None:
        name = place.source
        try:
            if os.path.realpath(place.path) == os.path.realpath(own.root):
                refused[name] = ""
            elif not place.is_there:
                refused[name] = f"there is no vault at {place.path}"
            else:
                vault = Vault.at(place, caller)
                vault.opened.elsewhere = lambda: resolved
                answered[name] = vault.opened.read(
                    lambda reader: answer(vault, limited(reader, place)), most=FEW
                )
        except Behind:  # too many files changed for a hook to wait
            refused[name] = BEHIND
        except BaseException as error:  # noqa: BLE001 the vault's fault, not the hook's
            refused[name] = hook_log.named(error)

    threads = [Thread(target=ask_one, args=(place,), daemon=True) for place in teams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    # From here on a thread that comes late changes nothing.
    answers, reasons = dict(answered), dict(refused)
    names = [place.source for place in teams]
    silent = {name: reasons.get(name, LATE) for name in names if name not in answers}
    return TeamAnswers(
        [answers[name] for name in names if name in answers],
        {name: why for name, why in silent.items() if why},
        [place for place in teams if silent.get(place.source) == BEHIND],
    )


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
    """The items of all vaults at a session's start.

    Under each heading the entries of the own vault come first. Teams get room by turns;
    what one says in the words of another vault is left out.
    """
    marks: set[str] = set()
    for item in own.items:
        _is_new(item, marks)
    of_teams = [[item for item in team.items if _is_new(item, marks)] for team in teams]
    items = list(own.items)
    more = own.more + sum(team.more for team in teams)
    room = _ROOM
    for item in filter(None, chain.from_iterable(zip_longest(*of_teams))):
        for told in (item, item.by_title):
            cost = len(told.text) + start.AROUND
            if cost <= room:
                items.append(told)
                room -= cost
                break
        else:
            more += 1
    items.sort(key=lambda item: start.PARTS.index(item.part))
    return Standing(items, more, own.waiting)


def _is_new(item: Item, told: set[str]) -> bool:
    """Whether neither the entry nor its words were told; both are from now on."""
    from memcli.entries.identity import strict_key

    marks = {item.id, strict_key("", item.text)}
    new = told.isdisjoint(marks)
    told |= marks
    return new
