"""A publish that comes late takes nothing of a newer one back."""

import subprocess
from pathlib import Path

import pytest

from memcli.errors import NotAllowed
from memcli.search.postgres.connection import Database
from memcli.search.postgres.publisher import Content, Publisher, Standing
from memcli.storage.git import tree
from memcli.storage.git.repository import Repository
from memcli.vault import publishing
from memcli.vault.publishing import ABSENT, AFTER, ANOTHER, BEFORE, BESIDE

REMOTE = "https://git.acme.com/one.git"


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(root: Path, name: str) -> str:
    git(root, "commit", "-q", "--allow-empty", "-m", name)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "one"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def content(root: Path, head: str, remote: str | None = REMOTE) -> Content:
    origin = tree.origin(Repository.open(str(root)), head)
    return Content("company", origin, head, remote)


def order(
    root: Path, head: str, published: str | None, *, origin: str = "", to: str = REMOTE
) -> str:
    standing = Standing(1, published, "1", origin, to)
    repository = Repository.open(str(root))
    return publishing.order_of(repository, content(root, head), standing)


def test_a_commit_is_published_over_those_that_it_follows(root: Path) -> None:
    first, second, third = (commit(root, name) for name in "abc")
    assert order(root, third, None) == AFTER
    for published in (first, second, third):
        assert order(root, third, published) == AFTER
    for head in (first, second):
        assert order(root, head, third) == BEFORE


def test_what_follows_a_merge_follows_both_sides(root: Path) -> None:
    first, main = commit(root, "a"), commit(root, "b")
    git(root, "checkout", "-q", "-b", "side", first)
    side = commit(root, "c")
    assert order(root, side, main) == order(root, main, side) == BESIDE
    git(root, "merge", "-q", "-m", "both", "main")
    merged = git(root, "rev-parse", "HEAD")
    assert order(root, merged, side) == order(root, merged, main) == AFTER
    assert order(root, main, merged) == BEFORE


def test_a_history_that_was_rewritten_is_beside_the_old_one(root: Path) -> None:
    commit(root, "a")
    published = commit(root, "b")
    git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "B")
    assert order(root, git(root, "rev-parse", "HEAD"), published) == BESIDE
    git(root, "checkout", "-q", "--orphan", "new")
    assert order(root, commit(root, "other"), published) == ANOTHER


def test_a_whole_clone_knows_what_it_lacks_and_a_shallow_one_does_not(
    root: Path, tmp_path: Path
) -> None:
    """A clone without history publishes, as it can be told by nothing what is newer."""
    first = commit(root, "a")
    head = commit(root, "b")
    for name, words in (("whole", ()), ("shallow", ("--depth", "1"))):
        git(tmp_path, "clone", "-q", *words, root.as_uri(), name)
    published = commit(root, "c")
    whole, shallow = tmp_path / "whole", tmp_path / "shallow"
    assert order(whole, head, published, origin=first) == ABSENT
    assert order(whole, head, published) == ABSENT  # the first commit is not known
    assert order(whole, head, published, origin="0" * 40) == ANOTHER
    assert order(shallow, head, published, origin=first) == AFTER
    assert order(shallow, head, published, to="https://elsewhere/x.git") == ANOTHER


def test_what_is_refused_says_how_to_go_on(root: Path) -> None:
    first = commit(root, "a")
    published = commit(root, "b")
    git(root, "reset", "-q", "--hard", first)
    head = commit(root, "c")
    url = "postgresql://ada:s3cret@db.acme.com/memory"
    publisher = Publisher(Database(url), content(root, head))
    repository = Repository.open(str(root))

    def is_due(held: str, *, force: bool = False) -> bool:
        standing = Standing(1, held, "1", first, REMOTE)
        return publishing.is_due(repository, publisher, standing, force=force)

    assert is_due(first)
    for held, why in ((published, "does not follow it"), ("1" * 40, "may be newer")):
        with pytest.raises(NotAllowed, match=why) as caught:
            is_due(held)
        assert caught.value.error_code == "not_following"
        assert "--force" in (caught.value.hint or "")
        assert "s3cret" not in caught.value.message
        assert is_due(held, force=True)
    git(root, "checkout", "-q", "--orphan", "new")
    other = Publisher(Database(url), content(root, commit(root, "other")))
    standing = Standing(1, head, "1", first, REMOTE)
    with pytest.raises(NotAllowed, match="another vault"):
        publishing.is_due(repository, other, standing, force=False)
