"""The text for a session that starts, from all vaults, and the request to save.

Invariant: an entry is noted as shown before it is told. The frame ends with what waits
for the user and with how an agent saves what lasts; alone, what waits comes once a day.
"""

from __future__ import annotations

import os

from memcli.sessions import hook_log, markers
from memcli.sessions.hooks.tell import Answer, agent_name, at_prompt, is_time
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.hosts.hook_payload import Event
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.start import Session, Standing
    from memcli.vault.vault import Vault

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
words, by which somebody would ask for it)"""
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

        candidates = (
            f"{counted(told.waiting, 'candidate')} {agreeing(told.waiting, 'waits')}"
        )
        judged = "" if _has_judge() else "; no judge reads sessions"
        yield f"{candidates} for the user's review (memcli review){judged}."
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


def _has_judge() -> bool:
    """Whether the user has named a judge, also in a config that cannot be read."""
    from memcli.errors import MemcliError
    from memcli.sessions.judging import command

    try:
        return command.configured(os.environ) is not None
    except MemcliError:
        return True
