"""One commit of many files, in time that grows with their number.

Invariant: the same commit that `git commit --only` makes. It is built in an index
of its own, from HEAD, so what the user has staged takes no part; hooks and signing
apply; only after it exists are its paths brought up to date in the user's index.

`git commit --only` compares every path of the index with every path it is given:
10,000 new files took 3 s, 30,000 took 27 s, 100,000 took 280 s.
"""

import contextlib
import os
import time
from collections.abc import Sequence

from memcli.gitprocess import Outcome, run

MANY = 500
"""From this many paths on, this way is the faster one (measured: about 300)."""

# Seconds to wait for the user's index, which an editor may hold for a moment.
_PATIENCE = 5.0


def commit_many(
    root: str,
    git_dir: str,
    env: dict[str, str],
    paths: Sequence[str],
    options: Sequence[str],
    commit: Sequence[str],
) -> Outcome:
    """Commit these paths as they are on disk.

    Args:
        root: the vault; the paths are relative to it.
        git_dir: the repository's git folder, absolute.
        env: the environment for git.
        options: git's own options, before the subcommand.
        commit: `commit` with its options and message, without paths.

    Returns:
        How the first git that failed ended, or how the commit did.
    """
    names = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    ignored = run(root, env, (*options, "check-ignore", "-z", "--stdin"), names)
    if ignored.code == 0:
        return Outcome(1, b"are ignored by one of your .gitignore files")
    scratch = os.path.join(git_dir, f"memcli-index-{os.getpid()}")
    aside = {**env, "GIT_INDEX_FILE": scratch}
    update = (*options, "update-index", "--add", "--remove", "-z", "--stdin")
    try:
        if run(root, env, ("rev-parse", "--verify", "--quiet", "HEAD")).code == 0:
            read = run(root, aside, (*options, "read-tree", "HEAD"))
            if read.code:
                return read
        added = run(root, aside, update, names)
        if added.code:
            return added
        done = run(root, aside, (*options, *commit))
    finally:
        for name in (scratch, scratch + ".lock"):
            with contextlib.suppress(OSError):
                os.unlink(name)
    if done.code == 0:
        deadline = time.monotonic() + _PATIENCE
        # The commit stands. An index that stays locked shows these files as
        # changed until `git reset`, which loses nothing.
        while run(root, env, update, names).code and time.monotonic() < deadline:
            time.sleep(0.05)
    return done
