"""Text of a memory as a terminal may have it: shown, and not obeyed.

Invariant: pure. What `safe` returns moves no cursor, sets no title and turns no text
around; JSON by `as_json` means the same as any other JSON of the value.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

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

    text = json.dumps(value, ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text
    # Looking for them first spares most of the time, 40 ms for a million letters.
    found = re.search(f"[{''.join(map(chr, _BY_NUMBER))}]", text)
    return text.translate(_BY_NUMBER) if found else text
