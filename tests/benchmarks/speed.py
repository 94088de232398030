"""Every target of speed and size as one table, each ratio measured in one run.

Vaults of three sizes are made by `memcli init` and `memcli import`, or taken from an
earlier run (`--keep`). A command is a process of its own, and its figure is CPU over
that of `python -c pass`; growth divides the figures of two sizes.

    python -m tests.benchmarks speed [--keep FOLDER] [--sizes 1000,10000,100000]
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries import layout
from memcli.storage import state_dirs
from tests.benchmarks import corpus, report, timing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TARGETS = {
    "--help": 7.0,
    "recall": 9.0,
    "recall, one file edited by hand before": 18.0,
    "hook prompt-submit": 8.0,
    "hook pre-tool, nothing to tell": 2.5,
    "save": 11.0,
    "evolve": 15.0,
    "resolve": 15.0,
    "inspect": 25.0,
    "entities": 25.0,
}
SAVE_GROWTH, RECALL_GROWTH = 2.5, 4.5
MEGABYTES = 10.0
"""Of loose objects that git keeps of a thousand saves."""

SLOW = 7_200.0
# The folders of a vault must be older than two seconds before a look trusts its table.
SETTLED = 2.5


class Bench(NamedTuple):
    """One vault under measurement."""

    vault: Path
    env: dict[str, str]
    size: int
    runs: int
    questions: list[str]

    def memcli(self, *words: str) -> list[str]:
        """A command line."""
        return [*timing.memcli_command(), *words]

    def must(self, *words: str) -> timing.Run:
        """Run a command that has to succeed."""
        command = self.memcli(*words)
        return timing.must(timing.run(command, env=self.env, timeout=SLOW), command)

    def time(
        self,
        label: str,
        words: Callable[[int], Sequence[str]],
        *,
        stdin: Callable[[int], bytes] | None = None,
        before: Callable[[int], None] | None = None,
    ) -> float:
        """Time a command after one warm-up, and print its row; its ratio.

        Its CPU is divided by that of empty processes right before and right after it.
        `words` and `stdin` are of the run's number: some commands may not be repeated.
        """
        results: list[timing.Run] = []
        ratios: list[float] = []
        for turn in range(self.runs + 1):
            command = self.memcli(*words(turn))
            given = stdin(turn) if stdin else b""
            if before:
                before(turn)
            first, _ = timing.yardstick(1, self.env)
            result = timing.run(command, env=self.env, stdin=given)
            second, _ = timing.yardstick(1, self.env)
            timing.must(result, command)
            if turn:
                results.append(result)
                ratios.append(result.cpu / ((first + second) / 2))
        cpu = 1_000 * median(one.cpu for one in results)
        wall = 1_000 * median(one.wall for one in results)
        row = report.Row(
            f"`memcli {label}`",
            f"{self.size:,}",
            median(ratios),
            "×",
            report.Target(TARGETS[label]),
            f"{cpu:.0f} ms CPU, {wall:.0f} ms wall",
        )
        report.show(report.line(row))
        return row.figure


def made(work: Path, size: int, notes: Sequence[corpus.Note], runs: int) -> Bench:
    """A vault of this size with an index that is up to date; the row of its making."""
    home, vault = work / f"home-{size}", work / f"vault-{size}"
    home.mkdir(parents=True, exist_ok=True)
    env = timing.clean_env(home, MEMCLI_VAULT=str(vault))
    asked = corpus.questions(notes[:size], 4 * runs + 4)
    bench = Bench(vault, env, size, runs, asked)
    whole = work / f"made-{size}"
    if not whole.exists():
        shutil.rmtree(vault, ignore_errors=True)
        report.talk(f"making a vault of {size:,} entries")
        lines = work / f"notes-{size}.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(note) + "\n" for note in notes[:size])
        bench.must("init", str(vault))
        # A generated "token OPS-589106" may be refused as a secret.
        timing.run(bench.memcli("import", str(lines)), env=env, timeout=SLOW)
        files = sum(1 for _ in (vault / "memories").rglob("*.md"))
        if files < 0.999 * size:
            raise SystemExit(f"{vault} has {files} entries, not {size}")
        lines.unlink()
        whole.touch()
    shutil.rmtree(state_dirs.path(str(vault), layout.INDEX, env), ignore_errors=True)
    done = bench.must("recall", "x")
    rate, said = size / done.wall, f"{done.wall:.1f} s wall, {done.cpu:.1f} s CPU"
    row = report.Row("index from nothing", f"{size:,}", rate, "entries/s", None, said)
    report.show(report.line(row))
    return bench


def recalls(bench: Bench) -> float:
    """The rows of recall; the ratio of a plain one."""

    def ask(turn: int) -> list[str]:
        return ["recall", bench.questions[turn]]

    def edit(turn: int) -> None:
        with files[turn * 37 % len(files)].open("a", encoding="utf-8") as text:
            text.write(f"\nEdited by hand, turn {turn}.\n")

    files = sorted((bench.vault / "memories").rglob("*.md"))
    ratio = bench.time("recall", ask)
    bench.time("recall, one file edited by hand before", ask, before=edit)
    return ratio


def hooks(bench: Bench) -> None:
    """The rows of the hooks before a prompt and before a tool."""
    mark = str(time.time_ns())  # what a session was told it is not told again

    def prompt(turn: int) -> bytes:
        said = {"session_id": f"{mark}-{turn}", "prompt": bench.questions[turn]}
        return json.dumps(said).encode()

    def tool(turn: int) -> bytes:
        given = {"file_path": "/w/a.go", "new_string": "return x"}
        call = {"session_id": f"{mark}-{turn}", "cwd": "/w", "tool_name": "Edit"}
        return json.dumps({**call, "tool_input": given}).encode()

    def words(event: str) -> Callable[[int], list[str]]:
        return lambda _: ["hook", event, "--host", "claude-code"]

    bench.time("hook prompt-submit", words("prompt-submit"), stdin=prompt)
    bench.must("save", "Never call http.Get without a deadline", "--kind", "constraint")
    time.sleep(SETTLED)
    for _ in range(2):  # the second finds every file settled
        bench.must("recall", "deadline")
    bench.time("hook pre-tool, nothing to tell", words("pre-tool"), stdin=tool)


def saves(bench: Bench) -> float:
    """The row of saves, and that of what git keeps of them; the ratio."""
    mark = str(time.time_ns())  # no run saves what an earlier one has saved
    off = ["git", "-C", str(bench.vault), "config", "gc.auto", "0"]
    timing.must(timing.run(off, env=bench.env), off)
    before = loose(bench.vault)
    ratio = bench.time(
        "save", lambda turn: ["save", f"Run {mark} {turn}: {bench.questions[turn]}"]
    )
    kept = (loose(bench.vault) - before) / (bench.runs + 1) / 1_000
    row = report.Row(
        "git objects of 1,000 saves, before gc",
        f"{bench.size:,}",
        kept,
        "MB",
        report.Target(MEGABYTES),
    )
    report.show(report.line(row))
    return ratio


def loose(vault: Path) -> int:
    """Bytes of the objects that git has not packed."""
    objects = vault / ".git" / "objects"
    return sum(file.stat().st_size for file in objects.glob("??/*"))


def changes(bench: Bench) -> None:
    """The rows of new versions, resolutions and overviews."""
    count = str(2 * bench.runs + 2)
    listed = bench.must("list", "--limit", count, "--json")
    ids = [row["id"] for row in json.loads(listed.out)["data"]["rows"]]
    mark = str(time.time_ns())
    bench.time(
        "evolve", lambda turn: ["evolve", ids[turn], f"Version {mark} {turn}: x"]
    )
    bench.time("resolve", lambda turn: ["resolve", ids[bench.runs + 1 + turn]])
    bench.time("inspect", lambda _: ["inspect"])
    bench.time("entities", lambda _: ["entities"])


def grows(label: str, small: Bench, large: Bench, times: float, target: float) -> None:
    """The row of how a figure grows between two sizes."""
    name = f"`{label}`, {large.size:,} ÷ {small.size:,} entries"
    row = report.Row(name, "", times, "×", report.Target(target))
    report.show(report.line(row))


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--runs", type=int, default=10)
    parser.add_argument("--sizes", default="1000,10000,100000", help="three of them")
    parser.add_argument("--keep", help="folder for the vaults, used again if there")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    report.show(f"## Speed\n\n{report.machine()}\n\n{report.heading()}")
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(arguments.keep or scratch)
        notes = list(corpus.notes(max(sizes)))
        small, middle, large = (
            made(work, size, notes, arguments.runs) for size in sizes
        )
        middle.time("--help", lambda _: ["--help"])
        recalled = recalls(middle)
        hooks(middle)
        saves(middle)
        changes(middle)
        saved = saves(large) / saves(small)
        grows("save", small, large, saved, SAVE_GROWTH)
        grows("recall", middle, large, recalls(large) / recalled, RECALL_GROWTH)
