"""A vault in a database, through the commands: each works, or says where to do it."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.errors import NotAllowed
from memcli.recall.query import Filters
from memcli.storage import known_vaults
from memcli.storage.known_vaults import KnownVault
from memcli.vault import publishing
from tests import databases, processes
from tests.conftest import VaultMaker
from tests.properties.conftest import publish
from tests.properties.test_index_equality import write

pytestmark = pytest.mark.slow


@pytest.fixture
def team(server: databases.Server, database: str, make_vault: VaultMaker) -> Vault:
    """A published vault."""
    vault = make_vault()
    head = "---\nid: '0000000000000000'\n---\n"
    write(vault.root, "a.md", f"{head}The queue of the company")
    publish(server, database, vault)
    return vault


def test_what_needs_files_is_refused_with_where_to_do_it(
    company: Callable[..., Vault], team: Vault
) -> None:
    from memcli.curation import exporting, sync
    from memcli.vault.health import log, overview
    from memcli.vault.health.lint import lint

    published = company()
    place = KnownVault("other", "", "ro", engine="postgresql:///x")
    acts: tuple[Callable[[], object], ...] = (
        lambda: published.save(published.draft({"text": "Something new"})),
        lambda: published.get("0000000000000000"),
        lambda: overview.overview(published),
        lambda: overview.index_facts(published),
        lambda: lint(published),
        lambda: log.log(published),
        lambda: sync.sync(published, sync.Terms()),
        lambda: exporting.entries(published, Filters(), current=False),
        lambda: publishing.publish(published, place),
    )
    for act in acts:
        with pytest.raises(NotAllowed, match="'company' is answered by") as refusal:
            act()
        assert "clone" in (refusal.value.hint or "")


def test_each_command_works_or_says_where_to_do_it(
    company: Callable[..., Vault], team: Vault, home: Path
) -> None:
    company()
    known_vaults.set_default_vault(team.root, os.environ)
    for words, code, said in (
        (("doctor", "--vault", "company"), 0, b"a database answers for it"),
        (("sync", "--all"), 0, b"company: 'company' is answered by"),
        (("inspect", "vaults", "--vault", "company"), 0, b"company"),
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
        config = home / ".config" / "memcli" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        url = f"postgresql://admin@127.0.0.1:{port}/d"
        config.write_text(f'[vaults.company]\nengine = "{url}"\n')
        start = time.monotonic()
        offered = processes.run("__complete", "zsh", "--vault", "company", "show", "1m")
        assert (offered.stdout, time.monotonic() - start < 2.5) == (b"", True)
        shown = processes.run("show", "1m7xvn68")
        assert shown.returncode == 1
        assert b"team:company was not asked" in shown.stderr
