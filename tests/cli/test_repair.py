"""`memcli repair`: what it does only when it is asked to."""

import subprocess
from pathlib import Path

from memcli import Vault
from memcli.entries import layout
from memcli.vault.health import by_month
from tests.cli.conftest import Run


def test_repair_only_mentions_a_crowded_folder(memcli: Run, vault: Vault) -> None:
    folder = Path(vault.root, "memories/note")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(layout.ROOMY + 1):
        head = f'id: 1k4ad3xg00001{number:03}\ncreated: "2025-05-03T10:00:00Z"'
        text = f"---\n{head}\n---\nNote {number}\n"
        Path(folder, f"n{number}.md").write_text(text, encoding="utf-8")
    for words in (("add", "--all"), ("commit", "--quiet", "-m", "older")):
        subprocess.run(["git", "-C", vault.root, *words], check=True)
    assert by_month.crowded(vault) == layout.ROOMY + 1
    plain = memcli("repair", "--yes")
    assert "memcli repair --by-month" in plain.err
    assert Path(vault.root, "memories/note/n0.md").exists()
    planned = memcli("repair", "--by-month", "--dry-run")
    assert planned.out.startswith(f"would move {layout.ROOMY + 1}; ")
    assert Path(vault.root, "memories/note/n0.md").exists()
    moved = memcli("repair", "--by-month", "--yes", "--json").json["data"]
    assert len(moved["steps"]) == layout.ROOMY + 1
    assert len([*Path(vault.root, "memories/note/2025/05").iterdir()]) == layout.ROOMY
    assert len([*Path(vault.root, "memories/note/2025/05-2").iterdir()]) == 1
    assert memcli("repair", "--by-month").out == "nothing can be moved\n"
    assert memcli("repair", "--by-month", "--accept-deletions").code == 2
