"""The answer of a hook at a start or a prompt: from the own vault, then from those of
teams. The vault that the repository carries is asked as those of teams are.

A start ends with what waits for the user and with how an agent saves what lasts; alone,
what waits comes once a day.

Invariant: the own vault has answered before a team's is asked. Teams only add: a vault
that is missing, broken, slow or not indexed is left out with its reason and costs no
more than the time given; nothing is written to one but its index, of few files. An
entry of any vault
is noted as told before it is told.
"""

from __future__ import annotations

import os
import time

from memcli.entries import layout
from memcli.errors import LockBusy, MemcliError
from memcli.sessions import hook_log, markers
from memcli.sessions.hooks import pipe
from memcli.storage import known_vaults, projects, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Item
    from memcli.sessions.briefing.start import Standing
    from memcli.storage.known_vaults import KnownVault
    from memcli.storage.projects import Project
    from memcli.vault.vault import Vault

    _Found = TypeVar("_Found")

# Seconds. A process that brings the index up to date after an edit is done by then;
# while SQLite waits no alarm rings.
_INDEX_WAIT = 0.3
# Seconds that the vaults of teams may take after the own one has answered.
_TEAMS_WAIT, _AT_TOOLS = {"session-start": 1.5, "prompt-submit": 0.6}, 0.4
# Characters that JSON puts around a text.
_WRAPPING = 200
# Seconds between two attempts to build the index of a team's vault.
_INDEX_EVERY = 60.0
BEHIND, LATE = "its index is being built", "it took too long"


