"""Recovery: a session whose end memcli did not see is mined all the same.

Invariant: a session that a person is in is never an orphan: both its marker and its
transcript must have been still for an hour. One session is mined by one process at a
time. A marker changes only when everything was kept; what fails is tried again by the
next sweep, and given up, with a line in the log, after thirty days.
"""

from __future__ import annotations

import os
import time

from memcli.errors import LockBusy, MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.sessions import hook_log, markers, reflect_session
from memcli.sessions.markers import REFLECTED, START, Marker
from memcli.storage.lock import Lock
from memcli.vault import session_records

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from memcli.sessions.bringing import Reflected
    from memcli.vault.vault import Vault

STILL = 3_600.0
"""Seconds without a sign after which a session has ended, or crashed."""

KEPT = 30 * 86_400.0
"""Seconds that a marker is kept after its session was mined, or never could be."""

# A host may write the transcript late, or never: a day is late.
_NEVER = 86_400.0
# Copilot CLI writes its transcript a third of a second after what it tells; three times
# that, and not for ever: a person may be typing.
_PAUSE = 1.0
_MOST_PAUSES = 8
# Another process may be mining the session; it needs a second, seldom ten.
_WAIT = 30.0


class Swept(NamedTuple):
    """What a sweep did with one marker.

    Attributes:
        session, host: whose it is.
        outcome: reflected, unchanged, live, waiting (no transcript yet), failed,
            dropped (given up), expired (mined long ago).
        why: the reason of a failure, or why it was given up.
        counts: of a reflected session, how many candidates met which action.
        agent: whose session it is; None is the vault's owner.
    """

    session: str
    host: str
    outcome: str
    why: str | None = None
    counts: Mapping[str, int] | None = None
    agent: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**self._asdict(), "counts": dict(self.counts or {})}


def sweep(
    vault: Vault,
    environ: Mapping[str, str],
    *,
    still: float = STILL,
    dry_run: bool = False,
    tell: Callable[[Swept], object] = str,
) -> list[Swept]:
    """Mine the sessions that ended unseen, and remove markers of long ago.

    Each is mined as its own agent, so that its teachings become no other agent's; an
    agent sweeps its own sessions and learns of no other.

    Args:
        vault: whose markers.
        environ: where the hosts keep transcripts, for markers that name none.
        still: seconds without a touch after which a session is over.
        dry_run: only say what would be done.
        tell: called with each result as soon as it is there.
    """
    done = []
    for marker in markers.markers(vault.root, vault.now_ms() / 1000):
        if vault.agent is not None and marker.agent != vault.agent.name:
            continue
        own = vault.acting_as(marker.agent)
        swept = _swept(own, environ, marker, still, dry_run=dry_run)
        swept = swept._replace(agent=marker.agent)
        done.append(swept)
        tell(swept)
    if not dry_run and vault.agent is None:
        _tidy(vault.root, vault.now_ms() / 1000)
    return done


def mine(
    vault: Vault,
    marker: Marker,
    path: str,
    environ: Mapping[str, str],
    *,
    close: bool,
) -> Reflected | None:
    """Mine a session for a hook; None when nothing has changed since it was mined.

    When it is over, the judge is asked as well, if the user has named one.

    Args:
        vault: where it goes.
        marker: of the session.
        path: the transcript, which may be another than the marker's.
        environ: where the user's config lies, and of a judge.
        close: whether the session is over: its marker says then that it was mined.

    Raises:
        MemcliError, OSError: it was not kept; the marker stays as it is.
    """
    since = time.time()
    markers.make_folder(vault.root)
    with Lock(markers.path(vault.root, marker.session, markers.LOCKED), _WAIT):
        reflected = None
        known = _certain_format(marker.host)
        if not _is_unchanged(vault, path, known):
            reflected = reflect_session.reflect_file(
                vault, path, known, writer="hook", cwd=marker.cwd
            )
        if close:
            markers.finish(vault.root, marker.session, since)
    if close:  # also when the end of its last turn has mined all of it
        from memcli.sessions.judging import command

        command.judge_session(vault, path, known, environ, cwd=marker.cwd)
    return reflected


def settle(path: str | None) -> None:
    """Wait until a host has written to its transcript what it told the hook.

    That is when the file stays as it is for a second, or was never still for eight.
    """
    seen = _state(path)
    for _ in range(_MOST_PAUSES):
        time.sleep(_PAUSE)
        now = _state(path)
        if now == seen:
            return
        seen = now


def _state(path: str | None) -> tuple[int, int] | None:
    try:
        return reflect_session.state(path) if path else None
    except MemcliError:
        return None


