"""The programs of agent hosts on this machine, and which versions they are.

Invariant: only a program that lies in an absolute folder of the PATH and outside of
every vault is started, with `--version` alone, away from any project, and for at most
`SECONDS`; what it prints is read up to a limit and shown as a number.
"""

from __future__ import annotations

import os
import re
import sys

from memcli.hosts import table
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Collection, Mapping

SECONDS = 5.0
"""What all of them get together; Node takes 0.3 to 1.5 s on a busy machine."""

_MOST = 4_000
_NUMBER = re.compile(rb"(?<![\w.])v?(\d{1,5}(?:\.\d{1,5}){1,3})(?![\w.])")


class Client(NamedTuple):
    """A host's program.

    `version` is None when it did not say one, and `trouble` then says why; `tested` is
    the version that memcli was tested with.
    """

    host: str
    path: str
    tested: str
    version: str | None = None
    trouble: str = ""

    @property
    def is_older(self) -> bool:
        """Whether it is of a version before the tested one."""
        return bool(self.version) and _parts(self.version or "") < _parts(self.tested)


def clients(
    environ: Mapping[str, str], vaults: Collection[str], seconds: float = SECONDS
) -> list[Client]:
    """The programs that are there, with their versions.

    Args:
        environ: PATH, and what the programs are given.
        vaults: folders from which nothing is started.
        seconds: how long to wait for all of them.
    """
    roots = [os.path.realpath(root) for root in vaults]
    found = [
        Client(host.name, path, host.tested)
        for host in table.hosts()
        if host.tested and (path := _program(host.binaries, environ, roots))
    ]
    return _asked(found, environ, seconds) if found else []


def _program(
    names: Collection[str], environ: Mapping[str, str], roots: Collection[str]
) -> str | None:
    """The first of these programs on the PATH; None when there is none to start."""
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        if not os.path.isabs(folder):
            continue
        for name in names:
            for ending in ("", ".exe", ".cmd") if sys.platform == "win32" else ("",):
                path = os.path.join(folder, name + ending)
                if not (os.path.isfile(path) and os.access(path, os.X_OK)):
                    continue
                if not any(_is_below(path, root) for root in roots):
                    return path
    return None


def _is_below(path: str, root: str) -> bool:
    """Whether a file, or what its links lead to, is in a folder without links."""
    folder, name = os.path.split(path)
    places = os.path.join(os.path.realpath(folder), name), os.path.realpath(path)
    return any(place.startswith(root.rstrip(os.sep) + os.sep) for place in places)


def _asked(
    found: list[Client], environ: Mapping[str, str], seconds: float
) -> list[Client]:
    """The programs with what they say, all started at once."""
    import subprocess
    import tempfile
    import time

    own = {**environ, "MEMCLI_HOOKS": "off"}
    end = time.monotonic() + seconds
    answers = []
    with tempfile.TemporaryDirectory(prefix="memcli-doctor-") as folder:
        running = []
        for client in found:
            said = tempfile.TemporaryFile()  # noqa: SIM115 closed below
            try:
                process = subprocess.Popen(  # noqa: S603 by its absolute path
                    [client.path, "--version"],
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    cwd=folder,
                    env=own,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                said.close()
                why = getattr(error, "strerror", None) or error
                answers.append(client._replace(trouble=f"it cannot be started: {why}"))
            else:
                running.append((client, process, said))
        for client, process, said in running:
            with said:
                code = _wait(process, end - time.monotonic())
                said.seek(0)
                answers.append(_answer(client, code, said.read(_MOST), seconds))
    return answers


def _answer(client: Client, code: int | None, said: bytes, seconds: float) -> Client:
    number = _NUMBER.search(said)
    if code is None:
        return client._replace(trouble=f"it did not say its version in {seconds:g} s")
    if code:
        return client._replace(trouble=f"{client.path} --version ends with {code}")
    if number is None:
        return client._replace(trouble=f"{client.path} --version prints no version")
    return client._replace(version=number[1].decode())


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Its exit code; None when it took too long, and is ended with what it started."""
    import signal
    import subprocess

    try:
        return process.wait(max(0, seconds))
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        except OSError:  # it has ended, and so has all that it started
            pass
        process.wait()


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
