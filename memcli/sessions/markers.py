"""The markers of sessions: which of them live, which were mined, which crashed.

A marker is one file a session, of lines `NAME: VALUE`: when the session began, where
its transcript will be, and the ids of entries that it was told. It is only written at
its end. `.start` means that there is something to mine; it becomes `.reflected` only
when everything was kept, so a session that dies in between is found again.

Invariant: nothing that was said is in a marker. Each may be deleted at any time; none
is in git. The module loads next to nothing, because a hook asks before each edit
whether a session was told something already.
"""

from __future__ import annotations

import os
import time
from zlib import crc32  # `hashlib` would load OpenSSL: 3 ms of a hook

from memcli.entries import layout
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memcli.hosts.hook_payload import Event

START, REFLECTED = ".start", ".reflected"
TOLD, ACTED = "told", "acted"
"""Ids that a session was told; ids that need not be told at its actions again."""

_PREFIX = "session-id-"
# After this line a session knows nothing any more of what it was told before.
_FORGOT = "forgot"
_ONCE = "once"
# Seconds between an event and the same one by another host's hook.
_TWICE_WITHIN = 20.0
_END = "\n"
_MOST = 4_000_000
_LONGEST_NAME = 100
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
# Seconds: a disk elsewhere may be ahead so much.
_AHEAD = 3_600.0


class Marker(NamedTuple):
    """One session.

    Attributes:
        session, host: whose it is.
        transcript: its path, also before it exists; None when the host does not say.
        started: ISO 8601 UTC.
        state: `START` or `REFLECTED`.
        touched: the last sign of the session, epoch seconds: the later of the marker's
            own time and its transcript's; a time in the future does not count.
        path: the marker's file.
        agent: the agent as which the session asks and writes; None is the owner.
        cwd: the folder in which it runs; None when the host does not say.
    """

    session: str
    host: str
    transcript: str | None
    started: str
    state: str
    touched: float
    path: str
    agent: str | None = None
    cwd: str | None = None


def path(root: str, session: str, ending: str) -> str:
    """The path of a session's marker, by its ending."""
    folder = state_dirs.path(root, layout.HARNESS)
    return os.path.join(folder, f"{_PREFIX}{_name_of(session)}{ending}")


def mark_of(agent: str | None) -> str:
    """A part of names that marks what is an agent's; empty for the owner's."""
    if agent is None:
        return ""

    return f".{crc32(agent.encode('utf-8', 'replace')):08x}"


def begin(
    root: str,
    session: str,
    host: str,
    transcript: str | None,
    agent: str | None = None,
    cwd: str | None = None,
) -> bool:
    """Note that a session lives; one that was mined before lives again.

    Returns whether it is this agent's: another's, and the owner's, is left as it is.

    Args:
        root: the vault.
        session, host: whose it is.
        transcript: its path, when the host says so; Gemini names one when it resumes,
            and writes to another.
        agent: the agent to whom the session's teachings belong, whenever it is mined;
            that of the first call counts, None is the owner.
        cwd: the folder in which it runs; the first counts.

    Raises:
        OSError: it cannot be written down.
    """
    if not is_of(root, session, agent):
        return False
    known = _fields(_lines(root, session))
    said = {"session": session, "host": host, "cwd": cwd, "agent": agent}
    news = {name: text for name, text in said.items() if text and name not in known}
    if transcript and known.get("transcript") != transcript:
        news["transcript"] = transcript
    if "started" not in known:
        from memcli.entries import dates

        news["started"] = dates.iso(int(time.time()))
    _write(root, session, news.items())
    return True


def is_of(root: str, session: str, agent: str | None) -> bool:
    """Whether a session is this agent's, None being the owner, or nobody's yet.

    Hooks and commands ask before they mine it.
    """
    known = _fields(_lines(root, session))
    return "started" not in known or known.get("agent") == agent


def noted(root: str, session: str, name: str, agent: str | None) -> set[str]:
    """The ids that are noted of a session under `TOLD` or `ACTED`, for this agent."""
    mark = mark_of(agent)
    ids: set[str] = set()
    for key, value in _lines(root, session):
        if key == _FORGOT + mark:
            ids.clear()
        elif key == name + mark:
            ids.update(value.split())
    return ids


