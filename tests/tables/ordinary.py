"""Make words/ordinary.txt: words that are spelled as they were meant.

    apt-get download wamerican-small
    python -m tests.tables.ordinary american-english-small

The list is of Debian's package wamerican-small; words/LICENSES.md names its licence.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "words"


def words(text: str) -> str:
    """Return the words of lower-case letters alone, sorted, one a line.

    >>> words("mango\\nMango\\ncafé\\nanvil\\nmango's\\na\\n")
    'anvil\\nmango\\n'
    """
    found = {line for line in text.split("\n") if re.fullmatch("[a-z]{2,}", line)}
    return "".join(f"{word}\n" for word in sorted(found))


if __name__ == "__main__":
    told = Path(sys.argv[1]).read_text(encoding="utf-8")
    (FOLDER / "ordinary.txt").write_text(words(told), encoding="ascii")
