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
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NoReturn

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


def command(*words: str) -> list[str]:
    """A command line that is `memcli WORDS`, for what starts processes itself.

    What it starts is a small program that hands its input and outputs to a fork, and
    ends as that ends. When it is killed, the fork is.
    """
    if os.name == "nt":
        return [*COMMAND, *words]
    path = _Server.get("mcp" if words[:1] == ("mcp",) else "").path
    return [sys.executable, "-I", "-S", "-c", _RELAY, path, *words]


def path_with_memcli(folder: Path) -> str:
    """A PATH on which `memcli` is `command()`; its file is made in `folder`."""
    if os.name == "nt":
        return os.environ["PATH"]
    folder.mkdir(exist_ok=True)
    script = folder / "memcli"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n')
    script.chmod(0o755)
    return os.pathsep.join([str(folder), os.environ["PATH"]])


_ASK = """
import array, json, socket
def ask(path, handles, words, env, cwd):
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(path)
    request = json.dumps([words, env, cwd]).encode()
    rights = array.array("i", handles)
    size = len(request).to_bytes(4, "big")
    channel.sendmsg([size], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    channel.sendall(request)
    return channel
"""
_RELAY = f"""{_ASK}
import os, sys
path, *words = sys.argv[1:]
channel = ask(path, [0, 1, 2], words, dict(os.environ), os.getcwd())
for handle in (0, 1):
    os.close(handle)
code = int.from_bytes(channel.recv(4), "big", signed=True)
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
"""
_scope: dict[str, Any] = {}
exec(_ASK, _scope)


class _Server:
    """The process that forks, as its one client sees it."""

    _known: ClassVar[dict[str, "_Server"]] = {}

    def __init__(self, kind: str) -> None:
        self.owner = os.getpid()
        # Not below the test's folder: names of sockets have at most 100 bytes.
        self.folder = tempfile.mkdtemp(prefix="memcli-", dir="/tmp")
        self.path = os.path.join(self.folder, "s")
        from tests.conftest import isolated_environment

        self.env = isolated_environment(Path(self.folder))
        listener = socket.socket(socket.AF_UNIX)
        with listener:
            listener.bind(self.path)
            listener.listen(64)
            # It ends when this process does, however that ends.
            self.process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(listener.fileno()), kind],
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=self.env,
            )

    @classmethod
    def get(cls, kind: str = "") -> "_Server":
        known = cls._known.get(kind)
        if known is None or known.owner != os.getpid():
            known = cls._known[kind] = cls(kind)
        return known

    @staticmethod
    def same(env: Mapping[str, str]) -> bool:
        """Whether a server would have imported the same with this environment."""
        return _fixed(env) == _fixed(_Server.get().env)

    def run(
        self,
        words: Sequence[str],
        stdin: bytes,
        env: Mapping[str, str],
        cwd: str,
        timeout: float,
    ) -> "subprocess.CompletedProcess[bytes]":
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            files[0].write(stdin)
            files[0].seek(0)
            handles = [file.fileno() for file in files]
            channel = _scope["ask"](self.path, handles, list(words), dict(env), cwd)
            with channel:
                channel.settimeout(timeout)
                try:
                    answer = _exactly(channel, 4)
                except TimeoutError as error:
                    line = ["memcli", *words]
                    raise subprocess.TimeoutExpired(line, timeout) from error
            code = int.from_bytes(answer, "big", signed=True)
            for file in files[1:]:
                file.seek(0)
            out, err = files[1].read(), files[2].read()
        return subprocess.CompletedProcess(["memcli", *words], code, out, err)


def _fixed(env: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in env.items() if not k.startswith(_READ_LATE)}


def _exactly(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = channel.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def _serve(listener: socket.socket, kind: str) -> None:
    """Fork for each connection, until the tests are over."""
    import_all()
    if kind == "mcp":
        with contextlib.suppress(ImportError):
            import memcli.cli.mcp.server  # noqa: F401
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([listener.fileno(), 0], [], [])
        if listener.fileno() not in ready:
            with contextlib.suppress(OSError):
                shutil.rmtree(os.path.dirname(listener.getsockname()))
            return
        channel, _ = listener.accept()
        if not os.fork():
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(channel)
        channel.close()


def _answer(channel: socket.socket) -> NoReturn:
    """Run one command, and say how it ended; when nobody listens, kill it."""
    head, ancillary, *_ = channel.recvmsg(4, socket.CMSG_SPACE(12))
    request = _exactly(channel, int.from_bytes(head, "big"))
    handles = array.array("i")
    handles.frombytes(ancillary[0][2])
    over, alive = os.pipe()
    pid = os.fork()
    if not pid:
        channel.close()
        os.close(over)
        _become(json.loads(request), list(handles))
    os.close(alive)
    for handle in handles:
        os.close(handle)
    ready, _, _ = select.select([over, channel.fileno()], [], [])
    if over not in ready:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(OSError):
        channel.sendall(code.to_bytes(4, "big", signed=True))
    os._exit(0)


def _become(request: list[Any], handles: list[int]) -> NoReturn:
    """Be the command that is asked for, to its end."""
    import memcli

    words, env, cwd = request
    for target, handle in enumerate(handles):
        os.dup2(handle, target)
        os.close(handle)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [str(Path(memcli.__file__).with_name("__main__.py")), *words]
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
    _serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
