"""Only plain files of the project itself are read; nothing blocks."""

import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.storage import checkout as code
from memcli.storage.checkout import LARGEST, Look

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="links and pipes need a POSIX system"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for name in ("src", "vendor", ".git"):
        (folder / name).mkdir(parents=True)
    (folder / "src" / "app.py").write_bytes(b"x = 1\n")
    (tmp_path / "secret").write_bytes(b"secret\n")
    return folder


def read(checkout: Path, path: str) -> Look:
    before = time.monotonic()
    look = code.read(str(checkout), path)
    assert time.monotonic() - before < 1
    return look


def test_a_file_is_read_and_a_folder_is_there(checkout: Path) -> None:
    assert read(checkout, "src/app.py").data == b"x = 1\n"
    assert code.has(str(checkout), "src") == (None, False, "")
    assert code.has(str(checkout), "src/app.py") == (None, False, "")


@pytest.mark.parametrize("path", ["nope.py", "src/nope/a.py", "src/app.py/x"])
def test_what_is_not_there_is_gone(checkout: Path, path: str) -> None:
    assert read(checkout, path).gone
    assert code.has(str(checkout), path).gone


def sock(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(place))


def huge(place: Path) -> None:
    with open(place, "wb") as file:
        file.truncate(1 << 30)


# Paths of a checkout, each with what lies there.
NO_FILES: dict[str, Callable[[Path], object]] = {
    "out": lambda place: place.symlink_to("../secret"),
    "alias.py": lambda place: place.symlink_to("src/app.py"),
    "up/secret": lambda place: place.parent.symlink_to(".."),
    "pipe": os.mkfifo,
    "sock": sock,
    "src": Path.is_dir,
    "huge": huge,
    "large": lambda place: place.write_bytes(b"x" * (LARGEST + 1)),
    "vendor/.git": lambda place: place.write_text("gitdir: ../.git/modules/vendor"),
    ".git/config": lambda place: place.write_bytes(b"x\n"),
    "src/../../secret": Path.exists,
    "/etc/passwd": Path.exists,
    "a\0b": str,
}


@pytest.mark.parametrize("path", NO_FILES)
def test_what_is_no_plain_file_of_the_project_is_not_read_and_says_why(
    checkout: Path, path: str
) -> None:
    NO_FILES[path](checkout / path)
    # A file of another repository lies beside what makes it one.
    look = read(checkout, path.replace("vendor/.git", "vendor/a.py"))
    assert look.data is None
    assert not look.gone
    assert look.reason
