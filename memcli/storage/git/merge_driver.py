"""Telling git to let memcli merge the files of a vault.

Invariant: only the repository's own `config` and `info/attributes` are written, which
no clone and no pull brings; memcli itself starts no git that would run what they name.
What git calls is this installation by its absolute path. Where that is gone or fails,
git merges by lines, as it does without memcli.
"""

from __future__ import annotations

import os
import re
import shlex

from memcli.errors import HistoryError, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.storage.git.repository import Repository

NAME = "memcli"
_PATTERNS = ("**/*.md", "entities/ignored.txt", ".memcli/config.toml")
_MOST = 1_000_000


class Setting(NamedTuple):
    """One line of `git config`."""

    key: str
    value: str


def settings(program: Sequence[str]) -> tuple[Setting, ...]:
    """The lines of the repository's config.

    Args:
        program: the words that start memcli; the first one is an absolute path.
    """
    # git's shell is a POSIX one on Windows too, and takes a backslash for an escape.
    words = [shlex.quote(word.replace("\\", "/")) for word in program]
    command = (
        f"test -x {words[0]} && {' '.join(words)} merge-driver %O %A %B %P || "
        "git merge-file -L ours -L base -L theirs %A %O %B"
    )
    return (
        Setting(f"merge.{NAME}.name", "memcli: entries by their fields and lines"),
        Setting(f"merge.{NAME}.driver", command),
        # Merges of several bases, which git makes for itself, take the base's file.
        Setting(f"merge.{NAME}.recursive", "binary"),
    )


def install(repository: Repository, program: Sequence[str]) -> bool:
    """Let git call memcli for the vault's files; returns whether anything changed.

    Args:
        repository: the vault's.
        program: as in `settings`.

    Raises:
        WriteFailed: the repository's own files cannot be written.
    """
    changed = False
    for key, value in settings(program):
        said = repository.answer("config", "--local", "--get", key)
        if said.decode("utf-8", "replace").rstrip("\n") != value:
            made = repository.git(("config", "--local", "--replace-all", key, value))
            if made.code:
                raise WriteFailed(f"git config {key}: {made.text}")
            changed = True
    place = repository.answer("rev-parse", "--git-path", "info/attributes")
    path = os.path.join(repository.root, os.fsdecode(place).rstrip("\n"))
    return _add_lines(path, _attributes(repository.prefix)) or changed


def mark_merged(repository: Repository, paths: Sequence[str]) -> None:
    """Tell git, in the middle of its merge, that these files are merged.

    Raises:
        HistoryError: git refused.
    """
    literal = [f":(literal){path}" for path in paths]
    done = repository.git(("add", "--", *literal))
    if done.code:
        raise HistoryError(f"git add failed: {done.text}")


def _attributes(prefix: str) -> list[str]:
    """The lines that name the driver, for a vault in this folder of the repository."""
    # `?` is any letter: a name that needs quotes would keep saves from the fast way.
    place = re.sub(r"[^\w/.-]", "?", prefix, flags=re.ASCII)
    return [f"/{place}{pattern} merge={NAME}" for pattern in _PATTERNS]


def _add_lines(path: str, lines: Sequence[str]) -> bool:
    """Add to a file the lines that it lacks; returns whether there were any."""
    before = files.current(path) or b""
    if len(before) > _MOST:
        raise WriteFailed(f"{path} has {len(before):,} bytes")
    known = set(before.decode("utf-8", "replace").splitlines())
    missing = [line for line in lines if line not in known]
    if not missing:
        return False
    files.make_folder(os.path.dirname(path))
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    text = "".join(f"{line}\n" for line in missing)
    files.write_atomic(path, before + gap + text.encode("utf-8", "surrogateescape"))
    return True
