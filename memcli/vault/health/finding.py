"""What a lint says of a file: the words that every check shares.

Invariant: a finding names a file and a line in it, frontmatter included.
"""

import re
from typing import NamedTuple

from memcli.entries.entry import Entry

ERROR, WARNING = "error", "warning"


class Finding(NamedTuple):
    """One thing that is wrong; `line` counts from 1."""

    path: str
    line: int
    code: str
    level: str
    message: str
    hint: str | None = None


class Text(NamedTuple):
    """An entry with what precedes its body, to tell the lines of a file.

    `claim` is what it says, kept when the body is not (`sameness.claim`).
    """

    entry: Entry
    head: str
    text: str
    claim: str

    def without_body(self) -> "Text":
        """Only what other files are checked against."""
        return self._replace(
            entry=self.entry.replace(title=self.entry.display_title, body=""), text=""
        )

    def line_of(self, position: int) -> int:
        """The line of the file in which a position of the body lies."""
        before = self.entry.body.count("\n", 0, max(0, position))
        return self.head.count("\n") + before + 1

    def field_line(self, name: str) -> int:
        """The line of a frontmatter key; 1 when it has none."""
        found = re.search(rf"""^[ ]*["']?{name}["']?[ ]*:""", self.head, re.MULTILINE)
        return self.head.count("\n", 0, found.start()) + 1 if found else 1
