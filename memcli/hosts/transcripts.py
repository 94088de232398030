"""Transcripts of agent hosts: found on this machine, and read as steps.

Invariant: this is the only way in. A host's format is known in one module of `formats`
and its places in the host's record; a caller that reads steps does not know which host
they come from. Finding looks at names and times, and opens a transcript only to ask
which folder it is about; what cannot be read is passed over.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from itertools import islice

from memcli.errors import MemcliError, Unreadable
from memcli.hosts import table
from memcli.hosts.formats import json_object
from memcli.hosts.formats.jsonl_lines import Lines
from memcli.hosts.host import Host, written

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from memcli.hosts.transcript import Session, Step

# A file says within so many records which format it has, or never.
_HEAD = 200
# The newest transcripts that are asked whether they are about a folder: a year's.
_MOST_ASKED = 1_000

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


class Transcript:
    """One session's transcript.

    Attributes:
        session: whose it is.
        broken: after `steps` has ended: numbers of the lines that could not be read.
        unknown: after `steps` has ended: types of record that are not known, counted.
    """

    def __init__(self, path: str, session: Session) -> None:
        self.path = path
        self.session = session
        self._lines = Lines(path)

    @property
    def broken(self) -> list[int]:
        return self._lines.broken

    @property
    def unknown(self) -> dict[str, int]:
        return self._lines.unknown

    def steps(self) -> Iterator[Step]:
        """Every step, in the order of the file; may be called again.

        Raises:
            Unreadable: the file is gone, or the disk refuses.
        """
        self._lines = Lines(self.path)
        yield from _format(table.find(self.session.host)).steps(self._lines)


def open_transcript(path: str, host: str | None = None) -> Transcript:
    """Open a transcript.

    Args:
        path: the file.
        host: a name of the table; None: recognised by what the file holds. An empty
            file is a session without steps.

    Raises:
        Unreadable: missing, forbidden, no file, or no transcript that is known.
        InvalidValue: no such host.
    """
    module = _recognised(path) if host is None else _format(table.find(host))
    return Transcript(path, module.session(Lines(path)))


def discover(
    host: str, environ: Mapping[str, str], since_ms: int | None = None
) -> Iterator[str]:
    """A host's transcripts on this machine, the one written longest ago first.

    None for `generic` and `opencode`: a person says where those lie.

    Args:
        host: a name of the table.
        environ: HOME (or USERPROFILE), CLAUDE_CONFIG_DIR, CODEX_HOME.
        since_ms: only those written to since then, in epoch milliseconds.

    Raises:
        InvalidValue: no such host.
    """
    return _discover(table.find(host), environ, since_ms)


def named(host: str, session: str, environ: Mapping[str, str]) -> str | None:
    """The transcript of a session by its id; None when no file has its name.

    Args:
        host: a name of the table; any other has no transcripts.
        session: the host's id of the session.
        environ: as `discover`.
    """
    record = table.get(host)
    if record is None or not _SESSION.fullmatch(session):
        return None
    match = None
    for path in _discover(record, environ):
        if record.has_name(path, session):
            match = path  # the one written last
    return match


def current(environ: Mapping[str, str], cwd: str) -> str | None:
    """The transcript of the session that runs this program, when it can be told.

    The one that a host's variable names, None while that is not on the disk; else the
    newest of any host that is about `cwd`.
    """
    for host, session in _running(environ):
        return host.running_transcript(session, environ, cwd)
    return _newest(environ, os.path.realpath(cwd))


def running(environ: Mapping[str, str]) -> str | None:
    """The id of the session that runs this program, None when no host says it."""
    return next((session for _, session in _running(environ)), None)


def _running(environ: Mapping[str, str]) -> Iterator[tuple[Host, str]]:
    for host in table.hosts():
        session = environ.get(host.session_variable, "")
        if host.session_variable and _SESSION.fullmatch(session):
            yield host, session


def _discover(
    host: Host, environ: Mapping[str, str], since_ms: int | None = None
) -> Iterator[str]:
    found = []
    for path in host.transcripts(environ):
        moment = written(path)
        if moment is not None and (since_ms is None or moment >= since_ms):
            found.append((moment, path))
    yield from (path for _, path in sorted(found))


def _newest(environ: Mapping[str, str], folder: str) -> str | None:
    candidates = []
    for host in table.hosts():
        for path in _discover(host, environ):
            about = host.is_about(path, folder)
            if about is not False:
                candidates.append((written(path) or 0, path, host, about))
    candidates.sort(key=lambda candidate: (-candidate[0], candidate[1]))
    for _, path, host, about in candidates[:_MOST_ASKED]:
        try:
            where = _format(host).session(Lines(path)).cwd
        except MemcliError:
            continue
        if about or (where is not None and os.path.realpath(where) == folder):
            return path
    return None


def _format(host: Host) -> ModuleType:
    return import_module(host.transcript_format)


def _recognised(path: str) -> ModuleType:
    formats = [_format(host) for host in table.hosts()]
    lines = Lines(path)
    empty = True
    for _, record in islice(lines.records(), _HEAD):
        empty = False
        for module in formats:
            if module.recognises(record):
                return module
    if lines.broken or lines.unfinished:
        whole = json_object.peek(path)
        for module in formats:
            if hasattr(module, "is_whole") and module.is_whole(whole):
                return module
    if empty and not lines.broken and lines.unfinished[:1] in (b"", b"{"):
        return formats[-1]
    raise Unreadable(
        f"{path}: is no transcript of a known host",
        hint=f"Name its host (--host {'|'.join(table.NAMES)}), or write it as lines of "
        '{"role": "user", "text": "..."}.',
    )
