"""Starting git: a clean environment, no prompt, no `subprocess`.

Invariant: every git that memcli starts gets its program and its environment here:
an environment that no git hook has changed, with English messages, which memcli reads.
No program is looked for in a folder of the work tree, and git fetches nothing. This
module knows nothing of commits.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time

from memcli.errors import HistoryError, LockBusy, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.storage.files import REFUSED, write_failed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Set by git while it runs a hook, about *that* repository and *its* index; memcli
# may be called by such a hook. The pathspec ones would change what a path means.
_FOREIGN_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG_PARAMETERS",
    "GIT_ATTR_SOURCE",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_SHALLOW_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)

MOST_PRINTED = 4_000_000
"""Bytes that are read of what a git with a time limit prints."""

_KILLED = -9
# Seconds between two looks whether a git with a time limit has ended.
_POLL = 0.001
_GIT = "git.exe" if sys.platform == "win32" else "git"


class GitResult(NamedTuple):
    """How git ended: its exit code, what it printed, and what it said beside that.

    An answer is read from `printed` alone: warnings may come at any time.
    """

    code: int
    printed: bytes
    said: bytes = b""

    @property
    def output(self) -> bytes:
        """Everything, for messages of errors, which git gives in either way."""
        return self.printed + self.said

    @property
    def text(self) -> str:
        """`output` as text."""
        return self.output.decode("utf-8", "replace").strip()


def clean_environment(environ: Mapping[str, str] | None) -> dict[str, str]:
    """The environment for git: `environ`, or this process's own, without variables
    that would make git work on another repository."""
    env = dict(os.environ if environ is None else environ)
    for name in _FOREIGN_VARIABLES:
        env.pop(name, None)
    # git runs in the vault, where `.` or `bin` in PATH would be a folder of the vault.
    folders = env.get("PATH", os.defpath).split(os.pathsep)
    env["PATH"] = os.pathsep.join(filter(os.path.isabs, folders))
    # In a partial clone git would fetch what it misses, by the program of the remote.
    env["GIT_NO_LAZY_FETCH"] = "1"
    # English messages, because memcli reads them; but not LC_ALL=C, which would take
    # UTF-8 away from the user's hooks.
    locale = env.pop("LC_ALL", "")
    if locale:
        env["LANG"] = env["LC_CTYPE"] = locale
    env["LC_MESSAGES"] = "C"
    env["GIT_TERMINAL_PROMPT"] = "0"
    return env


def program(env: Mapping[str, str]) -> str:
    """The path of git on the PATH of an environment that `clean_environment` made.

    Raises:
        HistoryError: there is none.
    """
    for folder in filter(os.path.isabs, env["PATH"].split(os.pathsep)):
        path = os.path.join(folder, _GIT)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise HistoryError(
        "git cannot be started", hint="Install git, or put it on the PATH."
    )


def run(
    root: str,
    env: dict[str, str],
    arguments: Sequence[str],
    data: bytes = b"",
    *,
    seconds: float | None = None,
) -> GitResult:
    """Run git in `root` with `data` as input.

    With `seconds` it is killed after so long, and at most `MOST_PRINTED` bytes of its
    output are read: for questions that may go without an answer.
    """
    command = [program(env), "-C", root, *arguments]
    try:
        return _start(command, env, data, seconds)
    except (OSError, ValueError) as error:
        raise HistoryError(f"git cannot be started: {error}") from error


def run_portably(
    command: Sequence[str],
    env: dict[str, str],
    data: bytes,
    seconds: float | None = None,
) -> GitResult:
    """Run a command with `subprocess`."""
    import subprocess

    try:
        done = subprocess.run(
            command,
            env=env,
            input=data,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return GitResult(_KILLED, b"")
    most = None if seconds is None else MOST_PRINTED
    return GitResult(done.returncode, done.stdout[:most], done.stderr)


if sys.platform != "win32":

    def spawn(
        command: list[str],
        env: dict[str, str],
        data: bytes,
        seconds: float | None = None,
    ) -> GitResult:
        """Like `run_portably`, without the 3.5 ms of importing subprocess.

        Input and output are nameless files, not pipes: nothing can fill up and
        block, and a daemon that a hook leaves behind cannot keep us waiting.
        """
        import signal

        with _scratch() as stdin, _scratch() as stdout, _scratch() as stderr:
            rest = memoryview(data)
            while rest:  # one write may take only a part
                rest = rest[os.write(stdin, rest) :]
            os.lseek(stdin, 0, os.SEEK_SET)
            pid = os.posix_spawn(
                command[0],
                command,
                env,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, stdin, 0),
                    (os.POSIX_SPAWN_DUP2, stdout, 1),
                    (os.POSIX_SPAWN_DUP2, stderr, 2),
                ],
                setsigdef=[signal.SIGPIPE],  # Python ignores it; git must not
            )
            try:
                if seconds is not None:
                    _kill_after(pid, seconds)
                status = os.waitpid(pid, 0)[1]
            except KeyboardInterrupt:
                # The terminal interrupts git as well. Wait for its end: when git had
                # finished, the interrupt came too late and is dropped, or a commit that
                # was made would be reported as one that was not.
                status = os.waitpid(pid, 0)[1]
                if status:
                    raise
            printed, said = (
                os.pread(handle, _size(handle, limited=seconds is not None), 0)
                for handle in (stdout, stderr)
            )
        return GitResult(os.waitstatus_to_exitcode(status), printed, said)

    def _kill_after(pid: int, seconds: float) -> None:
        """Return when a process has ended, which is killed after so many seconds."""
        import signal

        until = time.monotonic() + seconds
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
                return
            time.sleep(_POLL)

    def _size(handle: int, *, limited: bool) -> int:
        size = os.fstat(handle).st_size
        return min(size, MOST_PRINTED) if limited else size

    @contextlib.contextmanager
    def _scratch() -> Iterator[int]:
        """The descriptor of a file without a name, gone when it is closed."""
        if sys.platform == "linux":
            handle = os.memfd_create("memcli")
            try:
                yield handle
            finally:
                os.close(handle)
        else:
            import tempfile

            with tempfile.TemporaryFile(buffering=0) as file:
                yield file.fileno()

    _start = spawn
else:
    _start = run_portably


def refused_by_disk(output: bytes, path: str) -> WriteFailed | None:
    """The error for git's message that the disk refused, None when it says none."""
    output = output.replace(b"Out of diskspace", os.strerror(errno.ENOSPC).encode())
    for number in REFUSED:
        if os.strerror(number).encode() in output:
            return write_failed(path, OSError(number, os.strerror(number)))
    return None


def lock_busy(message: str) -> LockBusy:
    """The error for git's message about a lock that another git holds."""
    path = message.partition("Unable to create '")[2].partition("'")[0]
    age = ""
    with contextlib.suppress(OSError):
        age = f" for {max(0, int(time.time() - os.stat(path).st_mtime))} s"
    return LockBusy(
        f"another git holds {path or 'a lock'}{age}",
        hint="Try again; if no git is running, delete that file.",
    )
