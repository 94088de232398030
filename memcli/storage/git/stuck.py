"""Why a git does not end: what stands in the place of a file that it reads.

Invariant: reads only, and opens nothing but regular files. It is asked about a git that
has been at work for a while, so no fast command pays for it.
"""

from __future__ import annotations

import os
import stat
from itertools import islice

from memcli.errors import HistoryError, Unreadable
from memcli.storage import files
from memcli.storage.vault_paths import walk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OWN = ("index", "HEAD", "config", "packed-refs", "info/exclude", "info/attributes")
_RULES = (".gitignore", ".gitattributes")
# Folders that are looked into, and bytes of a file of rules.
_MOST = 2_000
_LARGEST = 1_000_000
# git tries every place for every star; no rule of a person has so many.
_STARS = 8


def pipe(env: Mapping[str, str]) -> str | None:
    """The path of a pipe or device in the place of a file that git reads, in the
    repository that an environment names; None when there is none."""
    for path in _read_by_git(env):
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode) and not stat.S_ISDIR(mode):
            return path
    return None


def error(env: Mapping[str, str], subcommand: str, limit: float) -> HistoryError:
    """The error for a git that was ended, in which what held it up is named."""
    found = pipe(env)
    if found:
        return HistoryError(
            f"{found} is a pipe or a device, and git waits for it",
            hint="Put a file in its place, or remove it.",
            code="git_stuck",
        )
    message = f"git {subcommand} did not end within {limit:,.0f} s, and was ended"
    rule = _costly_rule(env)
    hint = f"To see for yourself: git {subcommand}"
    if rule:
        message += f": {rule} is a rule that takes git for ever"
        hint = "Remove that rule."
    return HistoryError(message, hint=hint, code="git_stuck")


def _read_by_git(env: Mapping[str, str]) -> Iterator[str]:
    git_dir, top = env.get("GIT_DIR"), env.get("GIT_WORK_TREE")
    if git_dir:
        yield from (os.path.join(git_dir, name) for name in _OWN)
        for kind in ("refs", "logs"):
            for folder, _, names in islice(walk(os.path.join(git_dir, kind)), _MOST):
                yield from (os.path.join(folder, name) for name in names)
    if top:
        for folder, folders, names in islice(walk(top), _MOST):
            folders[:] = sorted(name for name in folders if name != ".git")
            yield from (os.path.join(folder, name) for name in _RULES if name in names)


def _costly_rule(env: Mapping[str, str]) -> str | None:
    """`FILE:LINE` of the rule with the most stars, where it has very many."""
    most, place = _STARS, None
    for path in _read_by_git(env):
        if not path.endswith((*_RULES, "exclude", "attributes")):
            continue
        try:
            lines = files.read(path, limit=_LARGEST, follow=False).split(b"\n")
        except Unreadable:
            continue
        for number, line in enumerate(lines, 1):
            if line.count(b"*") >= most:
                most, place = line.count(b"*") + 1, f"{path}:{number}"
    return place
