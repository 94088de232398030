"""What a repository's own vault costs the prompt hook, which runs before every prompt.

The same prompt is asked in three repositories in turn: one without a vault, one with a
vault that is not allowed, one with a vault of 200 entries that is. Each figure is the
median over the pairs of one run, as whole processes; the target is at most 15 % more.

    python -m tests.benchmarks.repo_vault --sizes 1000,10000
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks import corpus, report, timing

if TYPE_CHECKING:
    from collections.abc import Sequence

HELD = 200
KINDS = ("none", "not allowed", "allowed")
SLOW = 7200.0


def main() -> None:
    """Measure each size and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("-n", "--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    report.show(f"## A repository's own vault, {HELD} entries\n\n{report.machine()}\n")
    report.show(
        "| entries | the repository's vault | CPU | wall | CPU against none | told |"
    )
    report.show("|---:|---|---:|---:|---:|---:|")
    for size in map(int, arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as scratch:
            compare(Path(scratch), size, arguments.runs, arguments.seed)


def compare(work: Path, size: int, rounds: int, seed: int) -> None:
    """Ask the same prompts in each repository by turns; print a row for each."""
    memcli = timing.memcli_command()
    env = timing.clean_env(work, MEMCLI_VAULT=str(work / "own"))
    notes = list(corpus.notes(size + HELD, seed))

    def must(*words: str, cwd: Path = work) -> None:
        timing.must(timing.run(words, env=env, cwd=cwd, timeout=SLOW), words)

    def load(held: Sequence[corpus.Note], vault: str, cwd: Path) -> None:
        lines = work / "notes.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(note) + "\n" for note in held)
        # A generated text may be refused as a secret: the exit code says nothing.
        words = [*memcli, "import", str(lines), "--vault", vault]
        timing.run(words, env=env, cwd=cwd, timeout=SLOW)
        must(*memcli, "recall", "x", "--vault", vault, cwd=cwd)

    must(*memcli, "init", str(work / "own"))
    load(notes[:size], str(work / "own"), work)
    for kind in KINDS:
        top = work / kind.replace(" ", "-")
        subprocess.run(["git", "init", "-q", str(top)], check=True, env=env)
        must("git", "remote", "add", "origin", "git@github.com:acme/shop.git", cwd=top)
        if kind != "none":
            must(*memcli, "init", "--repo", cwd=top)
            load(notes[size:], "repo", top)
        if kind == "not allowed":
            must(*memcli, "allow", "--revoke", cwd=top)
    prompts = corpus.questions(notes, rounds + 1, seed)
    runs: dict[str, list[timing.Run]] = {kind: [] for kind in KINDS}
    for turn in range(rounds + 1):
        # Each comes first as often as the others.
        order = KINDS[turn % len(KINDS) :] + KINDS[: turn % len(KINDS)]
        for kind in order:
            said = {
                "session_id": f"{kind.replace(' ', '-')}-{turn}",
                "prompt": prompts[turn].text,
                "cwd": str(work / kind.replace(" ", "-")),
            }
            words = [*memcli, "hook", "prompt-submit", "--host", "codex"]
            done = timing.run(words, env=env, stdin=json.dumps(said).encode())
            if turn:  # the first pays for cold pages
                runs[kind].append(timing.must(done, words))
    for kind in KINDS:
        pairs = zip(runs[kind], runs["none"], strict=True)
        ratio = median(one.cpu / alone.cpu for one, alone in pairs)
        cpu, wall = (
            median(getattr(one, what) for one in runs[kind]) * 1000
            for what in ("cpu", "wall")
        )
        told = sum("(repo)" in one.out for one in runs[kind])
        report.show(
            f"| {size:,} | {kind} | {cpu:.0f} ms | {wall:.0f} ms | {ratio:.3f} "
            f"| {told} of {rounds} |"
        )


if __name__ == "__main__":
    main()
