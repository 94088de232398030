"""Entries for a test's vault."""

from typing import Any

from memcli import Vault


def save(vault: Vault, text: str, **fields: Any) -> str:
    """Save an entry; its id."""
    return vault.save(vault.draft({"text": text, **fields})).id
