"""What a question costs in a process that stays, beside SQLite FTS5 in the same run.

Each way to ask has processes of its own, which take turns and are asked the same
questions of five words. A question's figure is the least of its rounds, since others
use the machine too; a way's figure is the median of its questions. So a way profits
from what its own earlier questions left (open files, words looked up), and never from
another way's. FTS5 has the same titles and texts (porter, OR, bm25), and reads them of
its ten rows.

    python -m tests.benchmarks.staying --sizes 1000,10000
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks import corpus, fts5, report, timing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tests.benchmarks.scale import Bench

ALONE = report.Target(1, then=0.7)
GROWTH = report.Target(4, then=3)
TARGET_SIZE = 10_000
LIMIT = 10
WARM = 3
YARD = "fts5"
KEPT = "`Vault.recall`, vault kept open"
ROWS = "question to rows, nothing listed"
RANKED = "ranking alone"
TARGETS = {ROWS: ALONE, RANKED: ALONE}

if TYPE_CHECKING:
    Ask = Callable[[list[str]], object]


def ways() -> dict[str, Callable[[str, str], Ask]]:
    """Each way to ask: from a vault and FTS5's database to what asks a question."""
    return {
        YARD: lambda _vault, database: _of_fts5(database),
        KEPT: lambda vault, _database: _kept(vault),
        "MCP `memory_recall`, one server": lambda vault, _database: _mcp(vault),
        "`Vault.open().recall`, opened anew": lambda vault, _database: _anew(vault),
        ROWS: lambda vault, _database: _rows(vault),
        RANKED: lambda vault, _database: _ranked(vault),
    }


def _of_fts5(database: str) -> Ask:
    table = fts5.Fts5(database)

    def ask(words: list[str]) -> object:
        # As FTS5's tokenizer parts them: it knows no identifiers.
        same = dict.fromkeys(part for word in words for part in fts5.words(word))
        return table.search(list(same), LIMIT)

    return ask


def _kept(root: str) -> Ask:
    from memcli import Vault

    vault = Vault.open(root)
    return lambda words: vault.recall(" ".join(words), limit=LIMIT)


def _mcp(root: str) -> Ask:
    from memcli import Vault
    from memcli.cli.mcp import admin
    from tests.contexts import context_of

    context = context_of(Vault.open(root), via="mcp", now_ms=_now_ms)
    (recall,) = (tool for tool in admin.SERVED if tool.name == "memory_recall")
    return lambda words: admin.call(
        recall, {"query": " ".join(words), "limit": LIMIT}, context
    )


def _now_ms() -> int:
    return int(time.time() * 1000)


def _anew(root: str) -> Ask:
    from memcli import Vault

    return lambda words: Vault.open(root).recall(" ".join(words), limit=LIMIT)


def _rows(root: str) -> Ask:
    from memcli import Vault
    from memcli.recall import recall
    from memcli.recall.query import checked, made, view_of

    vault = Vault.open(root)
    view = view_of(int(time.time()))

    def ask(words: list[str]) -> object:
        query = checked(made(" ".join(words), view, limit=LIMIT), vault)
        return vault.index.again(lambda reader: recall.look(reader, query))

    return ask


def _ranked(root: str) -> Ask:
    from memcli import Vault
    from memcli.entries.text import tokens
    from memcli.search.ranking import rank
    from memcli.search.ranking.corpus import Question

    reader = Vault.open(root).index.reader()
    stem, now = tokens.stemmer(), int(time.time())

    def ask(words: list[str]) -> object:
        terms = tokens.question(" ".join(words), stem)
        return rank.rank(Question(terms, now), reader, limit=LIMIT)

    return ask


def one(way: str, vault: str, database: str, questions_file: str) -> None:
    """Print the CPU seconds of each question as JSON: a child's side of `times`."""
    questions = json.loads(Path(questions_file).read_text(encoding="utf-8"))
    ask = ways()[way](vault, database)
    spent = []
    # The first pay for imports, the opened index and cold pages, for all.
    for words in [*questions[-WARM:], *questions]:
        start = time.process_time()
        ask(words)
        spent.append(time.process_time() - start)
    json.dump(spent[WARM:], sys.stdout)


def times(
    vault: Path,
    database: Path,
    questions: Sequence[Sequence[str]],
    env: Mapping[str, str],
    rounds: int,
    chosen: Collection[str] = (),
) -> dict[str, list[float]]:
    """The least CPU seconds of each question, by way: the chosen ways, or all."""
    asked = database.with_suffix(".json")
    asked.write_text(json.dumps(questions), encoding="utf-8")
    found: dict[str, list[list[float]]] = {way: [] for way in chosen or ways()}
    env = {**env, "PYTHONPATH": os.getcwd()}
    for _ in range(rounds):
        for way, runs in found.items():
            command = [sys.executable, "-m", "tests.benchmarks.staying", "--one", way]
            command += [str(vault), str(database), str(asked)]
            child = subprocess.run(
                command, capture_output=True, text=True, check=False, env=env
            )
            if child.returncode != 0:
                raise SystemExit(f"{way} failed:\n{child.stderr[-2000:]}")
            runs.append(json.loads(child.stdout))
    asked.unlink()
    return {
        way: [min(each) for each in zip(*runs, strict=True)]
        for way, runs in found.items()
    }


def measure(
    bench: Bench, notes: Sequence[corpus.Note], repeats: int, rounds: int = 2
) -> None:
    """Print the rows of one vault."""
    database = bench.work / f"fts5-{bench.size}.sqlite"
    started = time.perf_counter()
    table = fts5.Fts5(str(database))
    table.add((note["title"], note["text"]) for note in notes)
    table.close()
    built = bench.size / (time.perf_counter() - started)
    questions = [question.words for question in bench.questions[:repeats]]
    found = times(bench.vault, database, questions, bench.env, rounds)
    yard = found.pop(YARD)
    for way, spent in found.items():
        bench.row(
            f"query: {way}",
            median(spent) / median(yard),
            "× FTS5",
            TARGETS.get(way),
            f"median {_ms(median(spent))} against {_ms(median(yard))}, p95 "
            f"{_ms(timing.percentile(spent, 0.95))} against "
            f"{_ms(timing.percentile(yard, 0.95))} CPU",
        )
    bench.row("FTS5's own build, for scale", built, "entries/s")
    database.unlink()


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def main() -> None:
    """Make a vault of each size, and print one table."""
    from tests.benchmarks import scale

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("-n", "--runs", type=int, default=10)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one(*arguments.one)
        return
    sizes = [int(size) for size in arguments.sizes.split(",")]
    report.show(f"## Processes that stay\n\n{report.machine()}\n\n{report.heading()}")
    warm: dict[int, timing.Timing] = {}
    with tempfile.TemporaryDirectory() as scratch:
        notes = list(corpus.notes(max(sizes), arguments.seed))
        for size in sizes:
            bench = scale.bench_of(Path(scratch), scratch, size, notes, arguments)
            scale.fill(bench, notes[:size])
            warm[size] = scale.recall(bench)
            measure(bench, notes[:size], arguments.queries, arguments.rounds)
    scale.growth("memcli recall", warm, TARGET_SIZE, GROWTH)


if __name__ == "__main__":
    main()
