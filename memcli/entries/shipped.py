"""The folders that come with memcli, and lists of words in one of them.

Invariant: nothing is read before it is asked for.
"""

from __future__ import annotations

import os
from functools import cache

from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator


def our_folder(name: str) -> str:
    """The folder of this name in the package data, or in the checkout memcli runs from.

    Raises:
        MemcliError: this installation lacks it.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in (
        os.path.join(package, "_data", name),
        os.path.join(os.path.dirname(package), name),
    ):
        if os.path.isdir(path):
            return path
    raise MemcliError(
        f"{name} is not part of this installation", hint="Install memcli again."
    )


@cache
def ordinary_words() -> WordList:
    """The words of English, in small letters (SCOWL)."""
    return WordList(os.path.join(our_folder("words"), "ordinary.txt"))


@cache
def lists(name: str) -> dict[str, list[str]]:
    """The lists of a file of `words`, by their names: the lines below each."""
    found: dict[str, list[str]] = {}
    with open(os.path.join(our_folder("words"), name), encoding="utf-8") as file:
        for block in file.read().split("\n\n")[1:]:
            head, *lines = (row for row in block.splitlines() if row[:1] != "#")
            found[head.removesuffix(":")] = lines
    return found


@cache
def code_words() -> dict[str, frozenset[str]]:
    """The words of `code.txt`, by the names of their lists."""
    found = lists("code.txt").items()
    return {name: frozenset(" ".join(lines).split()) for name, lines in found}


class WordList:
    """Lines of text, sorted by bytes, each a word or beginning with one."""

    def __init__(self, path: str) -> None:
        import mmap

        with open(path, "rb") as file:
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __contains__(self, word: str) -> bool:
        return next(self.lines(word), None) == word

    def lines(self, start: str) -> Iterator[str]:
        """The lines that begin so, in order; found by bisection."""
        wanted, memory = start.encode("utf-8", "surrogatepass"), self._memory
        size = len(wanted)
        low, high = 0, len(memory)
        while low < high:  # both at the beginning of a line
            at = memory.rfind(b"\n", low, (low + high) // 2) + 1 or low
            if memory[at : at + size] < wanted:
                low = memory.find(b"\n", at) + 1
            else:
                high = at
        while low < len(memory) and memory[low : low + size] == wanted:
            end = memory.find(b"\n", low)
            yield memory[low:end].decode()
            low = end + 1
