"""What a hook tells with a prompt: from the own vault first, then from those of teams.

The vault that the repository carries is asked as those of teams are.

Invariant: the own vault has answered before a team's is asked, so trouble
with a team's vault costs time within its limit and nothing else. An entry of any vault
is noted as shown before it is told.
"""

from __future__ import annotations

import os
import time

from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log, markers
from memcli.storage import state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Item
    from memcli.vault.code_state import Watch
    from memcli.vault.vault import Vault

    _Answer = TypeVar("_Answer")


# Seconds. A process that brings the index up to date after an edit is done by then.
_INDEX_WAIT = 0.3
WRAPPING = 200
"""Characters that JSON puts around a text."""
# Seconds between two attempts to build the index of a team's vault.
_INDEX_EVERY = 60.0


class TeamLimits(NamedTuple):
    """How the vaults of teams are asked.

    Attributes:
        asked: whether they are asked at all: False where the call names its one vault.
        seconds: how long they have, together.
        until: the monotonic time after which they have no time at all.
        build: starts a process that builds the index of a folder.
    """

    asked: bool
    seconds: float
    until: float
    build: Callable[[str], Any]


def at_prompt(root: str, event: Event, line: dict[str, Any], limits: TeamLimits) -> str:
    """What a session is told with a prompt; `line` says in the log what came of it."""
    from memcli.hosts import hook_payload
    from memcli.sessions.briefing import prompt
    from memcli.sessions.briefing.frame import framed, note

    opening = opened_unless_indexing(root, event, line)
    if opening is None:
        return ""
    vault, view = opening
    shown = markers.shown(root, event.session, asking())
    question = prompt.question(event.prompt)
    watch = watch_of(vault)
    own_answer = prompt.for_prompt(vault, question, view, shown, watch)
    team_answers = ask_teams(
        vault,
        line,
        limits,
        lambda vault, reader: prompt.fitting(
            reader, question, view, shown, vault.source, watch
        ),
    )
    if team_answers:
        from memcli.sessions.briefing.teams import fitting

        items = fitting(own_answer, team_answers)
    else:
        items = [fit.item for fit in own_answer]
    framed_text = framed(items, hook_payload.MOST - WRAPPING)
    if framed_text.shown:
        # First: what cannot be noted would be told again at every prompt.
        markers.show(root, event.session, framed_text.shown, agent=asking())
    line["shown"] = len(framed_text.shown)
    count_teams(line, items, framed_text.shown)
    note(vault, event.prompt, items, framed_text.shown)
    return framed_text.text


def opened(root: str, cwd: str | None = None) -> Vault:
    """The vault as the agent that the environment names, from a session's folder."""
    from memcli.storage import known_vaults, repo_vault
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    source = known_vaults.PERSONAL
    if os.path.basename(root) == repo_vault.FOLDER:
        source = known_vaults.place_of(root, os.environ, cwd).source
    caller = Caller(
        environ=os.environ, agent=asking(), via="hook", cwd=cwd, waits=False
    )
    return Vault(root, caller, source=source)


def is_time(root: str, what: str, every: float) -> bool:
    """Whether something was last done more than `every` seconds ago.

    If so, it counts as done now.

    Raises:
        OSError: that cannot be written down.
    """
    from memcli.entries import layout
    from memcli.storage import state_dirs

    stamp = os.path.join(state_dirs.path(root, layout.HARNESS), what)
    try:
        if 0 <= time.time() - os.stat(stamp).st_mtime < every:
            return False
    except OSError:
        pass
    markers.make_folder(root)
    with open(stamp, "w", encoding="utf-8"):
        pass
    return True


def opened_unless_indexing(
    root: str, event: Event, line: dict[str, Any]
) -> tuple[Vault, View] | None:
    """As `opened`, with the view of now from the session's project; None while another
    process builds the vault's index."""
    from memcli.entries import layout
    from memcli.entries.eligibility import View
    from memcli.entries.projects import number
    from memcli.errors import LockBusy, MemcliError
    from memcli.storage.lock import Lock

    try:
        with Lock(state_dirs.path(root, layout.INDEX_LOCK), _INDEX_WAIT):
            pass
    except LockBusy:
        line["did"] = "nothing: the index is being built"
        return None
    except MemcliError:
        pass  # a disk that cannot be written to can be read
    vault = opened(root, event.cwd)
    here = None
    try:
        here = vault.here
    except MemcliError as error:  # then only what holds everywhere is told
        line["error"] = hook_log.named(error)
    return vault, View(vault.now_ms() // 1000, here=number(here))


def watch_of(vault: Vault) -> Watch | None:
    """A look at the code of the session's project; None where there is no project."""
    from memcli.errors import MemcliError

    try:
        if vault.project is None:
            return None
    except MemcliError:  # `opened_unless_indexing` has said so
        return None
    from memcli.vault import code_state

    return code_state.hook_watch(vault)


def ask_teams(
    own: Vault,
    line: dict[str, Any],
    limits: TeamLimits,
    answer: Callable[[Vault, Reader], _Answer],
    *,
    databases: bool = True,
) -> list[_Answer]:
    """What the vaults of teams answer in their time; why others do not, in `line`.

    Args:
        own: the user's own vault.
        line: of the hooks' log.
        limits: how they are asked.
        answer: gives a vault's answer.
        databases: whether vaults are asked for which a database answers.
    """
    from memcli.errors import MemcliError
    from memcli.storage import known_vaults

    try:
        # A user without teams loads nothing for them.
        if not limits.asked or not known_vaults.beside(own.cwd, os.environ):
            return []
        from memcli.sessions.briefing import teams

        told = teams.told_by_hooks(os.environ, own.cwd)
        places = [place for place in told if databases or not place.engine]
    except MemcliError as error:
        line["not_asked"] = {"teams": hook_log.named(error)[:300]}
        return []
    if not places:
        return []
    replies = teams.ask(
        places,
        answer,
        own=own,
        until=min(time.monotonic() + limits.seconds, limits.until),
    )
    if replies.silent:
        line["not_asked"] = {name: why[:300] for name, why in replies.silent.items()}
    for place in replies.behind:
        # Neither a full disk nor a process that cannot start is the team's fault.
        try:
            if is_time(own.root, f"indexed-{place.name}", _INDEX_EVERY):
                limits.build(place.path)
        except OSError:
            pass
    return [reply for _, reply in replies.answers]


def count_teams(line: dict[str, Any], items: list[Item], shown: list[str]) -> None:
    """Write into `line` how many entries of each team were told."""
    ids = set(shown)
    sources = [item.source for item in items if item.source and item.id in ids]
    if sources:
        line["teams"] = {name: sources.count(name) for name in dict.fromkeys(sources)}


def asking() -> str | None:
    """The agent that asks; None is the owner."""
    return os.environ.get("MEMCLI_AGENT") or None