def note(
    root: str, session: str, name: str, ids: Iterable[str], agent: str | None
) -> None:
    """Note ids of a session under `TOLD` or `ACTED`.

    Each agent has its own, also where two name the same session.

    Raises:
        OSError: it cannot be noted.
    """
    _write(root, session, [(name + mark_of(agent), " ".join(ids))])


def forget(root: str, session: str, agent: str | None) -> None:
    """Note that a session does not know any more what it was told; raises as `note`."""
    _write(root, session, [(_FORGOT + mark_of(agent), "all")])


def came_before(root: str, event: Event) -> bool:
    """Whether the same event of a session came less than 20 seconds ago.

    A host that runs the hooks of another as well calls both, perhaps at once: the one
    whose line stands first in the file was first.
    """
    session, what = event.session, event.name
    if what == "prompt-submit":
        what += event.prompt
    key, now = f"{_ONCE}.{crc32(what.encode()):08x}", time.time_ns()
    own, last = f"{now} {os.getpid()}", 0
    try:
        _write(root, session, [(key, own)])
    except OSError:
        return False
    for name, value in _lines(root, session):
        if (name, value) == (key, own):
            break
        if name == key:
            last = int(value.partition(" ")[0])
    return 0 <= now - last < _TWICE_WITHIN * 1e9


def finish(root: str, session: str, since: float) -> None:
    """Note that everything was kept that a session had at `since`, epoch seconds.

    A session that was touched after that moment goes on.
    """
    start, place = path(root, session, START), path(root, session, REFLECTED)
    try:
        if os.path.exists(start):
            if os.stat(start).st_mtime > since:
                return
            os.replace(start, place)
        os.utime(place)
    except FileNotFoundError:
        pass


def markers(root: str, now: float | None = None) -> Iterator[Marker]:
    """Every marker, in the order of their names; `now` in epoch seconds."""
    now = time.time() if now is None else now
    folder = state_dirs.path(root, layout.HARNESS)
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        _, dot, state = name.rpartition(".")
        is_marker = name.startswith(_PREFIX) and dot + state in (START, REFLECTED)
        place = os.path.join(folder, name)
        if is_marker and os.path.isfile(place):
            yield _marker(place, dot + state, now)


def _marker(path: str, state: str, now: float) -> Marker:
    fields = _fields(_read(path))
    times = []
    for each in (path, fields.get("transcript") if state == START else None):
        try:
            times.append(os.stat(each or "").st_mtime)
        except (OSError, ValueError):
            pass
    return Marker(
        session=fields.get("session")
        or os.path.basename(path)[len(_PREFIX) : -len(state)],
        host=fields.get("host", ""),
        transcript=fields.get("transcript"),
        started=fields.get("started", ""),
        state=state,
        # A clock that was wrong must not keep a session alive for years.
        touched=max((t for t in times if t < now + _AHEAD), default=0.0),
        path=path,
        agent=fields.get("agent"),
        cwd=fields.get("cwd"),
    )


def _name_of(session: str) -> str:
    """A session's id as part of a file's name; the hash of a strange one."""
    is_plain = _SIGNS.issuperset(session) and session[:1].isalnum()
    if is_plain and len(session) <= _LONGEST_NAME:
        return session
    import hashlib

    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]


def _write(root: str, session: str, lines: Iterable[tuple[str, str]]) -> None:
    """Add lines to the marker of a session, which lives then."""
    place = path(root, session, START)
    text = "".join(f"{name}: {value.replace(_END, ' ')}{_END}" for name, value in lines)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if not os.path.exists(place):
        try:
            os.replace(path(root, session, REFLECTED), place)
        except FileNotFoundError:
            pass
    with open(place, "ab") as file:
        file.write(text.encode("utf-8", "replace"))
    os.utime(place)


def _lines(root: str, session: str) -> list[tuple[str, str]]:
    return _read(path(root, session, START)) or _read(path(root, session, REFLECTED))


def _read(path: str) -> list[tuple[str, str]]:
    try:
        with open(path, "rb") as file:
            text = file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return []
    rows = (line.partition(": ") for line in text.split("\n"))
    return [(name, value) for name, colon, value in rows if colon]


def _fields(lines: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """The fields of a marker: the last transcript, of any other the first value."""
    fields: dict[str, str] = {}
    for name, value in lines:
        if name == "transcript" or name not in fields:
            fields[name] = value
    return fields
