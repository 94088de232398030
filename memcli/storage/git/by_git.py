"""Commits that are left to git: the user's settings ask for more than storing bytes
(hooks, signing, filters), or there are many files.

Invariant: a new path has an empty entry in the index only while git commits it; when
git refuses, the entry is taken out again, or `unsettled` says that this failed.
"""

from __future__ import annotations

import contextlib
import os
import time

from memcli.errors import LockBusy, MemcliError, Unreadable
from memcli.storage import files
from memcli.storage.git import printed
from memcli.storage.git.beside_head import Comparable
from memcli.storage.git.bulk_commit import commit_many
from memcli.storage.git.complaints import (
    failure,
    in_other_tree,
    names_nobody,
    unfinished,
)
from memcli.storage.git.index_backup import IndexBackup
from memcli.storage.git.index_lock import LARGEST, release
from memcli.storage.git.readable import STATUS
from memcli.storage.git.staging import PATHS, out_of_tree, refuse_missing

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import TypeVar

    from memcli.storage.git.process import GitResult

    _Answer = TypeVar("_Answer")

# The preloading threads cost more than they save once the files are in the cache: 29
# instead of 39 ms of CPU for one new file among 10,000. See fast_commit for the rest.
_CHEAP = ("-c", "core.preloadIndex=false")
_COMMIT = (
    "-c",
    "core.abbrev=40",  # so that commit's own report carries the whole id
    "-c",
    "i18n.commitEncoding=UTF-8",
    "commit",
    "--only",
    "--no-status",
    "--untracked-files=no",
    "--cleanup=whitespace",  # a title may start with '#'
)
_NOBODY = ("-c", "user.name=memcli", "-c", "user.email=memcli@localhost")
_NO_GC = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")

_NOT_IN_TREE = (
    b"is in submodule",
    b"is beyond a symbolic link",
    b"did not match any file",
)

# So many paths are looked for in the bytes of the index.
_FEW = 16

# git's own estimate: it collects garbage above 6,700 loose objects, that is when
# the folder of one first byte, 17, holds more than 6,700 / 256 of them.
_GC_SAMPLE = "17"
_GC_LIMIT = 27


