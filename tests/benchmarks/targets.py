"""The targets for speed and size as one table, each ratio measured in one run.

Vaults of three sizes are made by `memcli init` and `memcli import`, or taken from an
earlier run (`--keep`). A command that is compared between sizes is asked of one vault
after the other in each turn, each time between two empty Pythons, so that a machine
that others use slows all alike. `cost.md` and `staying.md` measure more.

    python -m tests.benchmarks.targets --keep /dev/shm/memcli-bench
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from memcli.entries import layout
from memcli.storage import state_dirs
from tests.benchmarks import corpus, fts5, git_growth, report, scale, staying, timing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Command = Callable[[scale.Bench, int], Sequence[str]]

SMALL, MIDDLE, LARGE = 1_000, 10_000, 100_000
DONE = "made"
"""A vault's folder has this file beside it once it is whole."""

# Enough to fill three folders, which is where a save leaves most.
_SAVES = 300


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--runs", type=int, default=10)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--sizes",
        default=f"{SMALL},{MIDDLE},{LARGE}",
        help="three sizes; the rows are named after them",
    )
    parser.add_argument("--keep", help="folder for the vaults, used again if there")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    load = os.getloadavg()
    report.show(f"## Targets\n\n{report.machine()} Load {load[0]:.1f} at the start.\n")
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(arguments.keep or scratch)
        work.mkdir(parents=True, exist_ok=True)
        notes = list(corpus.notes(max(sizes), arguments.seed))
        benches = [made(work, size, notes, arguments) for size in sizes]
        report.show(report.heading())
        commands(benches)
        answers(benches[:2], notes, arguments)
        indexing(benches[1])
        growth_of_git(benches[1].size)


def made(
    work: Path, size: int, notes: Sequence[corpus.Note], arguments: argparse.Namespace
) -> scale.Bench:
    """A vault of this size with an index that is up to date."""
    home = work / f"home-{size}"
    home.mkdir(parents=True, exist_ok=True)
    bench = scale.bench_of(work, str(home), size, notes, arguments)
    done = work / f"{DONE}-{size}-{arguments.seed}"
    if not done.exists():
        for old in (bench.vault, home):
            shutil.rmtree(old, ignore_errors=True)
        home.mkdir()
        report.talk(f"making a vault of {size:,} entries")
        lines = work / f"notes-{size}.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(note) + "\n" for note in notes[:size])
        for words in (["init", str(bench.vault)], ["import", str(lines)]):
            command = [*bench.memcli, *words]
            timing.run(command, env=bench.env, timeout=scale.SLOW)
        lines.unlink()
        # A generated "token OPS-589106" may be refused as a secret; more is a failure.
        files = sum(1 for _ in (bench.vault / "memories").rglob("*.md"))
        if files < 0.999 * size:
            raise SystemExit(f"{bench.vault} has {files} entries, not {size}")
        done.touch()
    command = [*bench.memcli, "recall", "x"]
    timing.must(timing.run(command, env=bench.env, timeout=scale.SLOW), command)
    return bench


def in_turn(
    benches: Sequence[scale.Bench],
    command: Command,
    stdin: Callable[[scale.Bench, int], bytes] | None = None,
) -> dict[int, timing.Timing]:
    """Time a command in each of these vaults, one vault after the other in a turn.

    The first turn does not count.
    """
    runs: dict[int, list[timing.Run]] = {bench.size: [] for bench in benches}
    ratios: dict[int, list[float]] = {bench.size: [] for bench in benches}
    for turn in range(benches[0].runs + 1):
        for bench in benches:
            argv = command(bench, turn)
            given = stdin(bench, turn) if stdin else b""
            first = timing.run(timing.YARDSTICK, env=bench.env)
            done = timing.must(timing.run(argv, env=bench.env, stdin=given), argv)
            second = timing.run(timing.YARDSTICK, env=bench.env)
            if turn:
                runs[bench.size].append(done)
                ratios[bench.size].append(done.cpu / ((first.cpu + second.cpu) / 2))
    return {
        size: timing.Timing(
            "",
            median(run.cpu for run in of_size),
            median(run.wall for run in of_size),
            median(ratios[size]),
            tuple(of_size),
        )
        for size, of_size in runs.items()
    }


