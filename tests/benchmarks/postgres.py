"""What a published vault costs: publishing, size, and recall beside the local index.

Figures are CPU, of the reader and of the server apart, since other work slows the clock
on a shared machine; the wall time stands in the notes. A PostgreSQL of its own is
started in a temporary folder, with a shared buffer of 1 GB. Vaults of up to `--whole`
entries are imported, published from git and asked beside their local index. Larger ones
have no files: their documents are mixed from those of 20,000 notes, half of the words
of one and half of another, and staged directly, so their rate leaves out reading and
analysing files.

    python -m tests.benchmarks.postgres --sizes 1000,10000,100000,1000000
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from tests import databases
from tests.benchmarks import corpus, report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.search.reading import Found

READERS = 16
ASKED = 60
P95 = report.Target(50)
_SETTINGS = ("shared_buffers=1GB", "max_wal_size=8GB", "maintenance_work_mem=256MB")
_SAFE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on", "autovacuum=on")


class Bench:
    """A server, a config that names its databases, and the vaults so far."""

    def __init__(self, server: databases.Server, work: Path, asked: int) -> None:
        self.server = server
        self.work = work
        self.asked = asked
        self.questions: list[str] = []
        self.documents: list[Found] = []

    def row(
        self, measure: str, size: int, figure: float, unit: str, **more: Any
    ) -> None:
        """Print one row."""
        report.show(report.line(report.Row(measure, f"{size:,}", figure, unit, **more)))

    def named(self, size: int) -> str:
        """The vault of a size, whose database is made and in the user's config."""
        name = f"v{size}"
        self.server.execute(f"CREATE DATABASE {name}")
        config = Path(os.environ["XDG_CONFIG_HOME"], "memcli", "config.toml")
        config.parent.mkdir(parents=True, exist_ok=True)
        with config.open("a") as file:
            file.write(f'[vaults.{name}]\nengine = "{self.server.url(name)}"\n')
        return name

    def whole(self, size: int) -> None:
        """Import, publish from git, publish a change, and ask beside the index."""
        from memcli import Vault
        from memcli.vault import publishing

        notes = list(corpus.notes(size))
        self.questions = [q.text for q in corpus.questions(notes, self.asked)]
        root = self.work / f"vault-{size}"
        lines = self.work / "notes.jsonl"
        with lines.open("w") as file:
            file.writelines(json.dumps(note) + "\n" for note in notes)
        _memcli("init", str(root), vault=root)
        # A generated "token OPS-589106" may be refused as a secret, and is left out.
        _memcli("import", str(lines), vault=root, may_fail=True)
        name, vault = self.named(size), Vault.open(str(root))
        place = publishing.target(name, os.environ)
        publishing.initialise(place)
        began, cpu = time.perf_counter(), time.process_time() + self.server.cpu()
        publishing.publish(vault, place)
        cpu = time.process_time() + self.server.cpu() - cpu
        self._published(size, cpu, time.perf_counter() - began)
        vault.save(vault.draft({"text": "One entry more, about the gateway"}))
        began, cpu = time.perf_counter(), time.process_time()
        publishing.publish(vault, place)
        cpu, took = time.process_time() - cpu, time.perf_counter() - began
        self.row(
            "publish of one entry more", size, cpu, "s", notes=f"wall {took:.2f} s"
        )
        vault.recall("index it")
        self._asked("local index, one reader", size, [_reader(str(root), self)])
        self.ask(size)

    def mixed(self, size: int) -> None:
        """Publish documents that are mixed from those of the largest whole vault."""
        from memcli.search.postgres import initialising, publisher
        from memcli.search.postgres.connection import Database
        from memcli.search.postgres.staging import bits_for

        name = self.named(size)
        database = Database(self.server.url(name), patience=None, read_only=False)
        initialising.initialise(database)
        content = publisher.Content(name, "", "c0ffee", None, b"", b"", {})
        writer = publisher.Publisher(database, content)
        standing, bits = writer.standing(), bits_for(size)
        began, cpu = time.perf_counter(), time.process_time() + self.server.cpu()
        writer.stage(standing, bits, mixtures(self.documents, size))
        writer.apply(standing, bits, (), rebuild=True)
        cpu = time.process_time() + self.server.cpu() - cpu
        self._published(size, cpu, time.perf_counter() - began, "documents given")
        database.close()
        self.ask(size)

    def _published(
        self, size: int, cpu: float, took: float, how: str = "with analysis"
    ) -> None:
        notes = f"{how}; {cpu:.0f} s CPU with the server's, wall {took:.0f} s"
        rate = size / cpu
        self.row("`memcli publish`, first", size, rate, "entries/s", notes=notes)
        name = f"v{size}"
        self.server.execute("VACUUM memcli.staged", name)
        rows = self.server.execute(f"SELECT pg_database_size('{name}')")
        parts = self.server.execute(
            "SELECT p, sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c, "
            "unnest(ARRAY['documents', 'lists', 'counts']) p "
            "WHERE c.relname ~ ('^' || p || '_[0-9]$') GROUP BY p ORDER BY p",
            name,
        )
        each = ", ".join(f"{part} {held / 1e6:,.0f}" for part, held in parts)
        self.row(
            "size", size, rows[0][0] / size / 1000, "kB/entry",
            notes=f"{rows[0][0] / 1e6:,.0f} MB: {each}",
        )  # fmt: skip

    def ask(self, size: int) -> None:
        """Ask with one reader and with many, each a process that stays."""
        for readers in (1, READERS):
            running = [_reader(f"v{size}", self) for _ in range(readers)]
            measure = f"PostgreSQL, {readers} reader{'s' if readers > 1 else ''}"
            self._asked(measure, size, running)

    def _asked(
        self, measure: str, size: int, running: Sequence[subprocess.Popen[str]]
    ) -> None:
        """Print what the readers measured."""
        before = self.server.cpu()
        took: list[float] = []
        cpu: list[float] = []
        trips: list[int] = []
        for each in running:
            out, _ = each.communicate()
            said = json.loads(out)
            took += said["ms"]
            cpu += said["cpu"]
            trips += said["trips"]
        notes = f"p50 {median(cpu):.1f} ms; wall p50 {median(took):.1f}, "
        notes += f"p95 {quantiles(took, n=20)[-1]:.1f} ms"
        if trips:
            each_one = (self.server.cpu() - before) / len(took) * 1000
            notes += f"; server {each_one:.1f} ms each; {median(trips):.0f} round trips"
        target = P95 if len(running) == 1 and trips else None
        p95 = quantiles(cpu, n=20)[-1]
        self.row(f"recall, {measure}: p95", size, p95, "ms", target=target, notes=notes)


