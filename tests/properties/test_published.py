"""A published vault answers like its files: same rows, same order, to nine digits.

It runs on a real PostgreSQL (tests/databases.py); without one its tests say so.
"""

import contextlib
import math
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault, Vaults
from memcli.curation.entities import listing as entities
from memcli.curation.entities import waiting
from memcli.errors import LockBusy, NotAllowed, Unavailable
from memcli.recall import listing
from memcli.recall.query import Filters, Query, view_of
from memcli.recall.recall import enumerate_all
from memcli.recall.results import Recalled
from memcli.search.postgres import tables
from memcli.storage import known_vaults
from memcli.storage.known_vaults import KnownVault
from memcli.vault import publishing
from tests import databases
from tests.conftest import NOW, VaultMaker, sample
from tests.git_command import git
from tests.properties.conftest import AGENTS, NAMES, commit, publish
from tests.properties.test_index_equality import QUESTIONS, page, write

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
    """An answer without the name of the vault that gave it."""
    bare = [[r._replace(source="") for r in rows] for rows in answer[1:3]]
    return answer._replace(rows=bare[0], constraints=bare[1])


def answers(vault: Vault) -> Iterator[Recalled]:
    """What a vault says to questions of every kind."""
    for text in QUESTIONS:
        yield vault.recall(text, explain=True, budget="high")
    past = view_of(NOW, history=True, statuses=["resolved", "expired"])
    past = past._replace(agent=vault.agent)
    yield vault.recall("deploy friday queue", limit=3, explain=True, view=past)
    yield vault.recall("friday", depth=2, explain=True)
    yield vault.recall("deploy", depth=0)
    yield vault.recall(
        "deploy", filters=Filters(kinds=("note", "fix"), tags=("deploy",))
    )
    yield vault.recall("café", filters=Filters(entities=("Friday", "robot", "fryday")))
    yield vault.recall("what about friday in may 2023", explain=True)
    yield vault.recall("what happened last week?")
    yield vault.recall("friday", filters=Filters(after=NOW - 90 * 86_400))
    yield vault.recall("zzz qqqq deploi", explain=True)
    yield enumerate_all(vault, Query("", view_of(NOW)._replace(agent=vault.agent)))


def names(vault: Vault) -> Any:
    """The entities that a vault mentions, and the names that wait in it."""
    return entities.listed(vault), waiting.candidates(vault)


def differing(one: Any, other: Any, where: str = "") -> str:
    """Where two answers differ, and what is there."""
    nested = type(one) is type(other) and isinstance(one, (list, tuple, dict))
    if nested and len(one) == len(other):
        keys = one if isinstance(one, dict) else range(len(one))
        names = getattr(one, "_fields", keys)
        told = (
            differing(one[k], other[k], f"{where}.{name}")
            for name, k in zip(names, keys, strict=True)
            if not same(one[k], other[k])
        )
        return "; ".join(told)
    return f"{where}: {one!r} here, {other!r} there"


def assert_alike(files: Vault, published: Vault) -> None:
    for one, other in zip(answers(files), answers(published), strict=True):
        assert same(plain(one), plain(other)), differing(plain(one), plain(other))
    assert names(files) == names(published)
    query = Query("", view_of(NOW)._replace(agent=files.agent))
    for by in ("", "kind", "tag"):
        wish = listing.Wish(query, by=by)
        here, there = listing.listed(files, wish), listing.listed(published, wish)
        assert here.total == there.total
        assert [row.id for row in here.rows] == [row.id for row in there.rows]
    for question in ("deploy friday", "queue"):
        found, said = files.reflect(question), published.reflect(question)
        assert found.answer == said.answer
        assert found.confidence_why == said.confidence_why
        assert found.superseded_excluded == said.superseded_excluded


