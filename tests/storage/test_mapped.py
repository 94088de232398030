"""Files that are mapped into memory instead of read."""

import errno
import mmap
import os
import sys
import threading
from pathlib import Path

import pytest

from memcli.errors import Unreadable
from memcli.storage.mapped import mapped


def test_a_mapped_file_has_its_bytes_also_after_it_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"old bytes")
    memory = mapped(str(path), limit=9)
    (tmp_path / "other").write_bytes(b"new")
    os.replace(tmp_path / "other", path)
    assert (memory[:], memory[4:9], len(memory)) == (b"old bytes", b"bytes", 9)
    assert mapped(str(path), limit=9)[:] == b"new"


def test_an_empty_file_has_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert mapped(str(tmp_path / "empty"), limit=0) == b""


def test_what_is_no_regular_file_or_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "circle").symlink_to("circle")
    refused = ["large", "circle", "missing", "a\0b", "."]
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe")  # opening one waits for ever
        refused.append("pipe")
    for name in refused:
        with pytest.raises(Unreadable):
            mapped(str(tmp_path / name), limit=4)


def test_a_file_on_a_disk_that_maps_none_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    monkeypatch.setattr(mmap, "mmap", refuse)
    (tmp_path / "state").write_bytes(b"bytes")
    assert mapped(str(tmp_path / "state"), limit=5) == b"bytes"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets programs wait")
def test_a_program_that_writes_into_a_mapped_file_waits_until_it_is_let_go(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index"
    path.write_bytes(b"old" * 10_000)
    memory = mapped(str(path), limit=30_000, foreign=True)
    if isinstance(memory, bytes):
        pytest.skip(f"the disk of {tmp_path} knows no leases")
    writer = threading.Thread(target=os.truncate, args=(path, 0))
    writer.start()
    writer.join(0.1)
    assert writer.is_alive()
    assert memory[-3:] == b"old"
    memory.close()
    writer.join(10)
    assert not writer.is_alive()
    assert path.read_bytes() == b""


def test_a_file_that_another_program_has_open_for_writing_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index"
    path.write_bytes(b"old")
    with path.open("r+b") as file:
        memory = mapped(str(path), limit=3, foreign=True)
        file.truncate(0)
        assert memory == b"old"
