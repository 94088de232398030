"""A vault that is not at its place is answered with what helps where it was named."""

from pathlib import Path

import pytest

from memcli.errors import VaultNotFound
from memcli.storage import known_vaults


def hint(word: str | None, environ: dict[str, str]) -> str:
    with pytest.raises(VaultNotFound) as refusal:
        known_vaults.place_of(word, environ)
    return refusal.value.hint or ""


def test_the_hint_says_what_helps_where_the_vault_was_named(tmp_path: Path) -> None:
    gone, home = str(tmp_path / "gone"), {"HOME": str(tmp_path)}
    assert hint(gone, home) == f"Create it with: memcli init {gone}"
    named = {**home, "MEMCLI_VAULT": gone}
    assert hint(None, named).startswith("MEMCLI_VAULT names it; create it with: ")
    known_vaults.set_default_vault(gone, home)
    assert hint(None, home) == (
        "If it was moved: memcli config set default-vault PATH; "
        f"else create it with: memcli init {gone}"
    )
