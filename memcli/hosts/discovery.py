"""Where the hosts keep their transcripts on this machine, and which one is ours.

Invariant: looks at names and times, and opens files only to ask which folder they are
about; what cannot be read is passed over. The environment is a parameter.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType

from memcli.errors import MemcliError
from memcli.hosts import claude_code, codex, copilot, cursor, gemini, windsurf
from memcli.hosts.jsonl_lines import Lines

# The newest transcripts that are asked whether they are about a folder: a year's.
_MOST_ASKED = 1_000

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


def discover(
    host: str, environ: Mapping[str, str], since_ms: int | None = None
) -> Iterator[str]:
    """A host's transcripts, the one written longest ago first.

    None for `generic` and `opencode`: a person says where those lie.

    Args:
        host: one of `HOSTS`.
        environ: HOME (or USERPROFILE), CLAUDE_CONFIG_DIR, CODEX_HOME.
        since_ms: only those written to since then, in epoch milliseconds.
    """
    found = []
    for path in _FINDERS[host](environ) if host in _FINDERS else ():
        written = _written(path)
        if written is not None and (since_ms is None or written >= since_ms):
            found.append((written, path))
    yield from (path for _, path in sorted(found))


def current(environ: Mapping[str, str], cwd: str) -> str | None:
    """The transcript of the session that runs this program.

    Where a host says which session that is, its transcript or none; it may not be on
    the disk yet. Else the newest one of any host whose folder is `cwd`.
    """
    claude = environ.get("CLAUDE_CODE_SESSION_ID", "")
    if _SESSION.fullmatch(claude):
        return _claude_session(environ, cwd, claude)
    ours = environ.get("GEMINI_SESSION_ID", "")
    if _SESSION.fullmatch(ours):
        # Two files may have the name: after a resume the older one is written on.
        named = [path for path in discover(gemini.NAME, environ) if ours[:8] in path]
        return next((p for p in reversed(named) if _session_id(p) == ours), None)
    return _newest(environ, cwd)


def running(environ: Mapping[str, str]) -> str | None:
    """The id of the session that runs this program, None when no host says it."""
    for name in ("CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"):
        if _SESSION.fullmatch(environ.get(name, "")):
            return environ[name]
    return None


def named(host: str, session: str, environ: Mapping[str, str]) -> str | None:
    """The transcript of a session by its id; None when no file has its name.

    Args:
        host: as `discover`; any other has no transcripts that are known.
        session: the host's id of the session.
        environ: as `discover`.
    """
    if host not in _NAMES or not _SESSION.fullmatch(session):
        return None
    found = None
    for path in discover(host, environ):
        if _NAMES[host](path, session):
            found = path  # the one written last
    return found


def slug(path: str) -> str:
    """The name of Claude Code's folder for a project's path, links resolved.

    >>> slug("/home/dev/my_proj.v1")
    '-home-dev-my-proj-v1'
    """
    raw = path.encode("utf-16-le", "surrogatepass")
    units = [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]
    kept = [chr(u) if u < 128 and chr(u).isalnum() else "-" for u in units]
    text = "".join(kept)
    if len(text) <= 200:
        return text
    mark = 0
    for unit in units:
        mark = (mark * 31 + unit) & 0xFFFFFFFF
    mark = abs(mark - (1 << 32) if mark >> 31 else mark)
    digits = ""
    while mark or not digits:
        mark, digit = divmod(mark, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{text[:200]}-{digits}"


def _claude_files(environ: Mapping[str, str]) -> Iterator[str]:
    # Sub-agents' files lie deeper; workflows' folders and journals are no sessions.
    for folder in _entries(_claude_projects(environ)):
        if os.path.basename(folder).startswith("wf_"):
            continue
        for path in _entries(folder):
            name = os.path.basename(path)
            if name.startswith("wf_") or name == "journal.jsonl":
                continue
            if name.endswith(".jsonl"):
                yield path


def _codex_files(environ: Mapping[str, str]) -> Iterator[str]:
    root = environ.get("CODEX_HOME") or _below_home(environ, ".codex")
    for kept in ("sessions", "archived_sessions") if root else ():
        for folder, _, names in os.walk(os.path.join(root, kept)):
            for name in names:
                if name.startswith("rollout-") and name.endswith(".jsonl"):
                    yield os.path.join(folder, name)


def _gemini_files(environ: Mapping[str, str]) -> Iterator[str]:
    for project in _entries(_below_home(environ, ".gemini", "tmp")):
        for path in _entries(os.path.join(project, "chats")):
            name = os.path.basename(path)
            if name.startswith("session-") and name.endswith((".json", ".jsonl")):
                yield path


def _copilot_files(environ: Mapping[str, str]) -> Iterator[str]:
    for folder in _entries(_below_home(environ, ".copilot", "session-state")):
        path = os.path.join(folder, "events.jsonl")
        if os.path.isfile(path):
            yield path


def _cursor_files(environ: Mapping[str, str]) -> Iterator[str]:
    # The editor gives a session a folder, the command line does not. One that was seen
    # from two folders is written under both names: the newer file is the session.
    newest: dict[str, tuple[int, str]] = {}
    for project in _entries(_below_home(environ, ".cursor", "projects")):
        for path in _entries(os.path.join(project, "agent-transcripts")):
            name = os.path.basename(path)
            if not name.endswith(".jsonl"):
                path, name = os.path.join(path, f"{name}.jsonl"), f"{name}.jsonl"
            written = _written(path)
            if written is not None and (written, path) > newest.get(name, (-1, "")):
                newest[name] = (written, path)
    yield from (path for _, path in newest.values())


def _windsurf_files(environ: Mapping[str, str]) -> Iterator[str]:
    for path in _entries(_below_home(environ, ".windsurf", "transcripts")):
        if path.endswith(".jsonl"):
            yield path


_FINDERS = {
    claude_code.NAME: _claude_files,
    codex.NAME: _codex_files,
    gemini.NAME: _gemini_files,
    copilot.NAME: _copilot_files,
    cursor.NAME: _cursor_files,
    windsurf.NAME: _windsurf_files,
}
# Those whose transcripts say which folder they are about; Windsurf's do not.
_MODULES: tuple[ModuleType, ...] = (claude_code, codex, gemini, copilot, cursor)


# How a host names the file of a session. Gemini's name holds a part of the id only.
_NAMES: Mapping[str, Callable[[str, str], bool]] = {
    claude_code.NAME: lambda path, name: os.path.basename(path) == f"{name}.jsonl",
    codex.NAME: lambda path, name: path.endswith(f"-{name}.jsonl"),
    copilot.NAME: lambda path, name: os.path.basename(os.path.dirname(path)) == name,
    gemini.NAME: lambda path, name: name[:8] in path and _session_id(path) == name,
    cursor.NAME: lambda path, name: os.path.basename(path) == f"{name}.jsonl",
    windsurf.NAME: lambda path, name: os.path.basename(path) == f"{name}.jsonl",
}


def _claude_projects(environ: Mapping[str, str]) -> str:
    root = environ.get("CLAUDE_CONFIG_DIR") or _below_home(environ, ".claude")
    return os.path.join(root, "projects") if root else ""


def _claude_session(environ: Mapping[str, str], cwd: str, session: str) -> str | None:
    projects = _claude_projects(environ)
    named = environ.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
    project = os.path.realpath(environ.get("CLAUDE_PROJECT_DIR") or cwd)
    names = [named] if _SESSION.fullmatch(named) else []
    names += [slug(project), slug(os.path.realpath(cwd))]
    folders = [os.path.join(projects, name) for name in names]
    # Last, wherever it is: ids are unique, and the rule for names has changed before.
    for folder in (*folders, *_entries(projects)):
        path = os.path.join(folder, f"{session}.jsonl")
        if os.path.isfile(path):
            return path
    return None


def _newest(environ: Mapping[str, str], cwd: str) -> str | None:
    folder = os.path.realpath(cwd)
    ours = slug(folder)
    found = []
    for module in _MODULES:
        for path in discover(module.NAME, environ):
            # Claude Code's folder names rule out nearly all without opening them.
            beside = os.path.basename(os.path.dirname(path))
            if module is not claude_code or beside == ours:
                found.append((_written(path) or 0, path, module))
    found.sort(key=lambda one: (-one[0], one[1]))
    for _, path, module in found[:_MOST_ASKED]:
        if _is_about(path, module, folder):
            return path
    return None


def _is_about(path: str, module: ModuleType, folder: str) -> bool:
    try:
        where = module.session(Lines(path)).cwd
    except MemcliError:
        return False
    if where is None and module is gemini:
        # Older versions name the folder of the chats after a hash of the project's.
        from hashlib import sha256

        beside = os.path.basename(os.path.dirname(os.path.dirname(path)))
        return beside == sha256(os.fsencode(folder)).hexdigest()
    if where is None and module is cursor:
        # Cursor's folder of a project has Claude Code's name for it, without the root.
        projects, _, rest = path.replace(os.sep, "/").rpartition("/agent-transcripts/")
        return bool(rest) and os.path.basename(projects) == slug(folder).strip("-")
    return where is not None and os.path.realpath(where) == folder


def _session_id(path: str) -> str | None:
    try:
        return gemini.session(Lines(path)).id
    except MemcliError:
        return None


def _below_home(environ: Mapping[str, str], *names: str) -> str:
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return os.path.join(home, *names) if home else ""


def _entries(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except (OSError, ValueError):
        return []


def _written(path: str) -> int | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns // 1_000_000
