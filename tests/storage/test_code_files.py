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
    (folder / "src").mkdir(parents=True)
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


def link(checkout: Path) -> str:
    (checkout / "out").symlink_to("../secret")
    return "out"


def link_inside(checkout: Path) -> str:
    (checkout / "alias.py").symlink_to("src/app.py")
    return "alias.py"


def linked_folder(checkout: Path) -> str:
    (checkout / "up").symlink_to("..")
    return "up/secret"


def pipe(checkout: Path) -> str:
    os.mkfifo(checkout / "pipe")
    return "pipe"


def sock(checkout: Path) -> str:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(checkout / "sock"))
    return "sock"


def folder(_: Path) -> str:
    return "src"


def huge(checkout: Path) -> str:
    with open(checkout / "huge", "wb") as file:
        file.truncate(1 << 30)
    return "huge"


def just_too_large(checkout: Path) -> str:
    (checkout / "large").write_bytes(b"x" * (LARGEST + 1))
    return "large"


def submodule(checkout: Path) -> str:
    (checkout / "vendor").mkdir()
    (checkout / "vendor" / ".git").write_text("gitdir: ../.git/modules/vendor\n")
    (checkout / "vendor" / "a.py").write_bytes(b"x\n")
    return "vendor/a.py"


def gits_own(checkout: Path) -> str:
    (checkout / ".git").mkdir()
    (checkout / ".git" / "config").write_bytes(b"x\n")
    return ".git/config"


def climbing(_: Path) -> str:
    return "src/../../secret"


def absolute(checkout: Path) -> str:
    return str(checkout.parent / "secret")


def odd(_: Path) -> str:
    return "a\0b"


@pytest.mark.parametrize(
    "made",
    [
        link, link_inside, linked_folder, pipe, sock, folder, huge, just_too_large,
        submodule, gits_own, climbing, absolute, odd,
    ],
)  # fmt: skip
def test_what_is_no_plain_file_of_the_project_is_not_read_and_says_why(
    checkout: Path, made: Callable[[Path], str]
) -> None:
    look = read(checkout, made(checkout))
    assert look.data is None
    assert not look.gone
    assert look.reason
