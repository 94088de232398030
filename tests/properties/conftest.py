"""Vaults for the tests of this folder: one of each sort of entry, one published."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.storage.git import commit as commits
from memcli.storage.known_vaults import KnownVault
from memcli.vault import publishing
from tests import databases
from tests.conftest import NOW, isolated_environment
from tests.git_command import git
from tests.saving import configure

AGENTS = """
[agents.ada]
policy = "shared"
[agents.ben]
policy = "group"
groups = ["red"]
[agents.cleo]
policy = "group"
groups = ["blue", "red"]
[agents."Ops Bot"]
"""
NAMES = ("ada", "ben", "cleo", "Ops Bot", "nobody")


@pytest.fixture(scope="module")
def full(ready_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with an entry of each sort that an operation changes."""
    from tests.properties.test_kill_lifecycle import fill

    root = tmp_path_factory.mktemp("full") / "vault"
    shutil.copytree(ready_vault, root)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in isolated_environment(root.parent).items():
            patch.setenv(name, value)
        fill(root)  # as the author of the tests
    return root


@pytest.fixture(scope="session")
def server() -> Iterator[databases.Server]:
    with databases.server() as running:
        for name in NAMES:
            running.execute(f'CREATE ROLE "{name}" LOGIN')
        running.execute("CREATE ROLE memcli_reader")
        every = ", ".join(f'"{name}"' for name in NAMES)
        running.execute(f"GRANT memcli_reader TO {every}")
        yield running


_databases = iter(range(1_000_000))


@pytest.fixture
def database(server: databases.Server) -> Iterator[str]:
    """A fresh database, prepared; its name."""
    name = f"vaults{next(_databases)}"
    server.execute(f"CREATE DATABASE {name}")
    yield name
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def company(server: databases.Server, database: str, home: Path) -> Callable[..., Any]:
    """Names the database in the user's config, and opens the vault in it."""

    def opened(user: str = "admin", **options: Any) -> Vault:
        url = server.url(database, user)
        configure(home, f'[vaults.company]\nengine = "{url}"\n')
        return Vault.open("company", now_ms=lambda: NOW * 1000, **options)

    return opened


def commit(root: Path | str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")


def publish(server: databases.Server, database: str, vault: Vault) -> Any:
    commit(vault.root)
    place = KnownVault("company", "", "ro", engine=server.url(database))
    publishing.initialise(place)
    return publishing.publish(vault, place)


@pytest.fixture(autouse=True)
def _no_garbage_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit's id decides about it: two runs would call git more or less often."""
    monkeypatch.setattr(commits, "_GC_SAMPLE", "-")
