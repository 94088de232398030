"""A terminal that a client's full-screen interface runs in, with nobody in front of it.

Invariant: what is printed goes to a file at once, so that a client never waits for a
reader; the client is ended with the terminal.
"""

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_ROWS, _COLUMNS = 40, 120


@contextlib.contextmanager
def terminal(
    command: Sequence[str], folder: Path, environ: Mapping[str, str], log: Path
) -> Iterator[None]:
    """Run a client in a terminal; what it prints goes to `log`."""
    ours, theirs = pty.openpty()
    size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    client = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environ, "TERM": "xterm-256color"},
        cwd=folder,
        start_new_session=True,
    )
    os.close(theirs)

    def read() -> None:
        # EIO: the last process that had the terminal has ended.
        with contextlib.suppress(OSError), open(log, "wb", buffering=0) as file:
            while data := os.read(ours, 65_536):
                file.write(data)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        reader.join(10)
        os.close(ours)
