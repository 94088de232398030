"""Running a git that talks to another machine, with limits and progress; its errors.

Invariant: such a git asks a person only at a terminal. One that says nothing for
`silence` seconds is ended, with the programs that it started; one that goes on saying
something runs on until it has received `most` bytes, has said `_MOST_TOLD` or has run
for `longest` seconds: a remote could say a word a minute for ever. It uses no transport
that starts a program of the remote's choice (`remotes`), and takes no submodule.
The caller holds no lock of the vault's files meanwhile.
"""

from __future__ import annotations

import os
import re
import time

from memcli.errors import MemcliError, RemoteRefused, RemoteUnreachable, TooLarge
from memcli.named_tuple import NamedTuple
from memcli.storage.git import remotes
from memcli.storage.git.process import MOST_PRINTED, TOO_SLOW, Watch, run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memcli.storage.git.process import GitResult
    from memcli.storage.git.remotes import Remote

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
    "http.lowSpeedLimit=100",  # bytes in a second
    "http.lowSpeedTime=30",  # seconds
    # git checks each object that it receives: no path `.git`, no damaged tree.
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
)
_ALONE = "credential.interactive=false"
BATCH_SSH = "ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15"
"""The ssh of a git that runs without a terminal, where the user has set no other."""


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
    options = _OPTIONS if terms.asks else (*_OPTIONS, _ALONE)
    words = [word for option in options for word in ("-c", option)]
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

    watch = Watch(terms.longest, look, terms.asks)
    talking = environment(env, terms)
    done = run(root, talking, [*words, *arguments], watch=watch)
    return done._replace(said=done.said[-_MOST_SAID:])


def environment(env: Mapping[str, str], terms: Terms) -> dict[str, str]:
    """The environment of a git that talks: its transports, and whom it may ask."""
    talking = {**env, "GIT_ALLOW_PROTOCOL": remotes.ALLOWED}
    if terms.asks:
        return {**talking, "GIT_TERMINAL_PROMPT": "1"}
    nobody = {"GIT_ASKPASS": "", "SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"}
    return {**talking, **nobody, "GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never"}


# --- what git says ----------------------------------------------------------------


def without_progress(said: bytes) -> str:
    """git's words, without the lines that only counted."""
    lines = []
    for line in said.decode("utf-8", "replace").splitlines():
        line = line.split("\r")[-1].strip()
        if line and not re.match(r"(remote: )?[A-Z][a-z]+ing [a-z ]+: +\d+%", line):
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


_LATER = "Your memory is committed here. Try again later: memcli sync"
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
        return RemoteUnreachable(f"{where} has not answered in time", hint=_LATER)
    if done.code == TOO_LARGE:
        most = f"At most {MOST_RECEIVED // 1024**3} GB at a time."
        message = f"{where} sends more than memcli accepts"
        return TooLarge(message, hint=f"{most} Is it the right remote?")
    if remotes.is_folder(address) and not os.path.isdir(os.path.expanduser(address)):
        hint = "If it is on another disk, mount that and try again."
        return RemoteUnreachable(f"there is no folder {remote.shown}", hint=hint)
    # git quotes the address, which may hold a password or a token.
    said = without_progress(done.output).replace(address, remote.shown)
    said = remotes.masked(said)[-1_000:] or f"git ended with {done.code}"
    words = said.lower()
    refuses = any(each in words for each in _REFUSING)
    if not refuses and any(each in words for each in _UNREACHABLE):
        return RemoteUnreachable(f"{where} cannot be reached: {said}", hint=_LATER)
    return RemoteRefused(
        f"{where} refuses: {said}",
        hint=f"Address and credentials are git's: git ls-remote {remote.shown}",
    )


def push_refused(remote: Remote, reason: str, done: GitResult) -> RemoteRefused:
    """The error for a push that the remote has refused."""
    said = remotes.masked(without_progress(done.said))[:500]
    return RemoteRefused(
        f"{remote.name} ({remote.shown}) refuses the push to {remote.branch}: {reason}"
        + (f"; it says: {said}" if said else ""),
        hint="Your memory is committed here, with the remote's changes. Ask who runs "
        "the remote, or choose another, a bare one: git remote set-url",
        code="push_refused",
    )
