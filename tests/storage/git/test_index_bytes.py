"""git's index that memcli writes is the one that git would write."""

import os
import random
import subprocess
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path

import pytest

from memcli.storage.git import index_bytes
from memcli.storage.git.index_bytes import Changed, Staged, with_changes

FOLDERS = ("memories", "memories/note", "memories/note/2026/11", "memories/notes")


def git(root: Path, *words: str, index: str | None = None) -> str:
    env = {**os.environ, **({"GIT_INDEX_FILE": index} if index else {})}
    done = subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, text=True, env=env
    )
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit, whose index has its trees counted."""
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q", "-b", "main")
    for number in range(60):
        write(root, f"{FOLDERS[number % 4]}/{chr(97 + number % 26)}{number}.md", "old")
    write(root, "top.md", "at the top")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def write(root: Path, path: str, text: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def staged(root: Path, path: str) -> Staged:
    blob = git(root, "hash-object", "-w", "--", path).strip()
    return Staged(bytes.fromhex(blob), os.stat(root / path))


def whole(index: Changed) -> bytes:
    return b"".join(index.parts)


def index_of(root: Path) -> bytes:
    return (root / ".git" / "index").read_bytes()


@pytest.mark.parametrize("seed", range(5))
def test_index_has_the_bytes_that_git_writes(made: Path, seed: int) -> None:
    """New files and changed ones, several at once; names of all lengths."""
    rng = random.Random(seed)
    before = index_of(made)
    paths = set()
    for number in range(6):
        name = rng.choice(["0", "a b", "m", "ü", "z"]) * rng.randint(1, 9)
        paths.add(f"{rng.choice(FOLDERS)}/{name}{seed}{number}.md")
    paths.add(f"{name}{seed}.md")
    # Of these folders the index holds nothing; git counts no tree of them.
    paths |= {f"memories/{rng.choice('AZ')}{seed}/{part}new.md" for part in ("", "b/")}
    paths.add(f"{rng.choice(['a', 'memories.d', 'z'])}{seed}/2026/11/new.md")
    paths |= set(
        rng.sample(git(made, "ls-files", "-z", "memories").split("\0")[:-1], 3)
    )
    for path in paths:
        write(made, path, f"changed {seed}")
    mine = with_changes(before, {p.encode(): staged(made, p) for p in sorted(paths)})
    assert mine is not None
    git(made, "add", *paths)
    assert whole(mine) == index_of(made)
    assert not mine.same
    again = with_changes(whole(mine), {p.encode(): staged(made, p) for p in paths})
    assert again is not None
    assert sorted(again.same) == sorted(p.encode() for p in paths)
    assert again.new == []
    git(made, "commit", "-qm", "so that the trees are counted again")


def test_files_are_taken_out(made: Path, tmp_path: Path) -> None:
    paths = git(made, "ls-files", "-z", "memories/note/2026/11").split("\0")
    gone, stays = paths[0], paths[1]
    write(made, stays, "changed once more")
    changes = {gone.encode(): None, stays.encode(): staged(made, stays)}
    mine = with_changes(index_of(made), changes)
    assert mine is not None
    place = tmp_path / "index"
    place.write_bytes(whole(mine))
    assert git(made, "fsck", "--strict", index=str(place)) == ""
    theirs = tmp_path / "theirs"
    theirs.write_bytes(index_of(made))
    git(made, "update-index", "--force-remove", gone, index=str(theirs))
    git(made, "update-index", stays, index=str(theirs))
    listed = [git(made, "ls-files", "-s", index=str(p)) for p in (place, theirs)]
    assert listed[0] == listed[1]
    trees = [git(made, "write-tree", index=str(p)) for p in (place, theirs)]
    assert trees[0] == trees[1]
    absent = with_changes(index_of(made), {gone.encode() + b".md": None})
    assert absent is not None
    assert absent.same == [gone.encode() + b".md"]
    git(made, "checkout", "-q", "--", stays)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("top.md/new/a.md", "a file stands where a folder comes"),
        ("memories/note", "a folder stands there"),
        ("memories/" + "long" * 70 + ".md", "the name is long"),
    ],
)
def test_what_only_git_can_tell_is_left_to_git(made: Path, path: str, why: str) -> None:
    entry = Staged(b"\1" * 20, os.stat(made / "top.md"))
    assert with_changes(index_of(made), {path.encode(): entry}) is None, why


@pytest.mark.parametrize(
    "words",
    [
        ("update-index", "--index-version", "4"),
        ("update-index", "--assume-unchanged", "memories/a0.md"),
        ("update-index", "--skip-worktree", "memories/a0.md"),
        ("update-index", "--chmod=+x", "memories/a0.md"),
        ("update-index", "--untracked-cache"),
        ("update-index", "--split-index"),
    ],
)
def test_unusual_indexes_are_left_to_git(
    made: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    place = tmp_path / "index"
    place.write_bytes(index_of(made))
    entry = staged(made, "memories/a0.md")._replace(blob=b"\1" * 20)
    changes = {b"memories/a0.md": entry}
    assert with_changes(place.read_bytes(), changes) is not None
    git(made, *words, index=str(place))
    assert with_changes(place.read_bytes(), changes) is None


def test_the_first_file_of_an_index_is_put_in_as_by_git(
    made: Path, tmp_path: Path
) -> None:
    place = tmp_path / "index"
    git(made, "read-tree", "--empty", index=str(place))
    entry = {b"memories/a0.md": staged(made, "memories/a0.md")}
    mine = with_changes(place.read_bytes(), entry)
    git(made, "add", "memories/a0.md", index=str(place))
    assert mine is not None
    assert whole(mine) == place.read_bytes()


def test_damaged_index_is_left_to_git(made: Path) -> None:
    """No cut and no flipped byte raises anything, or makes an index without a sum."""
    index = index_of(made)
    entry = staged(made, "memories/a0.md")._replace(blob=b"\1" * 20)
    changes = {b"memories/a0.md": entry, b"memories/new.md": entry}
    rng = random.Random(1)
    for _ in range(400):
        at = rng.randrange(len(index))
        broken = bytearray(index)
        broken[at] ^= 1 << rng.randrange(8)
        for bytes_ in (bytes(broken), index[:at]):
            mine = with_changes(bytes_, changes)
            assert mine is None or len(whole(mine)) > len(index) // 2


@pytest.mark.parametrize("seed", range(5))
def test_each_entry_and_each_gap_is_found_among_thousands(
    made: Path, seed: int
) -> None:
    rng = random.Random(seed)
    status = os.stat(made / "top.md")
    letters = b"-./0az\xc3\xbc"
    made_up = {bytes(rng.choices(letters, k=rng.randint(1, 200))) for _ in range(2000)}
    names = sorted(made_up)
    entries = [index_bytes._entry(n, Staged(rng.randbytes(20), status)) for n in names]
    index = b"\0" * 12 + b"".join(entries)
    places = [12, *accumulate(map(len, entries), initial=12)][1:]
    probes = [*rng.sample(names, 100), *(rng.choice(names) + b"!" for _ in range(100))]
    for name in (b"", names[0], names[-1], b"\xff", *probes):
        number = bisect_left(names, name)
        found, place = index_bytes._from(index, len(index), name)
        assert place == places[number]
        assert (found and found.name) == (names[number] if name <= names[-1] else None)


def test_names_that_pretend_to_be_entries_are_passed_over(made: Path) -> None:
    """Names and ids come from strangers: their bytes must not be taken for an entry."""
    mode = b"\0\0\x81\xa4"
    blob = b"\1" * 16 + mode  # so an entry seems to begin 32 bytes behind the other
    status = os.stat(made / "top.md")
    # Where the length of the other name would stand, in this one: that of its rest.
    names = [
        b"a/%04d" % number + b"x" * 24 + b"\1\x0c" + b"z" * 268 for number in range(400)
    ]
    names = [name[: index_bytes._LONGEST] for name in names]
    for name in names:
        pretended = index_bytes._entry(name, Staged(blob, status))
        assert pretended.find(mode, 28) == 56
    entries = [index_bytes._entry(name, Staged(blob, status)) for name in names]
    index = b"\0" * 12 + b"".join(entries)
    starts = {12 + len(entries[0]) * number for number in range(len(entries))}
    for name in (names[0], names[7], names[200], names[-1]):
        found, place = index_bytes._from(index, len(index), name)
        assert found is not None
        assert (found.name, found.start) == (name, place)
    for at in range(12, len(index), 1111):
        some = index_bytes._some_entry(index, at, len(index))
        assert some is None or some.start in starts


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_marked_entry_is_left_to_git_and_others_keep_their_marks(
    made: Path, tmp_path: Path, mark: str
) -> None:
    place, theirs = tmp_path / "index", tmp_path / "theirs"
    names = git(made, "ls-files", "-z", "memories/note/2026/11").split("\0")[:-1]
    for name in (names[0], names[len(names) // 2], names[-1]):
        place.write_bytes(index_of(made))
        git(made, "update-index", mark, name, index=str(place))
        changed = {name.encode(): staged(made, name)._replace(blob=b"\1" * 20)}
        assert with_changes(place.read_bytes(), changed) is None
        path = "memories/note/2026/11/zz.md"
        write(made, path, "new")
        mine = with_changes(place.read_bytes(), {path.encode(): staged(made, path)})
        theirs.write_bytes(place.read_bytes())
        git(made, "add", path, index=str(theirs))
        assert mine is None or whole(mine) == theirs.read_bytes()
        assert mine is None or mark == "--assume-unchanged"
