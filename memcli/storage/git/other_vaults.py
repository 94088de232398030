"""Vaults on other branches of a remote, which this one would never meet.

Invariant: reads only, and asks no remote: what is told is what the last fetch has seen.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.named_tuple import NamedTuple
from memcli.storage.git.readable import Readable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Branches that are looked at, those with the newest commits.
_MOST = 50
_REMOTE = "refs/remotes/"


class Elsewhere(NamedTuple):
    """A branch of a remote that holds a vault: `origin/main`, its name without the
    remote's, and whether it is this vault, as it was or will be."""

    ref: str
    branch: str
    same: bool


def elsewhere(repository: Readable, remote: str = "", but: str = "") -> list[Elsewhere]:
    """The branches of a remote, or of all, that hold a vault, but for one ref; those
    that hold this one come first."""
    words = (
        "for-each-ref", f"--count={_MOST}", "--sort=-committerdate",
        "--format=%(symref) %(objectname) %(refname)", _REMOTE + remote,
    )  # fmt: skip
    rows = [line.split(" ", 2) for line in repository.look(*words).decode().split("\n")]
    found = {row[2]: row[1] for row in rows if len(row) == 3 and not row[0]}
    found.pop(but, None)
    ours = repository.head()
    vaults = zip(found, _hold_vaults(repository, [*found.values()]), strict=True)
    answer = []
    for ref in [ref for ref, holds in vaults if holds]:
        base = _base(repository, ours, found[ref])
        same = bool(base) and _hold_vaults(repository, [base]) == [True]
        name = ref.removeprefix(_REMOTE)
        answer.append(Elsewhere(name, name.partition("/")[2], same))
    return sorted(answer, key=lambda each: not each.same)


def branch_of_clone(root: str, environ: Mapping[str, str]) -> str | None:
    """The branch on which the remote of a clone has a vault, where the folder holds
    none; None where there is no such branch, or git does not know."""
    from memcli.errors import MemcliError

    try:
        found = elsewhere(Readable.open(root, environ=environ))
    except MemcliError:
        return None
    return found[0].branch if found else None


def _hold_vaults(repository: Readable, commits: Sequence[str]) -> list[bool]:
    """Whether the tree of each of these commits is a vault's."""
    if not commits:
        return []
    names = "".join(f"{commit}:{layout.CONFIG}\n" for commit in commits).encode()
    lines = repository.answer("cat-file", "--batch-check", data=names).splitlines()
    return [not line.endswith(b" missing") for line in lines]


def _base(repository: Readable, ours: str | None, theirs: str) -> str:
    if ours is None:
        return ""
    return repository.answer("merge-base", ours, theirs).decode().strip()
