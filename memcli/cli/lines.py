"""Breaks lines of prose between words.

Invariant: no word is broken, and no command or path that a person may copy. How wide a
text is on a terminal says the caller, by `cells`: it loads what knows that.
"""

from __future__ import annotations

import re

from memcli.cli.commands import COMMANDS
from memcli.cli.plain import ALIASES

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    Cells = Callable[[str], int]

# What stands before the command that a sentence ends with: `try: memcli recall 'a b'`.
# The talk has sentences of memcli and git, too: "memcli compares words".
_NAMES = "|".join([*COMMANDS, *ALIASES])
_BEFORE = re.compile(rf"^.*: (?=memcli (?:{_NAMES})\b|git -C )")


def words(line: str, cells: Cells) -> list[tuple[str, str]]:
    """The words of a line, each with what joins it to the one before.

    Between two wide characters, as of Chinese and Japanese, a line may be broken too.
    """
    found = []
    # Without the spaces at its end: the pattern takes the square of their number.
    for between, word in re.findall(r"(\s*)(\S+)", line.rstrip()):
        start, gap = 0, between
        for place in range(1, 0 if word.isascii() else len(word)):
            if cells(word[place - 1]) == 2 == cells(word[place]):
                found.append((word[start:place], gap))
                start, gap = place, ""
        found.append((word[start:], gap))
    return found


def broken(line: str, width: int, cells: Cells) -> list[str]:
    """A line, broken between words; a word that is too wide stays whole."""
    if cells(line) <= width:
        return [line]
    parts = [""]
    for word, gap in words(line, cells):
        longer = f"{parts[-1]}{gap}{word}" if parts[-1] else word
        if cells(longer) <= width or not parts[-1]:
            parts[-1] = longer
        else:
            parts.append(word)
    return parts


def talk(text: str, width: int, cells: Cells) -> str:
    """What is said to a person, with its long lines broken to fit a terminal.

    The parts of a line begin below its first word. The command that ends a line is not
    broken: the terminal itself wraps it, so that it can be copied.

    >>> print(talk("  Give it: memcli save TEXT; or pipe it in", 24, len))
      Give it:
      memcli save TEXT; or pipe it in
    """
    told: list[str] = []
    for line in text.split("\n"):
        if cells(line) <= width:
            told.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        before = _BEFORE.match(line)
        prose = before[0] if before else line
        command = line[len(prose) :]
        room = max(width - len(indent), 1)
        told += [f"{indent}{part}" for part in broken(prose.strip(), room, cells)]
        if command and cells(told[-1]) + 1 + cells(command) <= width:
            told[-1] += f" {command}"
        elif command:
            told.append(f"{indent}{command}")
    return "\n".join(told)
