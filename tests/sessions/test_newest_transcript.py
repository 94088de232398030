"""The session of a folder is found by its marker, where the host says nothing."""

from pathlib import Path

from memcli import Vault
from memcli.sessions import markers, recovery


def test_the_newest_session_of_a_folder_and_agent_is_found(
    vault: Vault, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    path = tmp_path / "talk.jsonl"
    path.write_text("")
    gone = str(tmp_path / "gone.jsonl")
    markers.begin(vault.root, "one", "opencode", str(path), "ada", str(here))
    markers.begin(vault.root, "two", "opencode", gone, None, str(there))
    (tmp_path / "link").symlink_to(here)
    asked = (str(here), "ada"), (str(tmp_path / "link"), None), (str(here), "bob")
    found = [recovery.newest(vault.root, *one, {}) for one in asked]
    assert found == [str(path), str(path), None]
    assert recovery.newest(vault.root, str(there), None, {}) is None
