"""The table of triggers as a hook reads it before each edit: the light half.

Invariant: loads no module that a bare Python has not loaded already, follows no number
that it has not checked, and executes nothing. A table that is missing, damaged, of
another version, or older than a folder of its vault is none: `glance` then asks the
index, which makes a new one (`triggers`).

The file, in bytes: a line with the format, a line with a checksum, a line with the
number of the change that it shows (`following.State.told`) and the lengths of two
parts, and three parts. The folders with their times, with NULs between; sorted lines of
what brings an entry (for a trigger its longest word, all its words, and the numbers of
the entries; for a word of an entry `~` and the word, what it counts at most, and the
numbers); a JSON line for each entry.
"""

from __future__ import annotations

import os
import sys
import zlib
from math import log

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Actions = Sequence[tuple[str, str, str]]
    """The actions that a tool is about to take (`hosts.tool_call.actions`)."""

NAME = "triggers"
"""The file, in the folder of the index."""

FORMAT = b"memcli triggers 6\n"

# A table of 20,000 entries has 8 MB.
_LARGEST = 16_000_000
_WINDOWS = sys.platform == "win32"
# Characters of code in words; all others part them. Bytes above 127 are letters.
_APART = bytes(
    ord(chr(n).lower()) if n > 127 or chr(n).isalnum() or chr(n) == "_" else 32
    for n in range(128)
) + bytes(range(128, 256))
# The same for the parts of words, with their capitals: `max_retries`, `parseArgs`. What
# has hyphens is one word: `SPDX-License-Identifier` says no more than any other name.
_PARTS = bytes(n if n > 127 or chr(n).isalnum() or n == 45 else 32 for n in range(256))
_HUMPS = {n: f" {chr(n).lower()}" for n in range(ord("A"), ord("Z") + 1)}
_ENDINGS = ("ing", "ed", "es", "s", "e")
_PROSE = ("adoc", "markdown", "md", "mdx", "pkg-info", "rst", "tex", "txt")
SCRIPTS = frozenset("bash dockerfile justfile makefile sh zsh".split())
"""Kinds of files whose lines are commands."""
_MANIFESTS = ("requirements", "constraints")

# An entry is told for the words that it shares with an edit when the rarest four
# together count so much, of the path and the rarest 16 of the new text: with more of
# them a long text holds four words of some entry by chance. docs/benchmarks/README.md.
_RAREST, _COUNTED, _ENOUGH = 16, 4, 17.0
MOST = 5.0
"""The most that a shared word counts."""
LEAST = _ENOUGH - MOST * (_COUNTED - 1)
"""The least that a word must count to matter."""

# A vault of fewer entries is weighed as if it had so many: in ten entries each word is
# rare.
_SMALL = 200


