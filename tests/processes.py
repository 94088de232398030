"""Many processes of memcli without the cost of their starts.

A start costs 60 to 100 ms, most of it for imports, and the tests make two thousand.
Here one server per test process has imported memcli once; each command is a fork of
it: a process of its own, with its own words, environment, folder, input and outputs,
from `argv.main` on. Nothing of the test's process is in it. What is special about a
start (what is imported, PATH, locale, signals) is tested with real starts, by
`real=True`; so is everything on Windows, and where the environment changes Python.
"""

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

COMMAND = [sys.executable, "-P", "-m", "memcli"]
# What may differ between commands of one server: memcli reads these, and no import.
_READ_LATE = (
    *("MEMCLI_", "XDG_", "GIT_", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    *("EDITOR", "VISUAL", "TMPDIR", "PYTEST_", "CI", "PWD"),
)


def run(
    *words: str,
    stdin: bytes = b"",
    environ: Mapping[str, str] | None = None,
    cwd: Path | str | None = None,
    timeout: float = 120,
    real: bool = False,
) -> "subprocess.CompletedProcess[bytes]":
    """Run `memcli WORDS` as a process.

    Args:
        words: its arguments.
        stdin: what it is given.
        environ: its whole environment; None: that of this process.
        cwd: its folder.
        timeout: seconds, then it is killed and TimeoutExpired raised.
        real: start it from nothing.
    """
    env = dict(os.environ if environ is None else environ)
    if real or os.name == "nt" or not _Server.same(env):
        return subprocess.run(
            [*COMMAND, *words],
            input=stdin,
            capture_output=True,
            env=env,
            cwd=cwd,
            timeout=timeout,
            check=False,
        )
    return _Server.get().run(words, stdin, env, str(cwd or os.getcwd()), timeout)


class _Server:
    """The process that forks, as its one client sees it."""

    _one: "_Server | None" = None
    _fixed: "dict[str, str] | None" = None

    def __init__(self) -> None:
        self.here, there = socket.socketpair()
        self.owner = os.getpid()
        with there:
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(there.fileno())],
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=dict(os.environ),
            )

    @classmethod
    def get(cls) -> "_Server":
        if cls._one is None or cls._one.owner != os.getpid():
            cls._one = cls()
        return cls._one

    @classmethod
    def same(cls, env: Mapping[str, str]) -> bool:
        """Whether the server would have imported the same with this environment."""
        fixed = {k: v for k, v in env.items() if not k.startswith(_READ_LATE)}
        if cls._fixed is None:
            cls._fixed = fixed
        return fixed == cls._fixed

    def run(
        self,
        words: Sequence[str],
        stdin: bytes,
        env: Mapping[str, str],
        cwd: str,
        timeout: float,
    ) -> "subprocess.CompletedProcess[bytes]":
        request = json.dumps([list(words), dict(env), cwd]).encode()
        files = [tempfile.TemporaryFile() for _ in range(3)]  # noqa: SIM115
        with contextlib.ExitStack() as stack:
            for file in files:
                stack.enter_context(file)
            files[0].write(stdin)
            files[0].seek(0)
            self.here.settimeout(timeout)
            handles = array.array("i", [file.fileno() for file in files])
            self.here.sendmsg(
                [len(request).to_bytes(4, "big")],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)],
            )
            self.here.sendall(request)
            pid = int.from_bytes(_exactly(self.here, 4), "big")
            try:
                answer = _exactly(self.here, 4)
            except TimeoutError as error:
                os.kill(pid, signal.SIGKILL)
                self.here.settimeout(None)
                _exactly(self.here, 4)
                raise subprocess.TimeoutExpired(["memcli", *words], timeout) from error
            code = int.from_bytes(answer, "big", signed=True)
            for file in files[1:]:
                file.seek(0)
            out, err = files[1].read(), files[2].read()
        return subprocess.CompletedProcess(["memcli", *words], code, out, err)


def _exactly(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = channel.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def _serve(channel: socket.socket) -> None:
    """Fork for each request, until the tests are over."""
    import_all()
    import memcli

    program = str(Path(memcli.__file__).with_name("__main__.py"))
    while True:
        try:
            head, ancillary, *_ = channel.recvmsg(4, socket.CMSG_SPACE(12))
            if not head:
                return
            head += _exactly(channel, 4 - len(head))
            request = _exactly(channel, int.from_bytes(head, "big"))
        except (EOFError, ConnectionError):
            return
        handles = array.array("i")
        handles.frombytes(ancillary[0][2])
        pid = os.fork()
        if not pid:
            channel.close()
            _become(program, json.loads(request), list(handles))
        channel.sendall(pid.to_bytes(4, "big"))
        for handle in handles:
            os.close(handle)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        channel.sendall(code.to_bytes(4, "big", signed=True))


def _become(program: str, request: "list[object]", handles: list[int]) -> None:
    """Be the command that is asked for, to its end."""
    words, env, cwd = request
    assert isinstance(words, list)
    assert isinstance(env, dict)
    assert isinstance(cwd, str)
    for target, handle in enumerate(handles):
        os.dup2(handle, target)
        os.close(handle)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [program, *words]
    code: object = 1
    try:
        from memcli.cli import argv

        argv.main()
        code = 0
    except SystemExit as error:
        code = error.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:  # noqa: BLE001 as an interpreter ends
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code if isinstance(code, int) else 0)


def import_all() -> None:
    """Import what commands import, but for what only servers and miners need."""
    import importlib
    import pkgutil

    import memcli

    for found in pkgutil.walk_packages(memcli.__path__, "memcli."):
        if not found.name.endswith(("__main__", ".mcp.server")):
            importlib.import_module(found.name)
    for name in (
        *("typer", "typer.rich_utils", "rich.console", "rich.table", "rich.markdown"),
        *("frontmatter", "yaml", "git", "tempfile", "subprocess", "json", "pathlib"),
        *("platformdirs", "tomllib", "dataclasses", "inspect", "shutil", "datetime"),
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
