"""A PostgreSQL for the tests that need one, on a socket in a temporary folder.

Invariant: nothing listens on a port, nothing outlives the tests, and no database of the
machine is touched. Where none can be started the tests say so, loudly.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

# Nothing has to survive the machine.
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
_QUIET = (
    "listen_addresses=",
    "autovacuum=off",
    "max_wal_senders=0",
    "wal_level=minimal",
)


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`, the newest there is; None without one."""
    found = shutil.which("initdb")
    if found and shutil.which("postgres"):
        return Path(found).resolve().parent
    places = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(places, key=lambda path: float(path.parts[-3]), default=None)
    return newest.parent if newest else None


class Server:
    """A running server.

    Attributes:
        folder: of its socket and its data.
    """

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="mcpg", dir=base))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:  # which PostgreSQL refuses
            names = {entry.pw_name for entry in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        self._run(
            "initdb", "-D", "data", "-U", "admin", "-A", "trust", "-E", "UTF8",
            "--no-locale", "--no-sync", "--no-instructions",
        )  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        given = [f"-c{each}" for each in (*_FAST, *_QUIET)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", "data", "-k", self.folder, *given],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                **self._as,
            )
        for _ in range(1000):
            with contextlib.suppress(Exception):
                self.execute("SELECT 1")
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError((self.folder / "log").read_text())

    def url(self, database: str = "postgres", user: str = "admin") -> str:
        """The URL of a database; the socket's folder is its host."""
        name = quote(user, safe=":%")
        return f"postgresql://{name}@/{database}?host={self.folder}"

    def execute(self, sql: str, database: str = "postgres", user: str = "admin") -> Any:
        """Run statements, each on its own, and return the rows of the last one."""
        import psycopg

        with psycopg.connect(self.url(database, user), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else None

    def stop(self) -> None:
        """End the server and remove its files."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, name: str, *arguments: str) -> None:
        command = [str(self._bin / name), *arguments]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, check=False, **self._as
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace"))


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """A server for as long as the block lasts; without one the test is skipped."""
    found = programs()
    if found is None:
        pytest.skip(
            "NO POSTGRESQL HERE: its tests did not run; apt-get install postgresql"
        )
    running = Server(found)
    try:
        yield running
    finally:
        running.stop()
