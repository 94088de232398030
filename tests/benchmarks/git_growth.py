"""What git keeps of saves: bytes of loose objects in a vault of notes of one kind.

A vault is filled by one import of 10,000 notes of the kind `note`; then notes are saved
one by one, each in its commit. Git's own maintenance does not run.

    python -m tests.benchmarks.git_growth --size 10000 --saves 1000
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import corpus, report, timing

GROWTH = report.Target(10, then=4)


class Objects(NamedTuple):
    """The loose objects of a repository."""

    number: int
    size: int
    on_disk: int


def loose(root: Path) -> Objects:
    """Count what git has not packed."""
    found = [
        file.stat()
        for folder in (root / ".git" / "objects").iterdir()
        if len(folder.name) == 2
        for file in folder.iterdir()
    ]
    blocks = sum(status.st_blocks * 512 for status in found)
    return Objects(len(found), sum(status.st_size for status in found), blocks)


def grown(root: Path, env: dict[str, str], size: int, saves: int) -> Objects:
    """Fill a vault, save one by one, and return what the saves left."""
    from memcli import Vault

    notes = list(corpus.notes(size + saves))
    lines = root.with_suffix(".jsonl")
    with lines.open("w", encoding="utf-8") as file:
        for note in notes[:size]:
            file.write(json.dumps({**note, "kind": "note"}) + "\n")
    memcli = timing.memcli_command()
    for words in (["init", str(root)], ["import", str(lines), "--vault", str(root)]):
        timing.run([*memcli, *words], env=env, timeout=3600)
    off = ["git", "-C", str(root), "config", "gc.auto", "0"]
    timing.must(timing.run(off, env=env), off)
    before = loose(root)
    vault = Vault.open(str(root), environ=env)
    for note in notes[size:]:
        vault.save(vault.draft({"text": note["text"], "title": note["title"]}))
    after = loose(root)
    pairs = zip(after, before, strict=True)
    return Objects(*(now - then for now, then in pairs))


def main() -> None:
    """Print one row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--saves", type=int, default=1_000)
    arguments = parser.parse_args()
    report.show(f"## Git\n\n{report.machine()}\n\n{report.heading()}")
    with tempfile.TemporaryDirectory() as home:
        env = timing.clean_env(home)
        # What saves in this process keeps its index below the same home.
        os.environ["HOME"] = home
        size, saves = arguments.size, arguments.saves
        left = grown(Path(home, "vault"), env, size, saves)
    notes = (
        f"{left.size / saves:,.0f} bytes and {left.number / saves:.1f} objects a save, "
        f"{left.on_disk / 1e6:.1f} MB of blocks"
    )
    row = report.Row(
        f"git objects that {saves:,} saves leave, before gc",
        f"{size:,}",
        left.size / 1e6 * 1_000 / saves,
        "MB a 1,000",
        GROWTH,
        notes,
    )
    report.show(report.line(row))


if __name__ == "__main__":
    main()
