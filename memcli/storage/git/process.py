"""Starting git: a clean environment, no prompt, no `subprocess`.

Invariant: every git that memcli starts gets its program and its environment here:
an environment that no git hook has changed, with English messages, which memcli reads.
No program is looked for in a folder of the work tree, and git fetches nothing. Each git
has a limit, and ends when memcli does, also by SIGKILL. This module knows nothing of
commits.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time

from memcli.errors import HistoryError
from memcli.named_tuple import NamedTuple
from memcli.storage.git import on_disk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# Set by git while it runs a hook, about *that* repository and *its* index; memcli
# may be called by such a hook. The pathspec ones would change what a path means, and
# the last two name folders of programs, which could be of the work tree.
_FOREIGN_VARIABLES = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS", "GIT_ATTR_SOURCE",
    "GIT_EXTERNAL_DIFF", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_SHALLOW_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
)  # fmt: skip

MOST_PRINTED = 4_000_000
"""Bytes that are read of what a git with a time limit prints."""

TOO_SLOW = -101
"""The code of a git that memcli has ended."""

# Seconds that a git may take which asks a little, or reads ignore rules, one of which
# may hold it up for hours: a status of 100,000 files takes two.
_LIMIT = 20.0
_PER_BYTE = 1 / 20_000  # more for each byte of names that it is given
_ENCODING = ("-c", "i18n.logOutputEncoding=UTF-8")  # of what memcli reads
_SHORT = frozenset(
    "status ls-files check-attr check-ignore add update-index rev-parse symbolic-ref "
    "config var diff-index".split()
)
LONGEST = 3_600.0
"""Seconds for any other: a person's hooks may run a test suite."""

# Those that may run a person's hooks, or ask for the password of a key.
_ASKING = frozenset(("commit", "commit-tree"))
# Seconds until a git that has not ended is looked into; between two looks at what it
# says; that it has to remove its locks when it is ended; and between two looks where
# the system cannot say that it has ended.
_SOON, _LOOK, _GRACE, _POLL = 0.5, 0.02, 2.0, 0.001
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


def names(output: bytes) -> list[str]:
    """The names of an output with `-z`; one that is not UTF-8 as Python decodes it."""
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def joined(names: Iterable[str], end: str = "\0") -> bytes:
    """Names as input of git, each with its end."""
    return "".join(f"{name}{end}" for name in names).encode("utf-8", "surrogateescape")


def clean_environment(
    environ: Mapping[str, str] | None, *folders: str
) -> dict[str, str]:
    """The environment for git: `environ`, or this process's own, without variables
    that would make git work on another repository.

    Args:
        environ: of which.
        folders: a vault and the top of its work tree, in which no program is looked
            for, nor in the repository around the current folder.
    """
    env = dict(os.environ if environ is None else environ)
    for name in _FOREIGN_VARIABLES:
        env.pop(name, None)
    env["PATH"] = _outside(env.get("PATH", os.defpath), folders)
    # What a commit holds is what its id says, whatever `git replace` was told.
    env["GIT_NO_REPLACE_OBJECTS"] = "1"
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


