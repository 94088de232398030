"""A published vault answers like its files, and holds nothing but what is shared.

It runs on a real PostgreSQL (tests/databases.py); without one its tests say so.
"""

import contextlib
import math
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memcli import Vault
from memcli.curation.entities import listing as entities
from memcli.entries.text import prompt_injection
from memcli.errors import LockBusy, MemcliError, NotAllowed
from memcli.recall import listing
from memcli.recall.query import from_words
from memcli.recall.results import Recalled
from memcli.search.postgres import connection, engine, publisher
from memcli.storage import known_vaults
from memcli.storage.known_vaults import KnownVault
from memcli.vault import publishing
from tests import databases, processes
from tests.conftest import NOW, SEED, VaultMaker
from tests.git_command import git
from tests.properties.conftest import AGENTS, commit, publish
from tests.properties.test_index_equality import _FIELDS, QUESTIONS, WORDS, page
from tests.saving import configure, write

pytestmark = pytest.mark.slow


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, numbers to nine digits."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def plain(answer: Recalled) -> Recalled:
    """An answer as of others' vault, which tells no order to the model, without the
    name of the vault that gave it."""
    doubt = prompt_injection.of_entry
    rules = [
        r for r in answer.constraints if not doubt(r.title, r.text, "team:company")
    ]
    told = (answer.rows, rules)
    bare = [[r._replace(source="") for r in rows] for rows in told]
    return answer._replace(rows=bare[0], constraints=bare[1], warnings=[])


def answers(vault: Vault) -> Iterator[Recalled]:
    """What a vault says to questions of every kind."""
    for text in QUESTIONS:
        yield vault.recall(text, explain=True, budget="high")
    past: Any = {"history": True, "statuses": ["resolved", "expired"], "limit": 3}
    yield vault.recall(from_words("deploy friday queue", NOW, explain=True, **past))
    yield vault.recall("friday", explain=True)
    yield vault.recall("deploy", kinds=["note", "fix"], tags=["deploy"])
    yield vault.recall("café", entities=["Friday", "robot", "fryday"])
    yield vault.recall("what about friday in may 2023", explain=True)
    yield vault.recall("friday", after="90d")
    yield vault.recall("zzz qqqq deploi", explain=True)


def assert_alike(files: Vault, published: Vault) -> None:
    for one, other in zip(answers(files), answers(published), strict=True):
        assert same(plain(one), plain(other)), f"{SEED=} {one.query}"
    assert entities.listed(files) == entities.listed(published)
    query = from_words("", NOW, limit=10**6)
    here, there = listing.listed(files, query), listing.listed(published, query)
    assert here.total == there.total
    assert [r._replace(source="") for r in here.rows] == [
        r._replace(source="") for r in there.rows
    ]
    found, said = files.reflect("deploy friday"), published.reflect("deploy friday")
    assert (found.answer, found.confidence_why) == (said.answer, said.confidence_why)


FIELDS = {
    **{name: list(values) for name, values in _FIELDS.items()},
    "tags": ["[deploy]", "[x, queue]", "[broken"],
    "supersedes": ["'0000000000000003'"],
    "evidence": ["['0000000000000004', '0000000000000005']"],
    "project": ["github.com/acme/shop"],
}


def drawn(chance: random.Random, fields: dict[str, list[str]], number: int) -> str:
    """A file: a plain note, or an entry with some fields."""
    text = " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))
    text += chance.choice(("", "\n", "?\n", " [[a]]\n", " \0 \n"))
    if chance.random() < 0.2 and fields is FIELDS:
        return text
    chosen = chance.sample(sorted(fields), chance.randint(0, min(7, len(fields))))
    return page(text, number, **{name: chance.choice(fields[name]) for name in chosen})


def fill(vault: Vault, chance: random.Random) -> None:
    """Files whose evidence and earlier versions are among them."""
    for number in range(30):
        write(vault.root, f"n{number % 3}/{number}.md", drawn(chance, FIELDS, number))
    vault.save(vault.draft({"text": "The Deploy Bot waits", "entities": ["Robot"]}))


