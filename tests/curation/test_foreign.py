"""What other tools remember becomes entries that say where they came from."""

import os
from pathlib import Path

import pytest

from memcli.api import Vault
from memcli.curation import importing
from memcli.curation.foreign import At
from memcli.curation.importing import Imported
from memcli.hosts.memories import tools
from memcli.storage.projects import Project

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "shop"
    folder.mkdir(parents=True)
    return folder


def bring(
    vault: Vault, tool: str, place: Path, shop: Path, *, dry_run: bool = False
) -> Imported:
    at = At(
        {"HOME": str(shop.parent.parent)},
        Project("github.com/acme/shop", str(shop)),
    )
    found = tools.find(tool)
    return importing.import_memories(vault, found, [str(place)], at, dry_run=dry_run)


def test_again_adds_nothing_and_the_source_stays_as_it_is(
    vault: Vault, shop: Path
) -> None:
    page = shop / "AGENTS.md"
    page.write_text("# Shop\n\n## Style\n\nUse tabs.\n\n## Tests\n\nRun them.\n")
    before = page.read_bytes(), page.stat().st_mtime_ns
    assert len(bring(vault, "agents-md", page, shop).created) == 2
    again = bring(vault, "agents-md", page, shop)
    assert (again.created, len(again.duplicates)) == ([], 2)
    assert (page.read_bytes(), page.stat().st_mtime_ns) == before


def test_an_entry_says_which_file_and_part_of_it_it_came_from(
    vault: Vault, shop: Path
) -> None:
    page = shop / "AGENTS.md"
    page.write_text("# Shop\n\n## Style\n\nUse tabs.\n")
    (created,) = bring(vault, "agents-md", page, shop).created
    entry = vault.get(created.id)
    assert entry.source.record == "~/code/shop/AGENTS.md#Style"
    assert (entry.source.writer, entry.source.host) == ("import", "agents-md")
    assert (entry.kind, entry.title) == ("convention", "Style")


def test_a_secret_is_left_out_and_the_rest_is_kept(vault: Vault, shop: Path) -> None:
    page = shop / "AGENTS.md"
    page.write_text(f"## Deploy\n\nThe token is {SECRET}; run `make deploy`.\n")
    done = bring(vault, "agents-md", page, shop)
    assert done.notes == ("~/code/shop/AGENTS.md#Deploy: a secret was left out",)
    body = vault.get(done.created[0].id).body
    assert SECRET not in body
    assert "make deploy" in body


def test_a_memory_holds_in_the_project_that_its_tool_names(
    vault: Vault, shop: Path, tmp_path: Path
) -> None:
    graph = tmp_path / "notes"
    graph.mkdir()
    for name, remote in (("a", "git@github.com:Acme/ETL.git"), ("b", "")):
        (graph / f"{name}.md").write_text(
            f"---\nname: {name}\ntype: project\nscope: here\nsource:\n"
            f"  git_remote: {remote}\n  tool: codex\n---\nIt ends at six in {name}.\n"
        )
    became = bring(vault, "agent-memory-git", graph, shop, dry_run=True).became
    assert [item.project for item in became] == ["github.com/acme/etl", None]


def test_a_dry_run_says_what_each_memory_becomes_and_writes_nothing(
    vault: Vault, shop: Path
) -> None:
    page = shop / "AGENTS.md"
    page.write_text("## Style\n\nUse tabs.\n")
    done = bring(vault, "agents-md", page, shop, dry_run=True)
    (item,) = done.became
    assert (item.kind, item.title, item.outcome) == ("convention", "Style", "created")
    assert os.listdir(os.path.join(vault.root, "memories")) in ([], [".gitkeep"])