class Answer:
    """One answer in the making.

    Attributes:
        root, event: of the own vault, and what happened.
        line: of the log; says what came of it.
        last: the moment of the monotonic clock after which the vaults of teams are not
            waited for; None where the call names its one vault.
        vault, view: the own vault, and how it is seen now from the session's project.
        project: that of the session's folder; None where that is in none.
    """

    vault: Vault
    view: View
    project: Project | None = None

    def __init__(
        self, root: str, event: Event, line: dict[str, Any], last: float | None = None
    ) -> None:
        self.root, self.event, self.line, self.last = root, event, line, last

    def opens(self) -> bool:
        """Open the own vault; False while another process builds its index."""
        from memcli.entries.eligibility import View
        from memcli.entries.ids import number
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
        self.vault.opened.patience = _INDEX_WAIT
        try:
            self.project = self.vault.project
        except MemcliError as error:  # then only what holds everywhere is told
            self.line["error"] = hook_log.named(error)
        here = number(self.project.name if self.project else None)
        self.view = View(self.vault.now_ms() // 1000, here=here)
        return True

    def asked(
        self, look: Callable[[Vault, Reader], _Found], *, databases: bool = True
    ) -> tuple[_Found, list[_Found]]:
        """The answer of the own vault, and those that the vaults of teams give in time.

        Args:
            look: gives the answer of a vault, without effects.
            databases: whether vaults are asked for which a database answers.
        """
        own, line = self.vault, self.line
        found = own.read(lambda reader: look(own, reader))
        if self.last is None:
            return found, []
        try:
            beside = known_vaults.beside(own.cwd, os.environ)
        except MemcliError as error:
            line["not_asked"] = {"teams": hook_log.named(error)[:300]}
            return found, []
        # Each folder once, by its first name.
        places = {place.path: place for place in reversed(beside) if place.hooks}
        asked = [p for p in reversed(places.values()) if databases or not p.engine]
        if not asked:  # a user without teams loads nothing for them
            return found, []
        until = time.monotonic() + _TEAMS_WAIT.get(self.event.name, _AT_TOOLS)
        answers, silent = ask(asked, look, own=own, until=min(until, self.last))
        if silent:
            line["not_asked"] = {name: why[:300] for name, why in silent.items()}
        for place in asked:
            is_behind = silent.get(place.source) == BEHIND
            if is_behind and is_time(own.root, f"indexed-{place.name}", _INDEX_EVERY):
                pipe.start(place.path, "--index")
        return found, answers

    def shown(self, name: str = markers.TOLD) -> set[str]:
        """The ids that are noted of this session under `TOLD` or `ACTED`."""
        session = self.event.session
        noted = markers.noted(self.root, session, name, agent_name())
        return noted if session else set()

    def told(
        self,
        items: Sequence[Item],
        more: int = 0,
        *,
        name: str = markers.TOLD,
        also: Sequence[str] = (),
        **how: str,
    ) -> str:
        """The text for these items, which are noted as told; `line` counts them.

        Args:
            items: in their order.
            more: how many are left out already.
            name: under which they are noted.
            also: ids to be noted with them.
            how: as of `frame.framed`.
        """
        from memcli.hosts.host import MOST
        from memcli.sessions.briefing import frame

        root, event = self.root, self.event
        framed = frame.framed(items, MOST - _WRAPPING, more, **how)
        self.line["shown"] = len(framed.shown) + framed.titles
        done = [*also, *framed.shown]
        try:
            if done and event.session:
                markers.note(root, event.session, name, done, agent_name())
        except OSError as error:
            self.line["error"] = hook_log.named(error)
            # What cannot be noted would be told again, but for a start.
            if event.name != "session-start":
                return ""
        prompt = event.prompt if event.name == "prompt-submit" else None
        if framed.shown or prompt is not None:
            frame.note(self.vault, prompt, items, framed.shown)
        return framed.text


def at_prompt(answer: Answer) -> str:
    """Returns the text for a session at a prompt."""
    from memcli.sessions.briefing import prompt

    if not answer.opens():
        return ""
    asked = prompt.question(answer.event.prompt)
    shown = answer.shown()

    def fitting(vault: Vault, reader: Reader) -> list[Item]:
        return prompt.fitting(vault, reader, asked, answer.view, shown)

    return answer.told(prompt.together(*answer.asked(fitting)))


def opened(root: str, cwd: str | None = None) -> Vault:
    """The vault as the agent that the environment names, from a session's folder."""
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    source = known_vaults.PERSONAL
    if os.path.basename(root) == projects.FOLDER:
        source = known_vaults.place_of(root, os.environ, cwd).source
    caller = Caller(
        environ=os.environ, agent=agent_name(), via="hook", cwd=cwd, waits=False
    )
    return Vault(root, caller, source=source)


def is_time(root: str, what: str, every: float) -> bool:
    """Whether something was last done more than `every` seconds ago.

    If so, it counts as done now; what cannot be noted would be done each time.
    """
    stamp = os.path.join(state_dirs.path(root, layout.HARNESS), what)
    try:
        if os.path.exists(stamp) and 0 <= time.time() - os.stat(stamp).st_mtime < every:
            return False
        os.makedirs(os.path.dirname(stamp), exist_ok=True)
        with open(stamp, "wb"):
            return True
    except OSError:
        return False


def agent_name() -> str | None:
    """The agent that this host's calls are made for; None is the owner."""
    return os.environ.get("MEMCLI_AGENT") or None


# --- the vaults of teams --------------------------------------------------------------


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
    from memcli.sessions.briefing.frame import Limited
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
                    return answer(vault, Limited(reader, place))

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
words, that a later question may use). When the user confirms what is marked \
"unconfirmed", save it again."""
# Seconds between two starts that tell nothing but how many candidates wait.
_SAY_EVERY = 86_400.0
_SAID = "said-waiting"


def at_start(answer: Answer) -> str:
    """Returns the text for a session that starts."""
    from functools import cache

    from memcli.hosts import table
    from memcli.sessions.briefing import frame, start

    if not answer.opens():
        return ""
    event, environ = answer.event, answer.vault.environ
    name, folder = answer.project or (None, None)
    host = table.get(event.host)
    session = start.Session(
        view=answer.view,
        project=name,
        work=cache(lambda: frame.names(folder, environ)),
        loaded=start.loaded(host, folder, environ) if host else "",
    )

    def standing(vault: Vault, reader: Reader) -> Standing:
        return start.standing(vault, reader, session)

    items, more = start.together(*answer.asked(standing))
    # A session that has forgotten is told everything again; any other knows what it was
    # told, also by a prompt whose hook came first.
    forgot = event.reason in ("compact", "clear")
    shown = set() if forgot else answer.shown()
    if shown:  # titles are no news to a session that goes on
        items = [e for e in items if e.part != frame.TITLES and e.id not in shown]
        more = 0
    try:
        if event.session and forgot:
            markers.forget(answer.root, event.session, agent_name())
    except OSError:  # `told` says so
        pass
    closing = "\n".join(_closing(answer, alone=not items, is_new=not shown))
    listing = "memcli list --all --project here"
    return answer.told(items, more, listing=listing, note=closing)


def _closing(answer: Answer, *, alone: bool, is_new: bool) -> Iterator[str]:
    """The last lines of a start: what waits for the user, how to save what lasts."""
    from memcli.entries.entry import Status
    from memcli.entries.text.counted import counted
    from memcli.storage import detached

    vault, event = answer.vault, answer.event
    view = answer.view._replace(statuses=frozenset({Status.PENDING}))

    def waiting(reader: Reader) -> int:
        docs = set(reader.exact("status", str(Status.PENDING)))
        # Nobody is reminded of ideas: they wait as long as they like.
        docs.difference_update(reader.exact("kind", "idea"))
        return len(reader.shown(docs, view))

    count = vault.index.again(waiting)
    said = _SAID + markers.mark_of(agent_name())
    if count and (not alone or is_time(vault.root, said, _SAY_EVERY)):
        yield f"For the user's review: {counted(count, 'candidate')} (memcli review)."
    if agent_name() is None:
        for line in detached.take_news(vault.root, os.environ):
            yield f"Tell the user: {line}."
    if answer.last is None:
        return
    try:
        found = known_vaults.of_repository(event.cwd, os.environ)
        if found and not found.allowed:
            yield _NOT_ALLOWED
        if is_new and event.reason != "resume" and _may_save(vault):
            agent = f" --agent {vault.agent_name}" if vault.agent_name else ""
            yield _ASK.format(command=f"memcli{agent}")
    except MemcliError:  # a config that cannot be read; other commands say so
        pass


def _may_save(vault: Vault) -> bool:
    """Whether an agent is asked to save into the user's own vault."""
    if vault.source != known_vaults.PERSONAL or vault.read_only or vault.is_published:
        return False
    # The name becomes part of a command line.
    name = (vault.agent_name or "").translate({ord(sign): None for sign in "-_."})
    return vault.settings.ask_agent and (not vault.agent_name or name.isalnum())
