"""A file that git would filter is never committed as it is."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from memcli.storage.git import attributes, rule_files
from memcli.storage.git.repository import Repository
from memcli.storage.git.work_tree import WorkTree

FILTER = b"*.md filter=up\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home, beside a work tree whose index holds nothing."""
    (tmp_path / "tree" / ".git" / "info").mkdir(parents=True)
    (tmp_path / "tree" / ".git" / "index").write_bytes(b"DIRC\0\0\0\2" + bytes(24))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def keep_bytes(
    home: Path, env: Mapping[str, str], settings: Mapping[str, str] | None = None
) -> bool:
    top = str(home.parent / "tree")
    whole = {"PATH": os.environ["PATH"], **env}
    tree = WorkTree(top, top, f"{top}/.git", whole, settings or {})
    return attributes.keep_bytes(tree, ["notes/a.md"])


def write(place: Path, data: bytes = FILTER) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def test_filter_of_the_users_own_attributes_is_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of git-crypt, without which a secret is committed in clear text."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write(tmp_path / "config" / "git" / "attributes")
    root = tmp_path / "vault"
    root.mkdir()

    def git(*words: str) -> bytes:
        return subprocess.run(
            ["git", *words], cwd=root, check=True, capture_output=True
        ).stdout

    git("init", "-q")
    git("config", "filter.up.clean", "tr a-z A-Z")
    write(root / "b.md", b"b\n")
    git("add", "b.md")
    git("commit", "-qm", "first")
    write(root / "a.md", b"secret\n")
    assert Repository.open(str(root)).commit(["a.md"], "save")
    assert git("show", "HEAD:a.md") == b"SECRET\n"


def test_attributes_of_the_user_are_found_where_git_looks(home: Path) -> None:
    at_home = {"HOME": str(home)}
    assert keep_bytes(home, at_home)
    write(home / ".config" / "git" / "attributes")
    assert not keep_bytes(home, at_home)
    elsewhere = {**at_home, "XDG_CONFIG_HOME": str(home / "xdg")}
    assert keep_bytes(home, elsewhere)
    write(home / "xdg" / "git" / "attributes")
    assert not keep_bytes(home, elsewhere)
    assert keep_bytes(home, at_home, {"core.attributesfile": "~/plain"})
    write(home / "mine")
    assert not keep_bytes(home, at_home, {"core.attributesfile": "~/mine"})
    assert not keep_bytes(home, at_home, {"core.attributesfile": "~root/mine"})
    write(home.parent / "tree" / "beside")
    assert not keep_bytes(home, at_home, {"core.attributesfile": "beside"})


def test_attributes_of_the_machine_are_found_beside_git(home: Path) -> None:
    program = home / "opt" / "bin" / "git"
    write(program, b"")
    program.chmod(0o755)
    env = {"HOME": str(home), "PATH": str(program.parent)}
    assert "/etc/gitattributes" in rule_files.of_system(env)
    assert keep_bytes(home, env)
    write(home / "opt" / "etc" / "gitattributes")
    assert not keep_bytes(home, env)
    assert keep_bytes(home, {**env, "GIT_ATTR_NOSYSTEM": "1"})
    assert not keep_bytes(home, {**env, "GIT_ATTR_NOSYSTEM": "0"})


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b"\xef\xbb\xbf# A comment\r\n*.md -text merge=memcli\r\n", True),
        (b"\xef\xbb\xbf*.md text\n", False),
        # git ends a line at no other character, so this is a rule and no comment.
        (b"*.md -text\x0b# filter=up\n", False),
        (b"*.md -text\xc2\x85# filter=up\n", False),
        (b"[attr]binary filter=up\n", False),
        (b"*.md \xff\n", False),
    ],
)
@pytest.mark.parametrize(
    "place", [".gitattributes", "notes/.gitattributes", ".git/info/attributes"]
)
def test_attributes_are_read_as_git_reads_them(
    home: Path, place: str, data: bytes, *, kept: bool
) -> None:
    write(home.parent / "tree" / place, data)
    assert keep_bytes(home, {"HOME": str(home)}) == kept


def test_attributes_behind_a_link_are_left_to_git(home: Path) -> None:
    """git follows no link there, and reads the attributes of the index instead."""
    write(home / "plain", b"*.md -text\n")
    (home.parent / "tree" / ".gitattributes").symlink_to(home / "plain")
    assert not keep_bytes(home, {"HOME": str(home)})


@pytest.mark.parametrize(
    ("held", "kept"),
    [
        ("notes/.gitattributes", False),
        (".gitattributes", False),
        ("other/.gitattributes", True),
        ("zoo/.gitattributes", True),
    ],
)
def test_attributes_that_only_the_index_holds_count(
    home: Path, held: str, *, kept: bool
) -> None:
    tree = home.parent / "tree"
    write(tree / held)
    write(tree / "notes" / "b.md")
    shutil.rmtree(tree / ".git")
    for words in (["init", "-q"], ["add", held, "notes/b.md"]):
        subprocess.run(["git", *words], cwd=tree, check=True)
    (tree / held).unlink()
    assert keep_bytes(home, {"HOME": str(home)}) == kept
    # Whatever git keeps behind the entries.
    subprocess.run(["git", "update-index", "--untracked-cache"], cwd=tree, check=True)
    assert keep_bytes(home, {"HOME": str(home)}) == kept
