"""Entries for a test's vault."""

from pathlib import Path
from typing import Any

from memcli import Vault


def save(vault: Vault, text: str, **fields: Any) -> str:
    """Save an entry; its id."""
    return vault.save(vault.draft({"text": text, **fields})).id


def write(vault: Vault, path: str, text: str = "text\n") -> Path:
    """Write a file of a vault by hand."""
    file = Path(vault.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file
