"""Backfill: every session of a host's history, one after the other.

Invariant: each session is a commit of its own and noted when it is done, so a run that
was stopped goes on where it was; a session that has not changed since it was mined is
not read again, and one that cannot be read stops no other.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.text import redaction
from memcli.errors import LockBusy, MemcliError, Unreadable
from memcli.hosts import table, transcripts
from memcli.sessions import reflect_session
from memcli.vault import session_records

if TYPE_CHECKING:
    from memcli.sessions.reflect_session import Reflected
    from memcli.vault.vault import Vault


class Done(NamedTuple):
    """What became of one transcript: reflected, unchanged, or failed with `error`."""

    path: str
    host: str
    outcome: str
    reflected: "Reflected | None" = None
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = self.reflected
        return {
            "transcript": self.path,
            "host": self.host,
            "outcome": self.outcome,
            "session": found.session.id if found else None,
            "turns": found.turns if found else 0,
            "counts": found.counts if found else {},
            "cut": found.cut if found else 0,
            "error": self.error,
        }


def reflect_file(
    vault: "Vault",
    path: str,
    host: str | None = None,
    *,
    writer: str = "pipeline",
    dry_run: bool = False,
) -> "Reflected":
    """Mine one transcript.

    Raises:
        Unreadable: no such file, or no transcript that memcli knows.
        InvalidValue: no such host.
        Others as `reflection.reflect`.
    """
    found = transcripts.open_transcript(path, host)
    return _reflected(vault, found, writer=writer, dry_run=dry_run)


def _reflected(
    vault: "Vault", found: transcripts.Transcript, *, writer: str, dry_run: bool
) -> "Reflected":
    done = reflect_session.learn(
        vault,
        found.session,
        found.steps(),
        transcript=_label(found.path),
        # Before it is read: what is written meanwhile is mined the next time.
        mined=state(found.path),
        writer=writer,
        dry_run=dry_run,
    )
    return done._replace(broken=len(found.broken), unknown=dict(found.unknown))


def found_here(
    environ: Mapping[str, str], names: Sequence[str], since_ms: int | None
) -> list[tuple[str, str]]:
    """(host, path) of what is on this machine, each host's oldest first."""
    found = []
    for name in names or table.NAMES:
        found += [
            (name, path) for path in transcripts.discover(name, environ, since_ms)
        ]
    return found


def reflect_all(
    vault: "Vault",
    found: Sequence[tuple[str, str]],
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Done]:
    """Mine these transcripts; (host, path) as `found_here` gives them.

    Raises:
        LockBusy: somebody else writes; what is done is done.
    """
    for number, (host, path) in enumerate(found):
        yield _one(vault, host, path, dry_run=dry_run)
        if progress is not None:
            progress(number + 1, len(found))


def _one(vault: "Vault", host: str, path: str, *, dry_run: bool) -> Done:
    try:
        found = transcripts.open_transcript(path, host)
        session = found.session
        known = session_records.get(vault.root, session.host, session.id)
        if known is not None and known.reflected and known.mined == state(path):
            return Done(path, host, "unchanged")
        done = _reflected(vault, found, writer="pipeline", dry_run=dry_run)
    except LockBusy:
        raise
    except MemcliError as error:
        return Done(path, host, "failed", error=f"{error.error_code}: {error.message}")
    except Exception as error:  # noqa: BLE001 a bug that one session shows stops no other
        said = f"a bug in memcli: {type(error).__name__}: {error}"
        return Done(path, host, "failed", error=redaction.redact(f"{path}: {said}"))
    return Done(path, host, "reflected", done)


def _label(path: str) -> str:
    """The file as people write it, and as it is the same on another machine."""
    path = os.path.abspath(path).encode("utf-8", "replace").decode()
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def state(path: str) -> tuple[int, int]:
    """Size and time of a transcript: unlike these, it has grown or was rewritten."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from error
    return status.st_size, status.st_mtime_ns
