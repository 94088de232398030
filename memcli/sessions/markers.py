"""The markers of sessions: which of them live, which were mined, which crashed.

Invariant: a marker holds when a session began and where its transcript will be, and
nothing that was said. `.start` means that there is something to mine; it becomes
`.reflected` only when everything was kept, so a session that dies in between is found
again. Every marker may be deleted at any time; none is in git.

The names are those of the design that these markers come from (seed 002).
"""

from __future__ import annotations

import os
import stat
import time

from memcli.entries import dates, layout
from memcli.named_tuple import NamedTuple
from memcli.sessions.session_files import ACTED, PREFIX, act, acted, mark_of, path
from memcli.storage import state_dirs
from memcli.storage.files import remove_quietly, write_derived

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ACTED", "PREFIX", "act", "acted", "mark_of", "path"]

START, REFLECTED, SHOWN, LOCKED = ".start", ".reflected", ".shown", ".lock"
# An event that another hook of the same host has told already.
ONCE = ".once"
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


def begin(
    root: str,
    session: str,
    host: str,
    transcript: str | None,
    agent: str | None = None,
    cwd: str | None = None,
) -> None:
    """Note that a session lives; one that was mined before lives again.

    Args:
        root: the vault.
        session, host: whose it is.
        transcript: its path, when the host says so.
        agent: the agent to whom the session's teachings belong, whenever it is mined;
            the first call that names one counts.
        cwd: the folder in which it runs; the first counts.

    Raises:
        OSError: it cannot be written down.
    """
    place = path(root, session, START)
    done = path(root, session, REFLECTED)
    # Another process may finish it meanwhile: what is missing then is written anew.
    try:
        if not os.path.exists(place):
            os.replace(done, place)
        if not _says_more(place, transcript, agent, cwd):
            os.utime(place)
            return
    except FileNotFoundError:
        pass
    before = _fields(place)
    fields = {
        "session": session,
        "host": host,
        "started": before.get("started") or dates.iso(int(time.time())),
        "transcript": transcript or before.get("transcript", ""),
    }
    if folder := before.get("cwd") or cwd:
        fields["cwd"] = folder
    if owner := before.get("agent") or agent:
        fields["agent"] = owner
    make_folder(root)
    _write(place, "".join(f"{k}: {_line(v)}\n" for k, v in fields.items()))


def newest_transcript(root: str, cwd: str, agent: str | None) -> str | None:
    """The transcript of the session in a folder that gave a sign last; None for none.

    Args:
        root: the vault.
        cwd: the folder; links are resolved.
        agent: only sessions of this agent; None for the owner, who sees all.
    """
    here = os.path.realpath(cwd)
    paths = [
        (marker.touched, marker.transcript)
        for marker in markers(root)
        if agent in (None, marker.agent)
        if marker.cwd and os.path.realpath(marker.cwd) == here
        if marker.transcript and os.path.isfile(marker.transcript)
    ]
    return max(paths)[1] if paths else None


def make_folder(root: str) -> None:
    """Make the folder of the markers, outside the working tree.

    Raises:
        OSError: the disk refuses.
    """
    folder = state_dirs.path(root, layout.HARNESS)
    if os.path.isdir(folder):
        return
    os.makedirs(folder, exist_ok=True)
    # The vault's own .gitignore names it; that of an adopted folder does not.
    with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as file:
        file.write("*\n")


def finish(root: str, session: str, since: float) -> bool:
    """Note that everything was kept that a session had at `since`, epoch seconds.

    Returns:
        Whether it is over: a session that was touched after that moment goes on.
    """
    start, place = path(root, session, START), path(root, session, REFLECTED)
    try:
        if os.stat(start).st_mtime > since:
            return False
        os.replace(start, place)
    except FileNotFoundError:
        pass
    try:
        os.utime(place)
    except FileNotFoundError:
        pass
    return True


def drop(marker: Marker) -> None:
    """Forget a session: its marker and what it was shown."""
    mark = mark_of(marker.agent)
    endings = (mark + SHOWN, mark + ACTED, LOCKED)
    for place in (marker.path, *(_path_of(marker, ending) for ending in endings)):
        remove_quietly(place)


def markers(root: str, now: float | None = None) -> Iterator[Marker]:
    """Every marker, in the order of their names; `now` in epoch seconds."""
    now = time.time() if now is None else now
    folder = state_dirs.path(root, layout.HARNESS)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        for state in (START, REFLECTED):
            if name.startswith(PREFIX) and name.endswith(state):
                marker = _marker(os.path.join(folder, name), name, state, now)
                if marker is not None:
                    yield marker


def shown(root: str, session: str, agent: str | None = None) -> set[str]:
    """The ids of the entries that this session has been shown, to this agent."""
    try:
        with open(_shown_path(root, session, agent), encoding="utf-8") as file:
            return set(file.read().split())
    except (OSError, UnicodeDecodeError):
        return set()


def show(
    root: str,
    session: str,
    ids: list[str],
    *,
    afresh: bool = False,
    agent: str | None = None,
) -> None:
    """Note the ids that a session is shown; `afresh` when it has forgotten the others.

    Each agent has its own list, also where two name the same session.

    Raises:
        OSError: it cannot be noted.
    """
    make_folder(root)
    place = _shown_path(root, session, agent)
    with open(place, "w" if afresh else "a") as file:
        file.write("".join(f"{name}\n" for name in ids))
    if afresh:  # nor does it know what it was told before an action
        try:
            os.unlink(path(root, session, mark_of(agent) + ACTED))
        except FileNotFoundError:
            pass


def _marker(path: str, name: str, state: str, now: float) -> Marker | None:
    try:
        own = os.stat(path)
    except OSError:
        return None
    if not stat.S_ISREG(own.st_mode):
        return None
    fields = _fields(path)
    transcript = fields.get("transcript") or None
    times = [own.st_mtime]
    if transcript and state == START:
        try:
            times.append(os.stat(transcript).st_mtime)
        except (OSError, ValueError):
            pass
    # A clock that was wrong must not keep a session alive for years.
    touched = max((t for t in times if t < now + _AHEAD), default=0.0)
    return Marker(
        session=fields.get("session") or name[len(PREFIX) : -len(state)],
        host=fields.get("host", ""),
        transcript=transcript,
        started=fields.get("started", ""),
        state=state,
        touched=touched,
        path=path,
        agent=fields.get("agent") or None,
        cwd=fields.get("cwd") or None,
    )


def _fields(path: str) -> Mapping[str, str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            rows = [line.partition(": ") for line in file.read(20_000).split("\n")]
    except OSError:
        return {}
    return {key: value for key, colon, value in rows if colon}


def _says_more(
    place: str, transcript: str | None, agent: str | None, cwd: str | None
) -> bool:
    """Whether a host names another transcript than the marker does, an agent, or a
    folder."""
    if not (transcript or agent or cwd):
        return False
    known = _fields(place)
    # Gemini names one when it resumes, and writes to another.
    other = bool(transcript) and known.get("transcript") != transcript
    news = {"agent": agent, "cwd": cwd}
    return other or any(value and not known.get(k) for k, value in news.items())


def _write(path: str, text: str) -> None:
    # Not synced: a marker that a power cut takes away costs one session's mining.
    write_derived(path, text.encode("utf-8", "replace"))


def _line(value: str) -> str:
    return " ".join(value.split("\n"))


def _path_of(marker: Marker, state: str) -> str:
    return marker.path[: -len(marker.state)] + state


def _shown_path(root: str, session: str, agent: str | None) -> str:
    return path(root, session, mark_of(agent) + SHOWN)