def _swept(
    vault: Vault,
    environ: Mapping[str, str],
    marker: Marker,
    still: float,
    *,
    dry_run: bool,
) -> Swept:
    written = _written_since(marker)
    age = vault.now_ms() / 1000 - (written or marker.touched)
    session, host = marker.session, marker.host
    if marker.state == REFLECTED and not written:
        if age <= KEPT:
            return Swept(session, host, "unchanged")
        if not dry_run:
            markers.drop(marker)
        return Swept(session, host, "expired")
    if age < still:
        return Swept(session, host, "live")
    path = transcript(marker, environ)
    if path is None:
        return _without(marker, age, dry_run=dry_run)
    if dry_run:
        return Swept(session, host, "reflected")
    try:
        reflected = mine(vault, marker, path, environ, close=True)
    except LockBusy as error:
        return Swept(session, host, "waiting", error.message)
    except Exception as error:  # noqa: BLE001 one session must not stop the others
        why = _reason(error)
        # What no adapter reads today may be read by the next version; a day is enough.
        foreign = isinstance(error, Unreadable) and _certain_format(host) is None
        if age > (_NEVER if foreign else KEPT):
            markers.drop(marker)
            return Swept(session, host, "dropped", why)
        return Swept(session, host, "failed", why)
    counts = reflected.counts if reflected else {}
    return Swept(session, host, "reflected", counts=counts)


def _reason(error: Exception) -> str:
    if isinstance(error, MemcliError):
        return error.message
    return f"{type(error).__name__}: {getattr(error, 'strerror', None) or ''}"


def _written_since(marker: Marker) -> float | None:
    """When a transcript was written to after it was mined; None when it was not."""
    if marker.state != REFLECTED:
        return None
    try:
        written = os.stat(marker.transcript or "").st_mtime
    except (OSError, ValueError):
        return None
    return written if written > marker.touched else None


def _without(marker: Marker, age: float, *, dry_run: bool) -> Swept:
    """A marker whose transcript is not to be found."""
    if age < _NEVER:
        return Swept(marker.session, marker.host, "waiting", "no transcript yet")
    if not dry_run:
        markers.drop(marker)
    return Swept(marker.session, marker.host, "dropped", "no transcript for a day")


def transcript(marker: Marker, environ: Mapping[str, str]) -> str | None:
    """The transcript of a session: where its marker says, or found by its id."""
    path = marker.transcript
    # A pipe or a device would never end.
    if path is not None and os.path.isfile(path):
        return path
    from memcli.hosts import transcripts

    return transcripts.named(marker.host, marker.session, environ)


def _certain_format(host: str) -> str | None:
    """The host whose format a file has that its hooks name; None: the content says."""
    from memcli.hosts import table

    record = table.get(host)
    return host if record is not None and record.hooks_name_format else None


def _is_unchanged(vault: Vault, path: str, host: str | None) -> bool:
    """Whether a transcript has not changed since it was mined."""
    from memcli.hosts import transcripts

    session = transcripts.open_transcript(path, host).session
    agent = vault.agent_name
    record = session_records.get(vault.root, session.host, session.id, agent)
    if record is None or not record.reflected:
        return False
    return record.mined == reflect_session.state(path)


def _tidy(root: str, now: float) -> None:
    """Remove the files that markers left behind which are gone."""
    from memcli.entries import layout
    from memcli.storage import state_dirs

    folder = state_dirs.path(root, layout.HARNESS)
    alive = {_stem(marker.path) for marker in markers.markers(root, now)}
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if not name.startswith(markers.PREFIX) or name.endswith((START, REFLECTED)):
            continue
        once = name.endswith(markers.ONCE)
        if _stem(name) in alive and not once:
            continue
        try:
            if os.stat(path).st_mtime < now - (_NEVER if once else KEPT):
                os.unlink(path)
        except OSError:
            continue


def _stem(path: str) -> str:
    return os.path.basename(path).partition(".")[0]


def tell_log(vault: Vault, done: list[Swept]) -> None:
    """Note in the log what a sweep reflected, failed at or gave up."""
    for swept in done:
        if swept.outcome in ("reflected", "failed", "dropped"):
            hook_log.note(
                vault.root,
                {
                    "at": vault.now_ms() // 1000,
                    "event": "sweep",
                    **({"agent": swept.agent} if swept.agent else {}),
                    "host": swept.host,
                    "session": swept.session,
                    "did": swept.outcome,
                    "error": swept.why,
                },
            )
