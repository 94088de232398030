"""What git ignores in a folder, whether the folder is under git yet or not.

Invariant: the folder stays as it is. One without a repository is asked about by an
empty repository elsewhere, so that the user's own rules count as they will later.
"""

from __future__ import annotations

import os

from memcli.errors import HistoryError
from memcli.storage.git.place import find
from memcli.storage.git.process import clean_environment, run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def ignored(
    root: str, paths: Sequence[str], environ: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The rule of each of these paths that git ignores, as `FILE:LINE: PATTERN`.

    Args:
        root: a folder, which may not exist yet.
        paths: relative to it; they need not exist.
        environ: the environment of git.

    Raises:
        HistoryError: git is missing or refused.
    """
    found = find(root)
    env = clean_environment(environ, root, *(found[:1] if found else ()))
    if found is not None:
        return _asked(root, env, found, paths)
    import tempfile

    with tempfile.TemporaryDirectory(prefix="memcli-") as elsewhere:
        made = run(elsewhere, env, ("init", "--quiet"))
        if made.code:
            raise HistoryError(f"git cannot make a repository: {made.text}")
        here = os.path.realpath(root if os.path.isdir(root) else elsewhere)
        return _asked(here, env, (here, os.path.join(elsewhere, ".git")), paths)


def _asked(
    root: str, env: dict[str, str], repository: tuple[str, str], paths: Sequence[str]
) -> dict[str, str]:
    top, git_dir = repository
    if not os.path.isdir(root):
        # Rules are asked for by path, so that the folder need not be made for it.
        prefix = os.path.relpath(os.path.realpath(root), top).replace(os.sep, "/") + "/"
        root = top
    else:
        prefix = ""
    env = {**env, "GIT_DIR": git_dir, "GIT_WORK_TREE": top}
    data = "".join(f"{prefix}{path}\0" for path in paths)
    done = run(
        root,
        env,
        ("check-ignore", "--no-index", "--verbose", "-z", "--stdin"),
        data.encode("utf-8", "surrogateescape"),
    )
    if done.code > 1:
        raise HistoryError(f"git cannot say what it ignores in {root}: {done.text}")
    fields = done.output.decode("utf-8", "surrogateescape").split("\0")
    rules = {}
    for file, line, pattern, path in zip(*[iter(fields)] * 4, strict=False):
        if not pattern.startswith("!"):
            rules[path.removeprefix(prefix)] = f"{file}:{line}: {pattern}"
    return rules
