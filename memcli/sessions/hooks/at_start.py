"""What a session is told when it starts, from all vaults, and what it is asked for.

Invariant: an entry is noted as shown before it is told. The frame ends with what waits
for the user and with how an agent saves what lasts; alone, what waits comes once a day.
"""

from __future__ import annotations

import os

from memcli.sessions import hook_log, markers
from memcli.sessions.hooks.answer import (
    WRAPPING,
    TeamLimits,
    ask_teams,
    asking,
    at_prompt,
    count_teams,
    is_time,
    opened_unless_indexing,
    watch_of,
)
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
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


def at_start(root: str, event: Event, line: dict[str, Any], limits: TeamLimits) -> str:
    """What a session is told when it starts; `line` says what came of it."""
    from memcli.hosts import hook_payload
    from memcli.sessions.briefing import start
    from memcli.sessions.briefing.frame import framed, note

    opening = opened_unless_indexing(root, event, line)
    if opening is None:
        return ""
    vault, view = opening
    session = _session(vault, view, event)
    own = start.at_start(vault, session)
    of_teams = ask_teams(
        vault,
        line,
        limits,
        lambda vault, reader: start.standing(
            reader, vault.settings, vault.source, session
        ),
    )
    # A session that has forgotten is told everything again; any other knows what it was
    # told, also by a prompt whose hook came first.
    forgot = event.reason in ("compact", "clear")
    told_before = event.session and not forgot
    shown = markers.shown(root, event.session, asking()) if told_before else set()
    told = _without(shown, own, of_teams)
    framed_text = framed(
        told.items,
        hook_payload.MOST - WRAPPING,
        told.more,
        listing="memcli list --all --project here",
        note="\n".join(_closing(vault, told, event, limits, is_new=not shown)),
    )
    line["shown"] = len(framed_text.shown) + framed_text.titles
    count_teams(line, told.items, framed_text.shown)
    try:
        if event.session:
            markers.show(
                root, event.session, framed_text.shown, afresh=forgot, agent=asking()
            )
    except OSError as error:
        line["error"] = hook_log.named(error)
    if framed_text.shown:
        note(vault, None, told.items, framed_text.shown)
    return framed_text.text


def of_repository_alone(event: Event, line: dict[str, Any]) -> tuple[str | None, str]:
    """What a user is told who has no vault, from that of the session's repository.

    Nothing is kept of such a session.

    Returns:
        The folder of that vault, if it is allowed, and the text.
    """
    from memcli.errors import MemcliError
    from memcli.hosts import hook_payload
    from memcli.sessions.briefing.frame import framed

    if event.name not in ("session-start", "prompt-submit"):
        return None, ""
    try:
        found = known_vaults.of_repository(event.cwd, os.environ)
    except MemcliError:  # there is no vault whose log could say so
        return None, ""
    if found is None or not hook_payload.takes_text(event.host, event.name):
        return None, ""
    if not found.allowed:
        note = _NOT_ALLOWED if event.name == "session-start" else ""
        return None, framed((), hook_payload.MOST - WRAPPING, note=note).text
    limits = TeamLimits(False, 0.0, 0.0, lambda _: None)
    if event.name == "session-start":
        return found.path, at_start(found.path, event, line, limits)
    if not event.prompt or not event.session:
        return found.path, ""
    return found.path, at_prompt(found.path, event, line, limits)


def _session(vault: Vault, view: View, event: Event) -> Session:
    """What a start depends on besides the vaults."""
    from functools import cache

    from memcli.errors import MemcliError
    from memcli.hosts import table
    from memcli.sessions.briefing import frame
    from memcli.sessions.briefing.loaded import LoadedPages
    from memcli.sessions.briefing.start import Session

    try:
        name, folder = vault.project or (None, None)
    except MemcliError:  # `opened_unless_indexing` has said so
        name = folder = None
    host = table.get(event.host)
    return Session(
        view=view,
        project=name,
        watch=watch_of(vault),
        work=cache(lambda: frame.names(folder, vault.environ)),
        loaded=LoadedPages(host, folder, vault.environ) if host else None,
    )


def _without(shown: set[str], own: Standing, of_teams: list[Standing]) -> Standing:
    """What all vaults have to say that a session was not shown."""
    from memcli.sessions.briefing.frame import TITLES

    told = own
    if of_teams:
        from memcli.sessions.briefing.teams import standing

        told = standing(own, of_teams)
    if not shown:
        return told
    # Titles are no news to a session that goes on.
    items = [each for each in told.items if each.part != TITLES]
    return told._replace(items=[each for each in items if each.id not in shown], more=0)


def _closing(
    vault: Vault,
    told: Standing,
    event: Event,
    limits: TeamLimits,
    *,
    is_new: bool,
) -> Iterator[str]:
    """What a start ends with: what waits for the user, and how to save what lasts."""
    if told.waiting and (told.items or _is_day(vault.root)):
        from memcli.entries.text.counted import agreeing, counted

        candidates = (
            f"{counted(told.waiting, 'candidate')} {agreeing(told.waiting, 'waits')}"
        )
        judged = "" if _has_judge() else "; no judge reads sessions"
        yield f"{candidates} for the user's review (memcli review){judged}."
    if not limits.asked:
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
        return is_time(root, _SAID + markers.mark_of(asking()), _SAY_EVERY)
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
