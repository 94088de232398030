"""The project of a folder, in real repositories."""

import os
from pathlib import Path

import pytest

from memcli.errors import InvalidConfig
from memcli.storage import projects
from tests.git_command import git
from tests.saving import configure

SHOP = "github.com/acme/shop"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that counts as no temporary one, though the tests write there."""
    monkeypatch.setattr(projects, "_TEMPORARY", ("/nowhere",))
    monkeypatch.setattr(projects, "_VARIABLES", ())
    return tmp_path.resolve()


def made(folder: Path, remote: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def configured(home: Path, text: str) -> None:
    configure(home, f"[projects]\n{text}\n")


def name(folder: Path) -> str | None:
    project = projects.of(str(folder), os.environ)
    return project.name if project else None


def test_work_trees_clones_and_submodules_of_a_remote_are_one_project(work: Path):
    first = made(work / "first", "git@github.com:Acme/Shop.git")
    second = made(work / "second", "https://user:secret@github.com/acme/shop")
    git(first, "worktree", "add", "-q", str(work / "tree"))
    other = made(work / "other", "https://github.com/acme/other")
    allowed = ("-c", "protocol.file.allow=always")
    git(other, *allowed, "submodule", "add", "-q", str(first), "vendor/shop")
    git(other / "vendor/shop", "remote", "set-url", "origin", "gh.example:x/y")
    git(other / "vendor/shop", "remote", "set-url", "origin", f"https://{SHOP}.git")
    (first / "src" / "deep").mkdir(parents=True)
    folders = [
        first,
        first / "src" / "deep",
        second,
        work / "tree",
        other / "vendor/shop",
    ]
    assert {name(folder) for folder in folders} == {SHOP}
    assert name(other) == "github.com/acme/other"


def test_without_a_remote_the_folder_names_the_project_and_its_work_trees(work: Path):
    first = made(work / "My Shop")
    git(first, "worktree", "add", "-q", str(work / "tree"))
    git(work, "clone", "-q", str(first), "clone")
    own = name(first)
    assert str(own).startswith("my-shop-")
    assert name(work / "tree") == own
    assert name(work / "clone") == own
    assert name(made(work / "elsewhere" / "My Shop")) != own


def test_a_bare_repository_on_this_machine_names_its_clones(work: Path):
    git(work, "init", "-q", "--bare", "shop.git")
    git(work, "clone", "-q", "shop.git", "one")
    git(work, "clone", "-q", "shop.git", "two")
    assert name(work / "one") == name(work / "two")
    assert str(name(work / "one")).startswith("shop-")


def test_a_folder_without_git_is_a_project_of_its_own(work: Path):
    (work / "notes").mkdir()
    assert str(name(work / "notes")).startswith("notes-")


def test_home_root_temporary_folders_and_nowhere_are_no_project(
    tmp_path: Path, home: Path
):
    made(tmp_path / "scratch")
    for folder in (home, home.parent, Path("/"), tmp_path, tmp_path / "scratch"):
        assert name(folder) is None
    assert projects.of(None, os.environ) is None
    assert projects.of("", os.environ) is None
    assert projects.of("relative", os.environ) is None
    assert name(made(tmp_path / "clone", f"https://{SHOP}")) == SHOP


def test_a_home_folder_under_git_is_no_project(work: Path, home: Path):
    git(home, "init", "-q")
    git(home, "remote", "add", "origin", "https://github.com/me/dotfiles")
    (home / "notes").mkdir()
    assert name(home) is None
    assert str(name(home / "notes")).startswith("notes-")


def test_a_vault_is_no_project(work: Path):
    vault = made(work / "memory", "https://github.com/me/memory")
    (vault / ".memcli").mkdir()
    (vault / ".memcli" / "config.toml").touch()
    (vault / "memories").mkdir()
    assert name(vault) is None
    assert name(vault / "memories") is None


def test_a_folder_that_is_gone_keeps_its_project(work: Path):
    shop = made(work / "shop", f"https://{SHOP}")
    assert name(shop / "gone" / "for" / "good") == SHOP


def test_the_config_names_folders_and_parts_of_repositories(work: Path, home: Path):
    mono = made(work / "mono", "https://github.com/acme/mono")
    (mono / "pay" / "api").mkdir(parents=True)
    made(work / "bare")
    (work / "plain" / "sub").mkdir(parents=True)
    (work / "secret").mkdir()
    configured(
        home,
        f'"{work}" = "Work"\n"{work}/plain" = "plain"\n"{work}/secret" = "none"\n'
        f'"{mono}/pay" = "acme/pay"\n"{mono}/pay/api" = "acme/pay-api"\n',
    )
    assert name(mono) == "github.com/acme/mono"
    assert name(mono / "pay") == "acme/pay"
    assert name(mono / "pay" / "api") == "acme/pay-api"
    assert name(work / "bare") == name(work) == "work"
    assert name(work / "plain" / "sub") == "plain"
    assert name(work / "secret") is None


def test_a_remote_may_have_another_name(work: Path, home: Path):
    shop = made(work / "shop", "git@work-alias:acme/shop.git")
    near = made(work / "near", "git@work-alias:acme/shop-two.git")
    configured(home, f'"work-alias/acme/shop" = "{SHOP}"')
    assert name(shop) == SHOP
    assert name(near) == "work-alias/acme/shop-two"


@pytest.mark.parametrize(
    "line", ['"~/x" = 3', '"~/x" = "a b"', '"~/x" = "here"', '"~/x" = ""']
)
def test_a_name_that_cannot_be_is_an_error_with_its_place(
    line: str, home: Path, work: Path
):
    configured(home, line)
    with pytest.raises(InvalidConfig, match=r"config.toml: \[projects\] '~/x'"):
        name(work)
