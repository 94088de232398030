"""`statx` says of many files what `os.lstat` says of each."""

import os
import sys
from array import array
from pathlib import Path

import pytest

from memcli.storage import statx
from memcli.storage.statx import Statx

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has this call"
)


def by_statx(folder: Path, names: list[bytes]) -> bytes | None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return Statx().times_and_sizes(handle, names)
    finally:
        os.close(handle)


def by_lstat(folder: Path, names: list[bytes]) -> bytes:
    found = [os.lstat(os.path.join(os.fsencode(folder), name)) for name in names]
    times = array("q", [each.st_ctime_ns for each in found])
    return times.tobytes() + array("q", [each.st_size for each in found]).tobytes()


@pytest.mark.parametrize("number", [0, 1, 127, 128, 129, 300])
def test_it_says_what_lstat_says_of_each_file(tmp_path: Path, number: int) -> None:
    names = [b"%d.md" % place for place in range(number)]
    for place, name in enumerate(names):
        (tmp_path / name.decode()).write_bytes(b"x" * place)
    found = by_statx(tmp_path, names)
    assert found == by_lstat(tmp_path, names)
    assert by_statx(tmp_path, names[::-1]) == by_lstat(tmp_path, names[::-1])


def test_odd_names_and_sizes_are_told(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    names = [b"\xff.md", "힣.md".encode(), b"a\nb.md", b"n" * 255, b"link.md"]
    for place, name in enumerate(names[:-1]):
        with open(os.path.join(folder, name), "wb") as file:
            file.truncate(place * 3_000_000_000)
    os.symlink(b"\xff.md", os.path.join(folder, b"link.md"))
    assert by_statx(tmp_path, names) == by_lstat(tmp_path, names)


def test_a_file_that_is_not_there_gives_no_answer(tmp_path: Path) -> None:
    (tmp_path / "here.md").touch()
    assert by_statx(tmp_path, [b"here.md", b"gone.md"]) is None
    assert by_statx(tmp_path, [b"here.md" + b"x" * 300]) is None


def test_times_do_not_change_those_beside_them() -> None:
    seconds = [0, statx._LAST, 1, statx._LAST, 0]
    nanoseconds = [0, 999_999_999, 999_999_999, 0, 1]
    found = statx._joined(
        array("q", seconds).tobytes(), array("q", nanoseconds).tobytes()
    )
    both = zip(seconds, nanoseconds, strict=True)
    assert list(array("q", found)) == [s * 1_000_000_000 + ns for s, ns in both]


@pytest.mark.parametrize("second", [-1, statx._LAST + 1, 1 << 40, (1 << 63) - 1])
def test_a_time_that_would_change_those_beside_it_is_refused(second: int) -> None:
    for seconds in ([second], [5, second, 5]):
        with pytest.raises(OverflowError):
            statx._joined(array("q", seconds).tobytes(), bytes(8 * len(seconds)))
