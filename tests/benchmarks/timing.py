"""Processes and their CPU: user and system, of a command and of its children.

Machines differ by a factor of five, so speed is told as a ratio to an empty Python
process of the same interpreter in the same run. POSIX only (`getrusage`); daemons that
detach themselves are not counted.
"""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

YARDSTICK = (sys.executable, "-c", "pass")


class Run(NamedTuple):
    """One finished process: seconds of CPU and wall, exit code, what it wrote."""

    cpu: float
    wall: float
    code: int
    out: str
    err: str


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 600,
) -> Run:
    """Run a command to its end; raises TimeoutExpired after `timeout` seconds."""
    used, started = _of_children(), time.perf_counter()
    done = subprocess.run(
        command, input=stdin, capture_output=True, env=env, timeout=timeout, check=False
    )
    wall, cpu = time.perf_counter() - started, _of_children() - used
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return Run(cpu, wall, done.returncode, out, err)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def must(result: Run, command: Sequence[str]) -> Run:
    """Return the run, or stop the benchmark with what the command said."""
    if result.code != 0:
        said = (result.err or result.out).strip()[-2000:]
        raise SystemExit(f"{shlex.join(command)} exited {result.code}:\n{said}")
    return result


def yardstick(
    runs: int = 20, env: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """The median CPU and wall seconds of empty Python processes."""
    results = [run(YARDSTICK, env=env) for _ in range(runs)]
    return median(one.cpu for one in results), median(one.wall for one in results)


def memcli_command() -> list[str]:
    """Return how a user of this environment starts memcli."""
    return [str(Path(sys.executable).parent / "memcli")]


def clean_env(home: str | os.PathLike[str], **extra: str) -> dict[str, str]:
    """Return an environment that nothing of the user's own settings reaches.

    Args:
        home: An empty folder that stands for the user's home.
        extra: Variables to add.
    """
    kept = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "PIP_CERT")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "NO_COLOR": "1",
    }
    return env | extra
