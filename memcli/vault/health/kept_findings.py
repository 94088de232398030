"""What the lint read in each file, kept beside the index.

Invariant: a kept value is used only while its file has the time and the size that it
had when it was read, and then equals what reading the file would give. What depends on
the clock, on other files or on git is not kept; what depends on the vault's kinds is
kept under them. The file is derived, lies in the folder of the index, and goes with it:
`forget` removes both.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.entries import layout
from memcli.entries.entry import (
    Confidence,
    EntityType,
    Entry,
    Item,
    Layer,
    ResolutionScope,
    Source,
    Status,
    Subtype,
    Visibility,
)
from memcli.entries.text.links import links_of
from memcli.named_tuple import NamedTuple
from memcli.storage import cache, state_dirs
from memcli.vault.health.finding import Finding, Text

# Raised when the checks of one file (`lint._read`, the codec, the forms of
# secrets) say something else of the same bytes.
_VERSION = 2
# As for the index: a file this young may change again within a tick of the clock.
_RACY_NS = 2_000_000_000
# A text this long is read again each time.
_LONGEST = 100_000

_DEFAULTS = Entry("")
_READERS: dict[str, Any] = {
    "layer": Layer,
    "subtype": Subtype,
    "type": EntityType,
    "status": Status,
    "visibility": Visibility,
    "confidence": Confidence,
    "resolution_scope": ResolutionScope,
    "item": Item,
    "source": lambda value: Source(*value),
    "extra": lambda value: tuple(map(tuple, value)),
}


class Read(NamedTuple):
    """What reading one file gave: its findings, and its text unless it is broken."""

    findings: list[Finding]
    text: Text | None


class KeptFindings:
    """The kept values of a vault.

    Args:
        root: the vault.
        kinds: those that it knows.
    """

    def __init__(self, root: str, kinds: Iterable[str]) -> None:
        self._path = os.path.join(state_dirs.path(root, layout.INDEX), layout.FINDINGS)
        self._key = [_VERSION, sorted(kinds)]
        self._now: dict[str, Any] = {}
        self._before: dict[str, Any] = {}
        self._fresh = False
        kept = cache.load(self._path)
        if isinstance(kept, dict) and kept.get("key") == self._key:
            self._before = kept.get("files") or {}

    def of(self, path: str, state: Sequence[int]) -> Read | None:
        """What is kept of a file in this state, None when it has to be read."""
        record = self._before.get(path)
        try:
            if record is None or record[0] != [*state]:
                return None
            found = Read(
                [Finding(*values) for values in record[1]],
                record[2] and _text(record[2]),
            )
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            return None
        self._now[path] = record
        return found

    def keep(self, path: str, state: Sequence[int], read: Read) -> Read:
        """Keep what reading a file gave; returns it as `of` will give it.

        Args:
            path: the file.
            state: its time (`listing.stamp_of`, ns) and its size as they were listed
                before it was read.
            read: what reading it gave.
        """
        self._fresh = True
        text = read.text and _slim(read.text)
        long = text is not None and len(text.entry.body) + len(text.head) > _LONGEST
        if state[0] <= time.time_ns() - _RACY_NS and not long:
            findings = [[*finding] for finding in read.findings]
            self._now[path] = [[*state], findings, text and _record(text)]
        return read._replace(text=text)

    def store(self) -> None:
        """Write what is kept of the files that are there, if anything is new.

        A disk that takes none costs time and nothing else.
        """
        if self._fresh or self._now.keys() != self._before.keys():
            with contextlib.suppress(OSError):
                cache.store(self._path, {"key": self._key, "files": self._now})


def _slim(text: Text) -> Text:
    """A text without what no other file is checked against; links need the body."""
    return text._replace(text="") if links_of(text.entry) else text.without_body()


def _record(text: Text) -> list[Any]:
    values = zip(Entry._fields, text.entry, _DEFAULTS, strict=True)
    fields = {name: value for name, value, usual in values if value != usual}
    return [fields, text.head, text.claim]


def _text(record: list[Any]) -> Text:
    fields, head, claim = record
    values = {}
    for name, value in fields.items():
        reader = _READERS.get(name)
        if reader is not None:
            values[name] = reader(value)
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return Text(Entry(**values), head, "", claim)
