"""The vaults of teams, asked beside the own one for what a session is told.

The vault that the repository carries is one of them, once the user allows it.

Invariant: teams only add. A vault that is missing, broken, slow or not indexed is left
out with its reason and costs the caller no more than the time given; nothing is
written to one but its index, of few files.
"""

from __future__ import annotations

import os
import time

from memcli.sessions import hook_log

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.storage.known_vaults import KnownVault
    from memcli.vault.vault import Vault

BEHIND = "its index is being built"
LATE = "it took too long"


def ask(
    teams: Sequence[KnownVault],
    answer: Callable[[Vault, Reader], Any],
    *,
    own: Vault,
    until: float,
) -> tuple[list[Any], dict[str, str]]:
    """Ask vaults side by side until a moment of the monotonic clock.

    Returns the answers, in the order of the vaults, and by source why others gave none.

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

                def of_team(reader: Reader) -> Any:
                    reader.code_changed = own.code_look(name)
                    return answer(vault, limited(reader, place))

                answered[name] = vault.opened.read(of_team, most=FEW)
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
    answered_in_order = [answers[name] for name in names if name in answers]
    return answered_in_order, {name: why for name, why in silent.items() if why}
