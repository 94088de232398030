"""Where a commit is made, as one value.

Invariant: a value; it asks neither git nor the disk.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping


class WorkTree(NamedTuple):
    """A vault's work tree, and how git is called in it.

    `root` is the vault, `top` the work tree that it lies in, and `git_dir` the
    repository's git folder; `env` is git's environment. `settings` are git's, by their
    names in lower case.
    """

    root: str
    top: str
    git_dir: str
    env: dict[str, str]
    settings: Mapping[str, str]
