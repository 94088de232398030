"""What a terminal shows can be copied: nothing is broken or changed on the way."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memcli import Vault
from memcli.cli import render
from memcli.cli.context import Result
from memcli.errors import EntryNotFound, UsageError
from tests.conftest import VaultMaker
from tests.git_command import git

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals there")

WIDTH = 60


def on_terminal(vault: Vault, *words: str) -> str:
    """What `memcli WORDS` prints on a terminal of 60 columns."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    kept = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "memcli", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**kept, "MEMCLI_VAULT": vault.root, "TERM": "xterm-256color"},
        close_fds=True,
    )
    os.close(theirs)
    data = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        data += part
    os.close(ours)
    assert process.wait(timeout=30) == 0, data
    return re.sub(r"\x1b\[[0-9;]*m", "", data.decode()).replace("\r\n", "\n")


@pytest.fixture
def odd(make_vault: VaultMaker) -> Vault:
    return make_vault("it's a folder with a long name; $HOME `and` more")


def write(vault: Vault, path: str, text: str) -> None:
    file = Path(vault.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", f"add\t{text.strip()}")


def test_what_forget_prints_can_be_pasted(odd: Vault) -> None:
    path = "notes/it's 100% $odd `name`;  two spaces and a \u200eturn [x]*.md"
    write(odd, path, "the forgotten words\n")
    write(odd, "notes/other.md", "what stays")
    (name,) = [row.id for row in odd.recall("forgotten").rows]
    said = on_terminal(odd, "forget", name, "--yes")
    commands = said.partition("clone of it:\n")[2]
    assert "\t" not in commands
    assert [line for line in commands.splitlines() if len(line) > WIDTH]
    subprocess.run(["sh", "-c", commands], check=True, capture_output=True)
    objects = ["git", "-C", odd.root, "cat-file", "--batch-all-objects", "--batch"]
    held = subprocess.check_output(objects)
    assert b"forgotten" not in held
    assert b"what stays" in held


@pytest.mark.parametrize("words", [("save",), ("show",), ("inspect",), ("import",)])
def test_a_path_is_never_broken(
    odd: Vault, words: tuple[str, ...], tmp_path: Path
) -> None:
    text = "A title that is as long as the one of a note may well be, here and there"
    name = odd.save(text).id
    path = odd.path_of(name)
    told = {"save": [text], "show": [name], "inspect": [name]}.get(words[0], [])
    if words == ("import",):
        (tmp_path / "more.jsonl").write_text('{"text": "' + text.upper() + ' more"}\n')
        told = [str(tmp_path / "more.jsonl"), "--dry-run"]
        path = path.rpartition("/")[0]
    assert path in on_terminal(odd, *words, *told)


# --- tables -----------------------------------------------------------------------


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> "render._Canvas":
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(render, "_is_terminal", lambda _: True)
    return render._Canvas()


def test_a_column_that_is_too_wide_stands_whole_below_its_row(
    screen: "render._Canvas", capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"memories/{'long/' * 20}note.md"
    rows: list[tuple[str, ...]] = [
        ("1m7x", "note", "", "日本語", path),
        ("1m7y", "fix", "", "another", ""),
    ]
    screen.table(("id", "kind", "project", "title", "path"), rows)
    assert capsys.readouterr().out.splitlines() == [
        "id    kind  title",
        "1m7x  note  日本語",
        f"  {path}",
        "1m7y  fix   another",
    ]


def test_a_mistake_in_a_call_always_has_a_hint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = render.Screen("list", as_json=True)
    assert screen.failure(UsageError("--limit must be 1 or more")) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["hint"] == "See: memcli list --help"
    screen.failure(UsageError("two", hint="one"))
    assert json.loads(capsys.readouterr().out)["error"]["hint"] == "one"
    screen.failure(EntryNotFound("no entry"))
    assert json.loads(capsys.readouterr().out)["error"]["hint"] is None


def test_a_bar_that_stopped_before_its_end_is_taken_away_before_what_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(render, "_is_terminal", lambda stream: stream is sys.stderr)
    screen = render.Screen("import", as_json=False)
    bar = screen.progress("importing")
    assert bar is not None
    bar(9_984, 10_000)
    screen.tell("imported 10000")
    err = capsys.readouterr().err
    assert err.endswith("9,984/10,000\r\x1b[Kimported 10000\n")
    screen.tell("done")
    assert capsys.readouterr().err == "done\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_a_terminal_without_the_letters_shows_their_numbers(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.save("Run 日本 tests")
    for name, value in (("LC_ALL", "C"), ("PYTHONCOERCECLOCALE", "0")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONUTF8", "0")
    assert r"Run \u65e5\u672c tests" in on_terminal(vault, "list")


def test_tabs_stay_tabs_and_lines_stay_lines(
    screen: "render._Canvas", capsys: pytest.CaptureFixture[str]
) -> None:
    line = "a\ttab " + "and a long line " * 9
    screen.line(line, style="good")
    assert capsys.readouterr().out == line + "\n"


def test_json_means_the_same_and_holds_nothing_that_a_terminal_obeys() -> None:
    odd = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066))) + "é"
    for value in ({"text": odd}, {"text": "only \x7f"}, *({"é": one} for one in odd)):
        text = render.as_json(value)
        assert json.loads(text) == value
        assert render.safe(text) == text
    assert "é" in render.as_json(odd)


def test_a_pipe_names_the_columns_of_a_table_when_it_is_asked_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows: list[tuple[str, ...]] = [("1m7x", "a\ttab and\na line"), ("1m7y", "")]
    table = Result({}, lambda canvas: canvas.table(("id", "title"), rows))
    render.Screen("list", as_json=False).success(table)
    render.Screen("list", as_json=False, header=True).success(table)
    plain = "1m7x\ta tab and a line\n1m7y\t\n"
    assert capsys.readouterr().out == f"{plain}id\ttitle\n{plain}"
