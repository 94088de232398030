"""Running a git that talks to another machine, with limits and progress; its errors.

Invariant: such a git asks a person only at a terminal. One that says nothing for
`silence` seconds is ended, with the programs that it started; one that goes on saying
something runs on until it has received `most` bytes, has said `_MOST_TOLD` or has run
for `longest` seconds: a remote could say a word a minute for ever. It uses no transport
that starts a program of the remote's choice (`remote_address`), and takes no submodule.
The caller holds no lock of the vault's files meanwhile.
"""

from __future__ import annotations

import os
import re
import time

from memcli.errors import (
    MemcliError,
    RemoteRefused,
    RemoteUnreachable,
    TooLarge,
)
from memcli.named_tuple import NamedTuple
from memcli.storage.git import remote_address
from memcli.storage.git.process import MOST_PRINTED, TOO_SLOW, Watch, run_watched

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memcli.storage.git.process import GitResult
    from memcli.storage.git.remote_address import Remote

# Bytes of what git says that are kept for a message; progress alone can be megabytes.
_MOST_SAID = 64_000
# A remote's own words go through git; those of a real one are some kilobytes.
_MOST_TOLD = 32_000_000
# No vault needs a pack above this; git would fill the disk with it.
MOST_RECEIVED = 4 * 1024**3
TOO_LARGE = -102
"""The code of a git that memcli has ended since it sent too much."""

_COUNTED = re.compile(rb"(?:Receiving|Writing) objects:\s+\d+% \((\d+)/(\d+)\)")
# git unpacks a pack of fewer than a hundred objects as it comes.
_SIZE = re.compile(
    rb"(?:Receiving|Unpacking) objects:.*?, ([\d.]+) (bytes|KiB|MiB|GiB)"
)
_UNITS = {b"bytes": 1, b"KiB": 1024, b"MiB": 1024**2, b"GiB": 1024**3}

_OPTIONS = (
    *("-c", "http.lowSpeedLimit=100"),  # bytes in a second
    *("-c", "http.lowSpeedTime=30"),  # seconds
    *("-c", "credential.interactive=false"),
    # git checks each object that it receives: no path `.git`, no damaged tree.
    *("-c", "fetch.fsckObjects=true"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "submodule.recurse=false"),
)


class Terms(NamedTuple):
    """How a git may talk to a remote.

    Attributes:
        asks: whether a person is at the terminal, whom git may ask for a password.
        silence: seconds without a word after which git is ended.
        longest: seconds after which it is ended in any case.
        most: bytes that it may receive.
        progress: called with (done, all) objects.
    """

    asks: bool = False
    silence: float = 60.0
    longest: float = 7_200.0
    most: int = MOST_RECEIVED
    progress: Callable[[int, int], None] | None = None


def talk(
    root: str, env: Mapping[str, str], arguments: Sequence[str], terms: Terms
) -> GitResult:
    """Run a git that talks to a remote.

    Args:
        root: the repository's work tree.
        env: as `clean_environment` made it, with the repository named.
        arguments: the subcommand and its options, which include `--progress` where git
            knows it: silence is measured by what git says.
        terms: its limits.

    Returns:
        How it ended; the code is `TOO_SLOW` or `TOO_LARGE` where memcli ended it.

    Raises:
        HistoryError: there is no git.
    """
    options = list(_OPTIONS)
    if terms.asks:
        at = options.index("credential.interactive=false")
        del options[at - 1 : at + 1]
    heard, told, size = time.monotonic(), 0, 0

    def look(printed: int, said: bytes) -> int | None:
        nonlocal heard, told, size
        if said or printed > size:
            heard = time.monotonic()
        told, size = told + len(said), printed
        sizes = _SIZE.findall(said)
        got = float(sizes[-1][0]) * _UNITS[sizes[-1][1]] if sizes else 0
        if got > terms.most or told > _MOST_TOLD or printed > MOST_PRINTED:
            return TOO_LARGE
        counted = _COUNTED.findall(said)
        if counted and terms.progress:
            done, every = map(int, counted[-1])
            terms.progress(done, every)
        return TOO_SLOW if time.monotonic() - heard > terms.silence else None

    done = run_watched(
        root,
        environment(env, terms),
        [*options, *arguments],
        Watch(terms.longest, look, terms.asks),
    )
    return done._replace(said=done.said[-_MOST_SAID:])


def environment(env: Mapping[str, str], terms: Terms) -> dict[str, str]:
    """The environment of a git that talks: its transports, and whom it may ask."""
    talking = {**env, "GIT_ALLOW_PROTOCOL": remote_address.ALLOWED}
    if terms.asks:
        talking["GIT_TERMINAL_PROMPT"] = "1"
        return talking
    talking["GIT_TERMINAL_PROMPT"] = "0"
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        talking[name] = ""
    talking["SSH_ASKPASS_REQUIRE"] = "never"
    talking["GCM_INTERACTIVE"] = "never"
    return talking


BATCH_SSH = "ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15"
"""The ssh of a git that runs without a terminal, where the user has set no other."""


def without_progress(said: bytes) -> str:
    """git's words, without the lines that only counted."""
    lines = []
    for line in said.decode("utf-8", "replace").splitlines():
        line = line.split("\r")[-1].strip()
        if line and not re.match(r"(remote: )?[A-Z][a-z]+ing [a-z ]+: +\d+%", line):
            lines.append(line)
    return "\n".join(lines)


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
    said = without_progress(done.output)
    # git quotes the address, which may hold a password or a token.
    said = remote_address.masked(said.replace(remote.address, remote.shown))[-1_000:]
    text = said.lower()
    where = f"{remote.name} ({remote.shown})"
    if done.code == TOO_SLOW:
        return RemoteUnreachable(f"{where} has not answered in time", hint=_LATER)
    if done.code == TOO_LARGE:
        return TooLarge(
            f"{where} sends more than memcli accepts",
            hint=f"At most {MOST_RECEIVED // 1024**3} GB at a time. "
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
    said = without_progress(done.said)
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
