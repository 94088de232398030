"""Fixtures of the tests of `memcli mcp`."""

import pytest

from memcli import Vault
from memcli.cli.context import Context
from tests.contexts import context_of


@pytest.fixture
def context(vault: Vault) -> Context:
    """What a call of the server runs in."""
    return context_of(vault)
