"""A step of an installation: one file, as it is and as it should be; and settings as
JSON, changed so that nothing of another's is lost.

Invariant: a step holds every byte before anything is written, and is carried out only
on the file that it was planned for. A backup is never written over, and only its owner
may read it: settings hold keys. A link to a file is followed and stays. JSON keeps its
indent, line ends and escapes; a file with comments is read, and never written.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager, nullcontext
from copy import deepcopy

from memcli.errors import Conflict, InvalidConfig, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from memcli.hosts.install.command_line import Program

SCOPES = ("user", "project")


class Machine(NamedTuple):
    """The machine, as an installation sees it.

    Attributes:
        environ: HOME, and the variables that move a host's folder.
        cwd: the current folder, which the project is found from.
        program: how hosts start memcli.
        vault: the vault's path, to be written into each call; None: none is.
    """

    environ: Mapping[str, str]
    cwd: str
    program: Program
    vault: str | None = None


class Step(NamedTuple):
    """The change of one file.

    Attributes:
        what: hooks, MCP server, skill recap, judge, ...
        host, scope: whose it is; empty for nobody's.
        path: the file.
        outcome: installed, updated, unchanged, removed, noted, kept or failed, as it
            will be.
        before, after: the file's bytes; None where there is no file.
        why: of what is kept or failed.
        notes: what belongs to it, line by line.
        warnings: what a person should know.
        first: whether memcli's words are not in the file yet, so that a backup is kept.
        root: the folder above, which is never removed; empty: the file's own.
        backup: where the earlier content is; known when the step is done.
    """

    what: str
    host: str
    scope: str
    path: str
    outcome: str
    before: bytes | None = None
    after: bytes | None = None
    why: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    first: bool = False
    root: str = ""
    backup: str | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after

    def diff(self) -> list[str]:
        """The lines of its change, as `diff -u` writes them."""
        from difflib import unified_diff

        old, new = (
            (data or b"").decode(errors="replace").splitlines()
            for data in (self.before, self.after)
        )
        before = os.devnull if self.before is None else self.path
        after = os.devnull if self.after is None else self.path
        return list(unified_diff(old, new, before, after, lineterm=""))

    def as_dict(self, *, dry_run: bool) -> dict[str, Any]:
        """For JSON."""
        shown = ("what", "host", "scope", "path", "outcome", "why", "backup")
        data = {name: getattr(self, name) for name in shown}
        diff = "\n".join(self.diff()) if dry_run else None
        return {**data, "notes": list(self.notes), "diff": diff or None}


def failed(what: str, host: str, error: MemcliError) -> Step:
    """The step that could not be planned, or carried out."""
    why = "\n".join(filter(None, (error.message, error.hint)))
    return Step(what, host, "", "", "failed", why=why)


_BACKUP = ".memcli-backup"
# A file above this is nobody's settings; Claude Code's own grows to 30 MB.
_LIMIT = 50_000_000


def read(path: str) -> bytes | None:
    """A file's bytes; None where there is no file, or a link to no file.

    Raises:
        Unreadable: it cannot be read, or is a folder.
    """
    return files.read(path, limit=_LIMIT) if os.path.exists(path) else None


def apply(step: Step) -> Step:
    """Carry a step out; returns it with the path of the backup.

    The content of a file before memcli's first change stays beside it as
    `NAME.memcli-backup`. A backup that equals what a removal leaves goes: it is not
    needed any more.

    Raises:
        Conflict: the file is not what it was when the step was planned.
        WriteFailed: the disk refused.
    """
    path, before, after = step.path, step.before, step.after
    if not step.changes:
        return step
    if read(path) != before:
        raise Conflict(
            f"{path}: changed in between; nothing was changed",
            hint="Repeat the command.",
        )
    copy = path + _BACKUP
    if step.outcome == "removed" and os.path.exists(copy) and read(copy) == after:
        files.remove(copy)
    elif step.first and before is not None and not os.path.lexists(copy):
        step = step._replace(backup=copy)
        with _private():
            files.write_atomic(copy, before)
    if after is None:
        _remove(path, step.root)
    else:
        with _private() if step.scope == "user" else nullcontext():
            files.write_atomic(path, after)
    return step


def _remove(path: str, root: str) -> None:
    """Remove a file, and the folders below `root` that are empty without it."""
    files.remove(os.path.realpath(path))
    folder = os.path.dirname(path)
    while root and folder != root and folder.startswith(root):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


@contextmanager
def _private() -> Iterator[None]:
    """New files are 0600 and new folders 0700, as the hosts make them in a home.

    The mask is the whole process's, so this is for a command line, not for threads.
    """
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)


# --- settings as JSON -----------------------------------------------------------------


def edited(text: str, path: str, change: Callable[[dict[str, Any]], object]) -> str:
    """Settings with a change; empty when nothing is left in them.

    Args:
        text: the settings; blank for a file that is empty or not there.
        path: for errors.
        change: changes the object; ValueError says what is wrong with it.

    Raises:
        InvalidConfig: they do not parse, are of another kind, or have comments, which
            writing would lose: the hint has what to put in by hand.
    """
    before = load(text, path)
    after = deepcopy(before)
    try:
        change(after)
    except ValueError as error:
        raise refused(f"{path}: {error}") from error
    if after == before:
        return text
    if _plain(text) != text.removeprefix(_BOM):
        snippet: dict[str, Any] = {}
        change(snippet)
        shown = json.dumps(snippet, indent=2, ensure_ascii=False)
        by_hand = f"Put this in by hand, or take them out and repeat:\n{shown}"
        raise refused(
            f"{path}: has comments or trailing commas, which writing would lose",
            by_hand if snippet else "Take memcli's entries out by hand.",
        )
    return _dumped(after, text) if after else ""


_BOM = "\ufeff"
# Neither begins twice where its end is missing, which would take the square.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*+"?'
_COMMENT = re.compile(rf"({_STRING}|/\*(?!.*?\*/).*)|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)


def load(text: str, path: str) -> dict[str, Any]:
    """The object that settings hold; an empty one for a blank file.

    Raises:
        InvalidConfig: they do not parse, hold another value, or a name twice.
    """
    if not text.strip(_BOM + " \t\r\n"):
        return {}
    try:
        try:  # a client's file of 30 MB, which has no comments, is not searched
            value = json.loads(text.removeprefix(_BOM), object_pairs_hook=_unique)
        except json.JSONDecodeError:
            value = json.loads(_plain(text), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise refused(f"{place}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        nested = isinstance(error, RecursionError)
        raise refused(f"{path}: {'nested too deep' if nested else error}") from error
    if not isinstance(value, dict):
        raise refused(f"{path}: not an object")
    return value


def _dumped(value: dict[str, Any], like: str) -> str:
    """Settings as text, in the form of an earlier text of them."""
    margin = re.search(r"\n([ \t]+)\S", like)
    flat = "\n" not in like.strip() and like.strip(_BOM + " \t\r\n") not in ("", "{}")
    text = json.dumps(
        value,
        indent=None if flat else margin[1] if margin else 2,
        # A file with escapes keeps them; half a character has no other form.
        ensure_ascii="\\u" in like,
    )
    end = like[len(like.rstrip(" \t\r\n")) :] if like.strip() else "\n"
    text = text.replace("\n", "\r\n" if "\r\n" in like else "\n") + end
    return _BOM + text if like.startswith(_BOM) else text


def refused(what: str, hint: str = "Correct the file, then repeat.") -> InvalidConfig:
    """The error for settings that are left as they are."""
    message = f"{what}; nothing was changed"
    return InvalidConfig(message, hint=hint, code="invalid_settings")


def _plain(text: str) -> str:
    """The text without comments and trailing commas, each character in its place."""

    def blank(match: re.Match[str]) -> str:
        return match[1] or re.sub(r"[^\r\n]", " ", match[0])

    text = _COMMENT.sub(blank, text.removeprefix(_BOM))
    return _LAST_COMMA.sub(blank, text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'"{twice}" stands twice in one object')
    return value
