"""A vault's remote: which one it is, fetching from it, pushing to it, with limits.

Invariant: nothing here changes the branch, the index or the work tree. A fetch moves
the remote-tracking branch alone, a push the remote's branch alone, and never by force.
Every failure says whether the remote could not be reached (the same call may succeed
later), or refused.

A git that talks asks a person only at a terminal. One that says nothing for `silence`
seconds is ended, with the programs that it started; one that goes on saying something
runs on until it has received `most` bytes, has said `_MOST_TOLD`, has only repeated the
remote's words for `_PATIENCE`, or has run for `longest` seconds. It uses no transport
that starts a program of the remote's choice (`on_disk`), and takes no submodule.
The caller holds no lock of the vault's files meanwhile.
"""

from __future__ import annotations

import os
import re
import time

from memcli.entries import layout
from memcli.errors import (
    HistoryError,
    MemcliError,
    NotAllowed,
    RemoteRefused,
    RemoteUnreachable,
    TooLarge,
)
from memcli.named_tuple import NamedTuple
from memcli.storage.git import on_disk
from memcli.storage.git.on_disk import Remote
from memcli.storage.git.process import (
    MOST_PRINTED,
    TOO_SLOW,
    Watch,
    clean_environment,
    run,
)
from memcli.storage.git.repository import Repository
from memcli.storage.git.tree import bases

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.storage.git.process import GitResult

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


def set_upstream(repository: Repository, remote: Remote) -> None:
    """Let plain `git pull` and `git push` mean this remote and branch."""
    branch = repository.branch()
    settings = {"remote": remote.name, "merge": f"refs/heads/{remote.branch}"}
    for key, value in settings.items():
        repository.git(("config", f"branch.{branch}.{key}", value))


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
        done = _talk(repository, [*words, *more, "--", remote.name, spec], terms)
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
    done = _talk(repository, words, terms)
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


# --- running a git that talks ------------------------------------------------------

# Bytes of what git says that are kept for a message; progress alone can be megabytes.
_MOST_SAID = 64_000
# A remote's own words go through git; those of a real one are some kilobytes.
_MOST_TOLD = 32_000_000
# Seconds in which git has no words of its own about what has come or gone.
_PATIENCE = 600.0
# No vault needs a pack above this; git would fill the disk with it.
MOST_RECEIVED = 4 * 1024**3
TOO_LARGE = -102
"""The code of a git that memcli has ended since it sent too much."""

# git unpacks a pack of fewer than a hundred objects as it comes.
_SIZE = re.compile(
    rb"(?:Receiving|Unpacking) objects:.*?, ([\d.]+) (bytes|KiB|MiB|GiB)"
)
_UNITS = {b"bytes": 1, b"KiB": 1024, b"MiB": 1024**2, b"GiB": 1024**3}

_OPTIONS = (
    "http.lowSpeedLimit=100",  # bytes in a second
    "http.lowSpeedTime=30",  # seconds
    # git checks each object that it receives: no path `.git`, no damaged tree.
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
)
_ALONE = "credential.interactive=false"
_BATCH_SSH = "ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15"
"""The ssh of a git that runs without a terminal, where the user has set no other."""


class Terms(NamedTuple):
    """How a git may talk to a remote.

    Attributes:
        asks: whether a person is at the terminal, whom git may ask for a password.
        silence: seconds without a word after which git is ended.
        longest: seconds after which it is ended in any case.
        most: bytes that it may receive.
    """

    asks: bool = False
    silence: float = 60.0
    longest: float = 7_200.0
    most: int = MOST_RECEIVED


def _talk(repository: Repository, arguments: Sequence[str], terms: Terms) -> GitResult:
    """Run a git that talks to a remote; its code is `TOO_SLOW` or `TOO_LARGE` where
    memcli ended it. Its words have `--progress`: silence is measured by what it says.
    """
    options = _OPTIONS if terms.asks else (*_OPTIONS, _ALONE)
    words = [word for option in options for word in ("-c", option)]
    heard = moved = time.monotonic()
    told, size = 0, 0

    def look(printed: int, said: bytes) -> int | None:
        nonlocal heard, moved, told, size
        now = time.monotonic()
        if said or printed > size:
            heard = now
        if printed > size or re.sub(rb"remote: [^\r\n]*", b"", said).strip():
            moved = now
        told, size = told + len(said), printed
        sizes = _SIZE.findall(said)
        got = float(sizes[-1][0]) * _UNITS[sizes[-1][1]] if sizes else 0
        if got > terms.most or told > _MOST_TOLD or printed > MOST_PRINTED:
            return TOO_LARGE
        slow = now - heard > terms.silence or now - moved > _PATIENCE
        return TOO_SLOW if slow else None

    watch = Watch(terms.longest, look, terms.asks)
    env = _talking(repository, terms)
    done = run(repository.root, env, [*words, *arguments], watch=watch)
    return done._replace(said=done.said[-_MOST_SAID:])


