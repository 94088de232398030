"""A publish that comes late takes nothing of a newer one back."""

from pathlib import Path

import pytest

from memcli.errors import NotAllowed
from memcli.search.postgres.connection import Database
from memcli.search.postgres.engine import Published
from memcli.search.postgres.publisher import Content, Publisher
from memcli.storage.git.repository import Repository
from memcli.vault import publishing
from tests.git_command import git

URL = "postgresql://ada:s3cret@db.acme.com/memory"


def commit(root: Path, name: str) -> str:
    git(root, "commit", "-q", "--allow-empty", "-m", name)
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "one"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def is_due(root: Path, head: str, held: str | None, *, force: bool = False) -> bool:
    publisher = Publisher(Database(URL), Content("company", head))
    standing = Published(1, "", "1", held)
    repository = Repository.open(str(root))
    return publishing.is_due(repository, publisher, standing, force=force)


def test_a_commit_is_published_over_those_that_it_follows(root: Path) -> None:
    first, main = commit(root, "a"), commit(root, "b")
    git(root, "checkout", "-q", "-b", "side", first)
    side = commit(root, "c")
    git(root, "merge", "-q", "-m", "both", "main")
    merged = git(root, "rev-parse", "HEAD").strip()
    for held in (None, first, main, side, merged):
        assert is_due(root, merged, held)
    for head in (first, main, side):
        assert not is_due(root, head, merged)


def test_what_does_not_follow_is_refused_and_says_how_to_go_on(
    root: Path, tmp_path: Path
) -> None:
    first = commit(root, "a")
    published = commit(root, "b")
    git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "B")
    amended = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "-q", "--orphan", "new")
    other = commit(root, "other")
    git(tmp_path, "clone", "-q", "--depth", "1", root.as_uri(), "shallow")
    for clone, head, held in (
        (root, amended, published),
        (root, other, published),
        (root, first, "1" * 40),
        (tmp_path / "shallow", other, first),
    ):
        with pytest.raises(NotAllowed, match="does not follow it") as caught:
            is_due(clone, head, held)
        assert caught.value.code == "not_following"
        assert "--force" in (caught.value.hint or "")
        assert "s3cret" not in caught.value.message
        assert is_due(clone, head, held, force=True)
