"""Transcripts of agent hosts, read as steps.

Invariant: this door is the only way in. A host's format is known in one module below
it; whoever reads steps does not know which host they come from.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from types import ModuleType

from memcli.errors import InvalidValue, Unreadable
from memcli.hosts import (
    claude_code,
    codex,
    copilot,
    cursor,
    discovery,
    gemini,
    generic,
    json_object,
    opencode,
    windsurf,
)
from memcli.hosts.jsonl_lines import Lines
from memcli.hosts.transcript import Session, Step

__all__ = [
    "HOSTS",
    "Transcript",
    "current",
    "discover",
    "named",
    "open_transcript",
    "running",
]

_MODULES: dict[str, ModuleType] = {
    module.NAME: module
    for module in (
        claude_code,
        codex,
        gemini,
        copilot,
        cursor,
        opencode,
        windsurf,
        generic,  # last: every other host is asked before it
    )
}
HOSTS = tuple(_MODULES)

# A file says within so many records whose it is, or never.
_HEAD = 200


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
        yield from _MODULES[self.session.host].steps(self._lines)


def open_transcript(path: str, host: str | None = None) -> Transcript:
    """Open a transcript.

    Args:
        path: the file.
        host: one of `HOSTS`; None: recognised by what the file holds. An empty file
            is a session without steps.

    Raises:
        Unreadable: missing, forbidden, no file, or no transcript that is known.
        InvalidValue: no such host.
    """
    if host is not None and host not in _MODULES:
        raise InvalidValue(
            f"no such host: {host[:60]!r}",
            hint=f"Name one of {', '.join(HOSTS)}.",
            code="invalid_host",
        )
    module = _recognised(path) if host is None else _MODULES[host]
    return Transcript(path, module.session(Lines(path)))


def discover(
    host: str, environ: Mapping[str, str], since_ms: int | None = None
) -> Iterator[str]:
    """A host's transcripts on this machine, the one written longest ago first.

    Args:
        host: one of `HOSTS`; `generic` and `opencode` have no place of their own.
        environ: HOME (or USERPROFILE), CLAUDE_CONFIG_DIR, CODEX_HOME.
        since_ms: only those written to since then, in epoch milliseconds.
    """
    return discovery.discover(host, environ, since_ms)


def named(host: str, session: str, environ: Mapping[str, str]) -> str | None:
    """The transcript of a session by its id; None when no file is named so.

    For `generic`, and for what is no host, always None.
    """
    return discovery.named(host, session, environ)


def current(environ: Mapping[str, str], cwd: str) -> str | None:
    """The transcript of the session that runs this program, when it can be told.

    The one that the host's variables name, None while that is not on the disk; else
    the newest of any host whose folder is `cwd`.
    """
    return discovery.current(environ, cwd)


def running(environ: Mapping[str, str]) -> str | None:
    """The id of the session that runs this program, None when no host says it."""
    return discovery.running(environ)


def _recognised(path: str) -> ModuleType:
    lines = Lines(path)
    empty = True
    for _, record in islice(lines.records(), _HEAD):
        empty = False
        for module in _MODULES.values():
            if module.recognises(record):
                return module
    if lines.broken or lines.unfinished:
        chat = json_object.peek(path)
        for module in (gemini, opencode):
            if module.is_whole(chat):
                return module
    if empty and not lines.broken and lines.unfinished[:1] in (b"", b"{"):
        return generic
    raise Unreadable(
        f"{path}: is no transcript of a known host",
        hint=f"Say whose it is (--host {'|'.join(HOSTS)}), or write it as lines of "
        '{"role": "user", "text": "..."}.',
    )