def _outside(path: str, folders: Sequence[str]) -> str:
    """The folders of a PATH that lie in none of these, links followed.

    git runs in the vault, where `bin` or `/proc/self/cwd` would be a folder of it.
    """
    with contextlib.suppress(OSError):
        here = os.getcwd()
        around = on_disk.find(here)
        folders = (*folders, here, *(around[:1] if around else ()))
    own = {os.path.realpath(folder) for folder in folders}
    # Notes or settings of the home folder under git make no stranger of ~/bin.
    own -= {os.path.realpath(os.path.expanduser("~")), os.sep}
    parts = tuple(folder + os.sep for folder in own)
    found = map(os.path.realpath, filter(os.path.isabs, path.split(os.pathsep)))
    kept = (each for each in found if not (each + os.sep).startswith(parts))
    return os.pathsep.join(dict.fromkeys(kept))


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
    watch: Watch | None = None,
) -> GitResult:
    """Run git in `root` with `data` as input.

    With a watch its code is `TOO_SLOW` where it was ended, and at most `MOST_PRINTED`
    bytes of its output are read: for questions that may go without an answer.

    Raises:
        HistoryError: there is no git, or it did not end in time.
    """
    name = subcommand(arguments)
    limit = LONGEST
    if name in _SHORT:
        limit = _LIMIT + len(data) * _PER_BYTE
    limits = watch or Watch(limit, asks=name in _ASKING and os.isatty(0))
    command = [program(env), "-C", root, *_ENCODING, *arguments]
    try:
        done = _start(command, env, data, limits)
    except (OSError, ValueError) as error:
        raise HistoryError(f"git cannot be started: {error}") from error
    if watch is not None:
        return done._replace(printed=done.printed[:MOST_PRINTED])
    if done.code == TOO_SLOW:
        raise _stuck(env, name, limit)
    return done


def _stuck(env: Mapping[str, str], name: str, limit: float) -> HistoryError:
    """The error for a git that was ended, with what may have held it up."""
    pipe = on_disk.pipe_in(env)
    if pipe:
        said = f"{pipe} is a pipe or a device, and git waits for it"
        hint = "Put a file in its place, or remove it."
    else:
        said = f"git {name} did not end within {limit:,.0f} s, and was ended"
        hint = (
            "A rule of many stars in a .gitignore or .gitattributes takes git for "
            f"ever; to see for yourself: git {name}"
        )
    return HistoryError(said, hint=hint, code="git_stuck")


def subcommand(words: Sequence[str]) -> str:
    """The subcommand among the words behind `git`.

    >>> subcommand(["-c", "gc.auto=0", "--no-pager", "status", "-z"])
    'status'
    """
    rest = iter(words)
    for word in rest:
        if word in ("-c", "-C"):
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return ""


class Watch(NamedTuple):
    """When a git is ended, with the code `TOO_SLOW`, and how it runs until then.

    `look` is called every moment with the number of bytes that it has printed, and what
    it has said since the last call; a code that it returns ends git. `asks` is whether
    it may ask a person at the terminal.
    """

    seconds: float = LONGEST
    look: Callable[[int, bytes], int | None] | None = None
    asks: bool = False


def run_portably(
    command: Sequence[str],
    env: dict[str, str],
    data: bytes,
    watch: Watch = Watch(),  # noqa: B008 a value that cannot change
) -> GitResult:
    """Run a command with `subprocess`; nobody looks at what it says meanwhile."""
    import subprocess

    try:
        done = subprocess.run(
            command,
            env=env,
            input=data,
            capture_output=True,
            check=False,
            timeout=watch.seconds,
        )
    except subprocess.TimeoutExpired:
        return GitResult(TOO_SLOW, b"")
    return GitResult(done.returncode, done.stdout, done.stderr)


