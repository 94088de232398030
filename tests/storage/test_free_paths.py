"""New memories go into the folders of their months, which stay small."""

from pathlib import Path

from memcli import Vault
from memcli.entries import layout

MONTH = "memories/note/2026/11"


def full(vault: Vault, folder: str, count: int = layout.ROOMY) -> None:
    Path(vault.root, folder).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        Path(vault.root, folder, f"n{number}.md").touch()


def saved(vault: Vault, text: str = "Deploys are on Tuesdays") -> str:
    return vault.save(text).path


def test_a_memory_goes_into_the_folder_of_its_month(vault: Vault) -> None:
    assert saved(vault) == f"{MONTH}/deploys-are-on-tuesdays.md"
    old = vault.draft({"text": "Long ago", "created": "1999-02-03T00:00:00Z"})
    assert vault.save(old).path == "memories/note/1999/02/long-ago.md"


def test_a_full_month_goes_on_beside_itself(vault: Vault) -> None:
    full(vault, MONTH)
    assert saved(vault) == f"{MONTH}-2/deploys-are-on-tuesdays.md"
    full(vault, f"{MONTH}-2")
    full(vault, f"{MONTH}-3")
    assert saved(vault, "The third is full, too") == (
        f"{MONTH}-4/the-third-is-full-too.md"
    )


def test_many_entries_of_one_call_fill_one_folder_after_the_other(vault: Vault) -> None:
    drafts = [vault.draft({"text": f"Fact {n}"}) for n in range(2 * layout.ROOMY + 1)]
    folders = [item.path.rpartition("/")[0] for item in vault.save_all(drafts)]
    counts = {folder: folders.count(folder) for folder in folders}
    hundred = layout.ROOMY
    assert counts == {MONTH: hundred, f"{MONTH}-2": hundred, f"{MONTH}-3": 1}


def test_what_is_no_folder_of_memclis_is_passed_over(
    vault: Vault, tmp_path: Path
) -> None:
    full(vault, MONTH)
    Path(vault.root, f"{MONTH}-2").symlink_to(tmp_path)
    Path(vault.root, f"{MONTH}-3").write_text("a file")
    Path(vault.root, f"{MONTH}-99999999999999999999").mkdir()
    Path(vault.root, f"{MONTH}-notes").mkdir()
    assert saved(vault).startswith(f"{MONTH}-4/")


def test_the_folder_tells_an_agent_nothing_of_how_many_there_are(vault: Vault) -> None:
    full(vault, MONTH)
    agent = Vault.open(vault.root, now_ms=vault.now_ms, agent="helper")
    assert saved(agent).startswith(f"{MONTH}/deploys-are-on-tuesdays-")
