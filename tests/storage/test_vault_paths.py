"""No path of a vault leads out of it."""

import os
from pathlib import Path

import pytest

from memcli.errors import UnsafePath
from memcli.storage.vault_paths import all_inside, inside

posix = pytest.mark.skipif(os.name == "nt", reason="links of POSIX")


@pytest.mark.parametrize(
    "relative",
    [
        "a.md",
        "memories/note/a b.md",
        "-rf",
        "日本/é'\"*.md",
        "..a/b..md",
        "Q: how.md",
        "./memories//a.md",
        ".memcli/config.toml",
    ],
)
def test_path_of_the_vault_is_inside(tmp_path: Path, relative: str) -> None:
    found = inside(str(tmp_path), relative)
    assert found == os.path.normpath(os.path.join(str(tmp_path), relative))
    assert os.path.isabs(found)


@pytest.mark.parametrize(
    "relative",
    [
        "",
        ".",
        "/etc/passwd",
        "../a.md",
        "memories/../../a.md",
        "a/../b.md",
        "..",
        "a\0.md",
        "..\\a.md",
        "C:/a.md",
        "c:",
        "//server/share",
        "\\\\server\\share",
        ".git/hooks/pre-commit",
        "a/.GIT/config",
    ],
)
def test_path_that_leaves_the_vault_is_refused(tmp_path: Path, relative: str) -> None:
    with pytest.raises(UnsafePath):
        inside(str(tmp_path), relative)


@posix
def test_symbolic_links_may_not_lead_out(tmp_path: Path) -> None:
    root, outside = tmp_path / "vault", tmp_path / "vault-outside"
    (root / "memories").mkdir(parents=True)
    outside.mkdir()
    (outside / "a.md").write_bytes(b"")
    (root / "folder").symlink_to(outside)
    (root / "memories" / "file.md").symlink_to(outside / "a.md")
    (root / "memories" / "dangling.md").symlink_to("/nowhere/at/all")
    (root / "memories" / "up").symlink_to("..")
    for name, target in (("g", ".git"), ("h", "memories/../.git"), ("i", "h")):
        (root / name).symlink_to(target)
    for relative in (
        "folder",
        "folder/a.md",
        "folder/new/b.md",
        "memories/file.md",
        "memories/dangling.md",
        "memories/up/folder/a.md",
        "memories/up",
        *("g/config", "h/config", "i/config"),
    ):
        with pytest.raises(UnsafePath):
            inside(str(root), relative)
        # Also behind good ones of its folder, which is followed once.
        with pytest.raises(UnsafePath):
            all_inside(str(root), ["memories/b.md", "new/c.md", relative])
    assert inside(str(root), "memories/up/memories/a.md")


@posix
def test_root_may_be_a_symbolic_link_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "vault").symlink_to("real")
    found = inside(str(tmp_path / "vault"), "a.md")
    assert found == str(tmp_path / "vault" / "a.md")
