"""Several processes find in files what one finds, also when some of them die."""

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memcli import Vault
from memcli.search import reading_processes
from memcli.search.batch import Batch, as_line, batch_of, collected, from_line
from memcli.search.reading import Files
from memcli.storage.listing import paths_of, scan

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator


# A batch, but of more files than were asked for.
OTHERS = as_line(batch_of([])._replace(files=99))


@pytest.fixture
def files(vault: Vault) -> Files:
    """Files for three shares, good ones and bad."""
    folder = Path(vault.root, "memories", "note")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(40):
        head = f"---\ntags: [t{number % 3}]\n---\n" if number % 2 else ""
        text = f"{head}Deploy {number} café 中文 src/app{number}.py\n"
        (folder / f"note-{number:02}.md").write_text(text)
    (folder / "bad.md").write_text("---\nid: [\n---\n")
    (folder / "empty.md").write_bytes(b"")
    (folder / os.fsdecode(b"half-\xed\xa0\x80.md")).write_text("half a pair\n")
    return Files(vault.root)


def in_shares(files: Files) -> list[list[str]]:
    """The files in shares of sixteen."""
    paths = sorted(paths_of(scan(files.root)))
    return [paths[start : start + 16] for start in range(0, len(paths), 16)]


def one_by_one(files: Files) -> tuple[list[list[str]], list[Batch]]:
    shares = in_shares(files)
    return shares, ageless(collected(map(files.found, share)) for share in shares)


def ageless(found: "Iterable[Batch]") -> list[Batch]:
    """What was found, but not which files were young at that moment."""
    return [each._replace(recent={}) for each in found]


@pytest.mark.parametrize("processes", [1, 3])
def test_several_find_what_one_finds_in_the_same_order(
    files: Files, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, alone = one_by_one(files)
    # No file is read here: each answer comes from another process.
    monkeypatch.setattr(Files, "found", None)
    found = reading_processes.found_by_several(files, shares, processes)
    assert ageless(found) == alone


def test_a_process_that_is_killed_loses_nothing(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, alone = one_by_one(files)
    started = kept(monkeypatch)
    found: Iterator[Batch] = reading_processes.found_by_several(files, shares, 2)
    first = next(found)
    for process in started:
        process.kill()
    assert ageless([first, *found]) == alone
    assert all(process.returncode is not None for process in started)


@pytest.mark.parametrize(
    "said", [b"", b"\0" * 12, b"x" * 99, b"[]\n", b"\xff" * 12, b"{}\n" * 9, OTHERS]
)
def test_a_process_that_gives_no_answer_loses_nothing(
    files: Files, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    shares, alone = one_by_one(files)

    class Babbler:
        stdin, stdout = None, io.BytesIO(said)

        def kill(self) -> None: ...
        def wait(self) -> None: ...

    monkeypatch.setattr(reading_processes, "_start", Babbler)
    assert ageless(reading_processes.found_by_several(files, shares, 1)) == alone


def test_all_processes_are_started_before_one_is_told_its_files(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, alone = one_by_one(files)
    started = kept(monkeypatch)
    told, counts = reading_processes._tell, []

    def counting(*given: Any) -> None:
        counts.append(len(started))
        told(*given)

    monkeypatch.setattr(reading_processes, "_tell", counting)
    assert ageless(reading_processes.found_by_several(files, shares, 2)) == alone
    assert counts == [2, 2]


def test_a_process_that_dies_before_it_is_told_its_files_loses_nothing(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, alone = one_by_one(files)
    told = reading_processes._tell

    def late(process: "subprocess.Popen[bytes]", *given: Any) -> None:
        process.kill()
        process.wait()
        told(process, *given)

    monkeypatch.setattr(reading_processes, "_tell", late)
    assert ageless(reading_processes.found_by_several(files, shares, 2)) == alone


def test_where_no_process_can_be_started_this_one_reads(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, alone = one_by_one(files)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert ageless(reading_processes.found_by_several(files, shares, 2)) == alone


def test_who_takes_only_the_first_answer_leaves_no_process(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = in_shares(files)
    started = kept(monkeypatch)
    found: Any = reading_processes.found_by_several(files, shares, 2)
    next(found)
    found.close()
    assert [process.returncode is None for process in started] == [False, False]


def test_processes_are_started_for_thousands_of_files_and_never_in_a_crowd() -> None:
    assert [
        reading_processes.worth(8, files) for files in (0, 1_999, 2_000, 3_999, 10**6)
    ] == [*(1, 1, 2, 3, 4)]
    assert reading_processes.worth(1, 10**6) == 1, "a hook takes one"


def test_a_line_of_a_batch_that_is_not_whole_is_none(files: Files) -> None:
    _, (batch, *_) = one_by_one(files)
    line = as_line(batch)
    assert from_line(line) == batch
    assert line.count(b"\n") == 1
    for end in (0, 1, len(line) // 2, len(line) - 2):
        with pytest.raises(ValueError, match="line 1 column"):
            from_line(line[:end])


def kept(monkeypatch: pytest.MonkeyPatch) -> "list[subprocess.Popen[bytes]]":
    """The processes that are started from now on."""
    started: list[subprocess.Popen[bytes]] = []
    start = reading_processes._start

    def keeping() -> "subprocess.Popen[bytes]":
        started.append(start())
        return started[-1]

    monkeypatch.setattr(reading_processes, "_start", keeping)
    return started


@pytest.mark.parametrize("files", [0, 1, 1_000, 10_141])
@pytest.mark.parametrize("processes", [1, 2, 4])
def test_shares_hold_every_path_once_and_are_as_large_for_each_process(
    files: int, processes: int
) -> None:
    paths = [f"{number}.md" for number in range(files)]
    shares = reading_processes.in_shares(paths, processes)
    assert [path for share in shares for path in share] == paths
    each = [sum(map(len, shares[n::processes])) for n in range(processes)]
    assert max(each) - min(each) <= 256
    assert all(len(share) <= 512 for share in shares)
