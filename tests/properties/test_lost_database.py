"""A database that ends in the middle of an answer takes no other vault with it."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memcli import Vault, Vaults
from memcli.errors import Unavailable
from memcli.recall import listing, recall, reflect
from memcli.recall.query import from_words
from memcli.recall.reflect import Reflection
from memcli.search.postgres.connection import Database
from memcli.sessions.hooks import tell
from memcli.storage import known_vaults
from memcli.vault.vault import Vault as AnyVault
from tests import databases
from tests.conftest import NOW, VaultMaker
from tests.properties.conftest import publish
from tests.saving import configure, write

pytestmark = pytest.mark.slow

_QUERY = from_words("queue", NOW)
ASKED: dict[str, Callable[[Vaults], Any]] = {
    "recall": lambda vaults: recall.recall(vaults, _QUERY),
    "reflect": lambda vaults: reflect.reflect(vaults, _QUERY),
    "list": lambda vaults: listing.listed(vaults, _QUERY),
}

Ending = Callable[[int], list[int]]


@pytest.fixture
def own(
    make_vault: VaultMaker, home: Path, server: databases.Server, database: str
) -> Vault:
    """The vault of a user who has one in a database, too."""
    own, published = make_vault("own"), make_vault("team")
    own.save("Our queue is short")
    write(published.root, "a.md", "The queue of the company")
    write(published.root, "b.md", "Another queue of the company")
    publish(server, database, published)
    configure(home, f'[vaults.company]\nengine = "{server.url(database)}"\n')
    known_vaults.set_default_vault(own.root, os.environ)
    return own


@pytest.fixture
def ends_at(
    server: databases.Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> Ending:
    """Lets the database end at the n-th round trip; gives the list of those made."""
    ask = Database._ask
    state = SimpleNamespace(last=0, made=[])

    def counted(self: Database, sql: str, values: Any) -> Any:
        state.made.append(len(state.made) + 1)
        if len(state.made) == state.last:
            server.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS false")
            server.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                f"WHERE datname = '{database}'"
            )
        return ask(self, sql, values)

    def ends(number: int) -> list[int]:
        server.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS true")
        state.last, state.made = number, []
        made: list[int] = state.made
        return made

    monkeypatch.setattr(Database, "_ask", counted)
    return ends


def told(answer: Any) -> list[tuple[str, str]]:
    """The (source, text) of each row, or of each fact of a reflection."""
    rows = answer.facts if isinstance(answer, Reflection) else answer.rows
    return [(row.source, row.text) for row in rows]


def vaults() -> Vaults:
    return Vaults.open(now_ms=lambda: NOW * 1000)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.usefixtures("own")
def test_other_vaults_answer_wherever_the_database_ends(
    ends_at: Ending, asked: Callable[[Vaults], Any]
) -> None:
    ends_at(0)
    whole = told(asked(vaults()))
    alone = [pair for pair in whole if pair[0] == "personal"]
    assert (len(whole), len(alone)) == (3, 1)
    left_out = 0
    for number in (1, 3, 5):
        ends_at(0)
        both = vaults()
        made = ends_at(number)
        answer = asked(both)
        if len(made) < number:
            break
        if answer.warnings:
            left_out += 1
            assert told(answer) == alone
            assert len(answer.warnings) == 1
            assert answer.warnings[0].startswith("team:company was not asked: ")
            assert "cannot be asked" in answer.warnings[0]
        else:  # it had answered before it ended
            assert told(answer) == whole
    assert left_out


@pytest.mark.usefixtures("own")
def test_who_names_the_vault_gets_the_error(ends_at: Ending) -> None:
    both = Vaults.open("personal", "company", now_ms=lambda: NOW * 1000)
    ends_at(2)
    with pytest.raises(Unavailable, match="cannot be asked"):
        recall.recall(both, _QUERY)


def test_hooks_leave_it_out_and_say_why(own: Vault, ends_at: Ending) -> None:
    place = known_vaults.configured(os.environ)["company"]
    own.read(lambda reader: reader.size)

    def texts(_: AnyVault, reader: Any) -> list[str]:
        return [reader.row(doc).text for doc in reader.exact("kind", "note")]

    ends_at(0)
    until = time.monotonic() + 30
    (told,), _ = tell.ask([place], texts, own=own, until=until)
    assert len(told) == 2
    ends_at(3)
    answers, silent = tell.ask([place], texts, own=own, until=until)
    assert answers == []
    assert "cannot be asked" in silent["team:company"]
