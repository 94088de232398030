"""What git and ssh say when a remote fails, as memcli's own errors.

Invariant: pure but for a look whether a folder is there. No error holds a password.
"""

from __future__ import annotations

import os

from memcli.errors import MemcliError, RemoteRefused, RemoteUnreachable, TooLarge
from memcli.storage.git import network, remote_address
from memcli.storage.git.process import TOO_SLOW

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.storage.git.process import GitResult
    from memcli.storage.git.remote_address import Remote

_LATER = "Your memory is committed here. Try again later: memcli sync"

# What git and ssh say where the other side could not be reached.
_UNREACHABLE = (
    "could not resolve host", "could not resolve hostname", "name or service not known",
    "temporary failure in name resolution", "network is unreachable",
    "connection refused", "connection timed out", "operation timed out",
    "no route to host", "host is down", "failed to connect", "couldn't connect",
    "connection reset", "connection closed by", "broken pipe", "operation too slow",
    "the remote end hung up unexpectedly", "early eof", "timeout was reached",
    "kex_exchange_identification", "unable to look up", "unexpected disconnect",
    "the requested url returned error: 5", "lost connection",
)  # fmt: skip
_NO_REPOSITORY = (
    "does not appear to be a git repository", "repository not found",
    "the requested url returned error: 404", "not found: did you run",
    "no such file or directory",
)  # fmt: skip
_NO_ENTRANCE = (
    "permission denied", "authentication failed", "could not read username",
    "could not read password", "host key verification failed", "access denied",
    "the requested url returned error: 401", "the requested url returned error: 403",
    "terminal prompts disabled", "invalid username or",
)  # fmt: skip


def refusal(report: bytes) -> str:
    """Why a push was refused, from its `--porcelain` report; '' when it was not."""
    for line in report.decode("utf-8", "replace").splitlines():
        if line.startswith("!"):
            return line.split("\t")[-1]
    return ""


def arrived(report: bytes, ref: str) -> bool:
    """Whether the `--porcelain` report of a push says that this ref is as was meant.

    >>> arrived(b" \\tabc:refs/heads/main\\t1..2\\nDone\\n", "refs/heads/main")
    True
    """
    rows = (line.split("\t") for line in report.decode("utf-8", "replace").splitlines())
    return any(
        len(row) == 3 and row[0] in (" ", "*", "=") and row[1].endswith(f":{ref}")
        for row in rows
    )


def trouble(done: GitResult, remote: Remote) -> MemcliError:
    """The error for a git that could not talk to a remote."""
    said = network.without_progress(done.output)
    # git quotes the address, which may hold a password or a token.
    said = remote_address.masked(said.replace(remote.address, remote.shown))[-1_000:]
    text = said.lower()
    where = f"{remote.name} ({remote.shown})"
    if done.code == TOO_SLOW:
        return RemoteUnreachable(f"{where} has not answered in time", hint=_LATER)
    if done.code == network.TOO_LARGE:
        return TooLarge(
            f"{where} sends more than memcli accepts",
            hint=f"At most {network.MOST_RECEIVED // 1024**3} GB at a time. "
            "Is it the right remote?",
        )
    if "transport" in text and "not allowed" in text:
        return RemoteRefused(
            f"{where} has a transport that memcli does not use: {said}",
            hint="Use a folder, ssh or https.",
        )
    if "fsck error" in text:
        return RemoteRefused(
            f"{where} sends what git refuses as damaged or hostile: {_last_line(said)}",
            hint="If it is neither: git config fetch.fsck.NAME ignore, with the name "
            "that git says.",
        )
    if any(words in text for words in _NO_ENTRANCE):
        return RemoteRefused(
            f"{where} refuses access: {said}",
            hint="Credentials are git's business: see what git says to "
            f"git ls-remote {remote.shown}",
        )
    if remote_address.is_folder(remote.address) and not os.path.isdir(
        os.path.expanduser(remote.address)
    ):
        return RemoteUnreachable(
            f"there is no folder {remote.shown}",
            hint="If it is on another disk, mount that and try again.",
        )
    if any(words in text for words in _UNREACHABLE):
        return RemoteUnreachable(
            f"{where} cannot be reached: {_last_line(said)}",
            hint=_LATER,
        )
    if any(words in text for words in _NO_REPOSITORY):
        return RemoteRefused(
            f"{where} has no repository at that address: {_last_line(said)}",
            hint="Check its address: git remote -v",
        )
    return RemoteRefused(f"{where}: {said or f'git ended with {done.code}'}")


def push_refused(remote: Remote, reason: str, done: GitResult) -> RemoteRefused:
    said = network.without_progress(done.said)
    remarks = [
        line.removeprefix("remote:").strip()
        for line in said.splitlines()
        if line.startswith("remote:") and line.removeprefix("remote:").strip()
    ]
    quoted = remote_address.masked("; ".join(remarks))[:500]
    hint = "Your memory is committed here, with the remote's changes. "
    if "checked out" in quoted or "currently checked out" in reason:
        hint += "git does not push into a work tree: give it a bare repository."
    else:
        hint += "Ask who runs the remote, or choose another: git remote set-url"
    return RemoteRefused(
        f"{remote.name} ({remote.shown}) refuses the push to {remote.branch}: {reason}"
        + (f"; it says: {quoted}" if quoted else ""),
        hint=hint,
        code="push_refused",
    )


def _last_line(said: str) -> str:
    """The line that says most: git's first `fatal:`, ssh's, or the last one."""
    lines = [line for line in said.splitlines() if line.strip()]
    for line in lines:
        if line.startswith(("ssh:", "fatal: unable", "error:")):
            return line
    return lines[0] if lines else "git said nothing"
