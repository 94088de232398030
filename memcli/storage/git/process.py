"""Starting git: a clean environment, no prompt, no `subprocess`.

Invariant: every git that memcli starts itself is started here, with an environment
that no git hook has changed, and with English messages, which memcli reads. This module
knows nothing of commits.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memcli.errors import HistoryError, LockBusy

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
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)


class GitResult(NamedTuple):
    """How git ended: its exit code, and both its outputs as one."""

    code: int
    output: bytes

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace").strip()


def clean_environment(environ: Mapping[str, str] | None) -> dict[str, str]:
    """The environment for git: `environ`, or this process's own, without variables
    that would make git work on another repository."""
    env = dict(os.environ if environ is None else environ)
    for name in _FOREIGN_VARIABLES:
        env.pop(name, None)
    # English messages, because memcli reads them; but not LC_ALL=C, which would take
    # UTF-8 away from the user's hooks.
    locale = env.pop("LC_ALL", "")
    if locale:
        env["LANG"] = env["LC_CTYPE"] = locale
    env["LC_MESSAGES"] = "C"
    env["GIT_TERMINAL_PROMPT"] = "0"
    return env


def run(
    root: str, env: dict[str, str], arguments: Sequence[str], data: bytes = b""
) -> GitResult:
    """Run git in `root` with `data` as input; both its outputs come back as one."""
    command = ["git", "-C", root, *arguments]
    try:
        return _start(command, env, data)
    except FileNotFoundError as error:
        raise HistoryError(
            "git cannot be started", hint="install git, or put it on PATH"
        ) from error
    except (OSError, ValueError) as error:
        raise HistoryError(f"git cannot be started: {error}") from error


def run_portably(command: Sequence[str], env: dict[str, str], data: bytes) -> GitResult:
    """Run a command with `subprocess`."""
    import subprocess

    done = subprocess.run(
        command,
        env=env,
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return GitResult(done.returncode, done.stdout)


if sys.platform != "win32":

    def spawn(command: list[str], env: dict[str, str], data: bytes) -> GitResult:
        """Like `run_portably`, without the 3.5 ms of importing subprocess.

        Input and output are nameless files, not pipes: nothing can fill up and
        block, and a daemon that a hook leaves behind cannot keep us waiting.
        """
        import signal

        with _scratch() as stdin, _scratch() as stdout:
            rest = memoryview(data)
            while rest:  # one write may take only a part
                rest = rest[os.write(stdin, rest) :]
            os.lseek(stdin, 0, os.SEEK_SET)
            pid = os.posix_spawnp(
                command[0],
                command,
                env,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, stdin, 0),
                    (os.POSIX_SPAWN_DUP2, stdout, 1),
                    (os.POSIX_SPAWN_DUP2, stdout, 2),
                ],
                setsigdef=[signal.SIGPIPE],  # Python ignores it; git must not
            )
            try:
                status = os.waitpid(pid, 0)[1]
            except KeyboardInterrupt:
                # The terminal interrupts git as well. Wait for its end: when git had
                # finished, the interrupt came too late and is dropped, or a commit that
                # was made would be reported as one that was not.
                status = os.waitpid(pid, 0)[1]
                if status:
                    raise
            size = os.fstat(stdout).st_size
            output = os.pread(stdout, size, 0)
        return GitResult(os.waitstatus_to_exitcode(status), output)

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


def lock_busy(message: str) -> LockBusy:
    """The error for git's message about a lock that another git holds."""
    path = message.partition("Unable to create '")[2].partition("'")[0]
    age = ""
    with contextlib.suppress(OSError):
        age = f" for {max(0, int(time.time() - os.stat(path).st_mtime))} s"
    return LockBusy(
        f"another git holds {path or 'a lock'}{age}",
        hint="try again; if no git is running, delete that file",
    )
