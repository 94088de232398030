"""The answer of a hook at a start or a prompt: from the own vault, then from those of
teams. The vault that the repository carries is asked as those of teams are.

A start ends with what waits for the user and with how an agent saves what lasts; alone,
what waits comes once a day.

Invariant: the own vault has answered before a team's is asked, so trouble
with a team's vault costs time within its limit and nothing else. An entry of any vault
is noted as told before it is told.
"""

from __future__ import annotations

import os
import time

from memcli.sessions import hook_log, markers
from memcli.sessions.hooks import pipe
from memcli.storage import known_vaults, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Framed, Item
    from memcli.sessions.briefing.start import Session, Standing
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
        self, root: str, event: Event, line: dict[str, Any], last: float | None = None
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
    from memcli.storage import repo_vault
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


# --- a start --------------------------------------------------------------------------


# Nothing that the repository says is part of it.
_NOT_ALLOWED = (
    "This repository carries a memory of its own in .memory/. Nothing of it is read "
    "until the user allows it, which only the user decides (memcli allow)."
)
_ASK = """\
The user wants what lasts to be kept: when they state a decision, a rule or a \
preference, or a fix proves right, save it at once, whole, in their words:
{command} save "TEXT" --kind decision --asked "PHRASE" --asked "PHRASE" \
(or: convention, preference, workflow, fix, constraint; four to six phrases, in other \
words, that a later question may use)"""
# Seconds between two starts that tell nothing but how many candidates wait.
_SAY_EVERY = 86_400.0
_SAID = "said-waiting"


def at_start(answer: Answer) -> str:
    """Returns the text for a session that starts."""
    from memcli.sessions.briefing import start
    from memcli.sessions.briefing.frame import TITLES, note

    if not answer.opens():
        return ""
    root, event, vault, agent = answer.root, answer.event, answer.vault, agent_name()
    session = _session(answer)

    def standing(vault: Vault, reader: Reader) -> Standing:
        return start.standing(reader, vault.settings, vault.source, session)

    told = start.at_start(vault, session)
    of_teams = answer.of_teams(standing)
    if of_teams:
        from memcli.sessions.briefing import teams

        told = teams.standing(told, of_teams)
    # A session that has forgotten is told everything again; any other knows what it was
    # told, also by a prompt whose hook came first.
    forgot = event.reason in ("compact", "clear")
    shown = set[str]()
    if event.session and not forgot:
        shown = markers.noted(root, event.session, markers.TOLD, agent)
    if shown:  # titles are no news to a session that goes on
        items = [each for each in told.items if each.part != TITLES]
        items = [each for each in items if each.id not in shown]
        told = told._replace(items=items, more=0)
    closing = "\n".join(_closing(answer, told, is_new=not shown))
    listing = "memcli list --all --project here"
    framed = answer.framed(told.items, told.more, listing=listing, note=closing)
    try:
        if event.session and forgot:
            markers.forget(root, event.session, agent)
        if event.session and framed.shown:
            markers.note(root, event.session, markers.TOLD, framed.shown, agent)
    except OSError as error:
        answer.line["error"] = hook_log.named(error)
    if framed.shown:
        note(vault, None, told.items, framed.shown)
    return framed.text


def of_repository_alone(event: Event, line: dict[str, Any]) -> tuple[str | None, str]:
    """The text for a user without a vault, from that of the session's repository.

    Nothing is kept of such a session.

    Returns:
        The folder of that vault, if it is allowed, and the text.
    """
    from memcli.errors import MemcliError
    from memcli.hosts import hook_payload

    is_start = event.name == "session-start"
    if not is_start and event.name != "prompt-submit":
        return None, ""
    try:
        found = known_vaults.of_repository(event.cwd, os.environ)
    except MemcliError:  # there is no vault whose log could say so
        return None, ""
    if found is None or not hook_payload.takes_text(event.host, event.name):
        return None, ""
    answer = Answer(found.path, event, line)
    if not found.allowed:
        note = _NOT_ALLOWED if is_start else ""
        return None, answer.framed((), note=note).text
    if is_start:
        return found.path, at_start(answer)
    told = at_prompt(answer) if event.prompt and event.session else ""
    return found.path, told


def _session(answer: Answer) -> Session:
    """The session that starts: all that its text depends on besides the vaults."""
    from functools import cache

    from memcli.errors import MemcliError
    from memcli.hosts import table
    from memcli.sessions.briefing import frame
    from memcli.sessions.briefing.start import LoadedPages, Session

    vault = answer.vault
    try:
        name, folder = vault.project or (None, None)
    except MemcliError:  # `opens` has said so
        name = folder = None
    host = table.get(answer.event.host)
    return Session(
        view=answer.view,
        project=name,
        watch=answer.watch(),
        work=cache(lambda: frame.names(folder, vault.environ)),
        loaded=LoadedPages(host, folder, vault.environ) if host else None,
    )


def _closing(answer: Answer, told: Standing, *, is_new: bool) -> Iterator[str]:
    """The last lines of a start: what waits for the user, how to save what lasts."""
    vault, event = answer.vault, answer.event
    if told.waiting and (told.items or _is_day(vault.root)):
        from memcli.entries.text.counted import agreeing, counted

        candidates = counted(told.waiting, "candidate")
        waits = agreeing(told.waiting, "waits")
        yield f"{candidates} {waits} for the user's review (memcli review)."
    if agent_name() is None:
        from memcli.storage import detached

        for line in detached.take_news(vault.root, os.environ):
            yield f"Tell the user: {line}."
    if answer.last is None:
        return
    from memcli.errors import MemcliError

    try:
        found = known_vaults.of_repository(event.cwd, os.environ)
        if found and not found.allowed:
            yield _NOT_ALLOWED
        if is_new and event.reason != "resume" and _may_save(vault):
            agent = f" --agent {vault.agent_name}" if vault.agent_name else ""
            yield _ASK.format(command=f"memcli{agent}")
    except MemcliError:  # a config that cannot be read; other commands say so
        pass


def _is_day(root: str) -> bool:
    """Whether a day has passed since a start told only what waits."""
    try:
        return is_time(root, _SAID + markers.mark_of(agent_name()), _SAY_EVERY)
    except OSError:  # what cannot be noted would be told at every start
        return False


def _may_save(vault: Vault) -> bool:
    """Whether an agent is asked to save into the user's own vault."""
    if vault.source != known_vaults.PERSONAL or vault.read_only or vault.is_published:
        return False
    # The name becomes part of a command line.
    name = (vault.agent_name or "").translate({ord(sign): None for sign in "-_."})
    return vault.settings.ask_agent and (not vault.agent_name or name.isalnum())
