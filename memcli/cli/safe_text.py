"""Text as a terminal may have it: shown, not obeyed, and broken between words.

Invariant: what `safe` returns moves no cursor, sets no title and turns no text around;
JSON by `as_json` means the same as any other JSON of the value. No word is broken, and
no command or path that a person may copy. How wide a text is on a terminal says the
caller, by `cells`: it loads what knows that.
"""

from __future__ import annotations

import re

from memcli.cli.commands import ALIASES, COMMANDS
from memcli.named_tuple import encoded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Cells = Callable[[str], int]


# C0 and C1 controls save newline and tab, and what turns text around: a memory must
# not move a cursor, set a title or show one thing while saying another.
_CONTROLS = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if code not in (0x09, 0x0A)
} | {
    code: f"\\u{code:04x}"
    for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
# What JSON may hold as it is, and writes by its number all the same.
_BY_NUMBER = {code: f"\\u{code:04x}" for code in _CONTROLS if code >= 0x7F}


def safe(text: str) -> str:
    """The text with everything a terminal would obey made visible."""
    return text.translate(_CONTROLS)


def as_json(value: Any) -> str:
    """JSON in one line, which means the same and holds nothing a terminal would obey.

    So `safe` changes nothing in it: its `\\x9b` is no escape of JSON.
    """
    import json

    text = json.dumps(encoded(value), ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text
    # Looking for them first spares most of the time, 40 ms for a million letters.
    found = re.search(f"[{''.join(map(chr, _BY_NUMBER))}]", text)
    return text.translate(_BY_NUMBER) if found else text


# What stands before the command that a sentence ends with: `try: memcli recall 'a b'`.
# The talk has sentences of memcli and git, too: "memcli compares words".
_NAMES = "|".join([*COMMANDS, *ALIASES])
_BEFORE = rf"^.*: (?=memcli (?:{_NAMES})\b|git -C )"


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
    """Talk to a person, with its long lines broken to fit a terminal.

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
        before = re.match(_BEFORE, line)
        prose = before[0] if before else line
        command = line[len(prose) :]
        room = max(width - len(indent), 1)
        told += [f"{indent}{part}" for part in broken(prose.strip(), room, cells)]
        if command and cells(told[-1]) + 1 + cells(command) <= width:
            told[-1] += f" {command}"
        elif command:
            told.append(f"{indent}{command}")
    return "\n".join(told)
