"""A project's checkout: its files, and the history of its code.

Invariant: what names a file here comes from a vault, which may be a stranger's. Only a
regular file below the project's folder is read, at most `LARGEST` bytes of it. No
symbolic link is followed, also none among its folders; no pipe or device is opened; no
other repository that lies inside (a submodule, a clone) is entered. Nothing blocks.

Of the history it reads only, within a limit of time and of bytes. The repository is
that of the project, never one that lies in it; no program of its settings is run and
nothing is fetched, so a commit that the checkout lacks is simply not there.
"""

from __future__ import annotations

import os
import re
import stat

from memcli.entries import anchors
from memcli.errors import HistoryError, NotAVault, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.git import on_disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from memcli.storage.git.process import GitResult
    from memcli.storage.git.repository import Repository

# Seconds that git may take to look into the history for a person who waits.
_PATIENCE = 5.0
# Nothing of the user's or the repository's settings starts a program.
_PLAIN = ("-c", "core.fsmonitor=false", "-c", "core.preloadIndex=false")
# Nor does git-lfs, which many have in the settings of their machine.
_NO_LFS = (
    *("-c", "filter.lfs.process=", "-c", "filter.lfs.clean="),
    *("-c", "filter.lfs.required=false"),
)

LARGEST = 1_000_000
"""Bytes of a file that is looked at."""


class Look(NamedTuple):
    """A look at a path of the checkout.

    Attributes:
        data: the file's bytes; None when it was not read.
        gone: whether nothing is there.
        reason: why it was not looked at, for a sentence; empty where it was.
    """

    data: bytes | None
    gone: bool = False
    reason: str = ""


def read(folder: str, path: str, *, limit: int = LARGEST) -> Look:
    """The bytes of a file of a checkout.

    Args:
        folder: the checkout's, absolute.
        path: of an anchor, relative to the folder.
        limit: the largest size that is read, in bytes.
    """
    look = has(folder, path)
    if look.gone or look.reason:
        return look
    place = os.path.join(folder, *path.split("/"))
    try:
        return Look(files.read(place, limit=limit, follow=False))
    except Unreadable as error:
        reason = error.message.removeprefix(f"{place}: ")
        return Look(None, reason=f"it {reason}" if reason[:3] == "is " else reason)


def has(folder: str, path: str) -> Look:
    """Whether a checkout has a file or folder at a path; reads nothing."""
    if reason := anchors.unsafe(path):
        return Look(None, reason=reason)
    # The project's own folder may be reached over a link: the user stands in it.
    place = folder
    *above, name = path.split("/")
    try:
        for part in above:
            place = os.path.join(place, part)
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                reason = "a symbolic link is on its way, which memcli does not follow"
                return Look(None, reason=reason)
            if os.path.lexists(os.path.join(place, ".git")):
                return Look(None, reason="it lies in another repository")
        mode = os.lstat(os.path.join(place, name)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return Look(None, gone=True)
    except (OSError, ValueError) as error:
        return Look(None, reason=files.reason_of(error))
    if stat.S_ISLNK(mode):
        reason = "it is a symbolic link, which memcli does not follow"
        return Look(None, reason=reason)
    plain = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return Look(None, reason="" if plain else "it is not a file")


# --- the history ------------------------------------------------------------------


class CodeHistory:
    """The history of the repository around a project's folder."""

    def __init__(self, repository: Repository) -> None:
        self._repository, self._git_dir = repository, repository.git_dir
        self._prefix = repository.prefix

    @classmethod
    def open(cls, folder: str, environ: Mapping[str, str] | None) -> Self | None:
        """The history of a project; None where it is not under git.

        Args:
            folder: the project's, absolute.
            environ: the environment of git.
        """
        from memcli.storage.git.repository import Repository

        try:
            return cls(Repository.open(folder, environ=environ))
        except NotAVault:
            return None

    def commit(self) -> str:
        """The id of the commit that is checked out; empty where there is none.

        Mostly no git is started: a save must not wait for one.
        """
        found = on_disk.commit(self._git_dir)
        if found:
            return found
        done = self._git(("rev-parse", "--verify", "--quiet", "HEAD"))
        return done.printed.decode("ascii", "replace").strip()

    def was(self, commit: str, path: str, limit: int) -> bytes | None:
        """The bytes of a file at a commit; None where the checkout does not have it.

        Args:
            commit: its id, or the beginning of it.
            path: relative to the project's folder.
            limit: the largest size that is read, in bytes.
        """
        if not re.fullmatch(r"[0-9a-f]{7,64}", commit):
            return None
        name = f"{commit}:{self._prefix}{path}\n".encode("utf-8", "surrogateescape")
        kind = "--batch-check=%(objecttype) %(objectsize) %(objectname)"
        words = self._git(("cat-file", kind), name).printed.decode("ascii", "replace")
        found = re.fullmatch(r"blob (\d+) ([0-9a-f]{40,64})\n", words)
        if found is None or int(found[1]) > limit:
            return None
        done = self._git(("cat-file", "blob", found[2]))
        return None if done.code else done.printed

    def last_commits(self, number: int, seconds: float) -> list[str]:
        """The subjects of the last commits, each with the paths that it changed."""
        command = (
            "log", f"-{number}", "--format=%s", "--name-only", "-z", "--no-renames",
            "--no-show-signature", "-O", os.devnull, "--no-ext-diff", "--no-textconv",
            "--ignore-submodules=all", "--",
        )  # fmt: skip
        return self._printed(command, seconds)

    def unfinished(self, seconds: float) -> list[str]:
        """The paths that differ from the last commit.

        None where finding out might run a filter of the repository, which git may have
        to for any file, and where it takes git longer.
        """
        if on_disk.may_filter(self._git_dir):
            return []
        command = (
            *_NO_LFS, "status", "--porcelain", "-z", "--no-renames",
            "--untracked-files=normal", "--ignore-submodules=all", "--",
        )  # fmt: skip
        return [line[3:] for line in self._printed(command, seconds)]

    def branch(self) -> str:
        """The name of the branch that is checked out; empty where there is none."""
        name = on_disk.branch(self._git_dir).removeprefix("refs/heads/")
        return name.encode("utf-8", "replace").decode()

    def _printed(self, command: Sequence[str], seconds: float) -> list[str]:
        """The words that git prints, cut at its ends; none where it failed."""
        done = self._git(command, seconds=seconds)
        words = done.printed.decode("utf-8", "replace").split("\0")
        return [] if done.code else [word.strip("\n") for word in words]

    def _git(
        self, arguments: Sequence[str], data: bytes = b"", seconds: float = _PATIENCE
    ) -> GitResult:
        from memcli.storage.git.process import GitResult, Watch, run

        root, words = self._repository.root, (*_PLAIN, *arguments)
        env = {**self._repository.environment, "GIT_OPTIONAL_LOCKS": "0"}
        try:
            return run(root, env, words, data, watch=Watch(seconds))
        except HistoryError:  # there is no git: then nothing is known
            return GitResult(127, b"")