def commands(benches: Sequence[scale.Bench]) -> None:
    """The rows of commands, each a process of its own."""
    small, middle, large = benches
    mark = str(time.time_ns())  # no run saves what an earlier one has saved
    ids = {bench.size: _ids(bench, 2 * bench.runs + 2) for bench in benches}

    def question(bench: scale.Bench, turn: int) -> str:
        return bench.questions[turn % len(bench.questions)].text

    def recall(bench: scale.Bench, turn: int) -> list[str]:
        return [*bench.memcli, "recall", question(bench, turn)]

    def prompt(bench: scale.Bench, turn: int) -> bytes:
        said = {"session_id": f"{mark}-{turn}", "prompt": question(bench, turn)}
        return json.dumps(said).encode()

    def hook(bench: scale.Bench, _turn: int) -> list[str]:
        return [*bench.memcli, "hook", "prompt-submit", "--host", "codex"]

    def save(bench: scale.Bench, turn: int) -> list[str]:
        text = f"Run {mark} {turn}: {question(bench, turn)}"
        return [*bench.memcli, "save", text, "--tag", "benchmark"]

    def evolve(bench: scale.Bench, turn: int) -> list[str]:
        text = f"Version {mark} {turn}: {question(bench, turn)}"
        return [*bench.memcli, "evolve", ids[bench.size][turn], text, "--reason", "new"]

    def resolve(bench: scale.Bench, turn: int) -> list[str]:
        return [*bench.memcli, "resolve", ids[bench.size][bench.runs + 1 + turn]]

    def inspect(*words: str) -> Command:
        return lambda bench, _: [*bench.memcli, "inspect", *words]

    recalled = in_turn([middle, large], recall)
    _ratio("memcli recall", middle, recalled[middle.size], scale.RECALL)
    hooked = in_turn([middle], hook, prompt)
    _ratio("memcli hook prompt-submit", middle, hooked[middle.size], scale.HOOK)
    saved = in_turn([small, middle, large], save)
    _ratio("memcli save", middle, saved[middle.size], scale.SAVE)
    _growth("memcli save", saved, small, large, scale.SAVE_GROWTH)
    for name, act, wanted in (
        ("evolve", evolve, scale.CHANGE),
        ("resolve", resolve, scale.CHANGE),
        ("inspect", inspect(), scale.INSPECT),
        ("inspect entities", inspect("entities"), scale.INSPECT),
    ):
        timed = in_turn([middle], act)
        _ratio(f"memcli {name}", middle, timed[middle.size], wanted)
    _growth("memcli recall", recalled, middle, large, staying.GROWTH)


def _ids(bench: scale.Bench, count: int) -> list[str]:
    listed = [
        *bench.memcli,
        "recall",
        "--set",
        "all=true",
        "--limit",
        str(count),
        "--json",
    ]
    said = timing.must(timing.run(listed, env=bench.env), listed)
    return [row["id"] for row in json.loads(said.out)["data"]["rows"]]


def _ratio(
    label: str, bench: scale.Bench, timed: timing.Timing, target: report.Target
) -> None:
    shown = report.ratio_row(timed._replace(label=label), f"{bench.size:,}", target)
    report.show(report.line(shown))


def _growth(
    label: str,
    timed: Mapping[int, timing.Timing],
    small: scale.Bench,
    large: scale.Bench,
    target: report.Target,
) -> None:
    more, less = timed[large.size], timed[small.size]
    name = f"`{label}`, {large.size:,} ÷ {small.size:,}"
    notes = f"{more.cpu * 1000:.0f} ms ÷ {less.cpu * 1000:.0f} ms CPU"
    report.show(
        report.line(report.Row(name, "", more.cpu / less.cpu, "×", target, notes))
    )


def answers(
    benches: Sequence[scale.Bench],
    notes: Sequence[corpus.Note],
    arguments: argparse.Namespace,
) -> None:
    """The rows of questions in a process that stays, beside FTS5's."""
    wanted = {
        staying.ROWS: {bench.size: staying.ALONE for bench in benches},
        staying.RANKED: {bench.size: staying.ALONE for bench in benches},
    }
    for bench in benches:
        database = bench.work / f"fts5-{bench.size}.sqlite"
        database.unlink(missing_ok=True)
        table = fts5.Fts5(str(database))
        table.add((note["title"], note["text"]) for note in notes[: bench.size])
        table.close()
        asked = [question.words for question in bench.questions[: arguments.queries]]
        names = (staying.YARD, *wanted)
        found = staying.times(
            bench.vault, database, asked, bench.env, arguments.rounds, names
        )
        yard = median(found[staying.YARD])
        for way, targets in wanted.items():
            spent = median(found[way])
            bench.row(
                f"query: {way}",
                spent / yard,
                "× FTS5",
                targets.get(bench.size),
                f"median {spent * 1000:.1f} ms against {yard * 1000:.1f} ms CPU",
            )
        database.unlink()


def indexing(bench: scale.Bench) -> None:
    """The row of an index from nothing, by the clock, and the CPU that it takes."""
    folder = state_dirs.path(str(bench.vault), layout.INDEX, bench.env)
    shutil.rmtree(folder)
    command = [*bench.memcli, "recall", "x"]
    done = timing.must(timing.run(command, env=bench.env, timeout=scale.SLOW), command)
    bench.row(
        "index from nothing, at the first `recall`",
        bench.size / done.wall,
        "entries/s",
        scale.INDEX,
        f"{done.wall:.1f} s wall, {done.cpu:.1f} s CPU of all processes: "
        f"{bench.size / done.cpu:,.0f} entries per second of CPU",
    )


def growth_of_git(size: int) -> None:
    """The row of what git keeps of saves."""
    with tempfile.TemporaryDirectory() as home:
        env = timing.clean_env(home)
        before = os.environ["HOME"]
        # What saves in this process keeps its index below the same home.
        os.environ["HOME"] = home
        try:
            left = git_growth.grown(Path(home, "vault"), env, size, _SAVES)
        finally:
            os.environ["HOME"] = before
    row = report.Row(
        f"git objects that saves leave, before gc ({_SAVES} measured)",
        f"{size:,}",
        left.size / 1e6 * 1_000 / _SAVES,
        "MB a 1,000",
        git_growth.GROWTH,
        f"{left.size / _SAVES:,.0f} bytes, {left.number / _SAVES:.1f} objects a save",
    )
    report.show(report.line(row))


if __name__ == "__main__":
    main()
