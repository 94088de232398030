"""A vault's remote: which one it is, fetching from it, pushing to it.

Invariant: nothing here changes the branch, the index or the work tree. A fetch moves
the remote-tracking branch alone, a push the remote's branch alone, and never by force.
Every failure says whether the remote could not be reached (the same call may succeed
later), or refused.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.errors import HistoryError, NotAllowed, RemoteRefused
from memcli.named_tuple import NamedTuple
from memcli.storage.git import network
from memcli.storage.git.network import push_refused, refusal, trouble
from memcli.storage.git.process import clean_environment, run
from memcli.storage.git.remotes import Remote
from memcli.storage.git.repository import Repository
from memcli.storage.git.tree import bases

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.storage.git.network import Terms

_MOVED = (
    "fetch first", "non-fast-forward", "stale info", "cannot lock ref",
    "failed to update ref", "incorrect old value", "reference already exists",
)  # fmt: skip


def remote(repository: Repository) -> Remote | None:
    """The remote that the branch goes with; None without one.

    It is the branch's upstream, else the only remote, else `origin`.
    """
    branch = repository.branch()
    settings = repository.settings()
    addresses = {
        key[len("remote.") : -len(".url")]: value
        for key, value in settings.items()
        if key.startswith("remote.") and key.endswith(".url")
    }
    if branch is None or not addresses:
        return None
    name = settings.get(f"branch.{branch}.remote", "")
    merge = settings.get(f"branch.{branch}.merge", "")
    if name not in addresses:
        name = next(iter(addresses)) if len(addresses) == 1 else "origin"
        merge = ""
    if name not in addresses:
        return None
    return Remote(name, addresses[name], merge.removeprefix("refs/heads/") or branch)


def add_remote(repository: Repository, name: str, address: str) -> None:
    """Add a remote; raises HistoryError."""
    done = repository.git(("remote", "add", "--", name, address))
    if done.code:
        raise HistoryError(f"git cannot add the remote {name}: {done.text}")


def remove_remote(repository: Repository, name: str) -> None:
    """Take a remote out again, with what is known of it."""
    repository.git(("remote", "remove", name))


def set_upstream(repository: Repository, remote: Remote) -> None:
    """Let plain `git pull` and `git push` mean this remote and branch."""
    branch = repository.branch()
    settings = {"remote": remote.name, "merge": f"refs/heads/{remote.branch}"}
    for key, value in settings.items():
        repository.git(("config", f"branch.{branch}.{key}", value))


def ahead_behind(repository: Repository, ours: str, theirs: str) -> tuple[int, int]:
    """How many commits only we have, and only they."""
    done = repository.git(
        ("rev-list", "--left-right", "--count", f"{ours}...{theirs}", "--")
    )
    if done.code:
        raise HistoryError(f"git cannot compare with the remote: {done.text}")
    ahead, behind = done.printed.split()
    return int(ahead), int(behind)


def count(repository: Repository, commit: str, but: str | None) -> int:
    """How many commits there are up to one, without those of another one."""
    words = ("rev-list", "--count", commit, *((f"^{but}",) if but else ()), "--")
    done = repository.git(words)
    return int(done.printed) if done.code == 0 else 0


def fetch(repository: Repository, remote: Remote, terms: Terms) -> str | None:
    """Bring the remote's branch; its commit, None where the remote has none yet.

    Raises:
        RemoteUnreachable: the remote does not answer, or is too slow.
        RemoteRefused: it refuses access, or is no repository.
        TooLarge: it sends more than a vault can be.
    """
    spec = f"+refs/heads/{remote.branch}:{remote.tracking}"
    there = _fetched(repository, remote, spec, terms)
    return repository.commit_of(remote.tracking) if there else None


def see_branches(repository: Repository, remote: Remote, terms: Terms) -> None:
    """Bring every branch of the remote; raises as `fetch`."""
    spec = f"+refs/heads/*:refs/remotes/{remote.name}/*"
    _fetched(repository, remote, spec, terms)


def _fetched(repository: Repository, remote: Remote, spec: str, terms: Terms) -> bool:
    """Bring what a refspec names; False where the remote has it not."""
    words = [
        "fetch", "--progress", "--no-tags", "--no-recurse-submodules",
        "--no-write-fetch-head", "--no-auto-maintenance", "--refmap=",
    ]  # fmt: skip
    # Without the commits in between there is no common ancestor to merge by.
    shallow = os.path.exists(os.path.join(repository.git_dir, "shallow"))
    for more in (["--unshallow"], []) if shallow else ([],):
        command = [*words, *more, "--", remote.name, spec]
        env = _talking(repository, terms)
        done = network.talk(repository.root, env, command, terms)
        if b"does not make sense" not in done.said:  # the remote is shallow as well
            break
    if b"couldn't find remote ref" in done.said:
        return False
    if done.code:
        raise trouble(done, remote)
    return True


def push(repository: Repository, remote: Remote, commit: str, terms: Terms) -> bool:
    """Give the remote's branch this commit; False when the remote has moved.

    Raises:
        RemoteUnreachable: as `fetch`.
        RemoteRefused: the remote refuses the push: the user may only read, or the
            branch is protected.
    """
    words = (
        "push", "--porcelain", "--progress", "--no-follow-tags",
        "--recurse-submodules=no", "--", remote.name,
        f"{commit}:refs/heads/{remote.branch}",
    )  # fmt: skip
    done = network.talk(repository.root, _talking(repository, terms), words, terms)
    reason = refusal(done.printed, f"refs/heads/{remote.branch}")
    if done.code == 0 and reason is None:
        redirecting = (".pushurl", ".pushinsteadof")
        if any(key.endswith(redirecting) for key in repository.settings()):
            _refuse_lost_push(repository, remote, commit, terms)
            return True
        # git moves it where the remote's own settings say so.
        repository.git(("update-ref", remote.tracking, commit))
        return True
    if reason and any(word in reason for word in _MOVED):
        return False
    if not reason and done.code == 0:
        reason = "it says nothing of that branch"
    raise push_refused(remote, reason, done) if reason else trouble(done, remote)


def _refuse_lost_push(
    repository: Repository, remote: Remote, commit: str, terms: Terms
) -> None:
    """Refuse a push that did not come to where the remote is fetched from."""
    there = fetch(repository, remote, terms)
    if there is None or bases(repository, commit, there) != [commit]:
        raise RemoteRefused(
            f"{remote.name} is pushed to another address than it is fetched from: "
            f"{remote.shown} has not got your commits",
            hint=f"See both: git remote -v; to push where it is fetched: git config "
            f"--unset-all remote.{remote.name}.pushurl",
            code="push_refused",
        )


def _talking(repository: Repository, terms: Terms) -> dict[str, str]:
    """The environment for a git that talks to the remote."""
    env = dict(repository.environment)
    if not terms.asks and not {"GIT_SSH", "GIT_SSH_COMMAND"} & env.keys():
        own = repository.git(("config", "--get", "core.sshCommand"))
        if own.code:
            env["GIT_SSH_COMMAND"] = network.BATCH_SSH
    return env


def make_bare(path: str, branch: str, environ: Mapping[str, str]) -> bool:
    """Make a folder a bare repository, unless it is one; whether it was made.

    Args:
        path: absolute; its parent exists.
        branch: of its HEAD.
        environ: of git.

    Raises:
        NotAllowed: something else lies there, or its parent does not exist.
        HistoryError: git refused.
    """
    if os.path.isfile(os.path.join(path, "HEAD")) and os.path.isdir(
        os.path.join(path, "objects")
    ):
        return False
    parent = os.path.dirname(path)
    taken = os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path))
    if taken or not os.path.isdir(parent):
        what = "is not empty, and not bare" if taken else "has no folder above"
        raise NotAllowed(
            f"{path} {what}",
            hint="Give a folder that is new or empty, whose parent exists, or a bare "
            f"repository: memcli sync --setup {path}.git",
            code="not_bare",
        )
    words = ("init", "--quiet", "--bare", f"--initial-branch={branch}", "--", path)
    done = run(parent, clean_environment(environ, path), words)
    if done.code:
        raise HistoryError(f"git cannot make a repository at {path}: {done.text}")
    return True


# Branches that are looked at, those with the newest commits.
_MOST = 50
_REMOTE = "refs/remotes/"


class Elsewhere(NamedTuple):
    """A branch of a remote that holds a vault: `origin/main`, its name without the
    remote's, and whether it is this vault, as it was or will be."""

    ref: str
    branch: str
    same: bool


def elsewhere(
    repository: Repository, remote: str = "", but: str = ""
) -> list[Elsewhere]:
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
        base = bases(repository, ours, found[ref])[:1] if ours else []
        same = _hold_vaults(repository, base) == [True]
        name = ref.removeprefix(_REMOTE)
        answer.append(Elsewhere(name, name.partition("/")[2], same))
    return sorted(answer, key=lambda each: not each.same)


def branch_of_clone(root: str, environ: Mapping[str, str]) -> str | None:
    """The branch on which the remote of a clone has a vault, where the folder holds
    none; None where there is no such branch, or git does not know."""
    from memcli.errors import MemcliError

    try:
        found = elsewhere(Repository.open(root, environ=environ))
    except MemcliError:
        return None
    return found[0].branch if found else None


def _hold_vaults(repository: Repository, commits: Sequence[str]) -> list[bool]:
    """Whether the tree of each of these commits is a vault's."""
    if not commits:
        return []
    names = "".join(f"{commit}:{layout.CONFIG}\n" for commit in commits).encode()
    lines = repository.answer("cat-file", "--batch-check", data=names).splitlines()
    return [not line.endswith(b" missing") for line in lines]
