"""Plain git merges a vault by memcli's driver."""

import sys
from pathlib import Path

import pytest

from memcli.cli import merge_driver as merging
from memcli.entries import codec
from memcli.entries.entry import Entry
from memcli.storage.git.merging import driver_settings
from memcli.vault.create import let_git_merge, prepare
from tests.clones import entries
from tests.git_command import git, program
from tests.saving import write

PROGRAM = (sys.executable, "-P", "-m", "memcli")
PATH = "memories/note/deploy.md"
BASE = Entry(
    "1m7xvn68xtqp489w",
    created="2026-11-21T01:44:28Z",
    tags=("deploy",),
    body="We deploy on Tuesdays\n",
    path=PATH,
)


class Clone:
    """A vault in a repository, changed by writing files and by plain git."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *words: str, code: int = 0) -> str:
        return git(self.root, *words, code=code)

    def write(self, *entries: Entry, message: str = "x") -> None:
        for entry in entries:
            write(self.root, entry.path, codec.encode(entry))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)

    def entries(self) -> dict[str, Entry]:
        return entries(self.root)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    prepare(str(tmp_path / "vault"))
    assert let_git_merge(str(tmp_path / "vault"), PROGRAM)
    made = Clone(tmp_path / "vault")
    made.write(BASE)
    return made


def in_two_branches(clone: Clone, ours: list[Entry], theirs: list[Entry]) -> None:
    clone.git("switch", "--quiet", "-c", "other")
    clone.write(*theirs)
    clone.git("switch", "--quiet", "main")
    clone.write(*ours)


@pytest.mark.parametrize("way", ["merge", "rebase", "stash"])
def test_the_text_that_gives_way_is_in_the_archive(clone: Clone, way: str) -> None:
    ours = BASE.replace(body="On Fridays\n", updated="2026-11-22T08:00:00Z")
    theirs = BASE.replace(body="On Mondays\n", updated="2026-11-23T08:00:00Z")
    if way == "stash":
        (clone.root / PATH).write_bytes(codec.encode(ours))
        clone.git("stash")
        clone.write(theirs)
        clone.git("stash", "pop")
    else:
        in_two_branches(clone, [ours], [theirs])
        clone.git(*(["merge", "-m", "m"] if way == "merge" else ["rebase"]), "other")
    entries = clone.entries()
    assert entries.pop(BASE.id).body == "On Mondays\n"
    (kept,) = entries.values()
    assert (kept.body, kept.superseded_by) == ("On Fridays\n", BASE.id)
    assert kept.path.startswith("archive/memories/note/deploy.")


def test_without_memcli_git_leaves_its_marks(clone: Clone) -> None:
    assert let_git_merge(str(clone.root), ("/nowhere/memcli",))
    in_two_branches(clone, [BASE.replace(body="one\n")], [BASE.replace(body="two\n")])
    clone.git("merge", "-m", "m", "other", code=1)
    text = (clone.root / PATH).read_text()
    assert "<<<<<<< ours" in text
    assert ">>>>>>> theirs" in text


def test_the_driver_is_written_once_and_mended(clone: Clone) -> None:
    root = str(clone.root)
    assert not let_git_merge(root, PROGRAM)
    clone.git("config", "merge.memcli.driver", "rm -rf /")
    assert let_git_merge(root, PROGRAM)
    driver = clone.git("config", "merge.memcli.driver").strip()
    assert driver == driver_settings(PROGRAM)["merge.memcli.driver"]


def test_a_path_with_quotes_and_spaces_is_one_word(tmp_path: Path) -> None:
    folder = tmp_path / "it's a $(touch pwned) vault"
    prepare(str(folder))
    started = f'exec {sys.executable} -P -m memcli "$@"'
    let_git_merge(str(folder), (str(program(tmp_path / "bin 'x" / "memcli", started)),))
    clone = Clone(folder)
    path = "memories/note/a'b $(touch pwned).md"
    base = BASE.replace(path=path, body="a\nb\nc\n")
    clone.write(base)
    in_two_branches(
        clone, [base.replace(body="A\nb\nc\n")], [base.replace(body="a\nb\nC\n")]
    )
    clone.git("merge", "-m", "m", "other")
    assert clone.entries()[BASE.id].body == "A\nb\nC\n"
    assert not list(tmp_path.rglob("pwned"))


def test_a_vault_in_a_folder_of_a_repository_is_merged_there(tmp_path: Path) -> None:
    git(tmp_path, "init", "-qb", "main", "code")
    root = tmp_path / "code" / "my notes"
    prepare(str(root), agreed=True)
    let_git_merge(str(root), PROGRAM)
    clone = Clone(root)
    clone.write(BASE)
    ours = BASE.replace(body="one\n", updated="2026-11-22T08:00:00Z")
    in_two_branches(clone, [ours], [BASE.replace(body="two\n")])
    clone.git("merge", "-m", "m", "other")
    bodies = {entry.path: entry.body for entry in clone.entries().values()}
    assert bodies.pop(PATH) == "one\n"
    assert [path.startswith("archive/memories/") for path in bodies] == [True]


def test_a_link_in_the_way_leads_nothing_out_of_the_vault(clone: Clone) -> None:
    outside = clone.root.parent / "outside"
    outside.mkdir()
    (clone.root / "archive" / ".gitkeep").unlink()
    (clone.root / "archive").rmdir()
    (clone.root / "archive").symlink_to(outside)
    clone.write()
    ours = BASE.replace(body="one\n", updated="2026-11-22T08:00:00Z")
    in_two_branches(clone, [ours], [BASE.replace(body="two\n")])
    clone.git("merge", "-m", "m", "other", code=1)
    assert not list(outside.iterdir())
    assert "<<<<<<<" in (clone.root / PATH).read_text()


def test_a_path_reaches_no_terminal_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["base", "ours", "theirs", "memories/\x1b]0;title\x07\u202e.md"]
    assert merging.main(words, str(tmp_path)) == 1
    said = capsys.readouterr().err
    assert said.startswith("memcli: memories/]0;title.md is left to git: ")
    assert said.count("\n") == 1
