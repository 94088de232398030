"""Transcripts of agent hosts: found on this machine, and read as steps.

Invariant: this is the only way in. A host's format is known in one module of `formats`
and its places in its row of the table; a caller that reads steps does not know which
host they come from. Finding looks at names and times.
"""

from __future__ import annotations

import os
import re
from itertools import islice

from memcli.errors import MemcliError, Unreadable
from memcli.hosts import table
from memcli.hosts.formats.records import HEAD, Transcript

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memcli.hosts.host import Host

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


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
    transcript = (
        _recognised(path) if host is None else reader_of(table.find(host), path)
    )
    transcript.session = transcript.opened()
    return transcript


def discover(
    environ: Mapping[str, str], *names: str, since_ms: int | None = None
) -> list[tuple[str, str]]:
    """(host, path) of each transcript on this machine, each host's oldest first.

    None for `generic` and `opencode`: a person says where those lie.

    Args:
        environ: HOME (or USERPROFILE), CLAUDE_CONFIG_DIR, CODEX_HOME.
        names: the hosts; none for all.
        since_ms: only those written to since then, in epoch milliseconds.

    Raises:
        InvalidValue: no such host.
    """
    there: list[tuple[str, str]] = []
    for name in names or table.NAMES:
        files = _files(table.find(name), environ)
        found = sorted((_written(path) or -1, path) for path in files)
        there += [(name, path) for moment, path in found if moment >= (since_ms or 0)]
    return there


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
    paths = [p for p in _files(record, environ) if _has_name(record, p, session)]
    # Two files may have the name: after a resume the older one is written on.
    return max(paths, key=lambda path: (_written(path) or 0, path), default=None)


def running(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The host and the id of the session that runs this program; None when no host
    says it."""
    for host in table.hosts():
        session = environ.get(host.session_variable, "")
        if host.session_variable and _SESSION.fullmatch(session):
            return host.name, session
    return None


def _files(host: Host, environ: Mapping[str, str]) -> Iterator[str]:
    """The paths of a host's transcripts on this machine, in no order."""
    from glob import escape, iglob

    moved = host.home_variable and environ.get(host.home_variable)
    if moved or environ.get("HOME") or environ.get("USERPROFILE"):
        top = escape(host.folder(environ))
        for pattern in host.transcripts:
            for path in iglob(os.path.normpath(f"{top}/{pattern}"), recursive=True):
                above, name = os.path.split(path)
                folder = os.path.basename(above)
                if host.name == "claude-code":  # workflows and journals are no sessions
                    aside = "wf_" in (folder[:3], name[:3]) or name == "journal.jsonl"
                else:  # nor are other files in a folder that Cursor gives a session
                    own = ("agent-transcripts", name.removesuffix(".jsonl"))
                    aside = host.name == "cursor" and folder not in own
                if not aside:
                    yield path


def _written(path: str) -> int | None:
    """When a file was last written to, in epoch milliseconds; None: it is gone."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except (OSError, ValueError):
        return None


def _has_name(host: Host, path: str, session: str) -> bool:
    """Whether a transcript is that of the session with this id.

    The file has the name of the session, at the end or alone, or its folder has it; of
    Gemini the file's name holds a part of it.
    """
    above, name = os.path.split(os.path.splitext(path)[0])
    if host.name != "gemini":
        is_named = name == session or name.endswith(f"-{session}")
        return is_named or os.path.basename(above) == session
    try:
        return session[:8] in path and reader_of(host, path).opened().id == session
    except MemcliError:
        return False


def formats(path: str) -> list[Transcript]:
    """A reader of each format, in the order in which they are asked."""
    from memcli.hosts.formats import plain
    from memcli.hosts.formats.claude_code import ClaudeCode
    from memcli.hosts.formats.codex import Codex
    from memcli.hosts.formats.gemini import Gemini

    hosts = (ClaudeCode, Codex, Gemini, plain.Copilot, plain.Cursor, plain.Windsurf)
    return [each(path) for each in (*hosts, plain.Generic)]


def reader_of(host: Host, path: str) -> Transcript:
    """The reader of a host's format, which is the plain one unless it has its own."""
    *own, generic = formats(path)
    generic.host = host.name
    return next((each for each in own if each.host == host.name), generic)


def _recognised(path: str) -> Transcript:
    known = formats(path)
    plain = known[-1]
    empty = True
    for _, record in islice(plain.records(), HEAD):
        empty = False
        for each in known:
            if each.recognises(record):
                return each
    if empty and not plain.broken:
        return plain
    raise Unreadable(
        f"{path}: is no transcript of a known host",
        hint=f"Name its host (--host {'|'.join(table.NAMES)}), or write it as lines of "
        '{"role": "user", "text": "..."}.',
    )
