"""Fixtures of the tests of `memcli mcp`."""

import pytest

from memcli import Vault
from memcli.cli.context import Context


@pytest.fixture
def context(vault: Vault) -> Context:
    """What a call of the server runs in."""
    return Context(
        environ={},
        now_ms=vault.now_ms,
        entropy=vault.entropy,
        read_stdin=bytes,
        stdin_is_terminal=False,
        ask=lambda _: None,
        tell=lambda _: None,
        progress=lambda _: None,
        vault=vault.root,
        json=True,
    )