if sys.platform != "win32":
    import fcntl

    def spawn(
        command: list[str],
        env: dict[str, str],
        data: bytes,
        watch: Watch = Watch(),  # noqa: B008 a value that cannot change
    ) -> GitResult:
        """Like `run_portably`, without the 3.5 ms of importing subprocess.

        Input and output are nameless files, not pipes: nothing can fill up and
        block, and a daemon that a hook leaves behind cannot keep us waiting. git and
        its hooks are a session, which is ended as one; but for a git that may ask a
        person at the terminal, which only the group in the foreground may read.
        """
        import signal

        with (
            _scratch() as stdin,
            _scratch() as stdout,
            _scratch() as stderr,
            _lifeline() as tie,
        ):
            rest = memoryview(data)
            while rest:  # one write may take only a part
                rest = rest[os.write(stdin, rest) :]
            os.lseek(stdin, 0, os.SEEK_SET)

            heard = 0

            def look() -> int | None:
                nonlocal heard
                if watch.look is None:
                    return None
                said = os.pread(stderr, os.fstat(stderr).st_size - heard, heard)
                heard += len(said)
                return watch.look(os.fstat(stdout).st_size, said)

            group, code = 0, None
            try:
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
                    setsid=not watch.asks,
                )
                group = pid if watch.asks else -pid
                tie(group)
                code = _waited(pid, env, watch, look)
                status = os.waitpid(pid, 0)[1] if code is None else _end(pid, group)
            except KeyboardInterrupt:
                if not group:  # before git was started
                    raise
                # git is interrupted as well. Wait for its end: when it had finished,
                # the interrupt came too late and is dropped, or a commit that was made
                # would be reported as one that was not.
                if not watch.asks:
                    os.kill(group, signal.SIGINT)
                code, status = None, os.waitpid(pid, 0)[1]
                if status:
                    raise
            printed, said = (
                os.pread(handle, os.fstat(handle).st_size, 0)
                for handle in (stdout, stderr)
            )
            if code is None:
                # It may have ended before the next look at it.
                code = look() or os.waitstatus_to_exitcode(status)
        return GitResult(code, printed, said)

    def _waited(
        pid: int, env: Mapping[str, str], watch: Watch, look: Callable[[], int | None]
    ) -> int | None:
        """Wait for the end of a git; the code with which it must be ended, if so."""
        until = time.monotonic() + watch.seconds
        if _has_ended(pid, min(watch.seconds, _SOON)):
            return None
        if on_disk.pipe_in(env):
            return TOO_SLOW
        while True:
            left = max(0.0, until - time.monotonic())
            if _has_ended(pid, min(left, _LOOK) if watch.look else left):
                return None
            if left <= 0:
                return TOO_SLOW
            if code := look():
                return code

    @contextlib.contextmanager
    def _lifeline() -> Iterator[Callable[[int], None]]:
        """A pipe by which the kernel ends a process, or a group (negative), when this
        one ends, however it ends: Linux signals the owner of a pipe of which the
        writing end was closed."""
        line, end = os.pipe()

        def tie(group: int) -> None:
            import signal

            if hasattr(fcntl, "F_SETSIG"):
                fcntl.fcntl(line, fcntl.F_SETOWN, group)
                fcntl.fcntl(line, fcntl.F_SETSIG, signal.SIGTERM)
                fcntl.fcntl(line, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)

        try:
            os.set_inheritable(line, True)
            yield tie
        finally:
            # What a hook has left in the background is no longer ours.
            fcntl.fcntl(line, fcntl.F_SETFL, 0)
            os.close(line)
            os.close(end)

    def _has_ended(pid: int, seconds: float) -> bool:
        """Wait until a process has ended, or for so many seconds; whether it has."""
        until = time.monotonic() + seconds
        try:
            import select

            handle = os.pidfd_open(pid)
        except (AttributeError, OSError):  # another system, an old kernel, no handle
            while os.waitid(os.P_PID, pid, _ENDED) is None:
                if time.monotonic() > until:
                    return False
                time.sleep(_POLL)
            return True
        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            return bool(poll.poll(seconds * 1_000))
        finally:
            os.close(handle)

    _ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT

    def _end(pid: int, group: int) -> int:
        """End a git and its hooks, with a word and then without; its status."""
        import signal

        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal(group, number)
            if _has_ended(pid, _GRACE):
                break
        status = os.waitpid(pid, 0)[1]
        if group < 0:
            # What it started has as long to take its locks away.
            until = time.monotonic() + _GRACE
            while _signal(group, 0) and time.monotonic() < until:
                time.sleep(0.01)
            _signal(group, signal.SIGKILL)
        return status

    def _signal(group: int, number: int) -> bool:
        """Send a signal to a process or a group; whether one of it is there."""
        try:
            os.kill(group, number)
        except OSError:
            return False
        return True

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
