"""Tables of words as bytes, as `memcli.search.readings` reads them."""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import TYPE_CHECKING

from memcli.search.readings import _HEADER, _MAGIC, _OTHER, VERSION, WordTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def packed(table: Mapping[str, Sequence[tuple[str, float]]]) -> bytes:
    """The bytes of a table; a text that is only another's other has an empty row."""
    named = {text.encode(): others for text, others in table.items()}
    texts = sorted(named.keys() | {o.encode() for r in table.values() for o, _ in r})
    numbers = {text: number for number, text in enumerate(texts)}
    rows = [
        b"".join(
            _OTHER.pack(numbers[other.encode()], round(share * 255))
            for other, share in named.get(text, ())
        )
        for text in texts
    ]
    starts = [
        struct.pack(f"<{len(part) + 1}I", *accumulate(map(len, part), initial=0))
        for part in (texts, rows)
    ]
    return b"".join((_HEADER.pack(_MAGIC, VERSION, len(texts)), *starts, *texts, *rows))


def everything(path: str) -> dict[str, list[tuple[str, float]]]:
    """Every text of a table with its others, in order."""
    table = WordTable(path)
    return {table._text(at).decode(): table._others(at) for at in range(table._count)}
