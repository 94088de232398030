"""Rows of a benchmark as a Markdown table, each beside its target where it has one."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memcli import __version__
from tests.benchmarks import timing


class Target(NamedTuple):
    """What a figure must reach."""

    value: float
    at_least: bool = False

    def verdict(self, value: float) -> str:
        """Return `met` or `short`."""
        value = round(value, 3)  # 0.8 summed from thirds is not short of 0.8
        met = value >= self.value if self.at_least else value <= self.value
        return "met" if met else "**short**"

    def __str__(self) -> str:
        """Return the target as a table shows it."""
        return f"{'≥' if self.at_least else '≤'} {self.value:g}"


class Row(NamedTuple):
    """One figure: what, at which size, how much, and everything else worth saying."""

    measure: str
    size: str
    figure: float
    unit: str
    target: Target | None = None
    notes: str = ""


def line(row: Row) -> str:
    """Return one row of the table that `heading` begins."""
    precision = 0 if row.figure >= 100 else 1 if row.figure >= 10 else 2
    precision = 3 if not row.unit else precision
    figure = f"{row.figure:,.{precision}f} {row.unit}".strip()
    target = "" if row.target is None else str(row.target)
    verdict = "" if row.target is None else row.target.verdict(row.figure)
    cells = (row.measure, row.size, figure, target, verdict, row.notes)
    return "| " + " | ".join(cells) + " |"


def heading() -> str:
    """Return the first two lines of a table of rows."""
    return (
        "| measure | entries | figure | target | | notes |\n|---|---:|---:|---|---|---|"
    )


def show(text: str) -> None:
    """Write lines to standard output at once: long runs are watched."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def talk(text: str) -> None:
    """Say on standard error what is being done."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def machine() -> str:
    """Return date, processor, versions and the yardstick in one paragraph."""
    cpu, wall = timing.yardstick()
    git = timing.run(["git", "--version"]).out.removeprefix("git version").strip()
    today = datetime.now(UTC).date().isoformat()
    return (
        f"{today}; {_processor()}, {os.cpu_count()} cores; "
        f"{platform.system()}; Python {platform.python_version()}, "
        f"git {git}, SQLite {sqlite3.sqlite_version}, memcli {__version__}; "
        f"`python -c pass` = {cpu * 1000:.1f} ms CPU, {wall * 1000:.1f} ms wall."
    )


def _processor() -> str:
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*: (.+)$", told, re.MULTILINE)
    return " ".join(found[1].split()) if found else platform.machine()
