"""The answer of a hook: from the own vault first, then from those of teams.

The vault that the repository carries is asked as those of teams are.

Invariant: the own vault has answered before a team's is asked, so trouble
with a team's vault costs time within its limit and nothing else. An entry of any vault
is noted as told before it is told.
"""

from __future__ import annotations

import os
import time

from memcli.sessions import hook_log, markers
from memcli.sessions.hooks import pipe
from memcli.storage import state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Framed, Item
    from memcli.vault.code_state import Watch
    from memcli.vault.vault import Vault

    _Answer = TypeVar("_Answer")

# Seconds. A process that brings the index up to date after an edit is done by then.
_INDEX_WAIT = 0.3
# Seconds that the vaults of teams may take after the own one has answered.
_TEAMS_WAIT = {"session-start": 1.5, "prompt-submit": 0.6}
_TEAMS_WAIT |= {"pre-tool": 0.4, "post-tool": 0.4}
# Characters that JSON puts around a text.
_WRAPPING = 200
# Seconds between two attempts to build the index of a team's vault.
_INDEX_EVERY = 60.0


class Answer:
    """One answer in the making.

    Attributes:
        root, event: of the own vault, and what happened.
        line: of the log; says what came of it.
        last: the moment of the monotonic clock after which the vaults of teams are not
            waited for; None where the call names its one vault.
        vault, view: the own vault, and how it is seen now from the session's project.
    """

    vault: Vault
    view: View

    def __init__(
        self,
        root: str,
        event: Event,
        line: dict[str, Any],
        last: float | None = None,
    ) -> None:
        self.root, self.event, self.line, self.last = root, event, line, last

    def opens(self) -> bool:
        """Open the own vault; False while another process builds its index."""
        from memcli.entries import layout
        from memcli.entries.eligibility import View
        from memcli.entries.ids import number
        from memcli.errors import LockBusy, MemcliError
        from memcli.storage.lock import Lock

        try:
            with Lock(state_dirs.path(self.root, layout.INDEX_LOCK), _INDEX_WAIT):
                pass
        except LockBusy:
            self.line["did"] = "nothing: the index is being built"
            return False
        except MemcliError:
            pass  # a disk that cannot be written to can be read
        self.vault = opened(self.root, self.event.cwd)
        here = None
        try:
            here = self.vault.here
        except MemcliError as error:  # then only what holds everywhere is told
            self.line["error"] = hook_log.named(error)
        self.view = View(self.vault.now_ms() // 1000, here=number(here))
        return True

    def watch(self) -> Watch | None:
        """A look at the code of the session's project; None where there is none."""
        from memcli.errors import MemcliError

        try:
            if self.vault.project is None:
                return None
        except MemcliError:  # `opens` has said so
            return None
        from memcli.vault import code_state

        return code_state.hook_watch(self.vault)

    def of_teams(
        self, answer: Callable[[Vault, Reader], _Answer], *, databases: bool = True
    ) -> list[_Answer]:
        """The answers that the vaults of teams give in time; `line` has the others.

        Args:
            answer: gives the answer of a vault.
            databases: whether vaults are asked for which a database answers.
        """
        from memcli.errors import MemcliError
        from memcli.storage import known_vaults

        own, line = self.vault, self.line
        if self.last is None:
            return []
        try:
            beside = known_vaults.beside(own.cwd, os.environ)
        except MemcliError as error:
            line["not_asked"] = {"teams": hook_log.named(error)[:300]}
            return []
        # Each folder once, by its first name.
        places = {place.path: place for place in reversed(beside) if place.hooks}
        asked = [p for p in reversed(places.values()) if databases or not p.engine]
        if not asked:  # a user without teams loads nothing for them
            return []
        from memcli.sessions.briefing import teams

        until = time.monotonic() + _TEAMS_WAIT.get(self.event.name, 0.0)
        replies = teams.ask(asked, answer, own=own, until=min(until, self.last))
        if replies.silent:
            line["not_asked"] = {n: why[:300] for n, why in replies.silent.items()}
        for place in replies.behind:
            # Neither a full disk nor a process that cannot start is the team's fault.
            try:
                if is_time(own.root, f"indexed-{place.name}", _INDEX_EVERY):
                    pipe.start(place.path, "--index")
            except OSError:
                pass
        return replies.answers

    def framed(self, items: Sequence[Item], more: int = 0, **how: str) -> Framed:
        """The text for these items; `line` says how many of them, and whose, are told.

        Args:
            items: in their order.
            more: how many are left out already.
            how: as of `frame.framed`.
        """
        from memcli.hosts import hook_payload
        from memcli.sessions.briefing.frame import framed

        text = framed(items, hook_payload.MOST - _WRAPPING, more, **how)
        self.line["shown"] = len(text.shown) + text.titles
        sources = [each.source for each in items if each.id in text.shown]
        if any(sources):
            names = dict.fromkeys(filter(None, sources))
            self.line["teams"] = {name: sources.count(name) for name in names}
        return text


def at_prompt(answer: Answer) -> str:
    """Returns the text for a session at a prompt."""
    from memcli.sessions.briefing import prompt
    from memcli.sessions.briefing.frame import note

    if not answer.opens():
        return ""
    root, event, vault, agent = answer.root, answer.event, answer.vault, agent_name()
    shown = markers.noted(root, event.session, markers.TOLD, agent)
    question, watch = prompt.question(event.prompt), answer.watch()

    def fitting(vault: Vault, reader: Reader) -> list[prompt.Fit]:
        source = vault.source
        return prompt.fitting(reader, question, answer.view, shown, source, watch)

    own = prompt.for_prompt(vault, question, answer.view, shown, watch)
    of_teams = answer.of_teams(fitting)
    if of_teams:
        from memcli.sessions.briefing import teams

        items = teams.fitting(own, of_teams)
    else:
        items = [fit.item for fit in own]
    framed = answer.framed(items)
    if framed.shown:
        # First: what cannot be noted would be told again at every prompt.
        markers.note(root, event.session, markers.TOLD, framed.shown, agent)
    note(vault, event.prompt, items, framed.shown)
    return framed.text


def opened(root: str, cwd: str | None = None) -> Vault:
    """The vault as the agent that the environment names, from a session's folder."""
    from memcli.storage import known_vaults, repo_vault
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    source = known_vaults.PERSONAL
    if os.path.basename(root) == repo_vault.FOLDER:
        source = known_vaults.place_of(root, os.environ, cwd).source
    caller = Caller(
        environ=os.environ, agent=agent_name(), via="hook", cwd=cwd, waits=False
    )
    return Vault(root, caller, source=source)


def is_time(root: str, what: str, every: float) -> bool:
    """Whether something was last done more than `every` seconds ago.

    If so, it counts as done now.

    Raises:
        OSError: that cannot be written down.
    """
    from memcli.entries import layout

    stamp = os.path.join(state_dirs.path(root, layout.HARNESS), what)
    try:
        if 0 <= time.time() - os.stat(stamp).st_mtime < every:
            return False
    except OSError:
        pass
    os.makedirs(os.path.dirname(stamp), exist_ok=True)
    with open(stamp, "wb"):
        pass
    return True


def agent_name() -> str | None:
    """The agent that this host's calls are made for; None is the owner."""
    return os.environ.get("MEMCLI_AGENT") or None
