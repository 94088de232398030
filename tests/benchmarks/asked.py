"""Questions in other words than the memories': with and without phrases of `asked`.

`asked.toml` holds the memories, their phrases and a question to each. All memories
become one vault, once without and once with phrases; each question is one recall.

    python -m tests.benchmarks asked [--missed]
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from memcli import Vault
from memcli.entries import layout
from memcli.storage import state_dirs
from memcli.vault.create import prepare
from tests.benchmarks import report

DATA = Path(__file__).with_name("asked.toml")
CUT = 5


class Outcome(NamedTuple):
    """The rank of each question's memory (0: not among the rows), and index bytes."""

    ranks: list[int]
    size: int


def read() -> list[dict[str, Any]]:
    """Return the memories with their phrases and questions."""
    found: list[dict[str, Any]] = tomllib.loads(DATA.read_text("utf-8"))["memories"]
    return found


def ask(memories: list[dict[str, Any]], *, phrases: bool) -> Outcome:
    """Ask each question of a vault with all memories."""
    with tempfile.TemporaryDirectory() as folder:
        root = str(Path(folder, "vault"))
        prepare(root)
        vault = Vault.open(root)
        drafts = [
            vault.draft({"text": one["text"], "asked": one["asked"] * phrases})
            for one in memories
        ]
        vault.save_all(drafts)
        ranks = []
        for one in memories:
            texts = [row.text for row in vault.recall(one["question"]).rows]
            found = one["text"] in texts
            ranks.append(texts.index(one["text"]) + 1 if found else 0)
        index = Path(state_dirs.path(root, layout.INDEX))
        size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
        return Outcome(ranks, size)


def hits(outcome: Outcome, cut: int) -> int:
    """How many questions have their memory among so many rows."""
    return sum(1 <= rank <= cut for rank in outcome.ranks)


def main() -> None:
    """Print hit@1 and hit@5 without and with phrases, and what was missed if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="name what was missed")
    arguments = parser.parse_args()
    memories = read()
    report.show(f"{len(memories)} memories, as many questions\n")
    report.show(f"| phrases | hit@1 | hit@{CUT} | index, kB |\n|---|---:|---:|---:|")
    for phrases in (False, True):
        outcome = ask(memories, phrases=phrases)
        name = "five each" if phrases else "none"
        found = f"{hits(outcome, 1)} | {hits(outcome, CUT)}"
        report.show(f"| {name} | {found} | {outcome.size / 1000:.0f} |")
    for one, rank in zip(memories, outcome.ranks, strict=True):
        if arguments.missed and not 1 <= rank <= CUT:
            report.show(f"{one['question']} ({one['topic']}): rank {rank or 'none'}")


if __name__ == "__main__":
    main()