WORDS = ("deploy", "deployed", "friday", "parseArgs", "café", "東京都", "the", "queue")
FIELDS = {
    "kind": ["note", "constraint", "fix"],
    "layer": ["observation"],
    "status": ["active", "resolved", "superseded"],
    "title": ["Friday rules", "Café"],
    "created": ["2026-11-20T10:00:00Z", "2025-01-02T03:04:05Z"],
    "occurred_at": ["2023", "2023-05", "2023-05-08", "2026-11-20T09:00:00Z"],
    "tags": ["[deploy]", "[x, queue]", "[broken"],
    "entities": ["[Deploy Bot]", "[Friday]"],
    "expires_at": ["2026-01-01", "2027-01-01"],
    "pinned": ["true"],
    "agent": ["ada", "ben", "Ops Bot", "stranger"],
    "visibility": ["private", "group", "shared"],
    "groups": ["[red]", "[blue, red]"],
    "supersedes": ["'0000000000000003'"],
    "evidence": ["['0000000000000004', '0000000000000005']"],
    "project": ["github.com/acme/shop"],
    "session": ["s1", "s2"],
    "seq": ["0", "1", "2", "3"],
}
PATHS = ("a", "b", "n/a", "n/b", "n/c", "ü/d", ".x/e", "README", "m/1", "m/2", "m/3")
ENDINGS = ("", "\n", "?\n", " [[a]]\n", " \0 \n")


def drawn(chance: random.Random) -> str:
    """A file: a plain note, or an entry with some fields."""
    text = " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))
    text += chance.choice(ENDINGS)
    if chance.random() < 0.2:
        return text
    names = chance.sample(sorted(FIELDS), chance.randint(0, 7))
    fields = {name: chance.choice(FIELDS[name]) for name in names}
    return page(text, chance.randint(0, 9), **fields)


