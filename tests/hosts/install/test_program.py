"""Which memcli is called, and that a shell makes the right words of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.errors import InvalidValue
from memcli.hosts.install.command_line import (
    Program,
    calls,
    calls_hook,
    command_line,
    running,
)

posix = pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")

NASTY = '/opt/it\'s "$HOME" `x` & é;(1)/memcli'


@posix
def test_the_script_that_runs_is_called_by_its_absolute_path_links_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "memcli").write_text("")
    (tmp_path / "memcli").symlink_to(tmp_path / "venv" / "memcli")
    monkeypatch.chdir(tmp_path)
    found = running("./memcli", "/usr/bin/python3", windows=False)
    assert found.words == (str(tmp_path / "memcli"),)


@posix
def test_python_m_is_called_without_the_project_on_its_path(tmp_path: Path) -> None:
    (tmp_path / "memcli").mkdir()
    argv0 = tmp_path / "memcli" / "__main__.py"
    argv0.write_text("")
    found = running(str(argv0), "/usr/bin/python3", windows=False)
    assert found.words == ("/usr/bin/python3", "-P", "-m", "memcli")


def test_the_windows_launcher_is_found_though_python_names_it_without_exe(
    tmp_path: Path,
) -> None:
    (tmp_path / "memcli.exe").write_text("")
    found = running(str(tmp_path / "memcli"), "python.exe", windows=True)
    assert found.words == (str(tmp_path / "memcli.exe"),)


def test_a_shell_gets_exactly_the_words() -> None:
    line = command_line(Program((NASTY,)), "stop", "codex", "/v/a b'c", "posix")
    quoted = line.replace("'/opt", "printf '%s\\n' '/opt", 1)
    assert quoted != line
    done = subprocess.run(["sh", "-c", quoted], capture_output=True, text=True)
    words = [NASTY, "hook", "stop", "--host", "codex", "--vault", "/v/a b'c"]
    assert done.stdout.splitlines() == words
    assert calls(line) == words


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("posix", "'C:/a b/memcli.exe' hook stop --host x --vault C:/v"),
        ("powershell", r"& 'C:\a b\memcli.exe' hook stop --host x --vault C:\v"),
        ("cmd", r'"C:\a b\memcli.exe" hook stop --host x --vault C:\v'),
    ],
)
def test_windows_lines_are_written_for_who_reads_them(shell: str, line: str) -> None:
    program = Program((r"C:\a b\memcli.exe",), windows=True)
    assert command_line(program, "stop", "x", r"C:\v", shell) == line
    path = "C:/a b/memcli.exe" if shell == "posix" else r"C:\a b\memcli.exe"
    assert calls(line)[0] == path
    assert calls_hook(line)


def test_a_quote_in_powershell_is_doubled_and_read_back() -> None:
    line = command_line(Program(("/it's/memcli",)), "stop", "x", None, "powershell")
    assert line == "& '/it''s/memcli' hook stop --host x"
    assert calls(line)[0] == "/it's/memcli"


def test_what_calls_no_hook_of_memcli_is_nobodys_business() -> None:
    lines = ("memcli recall x", "echo memcli hooks --host x", "my-hook stop --host x")
    assert not any(map(calls_hook, (*lines, None)))


@posix
def test_a_path_that_is_no_utf8_is_refused() -> None:
    name = os.fsdecode(b"/opt/\xff/memcli")
    with pytest.raises(InvalidValue) as caught:
        command_line(Program((name,)), "stop", "x", None, "posix")
    assert caught.value.code == "invalid_path"


def test_what_is_written_starts_memcli(tmp_path: Path) -> None:
    program = running("-c", sys.executable, windows=False)
    line = command_line(program, "stop", "x", None, "posix")
    start = line.removesuffix(" hook stop --host x") + " --version"
    done = subprocess.run(start, shell=True, cwd=tmp_path, capture_output=True)
    assert done.stdout.startswith(b"memcli ")
