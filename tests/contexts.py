"""The world of a command that a test runs in its own process."""

import os
from typing import Any

from memcli import Vault
from memcli.cli.context import Context


def context_of(vault: Vault, **changes: Any) -> Context:
    """What a command on this vault runs in: nobody to ask, JSON, the vault's clock.

    Args:
        vault: names the vault, and gives its clock and its ids.
        changes: fields of `Context` that this test needs to be different.
    """
    usual = Context(
        environ=os.environ,
        now_ms=vault.now_ms,
        entropy=vault.caller.entropy,
        read_stdin=bytes,
        stdin_is_terminal=False,
        ask=lambda _: None,
        tell=lambda _: None,
        progress=lambda _: None,
        vault=vault.root,
        json=True,
    )
    return usual._replace(**changes)


def at_terminal(vault: Vault, **changes: Any) -> Context:
    """The same for a person who sits at a terminal and may be asked."""
    return context_of(vault, stdin_is_terminal=True, json=False, **changes)
