"""What other tools remember becomes entries that say where they came from."""

import os
from pathlib import Path

import pytest

from memcli.api import Vault
from memcli.curation import evolve, importing
from memcli.curation.importing import Imported
from memcli.hosts import memories as tools
from tests.git_command import git

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "shop"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", "git@github.com:acme/shop.git")
    return folder


def bring(
    vault: Vault, tool: str, place: Path, shop: Path, *, dry_run: bool = False
) -> Imported:
    environ = {**vault.environ, "HOME": str(shop.parent.parent)}
    here = Vault.open(vault.root, environ=environ, cwd=str(shop))
    found = tools.find(tool)
    return importing.import_memories(here, found, [str(place)], dry_run=dry_run)


def test_again_adds_nothing_and_the_source_stays_as_it_is(
    vault: Vault, shop: Path
) -> None:
    page = shop / "CLAUDE.md"
    page.write_text("# Shop\n\n## Style\n\nUse tabs.\n\n## Tests\n\nRun them.\n")
    before = page.read_bytes(), page.stat().st_mtime_ns
    assert len(bring(vault, "agents-md", page, shop).created) == 2
    subject = "import: 2 entries from CLAUDE.md"
    assert git(vault, "log", "-1", "--format=%s").strip() == subject
    again = bring(vault, "agents-md", page, shop)
    assert (again.created, len(again.duplicates)) == ([], 2)
    assert (page.read_bytes(), page.stat().st_mtime_ns) == before


def test_a_page_that_changed_adds_what_is_new_and_ends_nothing(
    vault: Vault, shop: Path
) -> None:
    page = shop / "AGENTS.md"
    page.write_text("## Style\n- Use tabs\n- No emojis\n- Be brief\n")
    tabs, emojis, brief = bring(vault, "agents-md", page, shop).created
    evolve.evolve(vault, emojis.id, {"text": "No emojis in code"})
    vault.resolve(vault.save("Pin all versions").id)
    rules = "No emojis", "Be brief", "Sort imports", "Pin all versions"
    page.write_text("\n- ".join(["## Style", *rules]))
    os.utime(page, (0, 0))
    for dry_run in (True, False):
        done = bring(vault, "agents-md", page, shop, dry_run=dry_run)
        assert [item.title for item in done.created] == ["Style: Sort imports"]
        assert [item.not_taken for item in done.duplicates] == [(), (), ()]
    assert vault.get(tabs.id).status == vault.get(brief.id).status == "active"


def test_an_entry_is_dated_when_it_is_imported_and_keeps_the_first_date(
    vault: Vault, shop: Path
) -> None:
    page = shop / "AGENTS.md"
    page.write_text("Use tabs.\n")
    os.utime(page, (1_700_000_000, 1_700_000_000))
    (created,) = bring(vault, "agents-md", page, shop).created
    entry = vault.get(created.id)
    assert entry.occurred_at == "2023-11-14T22:13:20Z"
    assert (entry.created or "") > "2024"


def test_a_secret_is_left_out_and_the_rest_is_kept(vault: Vault, shop: Path) -> None:
    page = shop / "AGENTS.md"
    page.write_text(f"## Deploy\n\nThe token is {SECRET}; run `make deploy`.\n")
    done = bring(vault, "agents-md", page, shop)
    assert done.notes == ("~/code/shop/AGENTS.md:3: a secret was left out",)
    entry = vault.get(done.created[0].id)
    assert SECRET not in f"{entry.body} {entry.source}"
    assert "make deploy" in entry.body
