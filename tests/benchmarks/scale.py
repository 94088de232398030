"""How memcli's cost grows with the vault: import, index, recall, hooks, save, query.

For each size a vault is made with `memcli init` and filled by one `memcli import`.
Processes are ratios to `python -c pass`, queries alone are ratios to SQLite FTS5
(porter, OR, bm25) over the same titles and texts with the same words, both taken in
the same run. Targets stand beside the figures that have one.

    python -m tests.benchmarks.scale --sizes 1000,10000,100000
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries import layout
from memcli.storage import state_dirs
from tests.benchmarks import at_hand, corpus, report, staying, timing

if TYPE_CHECKING:
    from collections.abc import Sequence


# The targets: of a process in yardsticks at 10,000 entries, of a query in FTS5's time,
# of work in entries per second at any size. Each figure comes from one run.
RECALL = report.Target(8, then=7)
HOOK = report.Target(8, then=6.5)
SAVE = report.Target(11, then=9)
CHANGE = report.Target(15, then=12)
INSPECT = report.Target(25, then=12)
IMPORT = report.Target(1000, at_least=True)
INDEX = report.Target(2000, then=3000, at_least=True)
# 60 ms where `python -c pass` takes 11 ms.
COMPLETION = report.Target(5.5)
SAVE_GROWTH = report.Target(2, then=1.3)
TARGET_SIZE = 10_000
TEAMS, TEAM_SIZE = 2, 1_000
SLOW = 7200.0


class Bench(NamedTuple):
    """One vault under measurement."""

    memcli: list[str]
    vault: Path
    work: Path
    env: dict[str, str]
    size: int
    runs: int
    questions: list[corpus.Question]

    def row(
        self,
        measure: str,
        figure: float,
        unit: str,
        target: report.Target | None = None,
        notes: str = "",
    ) -> None:
        """Print one row of this size."""
        size = f"{self.size:,}"
        report.show(report.line(report.Row(measure, size, figure, unit, target, notes)))

    def git(self, *arguments: str) -> str:
        """Return what git says about the vault."""
        command = ["git", "-C", str(self.vault), *arguments]
        return timing.must(timing.run(command, env=self.env), command).out.strip()


def fill(bench: Bench, notes: Sequence[corpus.Note]) -> None:
    """Make the vault and import the notes; print the rate and how it was committed."""
    lines = bench.work / f"notes-{bench.size}.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(note, ensure_ascii=False) + "\n" for note in notes)
    init = [*bench.memcli, "init", str(bench.vault)]
    timing.must(timing.run(init, env=bench.env), init)
    before = int(bench.git("rev-list", "--count", "HEAD"))
    load = [*bench.memcli, "import", str(lines)]
    done = timing.run(load, env=bench.env, timeout=SLOW)
    commits = int(bench.git("rev-list", "--count", "HEAD")) - before
    dirty = len(bench.git("status", "--porcelain").splitlines())
    files = sum(1 for _ in (bench.vault / "memories").rglob("*.md"))
    # A generated "token OPS-589106" may be refused as a secret; more is a failure.
    if files < 0.999 * bench.size:
        timing.must(done, load)
    bench.row(
        "`memcli import`, durable",
        bench.size / done.wall,
        "entries/s",
        IMPORT,
        f"{files:,} files, {commits} commit, {dirty} uncommitted; "
        f"{done.wall:.1f} s wall, {done.cpu:.1f} s CPU",
    )
    lines.unlink()


def recall(bench: Bench) -> timing.Timing:
    """Time recalls in processes of their own: first, warm, and after a hand edit."""

    def ask(turn: int) -> list[str]:
        question = bench.questions[turn % len(bench.questions)].text
        return [*bench.memcli, "recall", question]

    first = timing.must(timing.run(ask(0), env=bench.env, timeout=SLOW), ask(0))
    bench.row(
        "index, at the first `recall`",
        bench.size / first.wall,
        "entries/s",
        INDEX,
        f"{first.wall:.1f} s wall, {first.cpu:.1f} s CPU",
    )
    warm = timing.measure("memcli recall", ask, runs=bench.runs, env=bench.env)
    target = RECALL if bench.size == TARGET_SIZE else None
    report.show(report.line(report.ratio_row(warm, f"{bench.size:,}", target)))

    files = sorted((bench.vault / "memories").rglob("*.md"))

    def edit(turn: int) -> None:
        file = files[turn * 37 % len(files)]
        with file.open("a", encoding="utf-8", newline="\n") as text:
            text.write(f"\nEdited by hand, turn {turn}.\n")

    edited = timing.measure(
        "memcli recall, one file edited by hand before",
        ask,
        runs=bench.runs,
        env=bench.env,
        before=edit,
    )
    report.show(report.line(report.ratio_row(edited, f"{bench.size:,}")))
    return warm


def completion(bench: Bench) -> None:
    """Time what a shell waits for when a person presses Tab: ids with their titles."""
    row = timing.measure(
        "memcli __complete zsh show ''",
        [*bench.memcli, "__complete", "zsh", "show", ""],
        runs=bench.runs,
        env=bench.env,
    )
    offered = len(timing.must(row.runs[0], ["__complete"]).out.splitlines())
    notes = f"{offered} offered"
    target = COMPLETION if bench.size == TARGET_SIZE else None
    shown = report.ratio_row(row, f"{bench.size:,}", target)
    report.show(report.line(shown._replace(notes=f"{shown.notes}; {notes}")))


def prompt_hook(bench: Bench, label: str = "memcli hook prompt-submit") -> None:
    """Time the hook that hosts call before every prompt, on a question that fits."""

    def said(turn: int) -> bytes:
        prompt = bench.questions[turn % len(bench.questions)].text
        name = f"{label}-{turn}"  # what a session was told it is not told again
        return json.dumps({"session_id": name, "prompt": prompt}).encode()

    row = timing.measure(
        label,
        [*bench.memcli, "hook", "prompt-submit", "--host", "codex"],
        runs=bench.runs,
        env=bench.env,
        stdin=said,
    )
    told = sum(bool(run.out) for run in row.runs)
    alone = label == "memcli hook prompt-submit"
    target = HOOK if alone and bench.size == TARGET_SIZE else None
    line = report.ratio_row(row, f"{bench.size:,}", target)
    notes = f"{line.notes}; {told} of {bench.runs} prompts brought something"
    report.show(report.line(line._replace(notes=notes)))


def prompt_hook_with_teams(bench: Bench, notes: Sequence[corpus.Note]) -> None:
    """Time the same with the vaults of teams beside, and check that all were asked."""
    config = Path(bench.env["HOME"], ".config", "memcli", "config.toml")
    roots = [bench.work / f"team-{number}" for number in range(TEAMS)]
    for number, root in enumerate(roots):
        lines = bench.work / f"team-{number}.jsonl"
        held = notes[number * TEAM_SIZE : (number + 1) * TEAM_SIZE]
        text = "".join(json.dumps(note, ensure_ascii=False) + "\n" for note in held)
        lines.write_text(text, encoding="utf-8")
        for words in (["init"], ["import", str(lines), "--vault"], ["recall", "x"]):
            more = ["--vault", str(root)] if words[0] == "recall" else [str(root)]
            command = [*bench.memcli, *words, *more]
            timing.must(timing.run(command, env=bench.env, timeout=SLOW), command)
    config.parent.mkdir(parents=True, exist_ok=True)
    tables = (f"[vaults.team{n}]\npath = '{root}'\n" for n, root in enumerate(roots))
    config.write_text("".join(tables), encoding="utf-8")
    log = Path(state_dirs.path(str(bench.vault), layout.HOOK_LOG, bench.env))
    log.unlink(missing_ok=True)
    prompt_hook(bench, f"... and {TEAMS} vaults of teams of {TEAM_SIZE:,} entries each")
    config.unlink()
    calls = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    if any("not_asked" in call or "error" in call for call in calls):
        raise SystemExit(f"a team was not asked: {calls}")
    told = sum(bool(call.get("teams")) for call in calls)
    bench.row("... of these prompts, told of a team", told, f"of {len(calls)}")


def write_and_inspect(bench: Bench) -> timing.Timing:
    """Time saves, which are returned, new versions and resolutions; the overviews."""

    def save(turn: int) -> list[str]:
        text = f"Run {turn} of {bench.size}: {bench.questions[turn].text}"
        return [*bench.memcli, "save", text, "--tag", "benchmark"]

    before = int(bench.git("rev-list", "--count", "HEAD"))
    timed = timing.measure("memcli save", save, runs=bench.runs, env=bench.env)
    commits = int(bench.git("rev-list", "--count", "HEAD")) - before
    row = report.ratio_row(
        timed, f"{bench.size:,}", SAVE if bench.size == TARGET_SIZE else None
    )
    notes = f"{row.notes}; {commits} commits for {bench.runs + 1} saves"
    report.show(report.line(row._replace(notes=notes)))
    listed = [*bench.memcli, "recall", "--set", "all=true", "--limit", "100", "--json"]
    said = timing.must(timing.run(listed, env=bench.env), listed)
    ids = [row["id"] for row in json.loads(said.out)["data"]["rows"]]

    def evolve(turn: int) -> list[str]:
        text = f"Version {turn} of {bench.size}: {bench.questions[turn].text}"
        return [*bench.memcli, "evolve", ids[turn], text, "--reason", "benchmark"]

    def resolve(turn: int) -> list[str]:
        return [*bench.memcli, "resolve", ids[50 + turn]]

    for name, act in (("evolve", evolve), ("resolve", resolve)):
        row_of = timing.measure(f"memcli {name}", act, runs=bench.runs, env=bench.env)
        _show(bench, row_of, CHANGE)
    for words in (["inspect"], ["inspect", "entities"]):
        named = f"memcli {' '.join(words)}"
        look = [*bench.memcli, *words]
        _show(bench, timing.measure(named, look, runs=5, env=bench.env), INSPECT)
    return timed


def _show(bench: Bench, timed: timing.Timing, target: report.Target) -> None:
    """Print a row; the target is for one size."""
    wanted = target if bench.size == TARGET_SIZE else None
    report.show(report.line(report.ratio_row(timed, f"{bench.size:,}", wanted)))


def growth(
    measure: str, times: dict[int, timing.Timing], small: int, target: report.Target
) -> None:
    """Print how a command grows from a smaller vault to one of 100,000 entries."""
    if small not in times or 100_000 not in times:
        return
    large, before = times[100_000], times[small]
    row = report.Row(
        f"growth of `{measure}`, 100,000 ÷ {small:,}",
        "",
        large.cpu / before.cpu,
        "×",
        target,
        f"CPU; wall {large.wall / before.wall:.1f} ×",
    )
    report.show(report.line(row))


def bench_of(
    work: Path,
    home: str,
    size: int,
    notes: Sequence[corpus.Note],
    arguments: argparse.Namespace,
) -> Bench:
    """What measures a vault of this size, which is not made yet."""
    vault = work / f"vault-{size}"
    return Bench(
        memcli=timing.memcli_command(),
        vault=vault,
        work=work,
        env=timing.clean_env(home, MEMCLI_VAULT=str(vault)),
        size=size,
        runs=arguments.runs,
        questions=corpus.questions(
            notes[:size],
            max(arguments.queries, arguments.runs + 1),
            arguments.seed,
        ),
    )


def main() -> None:
    """Measure each size and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("-n", "--runs", type=int, default=10)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", help="folder for the vaults, kept afterwards")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    report.show(f"## Scale\n\n{report.machine()}\n\n{report.heading()}")
    warm: dict[int, timing.Timing] = {}
    saves: dict[int, timing.Timing] = {}
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(arguments.work or scratch)
        work.mkdir(parents=True, exist_ok=True)
        notes = list(corpus.notes(max(sizes), arguments.seed))
        for size in sizes:
            bench = bench_of(work, scratch, size, notes, arguments)
            fill(bench, notes[:size])
            warm[size] = recall(bench)
            prompt_hook(bench)
            completion(bench)
            if size == TARGET_SIZE:
                others = corpus.notes(TEAMS * TEAM_SIZE, arguments.seed + 1)
                prompt_hook_with_teams(bench, list(others))
            staying.measure(bench, notes[:size], arguments.queries)
            at_hand.rows(bench)
            saves[size] = write_and_inspect(bench)
    growth("memcli recall", warm, 10_000, staying.GROWTH)
    growth("memcli save", saves, 1_000, SAVE_GROWTH)


if __name__ == "__main__":
    main()