class Table:
    """A table that is whole.

    Args:
        told: the number of the change of entries that it shows.
        folders: each folder's path in the vault and its time, ns, with NULs between.
        lines: those of what brings an entry, sorted.
        rows: the JSON lines of the entries.
    """

    def __init__(self, told: int, folders: bytes, lines: bytes, rows: bytes) -> None:
        self.told = told
        self._places, self._lines, self._rows = folders, lines, rows

    def triggered(self, found: Actions) -> list[int]:
        """The numbers of entries with a trigger all of whose words an action has."""
        words = _words_of_all(found)
        numbers: set[int] = set()
        for word in words:
            for wanted, entries in self._lines_of(word):
                if words.issuperset(wanted.split()):
                    numbers.update(_numbers(entries))
        return sorted(numbers)

    def evident(self, found: Actions) -> list[int]:
        """The numbers of entries that share enough rare words with an edit of code.

        The best come first.
        """
        best: dict[int, float] = {}
        for path, text, _ in found:
            if not path or is_prose(path):
                continue
            of_path = set(map(stem_of, parts(path)))
            of_text = set(map(stem_of, parts(text))) - of_path
            words = self._weighed(of_text)[:_RAREST]
            words = sorted(words + self._weighed(of_path))
            if sum(weight for weight, _, _ in words[:_COUNTED]) > -_ENOUGH:
                continue
            counted: dict[int, list[float]] = {}
            for weight, _, entries in words:
                for number in _numbers(entries):
                    counted.setdefault(number, []).append(-weight)
            for number, weights in counted.items():
                together = sum(weights[:_COUNTED])
                if together >= max(_ENOUGH, best.get(number, 0)):
                    best[number] = together
        return sorted(best, key=lambda number: (-best[number], number))

    def _weighed(self, words: Iterable[bytes]) -> list[tuple[float, bytes, bytes]]:
        """The words that matter: what each counts, below 0, and who holds it."""
        size = max(self._rows.count(b"\n") + 1, _SMALL)
        weighed = []
        for word in words:
            lines = tuple(self._lines_of(b"~" + word))
            if lines:
                entries = b" ".join(held for _, held in lines)
                count = entries.count(b" ") + 1
                rare = log(1 + (size - count + 0.5) / (count + 0.5))
                weight = min(MOST, rare, *(int(cap) / 100 for cap, _ in lines))
                if weight >= LEAST:
                    weighed.append((-weight, word, entries))
        return sorted(weighed)

    def _lines_of(self, key: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The middle and the numbers of each line of a word."""
        # By halves of the bytes: to split them takes longer than most edits' words do.
        lines, key = self._lines, key + b"\t"
        at, high = 0, len(lines)
        while at < high:
            middle = (at + high) // 2
            start = lines.rfind(b"\n", at, middle) + 1 or at
            if lines[start : start + len(key)] < key:
                at = (lines.find(b"\n", middle) + 1) or high
            else:
                high = start
        while lines.startswith(key, at):
            end = lines.find(b"\n", at)
            end = end if end >= 0 else len(lines)
            said, _, entries = lines[at + len(key) : end].partition(b"\t")
            yield said, entries
            at = end + 1

    def rows(self) -> list[bytes]:
        """The JSON of each entry, by its number."""
        return self._rows.split(b"\n") if self._rows else []

    def at(self, folders: bytes) -> Table:
        """This table with other folders."""
        return Table(self.told, folders, self._lines, self._rows)

    def packed(self) -> bytes:
        """The bytes of the file."""
        sizes = b"%d %d %d\n" % (self.told, len(self._places), len(self._lines))
        body = b"".join((sizes, self._places, self._lines, self._rows))
        return b"%s%08x\n%s" % (FORMAT, zlib.crc32(body), body)

    def is_fresh(self, root: str) -> bool:
        """Whether no folder of the vault changed since the table was made.

        A file that is written in place leaves its folder's time as it is: it is seen
        when the index is next asked, at the next prompt at the latest.
        """
        parts = self._places.split(b"\0")
        for name, stamp in zip(parts[::2], parts[1::2], strict=False):
            try:
                status = os.lstat(os.path.join(root, os.fsdecode(name)))
            except (OSError, ValueError):
                return False
            # As `storage.listing.stamp_of`, whose module takes a hook too long to load:
            # with the time of modification, a `deny` rule that `rsync -a` brought was
            # overlooked.
            found = status.st_mtime_ns if _WINDOWS else status.st_ctime_ns
            if b"%d" % found != stamp:
                return False
        return True


def read(path: str) -> Table | None:
    """The table in a file; None when there is none that can be used."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return None
    # Without a copy of what may be megabytes.
    start = len(FORMAT) + 9
    crc = b"%08x\n" % zlib.crc32(memoryview(data)[start:])
    if not data.startswith(FORMAT) or data[len(FORMAT) : start] != crc:
        return None
    at = data.find(b"\n", start) + 1
    told, folders, lines = map(int, data[start:at].split())
    end = at + folders + lines
    return Table(told, data[at : at + folders], data[at + folders : end], data[end:])


def words_of(text: str) -> set[bytes]:
    """The words of a piece of code, in lower case."""
    return set(text.encode("utf-8", "replace").translate(_APART).split())


def _words_of_all(found: Actions) -> set[bytes]:
    """The words of what a tool is about to do.

    Those of paths begin with a slash, and those of what may run with a dollar.
    """
    wanted = {b"/"}
    for path, text, command in found:
        of_text, of_command = words_of(text), words_of(command)
        wanted |= of_text | of_command
        wanted.update(b"/" + word for word in words_of(path) | of_command)
        may_run = of_command | of_text if _may_run(path) else of_command
        wanted.update(b"$" + word for word in may_run)
    return wanted


def _may_run(path: str) -> bool:
    """Whether lines of a file may be commands; `match` looks closer."""
    name = _name(path)
    kind = name.rpartition(".")[2]
    return kind in SCRIPTS or kind in ("yml", "yaml") or name.startswith("dockerfile")


def parts(text: str) -> set[str]:
    """The parts of the words of a text, in lower case: of `parseArgs` two."""
    found: set[str] = set()
    for each in set(text.encode("utf-8", "replace").translate(_PARTS).split()):
        word = each.strip(b"-").decode("utf-8", "replace")
        if "-" in word or word[1:].islower() or word.isupper():
            found.add(word.lower())
        else:
            found.update(word.translate(_HUMPS).split())
    return {part for part in found if len(part) > 1}


def stem_of(part: str) -> bytes:
    """A word without its ending; the stemmer of a recall takes too long to load.

    >>> stem_of("retries"), stem_of("logged")
    (b'retri', b'logg')
    """
    for ending in _ENDINGS:
        if part.endswith(ending) and len(part) - len(ending) > 2:
            return part[: -len(ending)].rstrip("e").encode()
    return part.encode()


def is_prose(path: str) -> bool:
    """Whether a file holds text for people, and no list of packages."""
    name = _name(path)
    return name.rpartition(".")[2] in _PROSE and not name.startswith(_MANIFESTS)


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].lower()


def _numbers(data: bytes) -> list[int]:
    return [int(number) for number in data.split() if number.isdigit()]