def test_a_published_vault_answers_like_its_files_after_any_changes(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    chance = random.Random(SEED)
    vault = make_vault()
    fill(vault, chance)
    for name in ("n0/0.md", "n1/1.md"):
        write(vault.root, name, f"The first queue of {name}")
    first = publish(server, database, vault)
    published = company()
    assert first.entries == vault.read(lambda r: r.live)
    assert_alike(vault, published)
    Path(vault.root, "n1/1.md").unlink()
    write(vault.root, "n2/new.md", "A new queue on friday")
    write(vault.root, "n0/0.md", page("changed friday", 0))
    assert publish(server, database, vault).entries == first.entries
    assert_alike(vault, published)


def dump(server: databases.Server, database: str) -> str:
    """All that is in the tables of a database, also what is packed."""
    import zlib

    found = []
    tables = server.execute(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'memcli%'",
        database,
    )
    for schema, table in tables:
        for row in server.execute(f"SELECT * FROM {schema}.{table}", database):
            for value in row:
                data = bytes(value) if isinstance(value, (bytes, memoryview)) else b""
                found.append(repr(data or value))
                if table == "doc" and data[:1] == b"x":
                    with contextlib.suppress(zlib.error):  # a checksum begins so, too
                        found.append(repr(zlib.decompress(data)))
    return "\n".join(found)


def test_nothing_that_is_not_shared_is_in_the_database(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    """And the rest answers as if it had never been there."""
    vault, bare = make_vault("whole"), make_vault("bare")
    chance = random.Random(SEED)
    for number in range(20):
        text = drawn(chance, FIELDS, number).replace("[broken", "[x]")
        for one in (vault, bare):
            write(one.root, f"{number}.md", text)
    secret = "wombat"
    for number, fields in enumerate(
        [{"visibility": "private"}, {"visibility": "group", "groups": "[red]"}]
    ):
        for status in ("active", "resolved"):
            name = 100 + 10 * number + (status == "resolved")
            text = page(
                f"The {secret} deploys on friday", name, status=status, **fields
            )
            write(vault.root, f"{secret}/{name}.md", text)
    named = {"supersedes": "'0000000000000100'", "evidence": "['0000000000000110']"}
    write(vault.root, "named.md", page("the queue rests", 90, **named))
    write(bare.root, "named.md", page("the queue rests", 90))
    entity = "---\nid: '0000000000000200'\nname: {0}\ntype: person\n{1}---\n"
    for who, more in ((secret, "visibility: private\n"), ("Ada Lovelace", "")):
        write(vault.root, f"entities/person/{who}.md", entity.format(who, more))
    write(
        bare.root, "entities/person/Ada Lovelace.md", entity.format("Ada Lovelace", "")
    )
    with Path(vault.root, ".memcli/config.toml").open("a") as config:
        config.write(AGENTS)
    publish(server, database, vault)
    held = dump(server, database)
    for mark in (secret, *(f"0000000000000{n}" for n in (100, 101, 110, 111))):
        assert mark not in held
    assert "friday" in held
    assert_alike(bare, company())


def test_a_reader_may_look_and_nothing_else(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    vault = make_vault()
    write(vault.root, "a.md", "The queue of the company")
    publish(server, database, vault)
    assert len(company("ada").recall("queue").rows) == 1
    ((schema,),) = server.execute("SELECT schema FROM memcli.vault", database)
    for statement in (
        f"DELETE FROM {schema}.doc",
        f"INSERT INTO {schema}.page VALUES ('x', 'x')",
        "UPDATE memcli.vault SET commit = 'x'",
        "CREATE TABLE memcli.mine (id INT)",
        "INSERT INTO memcli.vault SELECT * FROM memcli.vault",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            server.execute(statement, database, "ada")
    functions = (
        "SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON p.pronamespace = "
    )
    functions += "n.oid WHERE n.nspname LIKE 'memcli%'"
    assert server.execute(functions, database) == [(0,)]
    server.execute("CREATE ROLE stranger LOGIN")
    with pytest.raises(NotAllowed, match="refuses this to its user"):
        company("stranger").recall("queue")


def test_an_answer_that_has_begun_ends_with_the_commit_that_it_began_with(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    vault = make_vault()
    write(vault.root, "a.md", "The queue is red")
    publish(server, database, vault)
    published = company()

    def texts(reader: Any) -> list[str]:
        return [reader.row(doc).text for doc in reader.exact("kind", "note")]

    def later(text: str) -> None:
        write(vault.root, "a.md", text)
        publish(server, database, vault)

    def slowly(reader: Any) -> list[str]:
        docs = reader.exact("kind", "note")
        if not turned:
            later("The queue is blue")
            turned.append(None)
        return [reader.row(doc).text for doc in docs]

    turned: list[None] = []
    assert published.read(slowly) == ["The queue is red"]
    assert published.read(texts) == ["The queue is blue"]

    def very_slowly(reader: Any) -> list[str]:
        if len(turned) == 1:
            for text in ("green", "white", "black"):
                later(text)
                turned.append(None)
        return [reader.row(doc).text for doc in reader.exact("status", "active")]

    # Its tables are gone by then: it begins once more.
    assert published.read(very_slowly) == ["black"]


def test_a_publish_that_dies_or_comes_beside_another_changes_nothing(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vault = make_vault()
    write(vault.root, "a.md", "The queue is red")
    publish(server, database, vault)
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'memcli%' ORDER BY 1"
    before = server.execute(schemas, database)
    write(vault.root, "a.md", "The queue is blue")
    asked = connection.Database.ask
    calls: list[str] = []

    def dying(self: Any, sql: str, values: Any = ()) -> Any:
        calls.append(sql)
        if len(calls) == last and "COMMIT" not in calls[:-1]:
            self.close()
            raise KeyboardInterrupt
        return asked(self, sql, values)

    monkeypatch.setattr(connection.Database, "ask", dying)
    last, ended = 4, False
    while not ended:
        calls.clear()
        try:
            publish(server, database, vault)
            ended = True
        except KeyboardInterrupt:
            assert server.execute(schemas, database) == before
            last += 3
    monkeypatch.setattr(connection.Database, "ask", asked)
    assert len(calls) > 15
    assert [row.text for row in company().recall("queue").rows] == ["The queue is blue"]
    content = publisher.Content("company", "x")
    other = connection.Database(server.url(database), patience=None)
    write(vault.root, "a.md", "The queue is green")
    with (
        publisher.Publisher(other, content).turn(),
        pytest.raises(LockBusy, match="being published by another process"),
    ):
        publish(server, database, vault)


def test_a_commit_that_comes_late_is_not_published_over_a_newer_one(
    server: databases.Server, database: str, make_vault: VaultMaker
) -> None:
    vault = make_vault()
    write(vault.root, "a.md", "The queue is red")
    commit(vault.root)
    old = git(vault, "rev-parse", "HEAD").strip()
    write(vault.root, "a.md", "The queue is blue")
    publish(server, database, vault)
    newer = git(vault, "rev-parse", "HEAD").strip()
    git(vault, "reset", "-q", "--hard", old)
    place = KnownVault("company", "", "ro", engine=server.url(database))
    assert publishing.publish(vault, place).newer == newer
    assert publishing.publish(vault, place, force=True).newer is None
    assert publishing.publish(vault, place, dry_run=True).entries == 1


def test_what_is_not_there_or_of_another_version_is_said(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(MemcliError, match="holds no vault 'company'"):
        company()
    vault = make_vault()
    publish(server, database, vault)
    assert company().recall("queue").rows == []
    monkeypatch.setattr(engine, "version", lambda: "other")
    with pytest.raises(MemcliError, match="published by another version"):
        company()


def test_each_command_works_or_says_where_to_do_it(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    team = make_vault()
    write(team.root, "a.md", page("The queue of the company", 0))
    publish(server, database, team)
    with pytest.raises(NotAllowed, match="'company' is answered by") as refusal:
        company().save(company().draft({"text": "Something new"}))
    assert "clone" in (refusal.value.hint or "")
    known_vaults.set_default_vault(team.root, os.environ)
    for words, code, said in (
        (("doctor", "--vault", "company"), 0, b"a database answers for it"),
        (("inspect", "vaults"), 0, b"company"),
        (("undo", "--vault", "company"), 1, b"in a clone of"),
        (("__complete", "zsh", "--vault", "company", "list", "--kind", "n"), 0, b"not"),
    ):
        done = processes.run(*words)
        assert done.returncode == code, (words, done)
        assert said in done.stdout + done.stderr, (words, done)


def test_a_database_that_hangs_costs_a_person_seconds_and_is_named(
    home: Path, make_vault: VaultMaker
) -> None:
    known_vaults.set_default_vault(make_vault("own").root, os.environ)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes every connection
        port = silent.getsockname()[1]
        url = f"postgresql://admin@127.0.0.1:{port}/d"
        configure(home, f'[vaults.company]\nengine = "{url}"\n')
        start = time.monotonic()
        offered = processes.run("__complete", "zsh", "--vault", "company", "show", "1m")
        assert (offered.stdout, time.monotonic() - start < 6) == (b"", True)
        assert processes.run("show", "1m7xvn68").returncode == 1