def _memcli(*arguments: str, vault: Path, may_fail: bool = False) -> None:
    command = [sys.executable, "-m", "memcli", *arguments]
    environment = {**os.environ, "MEMCLI_VAULT": str(vault)}
    subprocess.run(command, env=environment, check=not may_fail, capture_output=True)


def _reader(vault: str, bench: Bench) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.benchmarks.postgres", "--read", vault]
    reader = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdin is not None
    reader.stdin.write(json.dumps(bench.questions))
    reader.stdin.close()
    reader.stdin = None
    return reader


def read(vault_name: str) -> None:
    """One reader: answer the questions on standard input, and print the times."""
    from memcli import Vault

    questions = json.load(sys.stdin)
    vault = Vault.open(vault_name)
    engine: Any = vault.index.opened
    vault.recall(questions[0])
    took, used, trips = [], [], []
    for question in questions[1:]:
        before = getattr(engine, "round_trips", 0)
        began, cpu = time.perf_counter(), time.process_time()
        vault.recall(question)
        used.append((time.process_time() - cpu) * 1000)
        took.append((time.perf_counter() - began) * 1000)
        if hasattr(engine, "round_trips"):
            trips.append(engine.round_trips - before)
    print(json.dumps({"ms": took, "cpu": used, "trips": trips}))


def analysed(size: int, work: Path) -> list[Found]:
    """Documents of generated notes, as a publish analyses them."""
    from memcli.search.reading import Files

    files = Files(str(work))
    found = []
    for number, note in enumerate(corpus.notes(size)):
        head = "\n".join(
            f"{name}: {json.dumps(value)}"
            for name, value in note.items()
            if name != "text"
        )
        text = f"---\nid: '{number:016d}'\n{head}\n---\n{note['text']}"
        found.append(files.held(f"memories/note/{number}.md", text.encode()))
    return found


def mixtures(documents: Sequence[Found], size: int) -> Iterator[tuple[Found, str]]:
    """Documents with half of the words of one and half of another, each with an id."""
    from memcli.search.document import numbered
    from memcli.search.packed_facts import one, pack

    chance = random.Random(1)
    for number in range(size):
        first, second = (each.document for each in chance.sample(documents, 2))
        assert first is not None
        assert second is not None
        path, name = f"memories/note/{number}.md", f"{number:016d}"
        terms = dict([*first.terms.items()][::2] + [*second.terms.items()][1::2])
        facts = one(first.packed)
        length = (facts.length + one(second.packed).length) // 2
        session = numbered(f"{facts.session} {number % 50}") if facts.session else 0
        exact = {**first.exact, "id": (name,), "path": (path,), "claim": ()}
        exact |= {"fingerprint": (f"{number:x}",), "name": (name,), "link": ()}
        exact["session"] = (f"{session:016x}",) if session else ()
        row = json.loads(first.row)
        row[0] = name
        packed = pack(
            facts._replace(
                order=numbered(f"{name}\0{path}"),
                session=session,
                length=length,
                claim=0,
            )
        )
        data = json.dumps(row, separators=(",", ":")).encode()
        document = first._replace(terms=terms, exact=exact, row=data, packed=packed)
        yield documents[0]._replace(path=path, document=document), f"{number:040x}"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--whole", type=int, default=100_000)
    parser.add_argument("--asked", type=int, default=ASKED)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read)
        return
    report.show(report.heading())
    with (
        tempfile.TemporaryDirectory(prefix="memcli-bench-") as folder,
        databases.server(*_SAFE, *_SETTINGS) as server,
    ):
        work = Path(folder)
        os.environ |= {
            "XDG_CONFIG_HOME": str(work / "config"),
            "MEMCLI_STATE": str(work / "state"),
        }
        bench = Bench(server, work, arguments.asked)
        for size in map(int, arguments.sizes.split(",")):
            if size <= arguments.whole:
                bench.whole(size)
                continue
            if not bench.documents:
                notes = list(corpus.notes(min(size, 20_000)))
                asked = corpus.questions(notes, arguments.asked)
                bench.questions = [question.text for question in asked]
                bench.documents = analysed(len(notes), work)
            bench.mixed(size)


if __name__ == "__main__":
    main()
