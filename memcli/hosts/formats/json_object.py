"""A transcript that is one JSON object over many lines.

Invariant: the object is held whole, so a file above `LARGEST` is none; and a message
is looked for only below the one before it.
"""

from __future__ import annotations

from memcli.errors import Unreadable
from memcli.hosts.formats import json_fields
from memcli.hosts.formats.jsonl_lines import open_file

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# With its objects 150 MB.
LARGEST = 32_000_000


def read(path: str) -> tuple[dict[str, Any], str]:
    """The object that a file is, and its text; empty when it is another JSON value.

    Raises:
        Unreadable: the file is none, too large, or not one whole JSON value.
    """
    import json

    with open_file(path) as handle:
        data = handle.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Unreadable(f"{path}: one JSON object above {LARGEST:,} bytes")
    text = data.decode("utf-8-sig", "replace")
    try:
        value = json.loads(text.strip("\0 \t\r\n"), strict=False)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: is no whole JSON object") from error
    return json_fields.mapping(value), text


def peek(path: str) -> dict[str, Any]:
    """The JSON object that a file holds; empty when it holds none.

    Raises:
        Unreadable: the file cannot be opened.
    """
    with open_file(path) as handle:
        if not handle.read(4_000).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return {}
    try:
        return read(path)[0]
    except Unreadable:
        return {}


class Places:
    """On which line of a text an id stands; ids are asked for from top to bottom.

    `line` is that of the beginning of the text.
    """

    def __init__(self, text: str, line: int = 1) -> None:
        self._text = text
        self._place, self._line = 0, line

    def line(self, name: str | None) -> int:
        """The line of this id; the last one that was found when it stands nowhere."""
        import json

        if name:
            there = self._text.find(json.dumps(name), self._place)
            if there >= 0:
                self._line += self._text.count("\n", self._place, there)
                self._place = there
        return self._line
