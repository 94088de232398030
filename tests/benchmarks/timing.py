"""Whole-process timing as a ratio to an empty Python process, in one run.

A figure is CPU seconds (user + system, of the process and every child it waited for)
of a command, divided by that of `python -c pass` with the interpreter that runs the
benchmark, taken right before and right after it. Machines differ by a factor of five;
the ratio is what can be compared. POSIX only (`os.wait4`); daemons that detach
themselves are not counted.

    python -m tests.benchmarks timing -n 10 -- memcli --help
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

YARDSTICK = (sys.executable, "-c", "pass")


class Run(NamedTuple):
    """One finished process: seconds of CPU and wall, exit code, what it wrote.

    `code` is None when it was killed at its time limit.
    """

    cpu: float
    wall: float
    code: int | None
    out: str
    err: str


class Timing(NamedTuple):
    """A command over several runs: medians of seconds, and of per-pair ratios."""

    label: str
    cpu: float
    wall: float
    ratio: float
    runs: tuple[Run, ...]


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    stdin: bytes = b"",
    timeout: float = 600,
) -> Run:
    """Run a command to its end, or kill it and its group after `timeout` seconds."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        late = threading.Event()
        started = time.perf_counter()
        child = subprocess.Popen(
            command,
            stdin=given,
            stdout=out,
            stderr=err,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )

        def kill() -> None:
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(timeout, kill)
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - started
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        return Run(
            cpu=usage.ru_utime + usage.ru_stime,
            wall=wall,
            code=None if late.is_set() else child.returncode,
            out=texts[0],
            err=texts[1],
        )


def must(result: Run, command: Sequence[str]) -> Run:
    """Return the run, or stop the benchmark with what the command said."""
    if result.code != 0:
        ending = "ran out of time" if result.code is None else f"exited {result.code}"
        said = (result.err or result.out).strip()[-2000:]
        raise SystemExit(f"{shlex.join(command)} {ending}:\n{said}")
    return result


def measure(
    label: str,
    command: Callable[[int], Sequence[str]] | Sequence[str],
    *,
    runs: int = 10,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    before: Callable[[int], None] | None = None,
    stdin: Callable[[int], bytes] | None = None,
    timeout: float = 600,
) -> Timing:
    """Time a command `runs` times after one warm-up, between two yardsticks each.

    Args:
        label: What the row is called.
        command: The command, or a function from the run's number (the warm-up is 0)
            to a command, for those that may not repeat themselves.
        runs: How many runs count.
        env: The environment of the command; the yardstick has the same.
        cwd: The folder that it starts in.
        before: Called before each run, outside the clock.
        stdin: From the run's number to what the command reads.
        timeout: Seconds before a run is killed.

    Raises:
        SystemExit: A run failed.
    """
    results: list[Run] = []
    ratios: list[float] = []
    run(YARDSTICK, env=env)
    for turn in range(runs + 1):
        argv = command(turn) if callable(command) else command
        if before is not None:
            before(turn)
        first = run(YARDSTICK, env=env)
        given = b"" if stdin is None else stdin(turn)
        result = must(run(argv, env=env, cwd=cwd, stdin=given, timeout=timeout), argv)
        second = run(YARDSTICK, env=env)
        if turn == 0:
            continue
        results.append(result)
        ratios.append(result.cpu / ((first.cpu + second.cpu) / 2))
    return Timing(
        label=label,
        cpu=median(result.cpu for result in results),
        wall=median(result.wall for result in results),
        ratio=median(ratios),
        runs=tuple(results),
    )


def yardstick(runs: int = 20) -> Run:
    """Return the median empty Python process: what all ratios are divided by."""
    results = [run(YARDSTICK) for _ in range(runs + 1)][1:]
    return Run(
        median(result.cpu for result in results),
        median(result.wall for result in results),
        0,
        "",
        "",
    )


def cpu_seconds() -> float:
    """Return the CPU that this process and its finished children have used so far."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def memcli_command() -> list[str]:
    """Return how a user of this environment starts memcli."""
    script = Path(sys.executable).parent / "memcli"
    return [str(script)] if script.exists() else [sys.executable, "-m", "memcli"]


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
    # Run from a source tree that is not installed, memcli must still be found.
    if not (Path(sys.executable).parent / "memcli").exists():
        env["PYTHONPATH"] = os.getcwd()
    return env | extra


def main() -> None:
    """Time one command from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--runs", type=int, default=10)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if shutil.which(arguments.command[0]) is None:
        raise SystemExit(f"no such command: {arguments.command[0]}")
    result = measure(
        shlex.join(arguments.command), arguments.command, runs=arguments.runs
    )
    sys.stdout.write(
        "| command | × `python -c pass` | CPU ms | wall ms |\n|---|---|---|---|\n"
        f"| `{result.label}` | {result.ratio:.1f} | {result.cpu * 1000:.0f} "
        f"| {result.wall * 1000:.0f} |\n"
    )


if __name__ == "__main__":
    main()