def _talking(repository: Repository, terms: Terms) -> dict[str, str]:
    """The environment of a git that talks: its transports, and whom it may ask."""
    env = {**repository.environment, "GIT_ALLOW_PROTOCOL": on_disk.ALLOWED}
    if terms.asks:
        return {**env, "GIT_TERMINAL_PROMPT": "1"}
    own = {"GIT_SSH", "GIT_SSH_COMMAND"}.intersection(env)
    if not own and "core.sshcommand" not in repository.settings():
        env["GIT_SSH_COMMAND"] = _BATCH_SSH
    nobody = {"GIT_ASKPASS": "", "SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"}
    return {**env, **nobody, "GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never"}


# --- what git says ----------------------------------------------------------------


_COUNTING = (
    r"(remote: )?([A-Z][a-z]+ing [a-z ]+: +\d|Total \d+ \(|Delta compression using )"
)


def without_progress(said: bytes) -> str:
    """git's words, without the lines that only counted."""
    lines = []
    for line in said.decode("utf-8", "replace").splitlines():
        line = line.split("\r")[-1].strip()
        if line and not re.match(_COUNTING, line):
            lines.append(line)
    return "\n".join(lines)


def refusal(report: bytes, ref: str) -> str | None:
    """Why a push of a ref was refused, from its `--porcelain` report: empty where it
    says nothing of the ref; None where the ref is as was meant.

    >>> refusal(b" \\tabc:refs/heads/main\\t1..2\\nDone\\n", "refs/heads/main")
    >>> refusal(b"!\\tabc:refs/heads/main\\tfetch first\\nDone\\n", "refs/heads/main")
    'fetch first'
    """
    for line in report.decode("utf-8", "replace").splitlines():
        flag, _, row = line.partition("\t")
        if row.partition("\t")[0].endswith(f":{ref}"):
            return None if flag in (" ", "*", "=") else row.partition("\t")[2]
    return ""


LATER = "Your memory is committed here. Try again later: memcli sync"
"""The hint when a remote could not be reached."""
# What git and ssh say where the other side could not be reached, and where it refuses
# and hangs up as well.
_REFUSING = ("permission denied", "authentication failed", "host key", "not found")
_UNREACHABLE = (
    "could not resolve host", "name or service not known", "name resolution",
    "network is unreachable", "connection refused", "timed out", "no route to host",
    "host is down", "failed to connect", "couldn't connect", "connection reset",
    "connection closed by", "broken pipe", "operation too slow", "hung up unexpectedly",
    "early eof", "timeout was reached", "kex_exchange_identification",
    "unable to look up", "unexpected disconnect", "returned error: 5",
    "lost connection",
)  # fmt: skip


def trouble(done: GitResult, remote: Remote) -> MemcliError:
    """The error for a git that could not talk to a remote."""
    where, address = f"{remote.name} ({remote.shown})", remote.address
    if done.code == TOO_SLOW:
        return RemoteUnreachable(f"{where} has not answered in time", hint=LATER)
    if done.code == TOO_LARGE:
        most = f"At most {MOST_RECEIVED // 1024**3} GB at a time."
        message = f"{where} sends more than memcli accepts"
        return TooLarge(message, hint=f"{most} Is it the right remote?")
    if on_disk.is_folder(address) and not os.path.isdir(os.path.expanduser(address)):
        hint = "If it is on another disk, mount that and try again."
        return RemoteUnreachable(f"there is no folder {remote.shown}", hint=hint)
    # git quotes the address, which may hold a password or a token.
    said = without_progress(done.output).replace(address, remote.shown)
    said = on_disk.masked(said)[-1_000:] or f"git ended with {done.code}"
    words = said.lower()
    refuses = any(each in words for each in _REFUSING)
    if not refuses and any(each in words for each in _UNREACHABLE):
        return RemoteUnreachable(f"{where} cannot be reached: {said}", hint=LATER)
    return RemoteRefused(
        f"{where} refuses: {said}",
        hint=f"Address and credentials are git's: git ls-remote {remote.shown}",
    )


def push_refused(remote: Remote, reason: str, done: GitResult) -> RemoteRefused:
    """The error for a push that the remote has refused."""
    said = on_disk.masked(without_progress(done.said))[:500]
    return RemoteRefused(
        f"{remote.name} ({remote.shown}) refuses the push to {remote.branch}: {reason}"
        + (f"; it says: {said}" if said else ""),
        hint="Your memory is committed here, with the remote's changes. Ask who runs "
        "the remote, or choose another, a bare one: git remote set-url",
        code="push_refused",
    )
