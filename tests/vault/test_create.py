"""Init makes any folder a vault, and changes no byte of what is there."""

import subprocess
from pathlib import Path

import pytest

from memcli.api import Vault
from memcli.errors import NotAVault
from memcli.vault import create


def test_adopting_two_hundred_notes_changes_no_byte_of_them(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    for number in range(200):
        text = f"\ufeff---\r\nfoo: bar\r\n---\r\nnote {number}\r\n"
        (root / f"{number}.md").write_bytes(text.encode())
    before = {path.name: path.read_bytes() for path in root.glob("*.md")}
    made = create.prepare(str(root))
    assert (made.outcome, made.notes) == ("adopted", 200)
    assert len(Vault(str(root)).recall("note", limit=300).rows) == 200
    assert {path.name: path.read_bytes() for path in root.glob("*.md")} == before
    status = subprocess.run(
        ["git", "-C", root, "status", "--porcelain"], capture_output=True, check=True
    )
    assert status.stdout == b""


def test_a_second_init_changes_nothing(vault: Vault) -> None:
    assert create.prepare(vault.root)[1:] == ("exists", 0, [], None)


def test_what_is_missing_is_put_back(vault: Vault) -> None:
    config = Path(vault.root, ".memcli", "config.toml")
    config.unlink()
    assert create.prepare(vault.root).added == [".memcli/config.toml"]
    assert config.exists()


def test_dry_run_makes_nothing(tmp_path: Path) -> None:
    assert create.prepare(str(tmp_path / "v"), dry_run=True).outcome == "created"
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("mine", encoding="utf-8")
    with pytest.raises(NotAVault):
        create.prepare(str(tmp_path / "v"))
