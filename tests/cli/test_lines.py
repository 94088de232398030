"""Talk that fits a terminal, and breaks nothing that may be copied."""

import os

import pytest
from rich.cells import cell_len

from memcli.cli import render
from memcli.cli.safe_text import talk, words
from memcli.errors import UsageError

KINDS = "note, preference, workflow, fix, decision, event, blocker, action, convention"


def test_long_talk_is_broken_between_words_below_its_first_one() -> None:
    told = talk(f"  kind must be one of {KINDS}", 40, cell_len)
    lines = told.split("\n")
    assert max(map(len, lines)) <= 40
    assert all(line.startswith("  ") for line in lines)
    assert " ".join(told.split()) == f"kind must be one of {KINDS}"


@pytest.mark.parametrize(
    "command",
    [
        "memcli review --approve 1m826wbx4ykynejd --title 'two words'",
        "git -C /home/ada/memory remote set-url origin git@host:memory",
    ],
)
def test_the_command_that_ends_a_line_is_not_broken(command: str) -> None:
    lines = talk(
        f"  To do it for this vault and no other: {command}", 40, cell_len
    ).split("\n")
    assert lines[-1] == f"  {command}"
    assert max(map(len, lines[:-1])) <= 40


def test_a_path_is_not_broken_and_short_lines_stay_as_they_are() -> None:
    path = "/home/ada/" + "folder/" * 9 + "note.md"
    assert f"{path}:" in talk(f"memcli: {path}: permission denied", 40, cell_len).split(
        "\n"
    )
    table = "  y          approve\n  n          reject"
    assert talk(table, 40, cell_len) == table


def test_two_spaces_in_a_path_stay_two() -> None:
    told = talk("no vault is at /home/ada/my  notes, and nothing else is", 40, cell_len)
    assert "/home/ada/my  notes," in told


def test_wide_characters_count_as_two() -> None:
    lines = talk("warning: " + "火曜日" * 12, 40, cell_len).split("\n")
    assert len(lines) > 1
    assert max(map(len, lines[1:])) == 20


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_an_error_on_a_terminal_of_40_columns_cuts_no_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with open(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        screen = render.Screen("save", as_json=False)
        screen.failure(UsageError(f"kind must be one of {KINDS}", hint="Or none."))
        terminal.flush()
        shown = b""
        while not shown.endswith(b"none.\r\n"):  # a terminal gives what it has so far
            shown += os.read(ours, 4096)
        lines = shown.decode().split("\r\n")
    os.close(ours)
    assert lines[0] == "memcli: kind must be one of note,"
    assert lines[-2:] == ["  Or none.", ""]
    assert max(map(len, lines)) <= 40


def test_of_two_commands_the_last_one_is_not_broken() -> None:
    told = talk(
        "  Moved: memcli config set x PATH. New: memcli init /a/b/c", 40, cell_len
    )
    assert told.split("\n")[-1].strip() == "memcli init /a/b/c"


def test_a_sentence_about_memcli_is_no_command() -> None:
    words = "memcli compares words, not meanings: other words are missed"
    assert talk(f"warning: {words}", 40, cell_len).split("\n")[0] == (
        "warning: memcli compares words, not"
    )


def test_many_spaces_at_the_end_of_a_line_take_no_time() -> None:
    # A pattern that tries from each of them would take hours.
    assert words("word" + " " * 1_000_000, len) == [("word", "")]
