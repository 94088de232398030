"""A vault's remote: which one it is, fetching from it, pushing to it.

Invariant: nothing here changes the branch, the index or the work tree. A fetch moves
the remote-tracking branch alone, a push the remote's branch alone, and never by force.
Every failure says whether the remote could not be reached (the same call may succeed
later), or refused.
"""

from __future__ import annotations

import os

from memcli.errors import HistoryError, NotAllowed
from memcli.storage.git import network
from memcli.storage.git.process import clean_environment, run
from memcli.storage.git.remote_address import Remote
from memcli.storage.git.remote_trouble import (
    arrived,
    push_refused,
    refusal,
    trouble,
)
from memcli.storage.git.repository import Repository

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.storage.git.network import Terms

_MOVED = (
    "fetch first", "non-fast-forward", "stale info", "cannot lock ref",
    "failed to update ref", "incorrect old value", "reference already exists",
)  # fmt: skip


class Tracking(Repository):
    """A repository, for questions about its remote, and calls of it."""

    def settings(self) -> dict[str, str]:
        """git's settings for this repository, the last of several values."""
        listed = self._git(("config", "--list", "-z"))
        if listed.code:
            raise HistoryError(f"git cannot read its settings: {listed.text}")
        found = {}
        for item in listed.printed.decode("utf-8", "replace").split("\0"):
            key, _, value = item.partition("\n")
            found[key] = value
        return found

    def branch(self) -> str | None:
        """The name of HEAD's branch, None when HEAD is a commit."""
        # By its full name: the short one is `heads/main` where a tag is called main.
        done = self._git(("symbolic-ref", "--quiet", "HEAD"))
        name = done.printed.decode("utf-8", "replace").strip()
        found = name.removeprefix("refs/heads/")
        return None if done.code or found == name else found

    def remote(self) -> Remote | None:
        """The remote that the branch goes with; None without one.

        It is the branch's upstream, else the only remote, else `origin`.
        """
        branch = self.branch()
        settings = self.settings()
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
        return Remote(
            name, addresses[name], merge.removeprefix("refs/heads/") or branch
        )

    def add_remote(self, name: str, address: str) -> None:
        """Add a remote; raises HistoryError."""
        done = self._git(("remote", "add", "--", name, address))
        if done.code:
            raise HistoryError(f"git cannot add the remote {name}: {done.text}")

    def remove_remote(self, name: str) -> None:
        """Take a remote out again, with what is known of it."""
        self._git(("remote", "remove", name))

    def set_upstream(self, remote: Remote) -> None:
        """Let plain `git pull` and `git push` mean this remote and branch."""
        branch = self.branch()
        for key, value in (
            ("remote", remote.name),
            ("merge", f"refs/heads/{remote.branch}"),
        ):
            self._git(("config", f"branch.{branch}.{key}", value))

    def tip(self, name: str) -> str | None:
        """The commit that a ref or another name means; None when there is none."""
        done = self._git(
            (
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                f"{name}^{{commit}}",
            )
        )
        return done.printed.decode().strip() if done.code == 0 else None

    def ahead_behind(self, ours: str, theirs: str) -> tuple[int, int]:
        """How many commits only we have, and only they."""
        done = self._git(
            ("rev-list", "--left-right", "--count", f"{ours}...{theirs}", "--")
        )
        if done.code:
            raise HistoryError(f"git cannot compare with the remote: {done.text}")
        ahead, behind = done.printed.split()
        return int(ahead), int(behind)

    def count(self, commit: str, but: str | None) -> int:
        """How many commits there are up to one, without those of another one."""
        words = ("rev-list", "--count", commit, *((f"^{but}",) if but else ()), "--")
        done = self._git(words)
        return int(done.printed) if done.code == 0 else 0

    def default_branch(self, remote: Remote, terms: Terms) -> str | None:
        """The branch that the remote's HEAD names; None of an empty one.

        Raises:
            RemoteUnreachable, RemoteRefused: as `fetch`.
        """
        words = ("ls-remote", "--symref", "--", remote.name, "HEAD", "refs/heads/*")
        done = network.talk(self.root, self._talking(terms), words, terms)
        if done.code:
            raise trouble(done, remote)
        branches, named = set(), ""
        for line in done.printed.decode("utf-8", "replace").splitlines():
            value, _, ref = line.partition("\t")
            if value.startswith("ref: refs/heads/") and ref == "HEAD":
                named = value.removeprefix("ref: refs/heads/")
            elif ref.startswith("refs/heads/"):
                branches.add(ref.removeprefix("refs/heads/"))
        if remote.branch in branches:
            return remote.branch
        if named in branches:
            return named
        return min(branches, default=None)

    def fetch(self, remote: Remote, terms: Terms) -> str | None:
        """Bring the remote's branch; its commit, None where the remote has none yet.

        Raises:
            RemoteUnreachable: the remote does not answer, or is too slow.
            RemoteRefused: it refuses access, or is no repository.
            TooLarge: it sends more than a vault can be.
        """
        spec = f"+refs/heads/{remote.branch}:{remote.tracking}"
        there = self._fetched(remote, spec, terms)
        return self.tip(remote.tracking) if there else None

    def see_branches(self, remote: Remote, terms: Terms) -> None:
        """Bring every branch of the remote; raises as `fetch`."""
        spec = f"+refs/heads/*:refs/remotes/{remote.name}/*"
        self._fetched(remote, spec, terms)

    def _fetched(self, remote: Remote, spec: str, terms: Terms) -> bool:
        """Bring what a refspec names; False where the remote has it not."""
        words = [
            "fetch", "--progress", "--no-tags", "--no-recurse-submodules",
            "--no-write-fetch-head", "--no-auto-maintenance", "--refmap=",
        ]  # fmt: skip
        if self._is_shallow():
            # Without the commits in between there is no common ancestor to merge by.
            words.append("--unshallow")
        done = network.talk(
            self.root, self._talking(terms), [*words, "--", remote.name, spec], terms
        )
        if b"does not make sense" in done.said:  # the remote is shallow as well
            words.remove("--unshallow")
            done = network.talk(
                self.root,
                self._talking(terms),
                [*words, "--", remote.name, spec],
                terms,
            )
        if b"couldn't find remote ref" in done.said:
            return False
        if done.code:
            raise trouble(done, remote)
        return True

    def push(self, remote: Remote, commit: str, terms: Terms) -> bool:
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
        done = network.talk(self.root, self._talking(terms), words, terms)
        if done.code == 0:
            if not arrived(done.printed, f"refs/heads/{remote.branch}"):
                reason = "it says nothing of that branch"
                raise push_refused(remote, reason, done)
            # git moves it where the remote's own settings say so.
            self._git(("update-ref", remote.tracking, commit))
            return True
        reason = refusal(done.printed)
        if any(word in reason for word in _MOVED):
            return False
        if reason:
            raise push_refused(remote, reason, done)
        if b".git/objects" in done.said and b"insufficient permission" in done.said:
            raise push_refused(remote, "no permission to write there", done)
        raise trouble(done, remote)

    def _is_shallow(self) -> bool:
        return os.path.exists(os.path.join(self.git_dir, "shallow"))

    def _talking(self, terms: Terms) -> dict[str, str]:
        """The environment for a git that talks to the remote."""
        env = dict(self.environment)
        if not terms.asks and not {"GIT_SSH", "GIT_SSH_COMMAND"} & env.keys():
            own = self._git(("config", "--get", "core.sshCommand"))
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
    if os.path.lexists(os.path.join(path, ".git")):
        raise NotAllowed(
            f"{path} is a work tree; git does not push into one",
            hint="Give a folder for a bare repository, which memcli makes: "
            f"memcli sync --setup {path}.git",
            code="not_bare",
        )
    if os.path.lexists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise NotAllowed(
            f"{path} is no repository, and not empty",
            hint="Give a folder that is new or empty, or a bare repository.",
            code="not_bare",
        )
    parent = os.path.dirname(path)
    if not os.path.isdir(parent):
        raise NotAllowed(
            f"there is no folder {parent}",
            hint="Make it, or mount the disk that it is on; then repeat the command.",
            code="not_bare",
        )
    words = ("init", "--quiet", "--bare", f"--initial-branch={branch}", "--", path)
    done = run(parent, clean_environment(environ, path), words)
    if done.code:
        raise HistoryError(f"git cannot make a repository at {path}: {done.text}")
    return True