class CommitsByGit(Comparable):
    """A repository in which git commits.

    Attributes:
        unsettled: whether the index is not as the last commit, or its failure, should
            have left it, since the disk refused; `unstage` mends that.
    """

    unsettled = False
    _backup: IndexBackup | None = None

    def unstage(self, paths: Sequence[str], *, patience: float = 2.0) -> None:
        """Put these paths into the index as HEAD has them.

        Raises:
            LockBusy, HistoryError: git refused.
        """

        def reset() -> None:
            done = self._git(("reset", "--quiet", *PATHS), _pathspecs(paths))
            if done.code:
                raise failure(done, paths, self.git_dir)

        if paths:
            self._patiently(reset, patience)

    def refuse_other_trees(self, paths: Iterable[str]) -> None:
        """Raise HistoryError where a file lies behind a link, or in a repository of its
        own. git leaves such a file out, and mostly does not say so."""
        prefix = self.prefix
        for path in paths:
            folder = out_of_tree(self.top, prefix + path)
            if folder:
                link = os.path.islink(os.path.join(self.top, folder))
                raise in_other_tree(path, folder.removeprefix(prefix), link=link)

    def _failure(self, done: GitResult, paths: Sequence[str]) -> MemcliError:
        """The error that says why git did not commit these paths."""
        if any(words in done.output for words in _NOT_IN_TREE):
            self.refuse_other_trees(paths)
        return failure(done, paths, self.git_dir)

    def _patiently(self, act: Callable[[], _Answer], patience: float) -> _Answer:
        """Do something while another git may hold a lock for moments."""
        deadline = time.monotonic() + patience
        while True:
            try:
                return act()
            except LockBusy:
                if release(self.git_dir):
                    continue
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.05)

    def _commit_by_git(
        self, paths: list[str], message: str, meant: Mapping[str, bytes | None] | None
    ) -> str | None:
        """Leave the commit to `git commit`, since the user's settings ask for more
        than storing bytes: hooks, signing, filters.

        Raises:
            Conflict: a file that is meant to be there is gone; git would commit the
                others alone.
        """
        present = [p for p in paths if os.path.lexists(os.path.join(self.root, p))]
        refuse_missing(present, meant or {})
        # git reads the index before it locks it: what another git stages in between
        # is lost.
        fresh = self._not_in_index(present)
        if fresh:
            self._announce(fresh, paths)
        try:
            done = self._try_commit(paths, message)
            if fresh != present and b"did not match any file" in done.output:
                fresh = present  # the look into the index was wrong
                self._announce(fresh, paths)
                done = self._try_commit(paths, message)
        except BaseException:
            self._put_back(fresh)
            raise
        if done.code == 0:
            return printed.commit_id(done.printed) or self.head()
        if b"repository has been updated" in done.output:
            self.unsettled = True  # git could not write the index afterwards
            return self.head()
        self._put_back(fresh)
        if b"did not match any file" in done.output:
            known = self._known()
            fewer = [p for p in paths if p in known or p in present]
            refuse_missing(fewer, meant or {})
            if len(fewer) < len(paths):
                return self._commit_by_git(fewer, message, meant) if fewer else None
        if done.code == 1 and self._is_nothing(done, paths, present):
            return None
        raise self._failure(done, paths)

    def _commit_many(self, paths: list[str], message: str) -> str | None:
        for name, state in (
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
        ):
            # A whole commit would conclude it, with these files in it.
            if os.path.exists(os.path.join(self.git_dir, name)):
                raise unfinished(state, paths)
        commit = [
            *(word for word in _COMMIT if word != "--only"),
            "-m",
            clean(message),
        ]
        options: tuple[str, ...] = (
            _CHEAP if self._garbage_is_due() else (*_CHEAP, *_NO_GC)
        )
        where = (self.root, self.git_dir, self.environment)
        done, indexed = commit_many(*where, paths, options, commit)
        if done.code == 128 and names_nobody(done.output):
            options = (*_NOBODY, *options)
            done, indexed = commit_many(*where, paths, options, commit)
        self.unsettled = not indexed
        if done.code == 0:
            return printed.commit_id(done.printed) or self.head()
        if done.code == 1 and b"nothing to commit" in done.output:
            return None
        raise failure(done, paths, self.git_dir)

    def _not_in_index(self, paths: list[str]) -> list[str]:
        """The paths that the index does not seem to hold.

        A search in its bytes (a name behind the low byte of its length) costs 1 ms
        and saves 6 ms of `git add` where every path is tracked. It may be wrong both
        ways, since index versions 3 and 4 write names differently: `add` then skips a
        tracked path, and `commit` reports an untracked one.
        """
        if len(paths) > _FEW:  # each is a search through the whole index
            return paths
        try:
            index = files.read(os.path.join(self.git_dir, "index"), limit=LARGEST)
        except Unreadable:
            return paths
        prefix = self.prefix
        names = [(path, _encode(prefix + path)) for path in paths]
        return [
            path
            for path, name in names
            if bytes([len(name) & 0xFF]) + name + b"\0" not in index
        ]

    def _announce(self, fresh: list[str], paths: Sequence[str]) -> None:
        """Give new paths an empty entry in the index, which `commit --only` needs.

        What the user has staged for a tracked path stays as it is.
        """
        self._backup = self._backup or IndexBackup(self.git_dir)
        options = (*_CHEAP, "add", "--intent-to-add", *PATHS)
        added = self._git(options, _pathspecs(fresh))
        self._backup.note_change()
        if added.code:
            self._put_back(fresh)
            raise self._failure(added, paths)

    def _try_commit(self, paths: list[str], message: str) -> GitResult:
        gc = () if self._garbage_is_due() else _NO_GC
        options = (*_CHEAP, *gc, *_COMMIT, "-m", clean(message), *PATHS)
        done = self._git(options, _pathspecs(paths))
        if done.code == 128 and names_nobody(done.output):
            done = self._git((*_NOBODY, *options), _pathspecs(paths))
        return done

    def _put_back(self, paths: Sequence[str]) -> None:
        """Take the empty entries of these paths out of the index again."""
        if not paths:
            return
        wanted = set(paths)
        look = ("diff-files", "--name-only", "--diff-filter=A", "-z")
        listed = self._git((*look, "--ignore-submodules=all"))
        prefix = self.prefix
        rows = [
            p for p in printed.names(listed.printed) if p.removeprefix(prefix) in wanted
        ]
        done = listed
        if rows:
            lines = "".join(p + "\0" for p in rows)
            options = ("-C", self.top, "update-index", "--force-remove", "-z")
            done = self._git((*options, "--stdin"), _encode(lines))
        undone = not done.code or (self._backup and self._backup.put_back())
        self.unsettled = not undone

    def _garbage_is_due(self) -> bool:
        common = self.git_dir
        with (  # a linked work tree names the owner of its objects
            contextlib.suppress(OSError),
            open(os.path.join(common, "commondir"), encoding="utf-8") as file,
        ):
            common = os.path.join(common, file.read().strip())
        try:
            sample = os.listdir(os.path.join(common, "objects", _GC_SAMPLE))
        except OSError:
            return False
        return len(sample) >= _GC_LIMIT

    def _is_nothing(
        self, done: GitResult, paths: Sequence[str], present: Collection[str]
    ) -> bool:
        """Whether git did not commit because none of the paths differs from HEAD."""
        rows = self._status_rows(self._git(STATUS).printed)
        differing = {path for _, path in rows} & set(paths)
        if not differing:
            return True
        if b"nothing to commit" not in done.output:
            return False
        there = differing.intersection(present)
        held = {path: files.current(os.path.join(self.root, path)) for path in there}
        known = {path: data for path, data in held.items() if data is not None}
        if len(known) < len(there) or (known and self.unlike_head(known)):
            return False
        # What is there is as in HEAD, and staged otherwise by the user: it stays so.
        self.unstage(sorted(differing - there))  # only announced, and gone again
        return True

    def _known(self) -> set[str]:
        """Every path of the vault that is in the index or in HEAD."""
        listed = self._git(("ls-files", "-z", "--with-tree=HEAD"))
        if listed.code:  # no HEAD yet
            listed = self._git(("ls-files", "-z"))
        return set(printed.names(listed.printed))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def clean(message: str) -> str:
    """A message that git takes: without NUL, and UTF-8."""
    return message.replace("\0", " ").encode("utf-8", "replace").decode()


def _pathspecs(paths: Sequence[str]) -> bytes:
    # Literal one by one: GIT_LITERAL_PATHSPECS would reach the user's hooks.
    return _encode("".join(f":(literal){path}\0" for path in paths))