def test_most_matches_of_a_long_list_are_never_looked_at(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memcli.search.postgres import levels, limits

    monkeypatch.setattr(levels, "LEVELED", 2)
    monkeypatch.setattr(limits, "FLAT", 0)
    monkeypatch.setattr(limits, "TOTAL", 0)
    monkeypatch.setattr(Query, "pool", 4)
    vault, chance = make_vault(), random.Random(3)
    rare = ["redis", "slow", "token", "queue"]
    for number in range(250):
        words = chance.choices(["the", "deploy", "friday"], k=chance.randint(2, 30))
        words += chance.sample(rare, chance.choice([0, 0, 0, 1, 1, 2, 3]))
        fields = {"kind": chance.choice(["note", "fix"])}
        if number % 3 == 0:
            fields |= {"session": f"s{number // 10}", "seq": str(number % 10)}
        write(vault.root, f"n{number}.md", page(" ".join(words), number, **fields))
    publish(server, database, vault)
    published = company()
    looked: list[int] = []
    whole: list[str] = []
    placed, postings = tables.Tables.placed, tables.Tables.postings

    def noted(self: tables.Tables, places: Any) -> list[int]:
        docs = placed(self, places)
        looked.append(len(docs))
        return docs

    def read(self: tables.Tables, field: str, term: str) -> Any:
        whole.append(term)
        return postings(self, field, term)

    monkeypatch.setattr(tables.Tables, "placed", noted)
    monkeypatch.setattr(tables.Tables, "postings", read)
    for question, filters in (
        ("deploy the redis token", Filters()),
        ("slow queue on friday", Filters()),
        ("slow qeue on friday", Filters()),
        ("redis friday", Filters(kinds=("fix",))),
        ("deploy", Filters(kinds=("note",))),
    ):
        looked.clear()
        whole.clear()
        here = vault.recall(question, filters=filters, explain=True)
        there = published.recall(question, filters=filters, explain=True)
        assert same(plain(here), plain(there))
        assert not whole, "every match was read"
        assert 0 < max(looked) < 150


@pytest.fixture(params=["short lists", "long lists"])
def lists(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists as a small vault has them, or as if each were one of a large vault."""
    from memcli.search.postgres import levels, limits

    if request.param == "long lists":
        # So few get the closer look that most need none.
        monkeypatch.setattr(Query, "pool", 4)
        monkeypatch.setattr(levels, "LEVELED", 2)
        monkeypatch.setattr(limits, "FLAT", 0)
        monkeypatch.setattr(limits, "TOTAL", 0)


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("seed", sample(range(100), 1))
def test_a_published_vault_answers_like_its_files(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
    seed: int,
) -> None:
    chance, vault = random.Random(seed), make_vault()
    write(vault.root, ".memcli/config.toml", AGENTS)
    bot = "---\ntitle: Deploy Bot\naliases: [robot]\n---\n"
    write(vault.root, "entities/tool/bot.md", bot)
    for _ in range(3):
        for path in chance.sample(PATHS, 8):
            if chance.random() < 0.8:
                write(vault.root, f"{path}.md", drawn(chance))
            else:
                Path(vault.root, f"{path}.md").unlink(missing_ok=True)
        publish(server, database, vault)
    assert_alike(make_vault(), company())
    for agent in sample(NAMES, 2):
        files = make_vault(agent=agent)
        assert_alike(files, company(agent=agent))
        if agent != "nobody":  # the role that has the agent's name is that agent
            assert_alike(files, company(agent))


def test_a_recall_asks_the_database_at_most_six_times(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    vault, chance = make_vault(), random.Random(1)
    for number in range(300):
        fields = {"session": f"s{number // 10}", "seq": str(number % 10)}
        words = " ".join(chance.choices([*WORDS, "Redis", "slow", "token"], k=12))
        fields["kind"] = chance.choice(["note", "constraint"])
        write(vault.root, f"n{number}.md", page(words, number, **fields))
    publish(server, database, vault)
    published = company()
    engine: Any = published.index.opened
    for question in ("deploy friday", "slow redis token", "queue café parseArgs"):
        before = engine.round_trips
        answer = published.recall(question)
        assert answer.rows
        assert engine.round_trips - before <= 6
        assert same(plain(answer), plain(vault.recall(question)))


def test_a_reader_that_stays_sees_what_was_published_since_its_last_question(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    vault = make_vault()
    write(vault.root, "a.md", "The robot deploys\n")
    publish(server, database, vault)
    published = company()
    assert [row.path for row in published.recall("robot").rows] == ["a.md"]
    write(vault.root, "b.md", "A robot sleeps\n")
    write(vault.root, "entities/tool/bot.md", "---\ntitle: Bot\naliases: [tin]\n---\n")
    write(vault.root, "c.md", "---\nentities: [Bot]\n---\nIt hums\n")
    publish(server, database, vault)
    assert {row.path for row in published.recall("robot").rows} == {"a.md", "b.md"}
    Path(vault.root, "a.md").unlink()
    publish(server, database, vault)
    # The name comes out of the registry, which is written anew for another commit.
    assert [row.path for row in published.recall("tin").rows] == ["c.md"]
    assert [row.path for row in published.recall("robot").rows] == ["b.md"]


def test_a_reader_between_two_answers_holds_no_transaction_and_mixes_no_commits(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    vault = make_vault()
    write(vault.root, "a.md", "The robot deploys\n")
    publish(server, database, vault)
    published = company()
    held = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memcli' "
    held += "AND xact_start IS NOT NULL"

    def rests() -> bool:
        return any(server.execute(held) == [(0,)] for _ in range(100))

    assert rests()  # after it was opened
    assert published.recall("robot").rows
    assert rests()
    write(vault.root, "b.md", "A robot sleeps\n")
    publish(server, database, vault)
    # What the last answer was made of is no longer there: it is looked at anew.
    found = published.index.opened.again(
        lambda reader: len(reader.postings("robot")[0])
    )
    assert found == 1
    assert rests()
    with pytest.raises(ZeroDivisionError):
        published.read(lambda reader: len(reader.postings("robot")[0]) / 0)
    assert rests()
    assert len(published.recall("robot").rows) == 2


# --- publishing -----------------------------------------------------------------------


def everything_of(server: databases.Server, database: str) -> list[Any]:
    """All rows that readers may get, without times."""
    return [
        sorted(map(repr, server.execute(f"SELECT * FROM memcli.{table}", database)))
        for table in ("access", "counts", "documents", "lists", "pages", "sees")
    ]


def test_publishing_again_and_in_another_order_gives_the_same_tables(
    server: databases.Server, database: str, make_vault: VaultMaker
) -> None:
    chance, vault = random.Random(7), make_vault()
    write(vault.root, ".memcli/config.toml", AGENTS)
    for _ in range(3):
        for path in chance.sample(PATHS, 7):
            write(vault.root, f"{path}.md", drawn(chance))
        done = publish(server, database, vault)
    before = everything_of(server, database)
    again = publish(server, database, vault)
    assert (again.added, again.changed, again.removed) == (0, 0, 0)
    assert everything_of(server, database) == before
    assert done.entries == again.entries
    server.execute("DELETE FROM memcli.vaults", database)
    for table in ("access", "counts", "documents", "lists", "pages", "sees", "broken"):
        server.execute(f"DELETE FROM memcli.{table}", database)
    server.execute("ALTER TABLE memcli.vaults ALTER vault RESTART", database)
    publish(server, database, vault)
    assert everything_of(server, database) == before


def test_texts_that_postgresql_does_not_take_as_text_are_published(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
) -> None:
    vault = make_vault()
    odd = Path(vault.root, "memories").joinpath(
        b"bad\xff.md".decode(errors="surrogateescape")
    )
    odd.parent.mkdir(exist_ok=True)
    odd.write_text("A zebra with half a pair")
    write(vault.root, "nul.md", "A zebra \0 with a NUL")
    write(
        vault.root, "long.md", f"---\ntags: [{'x' * 3000}]\n---\nA zebra {'w' * 9000}"
    )
    write(vault.root, "huge.md", "zebra " * 200_000)
    write(
        vault.root, "sql.md", "zebra'); DROP TABLE memcli.lists; -- %s %(a)s {seen} $1"
    )
    publish(server, database, vault)
    for text in ("zebra", "w" * 9000, "nul", "DROP TABLE %s", "'; --"):
        one, other = (
            vault.recall(text, explain=True),
            company().recall(text, explain=True),
        )
        assert same(plain(one), plain(other)), text
    answer = company().recall("zebra")
    assert len(answer.rows) == 4
    assert [text.partition(":")[0] for text in answer.warnings] == ["nul.md"]


class Died(BaseException):
    """Stands for a kill."""


@pytest.mark.parametrize("step", ["stage", "merge", "_settle"])
def test_a_publisher_that_dies_changes_nothing_and_the_next_one_goes_on(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    from memcli.search.postgres import merging, publisher
    from memcli.search.reading import Files

    vault = make_vault()
    write(vault.root, "a.md", "The old queue")
    publish(server, database, vault)
    before = everything_of(server, database)
    write(vault.root, "a.md", "The new queue")
    write(vault.root, "b.md", "Another queue")

    def dies(*_: Any, **__: Any) -> None:
        raise Died

    held = Files.held
    with monkeypatch.context() as patch:
        if step == "stage":  # after the first file
            patch.setattr(publisher, "_BATCH", 1)
            read: list[str] = []

            def second(self: Files, path: str, data: bytes) -> Any:
                read.append(path)
                return dies() if len(read) == 2 else held(self, path, data)

            patch.setattr(Files, "held", second)
        elif step == "merge":
            patch.setattr(merging.Merging, "merge", dies)
        else:
            patch.setattr(publisher.Publisher, "_settle", dies)
        with pytest.raises(Died):
            publish(server, database, vault)
    assert everything_of(server, database) == before
    assert [row.text for row in company().recall("queue").rows] == ["The old queue"]

    analysed: list[str] = []

    def noted(self: Files, path: str, data: bytes) -> Any:
        analysed.append(path)
        return held(self, path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Files, "held", noted)
        publish(server, database, vault)
    assert analysed == (["b.md"] if step == "stage" else [])
    assert len(company().recall("queue").rows) == 2


def test_two_vaults_and_a_publisher_in_the_way(
    server: databases.Server, database: str, make_vault: VaultMaker
) -> None:
    import psycopg

    one, other = make_vault("one"), make_vault("other")
    write(one.root, "a.md", "The queue of one")
    write(other.root, "a.md", "The queue of another")
    publish(server, database, one)
    place = KnownVault(
        "second", "", "ro", engine=server.url(database), published_as="second"
    )
    commit(other.root)
    assert publishing.publish(other, place).entries == 1
    with psycopg.connect(server.url(database)) as connection:
        connection.execute("SELECT vault FROM memcli.turns FOR UPDATE")
        with pytest.raises(LockBusy):
            publishing.publish(other, place)


def test_a_name_is_not_given_to_a_vault_of_another_history_unless_that_is_asked(
    server: databases.Server, database: str, make_vault: VaultMaker, tmp_path: Path
) -> None:
    vault, other = make_vault("one"), make_vault("other")
    write(vault.root, "a.md", "The queue of one")
    write(other.root, "b.md", "The queue of another")
    git(vault.root, "remote", "add", "origin", "https://git.acme.com/one.git")
    publish(server, database, vault)
    place = KnownVault(
        "company", "", "ro", engine=server.url(database), published_as="company"
    )
    git(other.root, "checkout", "-q", "--orphan", "new")
    commit(other.root)
    for dry_run in (True, False):
        with pytest.raises(NotAllowed, match="another vault of the name 'company'"):
            publishing.publish(other, place, dry_run=dry_run)
    # A clone without history says where it comes from, and no more.
    shallow = str(tmp_path / "shallow")
    write(vault.root, "c.md", "More of one")
    commit(vault.root)
    git(vault.root, "commit", "-q", "--allow-empty", "-m", "y")
    git("/", "clone", "-q", "--depth", "1", f"file://{vault.root}", shallow)
    cut = Vault.open(shallow)
    git(shallow, "remote", "set-url", "origin", "https://git.acme.com/two.git")
    with pytest.raises(NotAllowed, match="history is not in this clone"):
        publishing.publish(cut, place)
    git(shallow, "remote", "set-url", "origin", "https://git.acme.com/one.git")
    assert publishing.publish(cut, place).added == 1
    done = publishing.publish(other, place, unrelated=True)
    assert (done.added, done.removed, done.entries) == (1, 2, 1)
    with pytest.raises(NotAllowed, match="another vault"):
        publishing.publish(vault, place)


def test_a_publish_that_comes_late_leaves_the_newer_commit(
    server: databases.Server,
    database: str,
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two jobs of a CI: that of the older commit gets its turn after the other."""
    from memcli.search.postgres.publisher import Publisher

    vault = make_vault()
    write(vault.root, "a.md", "The queue")
    publish(server, database, vault)
    for name in ("older", "newer"):
        write(vault.root, f"{name}.md", f"The {name} queue")
        commit(vault.root)
    newer = git(vault.root, "rev-parse", "HEAD").strip()
    older = git(vault.root, "rev-parse", "HEAD~1").strip()
    place = KnownVault(
        "company", "", "ro", engine=server.url(database), published_as="company"
    )
    turn = Publisher.turn

    @contextlib.contextmanager
    def late(self: Publisher, standing: Any) -> Iterator[None]:
        monkeypatch.setattr(Publisher, "turn", turn)
        git(vault.root, "checkout", "-q", newer)
        assert publishing.publish(vault, place).newer is None
        with turn(self, standing):
            yield

    git(vault.root, "checkout", "-q", older)
    monkeypatch.setattr(Publisher, "turn", late)
    done = publishing.publish(vault, place)
    assert (done.commit, done.newer, done.added, done.entries) == (older, newer, 0, 3)
    git(vault.root, "checkout", "-q", older)
    for dry_run in (True, False):
        done = publishing.publish(vault, place, dry_run=dry_run)
        assert (done.newer, done.removed, done.entries) == (newer, 0, 3)
    done = publishing.publish(vault, place, rewritten=True)
    assert (done.newer, done.removed, done.entries) == (None, 1, 2)


def test_a_publish_asks_git_what_changed_and_not_the_database(
    server: databases.Server,
    database: str,
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memcli.search.postgres.publisher import Publisher

    vault = make_vault()
    for name in ("stays", "changes", "goes", "turns"):
        write(vault.root, f"{name}.md", f"The {name} queue")
    publish(server, database, vault)
    monkeypatch.setattr(Publisher, "known", None)
    write(vault.root, "changes.md", "The changed queue")
    write(vault.root, "sub/comes.md", "A queue that comes")
    write(vault.root, ".hidden/no.md", "No entry")
    for name in ("goes", "turns"):
        Path(vault.root, "memories", f"{name}.md").unlink(missing_ok=True)
        Path(vault.root, f"{name}.md").unlink(missing_ok=True)
    Path(vault.root, "turns.md").symlink_to("stays.md")
    done = publish(server, database, vault)
    assert (done.added, done.changed, done.removed) == (1, 1, 2)
    Path(vault.root, "turns.md").unlink()
    write(vault.root, "turns.md", "The queue again")
    done = publish(server, database, vault)
    assert (done.added, done.changed, done.removed, done.entries) == (1, 0, 0, 4)


def test_a_dry_run_takes_no_name_and_a_token_of_the_remote_is_not_published(
    server: databases.Server, database: str, make_vault: VaultMaker
) -> None:
    tried, vault = make_vault("tried"), make_vault("kept")
    write(tried.root, "a.md", "The queue")
    commit(tried.root)
    place = KnownVault(
        "company", "", "ro", engine=server.url(database), published_as="company"
    )
    publishing.initialise(place)
    assert publishing.publish(tried, place, dry_run=True).added == 1
    assert server.execute("SELECT * FROM memcli.vaults", database) == []
    # A publish that failed left this row.
    server.execute(
        "INSERT INTO memcli.vaults (name, origin, bits) VALUES ('company', 'x', 0)",
        database,
    )
    address = "https://ci:s3cr3t@gitlab/x.git?private_token=s3cr3t"
    remote = ["git", "-C", vault.root, "remote", "add", "origin", address]
    subprocess.run(remote, check=True)
    publish(server, database, vault)
    ((origin, shown),) = server.execute(
        "SELECT origin, remote FROM memcli.vaults", database
    )
    assert (len(origin), shown) == (40, "https://gitlab/x.git")


def test_of_two_files_with_one_number_the_first_is_published_and_the_other_named(
    server: databases.Server,
    database: str,
    company: Callable[..., Vault],
    make_vault: VaultMaker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memcli.search.postgres import staging

    monkeypatch.setattr(staging, "signed", lambda _: 7)  # every document's number
    vault = make_vault()
    write(vault.root, "c.md", "The queue of c")
    assert publish(server, database, vault).entries == 1
    for name in "abd":
        write(vault.root, f"{name}.md", f"The queue of {name}")
    for _ in range(2):
        done = publish(server, database, vault)
        assert (done.entries, done.broken) == (1, 3)
    rows = server.execute("SELECT path FROM memcli.documents", database)
    assert [bytes(path) for (path,) in rows] == [b"c.md"]
    said = server.execute("SELECT path, reason FROM memcli.broken", database)
    assert sorted(bytes(path) for path, _ in said) == [b"a.md", b"b.md", b"d.md"]
    assert all(b"the same number" in bytes(reason) for _, reason in said)


# --- a database that is gone, or slow -------------------------------------------------


@pytest.mark.parametrize("when", ["before a transaction", "in a stream"])
def test_a_connection_that_ends_says_that_the_database_is_gone(
    server: databases.Server, database: str, when: str
) -> None:
    from memcli.search.postgres.connection import Database

    asked = Database(server.url(database), patience=None, read_only=False)

    def end() -> None:
        ((pid,),) = asked.ask(("SELECT pg_backend_pid()", ()))[0]
        server.execute(f"SELECT pg_terminate_backend({pid})")
        seen = f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"
        while server.execute(seen):
            pass

    def run() -> None:
        if when == "before a transaction":
            end()
        with asked.transaction():
            rows = asked.streamed("SELECT generate_series(1, %s)", (9_000,))
            assert next(rows) == (1,)
            end()
            list(rows)

    with pytest.raises(Unavailable, match="cannot be asked"):
        run()
    assert asked.ask(("SELECT 1", ())) == [[(1,)]]  # over a new connection
    asked.close()


def test_local_vaults_answer_when_the_database_is_gone_or_hangs(
    server: databases.Server,
    make_vault: VaultMaker,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memcli.search.postgres import connection

    monkeypatch.setattr(connection, "CONNECT", 2)
    own, published = make_vault("own"), make_vault("team")
    own.save(own.draft({"text": "Our queue is short"}))
    write(published.root, "a.md", "The queue of the company")
    with databases.server() as second:
        second.execute("CREATE DATABASE d")
        publish(second, "d", published)
        url = second.url("d", "admin:s3cr%3At")
        config = home / ".config" / "memcli" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f'[vaults.company]\nengine = "{url}"\n')
        known_vaults.set_default_vault(own.root, os.environ)

        def asked(vaults: Vaults) -> tuple[list[str], list[str]]:
            from memcli.recall import federated

            query = Query("queue", view_of(NOW))
            answer = federated.recall(vaults, query)
            return sorted(row.source for row in answer.rows), answer.warnings

        both = Vaults.open(now_ms=lambda: NOW * 1000)
        assert asked(both) == (["personal", "team:company"], [])
        second.kill()
        for vaults in (both, Vaults.open(now_ms=lambda: NOW * 1000)):
            sources, warnings = asked(vaults)
            assert sources == ["personal"]
            assert len(warnings) == 1
            assert warnings[0].startswith(
                "team:company was not asked: postgresql://admin@"
            )
            assert "s3cr" not in warnings[0]
        second.start()
        assert asked(both)[0] == ["personal", "team:company"]
        second.hang()
        monkeypatch.setattr(connection, "PATIENCE", 0.5)
        assert asked(Vaults.open(now_ms=lambda: NOW * 1000))[0] == ["personal"]
        second.go_on()
