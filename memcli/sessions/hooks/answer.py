"""What a hook tells a session: the own vault first, and those of teams beside it.

Invariant: the own vault has answered before a team's is asked, so whatever is wrong
with theirs costs time within its limit and nothing else. What is told was noted first
as told, whichever vault it is from.
"""

import contextlib
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memcli.sessions import hook_log, markers

if TYPE_CHECKING:
    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
    from memcli.search.reader import Reader
    from memcli.sessions.briefing.frame import Item
    from memcli.vault.vault import Vault

_Answer = TypeVar("_Answer")

# Another process that brings the index up to date after an edit is done by then.
_INDEX_WAIT = 0.3
# Characters that JSON puts around a text.
_WRAPPING = 200
# Seconds until the index of a team's vault is built again that could not be built.
_INDEX_EVERY = 60.0


class Teams(NamedTuple):
    """How teams are asked: at most for so many `seconds`, and not after `until`.

    `build` starts a process that indexes a folder. `asked` is False where somebody
    named the one vault to use.
    """

    asked: bool
    seconds: float
    until: float
    build: Callable[[str], Any]


def at_start(root: str, event: "Event", line: dict[str, Any], teams: Teams) -> str:
    """What a session is told when it starts; `line` says what came of it."""
    from memcli.hosts import hook_reply
    from memcli.sessions.briefing import compose
    from memcli.sessions.briefing.frame import framed

    opened = _opened(root, line)
    if opened is None:
        return ""
    vault, view = opened
    own = compose.at_start(vault, view)
    theirs = _theirs(
        root,
        line,
        teams,
        lambda vault, reader: compose.standing(
            reader, vault.settings, view, vault.source
        ),
    )
    # Who starts again with nothing is told everything; any other knows what it was
    # told, also by a prompt whose hook came first.
    forgot = event.reason in ("compact", "clear")
    shown = markers.shown(root, event.session) if event.session and not forgot else ()
    items, left = _standing(own, theirs, shown)
    found = framed(items, hook_reply.MOST - _WRAPPING, left)
    line["shown"] = len(found.shown)
    _count(line, items, found.shown)
    try:
        if event.session:
            markers.show(root, event.session, found.shown, afresh=forgot)
    except OSError as error:
        line["error"] = hook_log.named(error)
    if found.shown:
        compose.note(vault, None, items, found.shown)
    return found.text


def at_prompt(root: str, event: "Event", line: dict[str, Any], teams: Teams) -> str:
    """What a session is told with a prompt, mostly nothing; `line` as `at_start`."""
    from memcli.hosts import hook_reply
    from memcli.sessions.briefing import compose
    from memcli.sessions.briefing.frame import framed

    opened = _opened(root, line)
    if opened is None:
        return ""
    vault, view = opened
    shown = markers.shown(root, event.session)
    asked = compose.question(event.prompt)
    own = compose.for_prompt(vault, asked, view, shown)
    theirs = _theirs(
        root,
        line,
        teams,
        lambda vault, reader: compose.fitting(reader, asked, view, shown, vault.source),
    )
    if theirs:
        from memcli.sessions.briefing.teams import fitting

        items = fitting(own, theirs)
    else:
        items = own.items
    found = framed(items, hook_reply.MOST - _WRAPPING)
    if found.shown:
        # First: what cannot be noted would be told again at every prompt.
        markers.show(root, event.session, found.shown)
    line["shown"] = len(found.shown)
    _count(line, items, found.shown)
    compose.note(vault, event.prompt, items, found.shown)
    return found.text


def opened(root: str) -> "tuple[Vault, View]":
    """The vault for whom the environment says, and the view of now."""
    from memcli.entries.eligibility import View
    from memcli.vault.vault import Vault

    vault = Vault(root, environ=os.environ, agent=_agent(), via="hook")
    return vault, View(vault.now_ms() // 1000)


def is_time(root: str, what: str, every: float) -> bool:
    """Whether something was not done for so many seconds; it counts as done now.

    Raises OSError when that cannot be written down.
    """
    from memcli.entries import layout

    stamp = os.path.join(root, layout.HARNESS, what)
    with contextlib.suppress(OSError):
        if 0 <= time.time() - os.stat(stamp).st_mtime < every:
            return False
    markers.make_folder(root)
    with open(stamp, "w", encoding="utf-8"):
        pass
    return True


def _opened(root: str, line: dict[str, Any]) -> "tuple[Vault, View] | None":
    """The vault to read from; None while somebody else builds its index."""
    from memcli.entries import layout
    from memcli.errors import LockBusy, MemcliError
    from memcli.storage.lock import Lock

    try:
        with Lock(os.path.join(root, *layout.INDEX_LOCK.split("/")), _INDEX_WAIT):
            pass
    except LockBusy:
        line["did"] = "nothing: the index is being built"
        return None
    except MemcliError:
        pass  # a disk that cannot be written to can be read
    return opened(root)


def _theirs(
    root: str,
    line: dict[str, Any],
    teams: Teams,
    answer: "Callable[[Vault, Reader], _Answer]",
) -> list[_Answer]:
    """What the vaults of teams answer in their time; why others do not, in `line`."""
    from memcli.errors import MemcliError
    from memcli.storage import known_vaults

    try:
        # Who has no teams loads nothing for them.
        if not teams.asked or not known_vaults.configured(os.environ):
            return []
        from memcli.sessions.briefing import teams as others

        found = others.told_by_hooks(os.environ)
    except MemcliError as error:
        line["not_asked"] = {"teams": hook_log.named(error)[:300]}
        return []
    if not found:
        return []
    asked = others.ask(
        found,
        answer,
        own=root,
        until=min(time.monotonic() + teams.seconds, teams.until),
        agent=_agent(),
        environ=os.environ,
    )
    if asked.silent:
        line["not_asked"] = {name: why[:300] for name, why in asked.silent.items()}
    for place in asked.behind:
        # Neither a disk that is full nor a process that cannot start is theirs.
        with contextlib.suppress(OSError):
            if is_time(root, f"indexed-{place.name}", _INDEX_EVERY):
                teams.build(place.path)
    return [one for _, one in asked.answers]


def _standing(
    own: "list[Item]", theirs: "list[list[Item]]", shown: Any
) -> "tuple[list[Item], list[Item]]":
    if not theirs:
        return [item for item in own if item.id not in shown], []
    from memcli.sessions.briefing.teams import standing

    return standing(own, theirs, shown)


def _count(line: dict[str, Any], items: "list[Item]", shown: list[str]) -> None:
    """How many entries of each team were told."""
    told = set(shown)
    sources = [item.source for item in items if item.source and item.id in told]
    if sources:
        line["teams"] = {name: sources.count(name) for name in dict.fromkeys(sources)}


def _agent() -> str | None:
    return os.environ.get("MEMCLI_AGENT") or None
