"""A finding of the lint, and the text that checks look at.

Invariant: a finding names a file and a line in it, frontmatter included.
"""

from __future__ import annotations

import re

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.entries.entry import Entry

ERROR, WARNING = "error", "warning"


class Finding(NamedTuple):
    """Something wrong in a file; `line` counts from 1, `level` is error or warning."""

    path: str
    line: int
    code: str
    level: str
    message: str
    hint: str | None = None


class Text(NamedTuple):
    """An entry with the text of its file, which tells the lines of what is wrong.

    `head` is the file up to the body, `text` all of it; `claim` is `identity.claim` of
    the body, and stays when the body is dropped.
    """

    entry: Entry
    head: str
    text: str
    claim: str

    def line_of(self, position: int) -> int:
        """The line of the file in which a position of the body lies."""
        before = self.entry.body.count("\n", 0, max(0, position))
        return self.head.count("\n") + before + 1

    def field_line(self, name: str) -> int:
        """The line of a frontmatter key; 1 when it has none."""
        key = re.search(rf"""^[ ]*["']?{name}["']?[ ]*:""", self.head, re.MULTILINE)
        return self.head.count("\n", 0, key.start()) + 1 if key else 1
