"""A vault whose clock runs, and hooks whose detached work is written down instead."""

import pytest

from memcli import Vault
from memcli.sessions.hooks import pipe
from tests.conftest import VaultMaker


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    # Hooks set it for what they start; at the end it is as it was.
    monkeypatch.setenv("MEMCLI_AGENT", "")


@pytest.fixture
def live(make_vault: VaultMaker, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """The vault that the environment names."""
    vault = make_vault(now_ms=None)
    monkeypatch.setenv("MEMCLI_VAULT", vault.root)
    return vault


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The flags of each process that would have been started."""
    found: list[list[str]] = []

    def detached(_root: str, *flags: str) -> str:
        found.append(list(flags))
        return "started a process of its own"

    monkeypatch.setattr(pipe, "start", detached)
    return found
