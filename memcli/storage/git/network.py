"""Running a git that talks to another machine: with time limits, and progress.

Invariant: such a git asks a person only at a terminal. One that says nothing for
`silence` seconds is ended, with the programs that it started; one that goes on saying
something runs on until it has received `most` bytes, has said `_MOST_TOLD` or has run
for `longest` seconds: a remote could say a word a minute for ever. It uses no transport
that starts a program of the remote's choice (`remote_address`), and takes no submodule.
The caller holds no lock of the vault's files meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time

from memcli.errors import HistoryError
from memcli.named_tuple import NamedTuple
from memcli.storage.git import remote_address
from memcli.storage.git.process import MOST_PRINTED, TOO_SLOW, GitResult, program

TYPE_CHECKING = False

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

# Bytes of what git says that are kept for a message; progress alone can be megabytes.
_MOST_SAID = 64_000
# A remote's own words go through git; those of a real one are some kilobytes.
_MOST_TOLD = 32_000_000
# No vault needs a pack above this; git would fill the disk with it.
MOST_RECEIVED = 4 * 1024**3
_POLL = 0.02
# Seconds that a git has to remove its locks and temporary files when it is ended.
_GRACE = 2.0
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
    import subprocess

    options = list(_OPTIONS)
    if terms.asks:
        at = options.index("credential.interactive=false")
        del options[at - 1 : at + 1]
    command = [program(env), "-C", root, *options, *arguments]
    # With a person git and ssh ask at the terminal, which only the group in the
    # foreground may read.
    own_group = not terms.asks and sys.platform != "win32"
    try:
        process = subprocess.Popen(  # noqa: S603 our git
            command,
            env=environment(env, terms),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=own_group,
        )
    except OSError as error:
        raise HistoryError(f"git cannot be started: {error}") from error
    return _Watched(process, terms, own_group=own_group).ended()


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


class _Watched:
    """A git at work: what it says is read while it runs."""

    def __init__(
        self, process: subprocess.Popen[bytes], terms: Terms, *, own_group: bool
    ) -> None:
        self._process, self._terms, self._own_group = process, terms, own_group
        self._heard = self._started = time.monotonic()
        self._told = 0
        self._printed = bytearray()
        self._said = bytearray()
        self._too_large = False

    def ended(self) -> GitResult:
        """Wait for the end, or bring it about; how it ended."""
        process = self._process
        takers = (
            (process.stdout, self._take_printed),
            (process.stderr, self._take_said),
        )
        pipes = [(pipe, take) for pipe, take in takers if pipe is not None]
        readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in pipes
        ]
        for reader in readers:
            reader.start()
        why = None
        try:
            while process.poll() is None:
                if self._too_large:
                    why = TOO_LARGE
                elif self._is_late():
                    why = TOO_SLOW
                if why is not None:
                    self._end()
                    break
                time.sleep(_POLL)
        except BaseException:
            self._end()
            raise
        for reader in readers:
            # A daemon that a hook or ssh left behind may hold the pipes open.
            reader.join(_GRACE)
        for (pipe, _), reader in zip(pipes, readers, strict=True):
            if not reader.is_alive():
                pipe.close()
        if self._too_large:
            why = TOO_LARGE  # git may have ended before the next look at it
        code = process.returncode if why is None else why
        return GitResult(code, bytes(self._printed), bytes(self._said))

    def _is_late(self) -> bool:
        now = time.monotonic()
        silent = now - self._heard > self._terms.silence
        return silent or now - self._started > self._terms.longest

    def _read(self, pipe: IO[bytes], take: Callable[[bytes], None]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(pipe.fileno(), 65_536):
                self._heard = time.monotonic()
                take(chunk)

    def _take_printed(self, chunk: bytes) -> None:
        self._printed += chunk
        if len(self._printed) > MOST_PRINTED:
            self._too_large = True
            del self._printed[MOST_PRINTED:]

    def _take_said(self, chunk: bytes) -> None:
        self._told += len(chunk)
        self._said += chunk
        del self._said[:-_MOST_SAID]
        sizes = _SIZE.findall(chunk)
        got = float(sizes[-1][0]) * _UNITS[sizes[-1][1]] if sizes else 0
        if got > self._terms.most or self._told > _MOST_TOLD:
            self._too_large = True
        counted = _COUNTED.findall(chunk)
        if counted and self._terms.progress:
            done, every = map(int, counted[-1])
            self._terms.progress(done, every)

    def _end(self) -> None:
        """End git and what it started: with a word, then without."""
        import signal
        import subprocess

        process = self._process
        signals = [signal.SIGTERM]
        if sys.platform != "win32":
            signals.append(signal.SIGKILL)
        for number in signals:
            with contextlib.suppress(OSError):
                if self._own_group and sys.platform != "win32":
                    os.killpg(process.pid, number)
                else:
                    process.send_signal(number)
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                continue
            if not (number == signal.SIGTERM and self._own_group):
                return
            # Its children have as long to take their locks away.
            until = time.monotonic() + _GRACE
            while _is_there(process.pid) and time.monotonic() < until:
                time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)


def _is_there(group: int) -> bool:
    """Whether a process of a group is left."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def without_progress(said: bytes) -> str:
    """What git said, without the lines that only counted."""
    lines = []
    for line in said.decode("utf-8", "replace").splitlines():
        line = line.split("\r")[-1].strip()
        if line and not re.match(r"(remote: )?[A-Z][a-z]+ing [a-z ]+: +\d+%", line):
            lines.append(line)
    return "\n".join(lines)
