"""Whether a repository's own vault may be read: for one folder and one remote."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memcli.storage import projects
from memcli.vault import config
from tests.checkouts import allow

Repo = Callable[..., Path]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Make a repository that carries a vault; git itself is not needed."""

    def make(name: str = "shop", url: str = "git@github.com:acme/shop.git") -> Path:
        top = tmp_path / name
        (top / ".git").mkdir(parents=True)
        (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        set_remote(top, url)
        (top / ".memory" / ".memcli").mkdir(parents=True)
        (top / "src").mkdir()
        return top

    return make


def set_remote(top: Path, url: str) -> None:
    text = f'[remote "origin"]\n\turl = {url}\n' if url else ""
    (top / ".git" / "config").write_text(text)


def allowed(folder: Path) -> bool | None:
    found = projects.carried(str(folder), os.environ)
    return found and found.allowed


def test_what_is_allowed_is_this_folder_with_this_remote(repo: Repo) -> None:
    one, other = repo(), repo("clone")
    allow(one)
    assert (allowed(one), allowed(one / "src"), allowed(other)) == (True, True, False)
    set_remote(one, "https://me:secret@github.com/Acme/shop")
    assert allowed(one) is True, "the same remote, written otherwise"
    for changed in ("git@github.com:evil/shop.git", "", "../elsewhere", "ext::sh -c x"):
        set_remote(one, changed)
        assert allowed(one) is False, changed
    set_remote(one, "git@github.com:acme/shop.git")
    moved = one.rename(one.with_name("moved"))
    assert allowed(moved) is False


def test_no_token_of_a_remote_is_written_down(repo: Repo, home: Path) -> None:
    for number, url in enumerate(("https://me:hunter2@github.com/a/b", "x::hunter2")):
        allow(repo(f"r{number}", url))
    (written,) = (p.read_text() for p in home.rglob("allowed.json"))
    assert "github.com/a/b" in written
    assert "hunter2" not in written


def test_what_was_allowed_can_be_revoked_also_when_it_is_gone(repo: Repo) -> None:
    top, gone = repo(), repo("gone")
    allow(top)
    allow(gone)
    assert [*projects.permissions(os.environ)] == [
        str(gone),
        str(top),
    ]
    gone.rename(gone.with_name("elsewhere"))
    assert projects.revoke(str(gone), os.environ) == str(gone)
    assert projects.revoke(str(top / "src"), os.environ) == str(top)
    assert projects.revoke(str(top), os.environ) is None
    assert projects.permissions(os.environ) == {}
    assert allowed(top) is False


def test_two_who_change_the_users_settings_lose_nothing(repo: Repo, home: Path) -> None:
    tops = [repo(f"r{number}") for number in range(8)]
    paths = [f"vaults.r{number}.path" for number in range(8)]

    def change(number: int) -> None:
        allow(tops[number])
        config.put(None, paths[number], ["/x"], os.environ)

    with ThreadPoolExecutor(8) as pool:
        assert len([*pool.map(change, range(8))]) == 8
    assert len(projects.permissions(os.environ)) == 8
    there = {one.name for one in config.listed(None, os.environ)}
    assert there.issuperset(paths)


@pytest.mark.parametrize("harm", ["link", "settings link", "own repository", "file"])
def test_a_link_or_a_repository_in_its_place_is_none(
    repo: Repo, tmp_path: Path, harm: str
) -> None:
    top = repo()
    allow(top)
    memory = top / ".memory"
    if harm == "own repository":
        (memory / ".git").mkdir()
    elif harm == "settings link":
        (memory / ".memcli").rmdir()
        (memory / ".memcli").symlink_to(tmp_path)
    else:
        memory.rename(top / "aside")
        if harm == "link":
            memory.symlink_to(top / "aside")
        else:
            memory.write_text("no folder")
    assert allowed(top) is None


def test_nothing_but_the_users_own_file_allows_it(repo: Repo, home: Path) -> None:
    top = repo()
    allow(top)
    (written,) = home.rglob("allowed.json")
    data = written.read_bytes()
    for broken in (b"", b"[]", b"{", b"\xff", b'{"path": 1}', b"[" * 50_000):
        written.write_bytes(broken)
        assert allowed(top) is False
    for planted in (top, top / ".memory", top / ".memory" / ".memcli"):
        (planted / "allowed.json").write_bytes(data)
    assert allowed(top) is False


def test_a_home_folder_under_git_carries_none_for_all_below_it(
    home: Path, repo: Repo
) -> None:
    (home / ".git").mkdir()
    (home / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (home / ".memory" / ".memcli").mkdir(parents=True)
    assert allowed(home) is None
