"""The tables of an index: what Whoosh wrote is what both ways to read find."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh.qparser.default import QueryParser
from whoosh.query.compound import And
from whoosh.query.qcore import Every
from whoosh.query.terms import Prefix, Term
from whoosh.query.wrappers import Not

from memcli import Vault, Vaults
from memcli.entries import layout
from memcli.entries.text import tokens
from memcli.errors import WriteFailed
from memcli.search import database, following, store
from memcli.search.documents import Documents
from memcli.search.index import Index
from memcli.search.reader import Reader
from memcli.search.store import TYPECODES
from memcli.search.whoosh_codec import Index as WhooshIndex
from tests.conftest import SEED, VaultMaker, state_of
from tests.saving import save, write

WORDS = ("deploy", "friday", "queue", "retry", "cache", "café", "ж", "东京")


def file_of(vault: Vault) -> Path:
    (path,) = state_of(vault.root, layout.INDEX).glob(f"*{database.ENDING}")
    return path


def held(vault: Vault) -> dict[str, Any]:
    """All that an index holds, by the paths of entries instead of their numbers."""

    def dump(reader: Reader) -> dict[str, Any]:
        docs = [*reader.everything()]
        paths = {doc: reader.row(doc).path for doc in docs}
        lists = {}
        for field in ("terms", "tag", "path", "kind", "status", "claim", "entity"):
            for value in reader.values(field):
                both = zip(*reader.listed(field, value), strict=True)
                lists[field, value] = {paths[doc]: weight for doc, weight in both}
        columns = {
            name: {paths[d]: getattr(reader.columns, name)[d] for d in docs}
            for name in TYPECODES
        }
        rows = {paths[doc]: reader.row(doc) for doc in docs}
        size = reader.sums._replace(end=0)
        return {"lists": lists, "columns": columns, "rows": rows, "size": size}

    return vault.read(dump)


def test_whooshs_searcher_finds_what_the_reader_does(vault: Vault) -> None:
    chance = random.Random(SEED)
    for number in range(40):
        text = " ".join(chance.choices(WORDS, k=5))
        write(vault, f"{number}.md", f"---\ntags: [t{number % 3}]\n---\n{text}\n")
    vault.recall("deploy")
    for number in range(0, 40, 7):
        Path(vault.root, f"{number}.md").unlink()
    reader = vault.index.current()
    db = sqlite3.connect(file_of(vault), isolation_level=None)
    state = following.load(db)
    assert state is not None
    index = WhooshIndex(db, state.sums)
    stem = tokens.stemmer()
    with index.searcher() as searcher:
        assert searcher.doc_count() == reader.live == 34

        def docs(query: Any, **options: Any) -> list[int]:
            found = searcher.search(query, limit=None, **options)
            return [hit.docnum for hit in found]

        for word in (*WORDS, "nowhere"):
            (term,) = tokens.terms(word, stem)[:1]
            query = QueryParser("terms", index.schema).parse(word)
            assert sorted(docs(query)) == [*reader.postings(term)[0]]
            tagged = And([Term("terms", term), Term("tag", "t1")])
            both = {*reader.postings(term)[0]}.intersection(reader.exact("tag", "t1"))
            assert {*docs(tagged)} == both
            assert {*docs(And([tagged, Not(Term("tag", "t1"))]))} == set()
            frequency = searcher.reader().doc_frequency("terms", term.encode())
            assert frequency == reader.frequency(term)
        assert {*docs(Every())} == {*reader.everything()}
        assert {*docs(Prefix("path", "3"))} == {
            doc
            for path in reader.starting("path", "3")
            for doc in reader.exact("path", path)
        }
        orders = reader.columns.orders
        in_order = sorted(reader.everything(), key=orders.__getitem__)
        assert docs(Every(), sortedby="orders") == in_order
        for doc in in_order:
            row = searcher.stored_fields(doc)["row"]
            assert row == reader.whole_row(doc).as_json()


# Letters of one, two and three bytes.
LETTERS = "abcéж\u4e2d"


@given(st.sets(st.text(LETTERS, min_size=1, max_size=4)), st.text(LETTERS, max_size=5))
def test_terms_are_found_by_their_beginning_and_end(held: set[str], word: str) -> None:
    db = database.in_memory(None)
    field = store.NUMBERS["terms"]
    rows = [(field, store.encoded(text), 1, b"", 0) for text in held]
    db.executemany("INSERT INTO posting VALUES (?, ?, ?, ?, ?)", rows)
    tables = Documents(db.execute, store.Sums())
    begun = sorted(text for text in held if text.startswith(word))
    assert tables.starting("terms", word) == begun
    ended = [text for text in begun if text.endswith(("a", "ж"))]
    assert tables.beginning(word, ("a", "ж")) == {*ended}
    assert tables.holds("terms") == bool(held)


# --- what goes wrong ----------------------------------------------------------------


@pytest.mark.parametrize("dies", [1, 2, 3])
@pytest.mark.parametrize("call", [database.remove, database.make])
def test_a_killed_removal_leaves_no_database_without_its_wal(
    tmp_path: Path, call: Any, dies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.db"
    names = [f"{path}{ending}" for ending in ("", "-journal", "-shm", "-wal")]
    removed: list[str] = []

    def remove(name: str) -> None:
        if len(removed) == dies:
            raise KeyboardInterrupt
        removed.append(name)
        os.unlink(name)

    monkeypatch.setattr(database, "_remove", remove)
    for name in names:
        Path(name).write_text("old")
    with pytest.raises(KeyboardInterrupt):
        call(str(path))
    assert not path.exists(), removed


def test_a_damaged_byte_changes_no_answer(vault: Vault) -> None:
    """It is found by a checksum or by SQLite, or lies where no answer looks."""
    for number in range(30):
        write(vault, f"{number}.md", f"Heron {number} deploys on friday\n")
    right = vault.recall("heron deploys", limit=50)
    path = file_of(vault)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    whole = path.read_bytes()
    chance = random.Random(SEED)
    rebuilt = 0
    for _ in range(30):
        data = bytearray(whole)
        place = chance.randrange(len(data))
        start = place - place % 64
        data[start : start + 64] = chance.randbytes(64)
        path.write_bytes(bytes(data))
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        said: list[str] = []
        again = Vault.open(vault.root, tell=said.append, now_ms=vault.now_ms)
        found = again.recall("heron deploys", limit=50)
        assert len(found.rows) == len(right.rows) or not said, f"{SEED=} {place=}"
        rebuilt += bool(said)
        again.opened._close()
    assert rebuilt, "no damage was ever seen"


@pytest.mark.parametrize(
    "damage",
    [
        "doc SET terms = CAST(substr(terms, 1, 20) || zeroblob(9) AS BLOB)",
        "doc SET id = id + 100",
        "meta SET value = CAST(substr(value, 1, 9) || zeroblob(9) AS BLOB)",
        "told SET data = substr(data, 1, length(data) - 1)",
        "posting SET n = n + 1",
        "posting SET data = zeroblob(length(data))",
        "fact SET data = zeroblob(length(data))",
    ],
)
@pytest.mark.parametrize("first", ["recall", "save", "told"])
def test_damage_of_any_table_is_mended_by_whoever_meets_it(
    vault: Vault, damage: str, first: str
) -> None:
    rule = write(vault, "a.md", "---\nkind: constraint\n---\nNever `rm -rf` it\n")
    write(vault, "b.md", "---\nkind: constraint\n---\nNever call `old_one()`\n")
    assert len(vault.recall("never").rows) == 2
    state_of(vault.root, layout.INDEX).joinpath("triggers").unlink(missing_ok=True)
    db = sqlite3.connect(file_of(vault), isolation_level=None)
    db.execute(f"UPDATE {damage}")
    db.close()
    if first == "save":
        rule.write_text("---\nkind: constraint\n---\nNever call `new_one()`\n")
    index = Index(vault.root)
    if first == "recall":
        assert len(Vault.open(vault.root).recall("never").rows) == 2
    index.read(lambda reader: reader.size)
    told = index.told()
    names = ["old_one()", "new_one()" if first == "save" else "rm -rf"]
    assert sorted(t.text for one in told for t in one.triggers) == sorted(names)
    assert len(Vault.open(vault.root).recall("never").rows) == 2


@pytest.mark.parametrize(
    "value",
    ["", "{}", "[1]", "[[1,2],0,{},{},[1,2,3,4]]", "[" * 9000, "nothing"],
)
def test_a_state_that_is_none_leads_to_a_rebuild(vault: Vault, value: str) -> None:
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    db = sqlite3.connect(file_of(vault), isolation_level=None)
    db.execute("UPDATE meta SET value = ?", (zlib.compress(value.encode()),))
    with pytest.raises(following.Behind):
        Index(vault.root).read(lambda reader: reader.size, most=0)
    assert len(Vault.open(vault.root).recall("deploy").rows) == 1


def test_an_index_that_cannot_be_written_is_kept_in_memory(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    save(vault, "We deploy on Fridays")

    write_it = database.write

    def full(*_: object) -> None:
        monkeypatch.setattr(database, "write", write_it)
        raise database.Unwritable("database or disk is full")

    said: list[str] = []
    later = Vault.open(vault.root, tell=said.append)
    monkeypatch.setattr(database, "write", full)
    assert len(later.recall("deploy").rows) == 2
    assert "kept in memory" in said[0]
    assert "disk is full" in said[0]
    save(later, "We deploy on Mondays")
    assert len(later.recall("deploy").rows) == 3


@pytest.mark.parametrize(
    "refuse",
    [
        ("database", "remove", OSError(30, "read-only")),
        ("index", "Lock", WriteFailed("no")),
    ],
    ids=["file", "lock"],
)
def test_a_damaged_index_that_cannot_be_removed_is_made_in_memory(
    vault: Vault, refuse: tuple[str, str, Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    db = sqlite3.connect(file_of(vault), isolation_level=None)
    db.execute("UPDATE doc SET data = x'7b'")
    db.close()
    module, name, error = refuse

    def refused(*_: object) -> None:
        raise error

    monkeypatch.setattr(f"memcli.search.{module}.{name}", refused)
    said: list[str] = []
    later = Vault.open(vault.root, tell=said.append)
    assert len(later.recall("deploy").rows) == 1
    write(vault, "b.md", "We deploy on Fridays\n")
    assert len(later.recall("deploy").rows) == 2
    assert [said[0][:20], said[1][:27]] == [
        "rebuilding the index",
        "the index is kept in memory",
    ]
    assert len(said) == 2


@pytest.mark.parametrize(
    "poison", ["raise ImportError('poisoned')\n", "raise RuntimeError('poisoned')\n"]
)
def test_without_whoosh_nothing_new_is_indexed_and_what_is_can_be_read(
    vault: Vault, tmp_path: Path, poison: str
) -> None:
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    write(tmp_path, "whoosh/__init__.py", poison)
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def memcli(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "memcli", *words, "--vault", vault.root]
        return subprocess.run(command, capture_output=True, text=True, env=environ)

    assert "Tuesdays" in memcli("recall", "deploy").stdout
    assert memcli("save", "We deploy on Fridays").returncode == 0
    failed = memcli("recall", "deploy")
    assert failed.returncode == 1
    assert "Whoosh cannot be loaded: poisoned" in failed.stderr
    assert "pip install" in failed.stderr
    assert len(Vault.open(vault.root).recall("deploy").rows) == 2


def test_a_reader_sees_one_state_while_another_process_writes(vault: Vault) -> None:
    save(vault, "We deploy on Tuesdays")
    early = Index(vault.root)
    reader = early.current()
    save(vault, "We deploy on Fridays")
    assert Index(vault.root).current().live == 2
    assert reader.live == 1
    assert len(reader.postings("deploy")[0]) == 1
    assert early.current().live == 2
    with pytest.raises(store.Outdated):
        reader.exact("kind", "note")


def test_who_is_idle_holds_no_writer_up(vault: Vault, make_vault: VaultMaker) -> None:
    """The `-wal` is emptied by each writer, and would grow without end."""
    write(vault, "a.md", "We deploy on Tuesdays\n")
    idle = Vault.open(vault.root)
    index = idle.opened
    team = Vaults([idle, Vault.open(make_vault("team").root)])
    asks = [
        lambda: idle.recall("deploy"),
        lambda: index.again(lambda reader: reader.size),
        lambda: index.glance(lambda reader, _: reader.size),
        index.told,
        lambda: team.recall("deploy"),
    ]
    wal = Path(f"{file_of(vault)}-wal") if idle.recall("deploy") else Path()
    for number, ask in enumerate(asks):
        ask()
        write(vault, f"{number}.md", "We deploy on Fridays\n")
        assert Index(vault.root).read(lambda reader: reader.size) == number + 2
        assert wal.stat().st_size == 0, number
    assert index.again(lambda reader: reader.size) == len(asks) + 1


KILLED = """
import os, sys, signal
from memcli.search.store import TYPECODES
from memcli.search import database, writing, following, whoosh_codec
from memcli.search.documents import Documents
from memcli.search.index import Index
name, number = sys.argv[2], int(sys.argv[3])
module, _, attribute = name.partition(":")
owner = eval(module)
whole = getattr(owner, attribute)
calls = 0
def dying(*args, **options):
    global calls
    calls += 1
    if calls > number:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*args, **options)
setattr(owner, attribute, dying)
Index(sys.argv[1]).current()
"""


@pytest.mark.parametrize("first", [True, False], ids=["first index", "update"])
@pytest.mark.parametrize(
    "at",
    [
        ("whoosh_codec.Writer:add", 3),
        ("writing:sealed", 40),
        ("writing:Sums", 0),
        ("following:store", 0),
    ],
    ids=lambda at: at[0],
)
def test_a_killed_update_leaves_the_old_state_or_the_new_one(
    vault: Vault, at: tuple[str, int], first: bool
) -> None:
    for number in range(8):
        write(vault, f"{number}.md", f"Heron {number}\n")
    if not first:
        assert len(vault.recall("heron", limit=50).rows) == 8
        for number in range(4, 12):
            write(vault, f"{number}.md", f"Heron {number} again\n")
    command = [sys.executable, "-c", KILLED, vault.root, at[0], str(at[1])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    after = held(Vault.open(vault.root))
    shutil.rmtree(state_of(vault.root, layout.INDEX))
    assert held(Vault.open(vault.root)) == after
