"""What the links of a vault may mean, and which mean nothing.

Invariant: pure. A link means what the search index takes it for: the same names, read
in the same ways.
"""

from __future__ import annotations

from memcli.entries.finding import WARNING, Finding
from memcli.entries.text.links import composed, link_readings

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Names:
    """The files that a link may mean, by every name that it may use.

    A lint that did not know aliases was wrong in three findings of four.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}

    def add(self, names: Iterable[str], meant: str) -> None:
        """Let these names mean `meant`, unless they have a meaning already."""
        for name in names:
            self._by_name.setdefault(composed(name), meant)

    def find(self, target: str, path: str) -> str | None:
        """The meaning of a link in the file at `path`; None when it dangles."""
        for name in link_readings(target, path):
            if name in self._by_name:
                return self._by_name[name]
        return None


def add_files(names: Names, paths: Iterable[str]) -> None:
    """Let links mean files that are not entries: pictures, the vault's README."""
    for path in paths:
        plain = path.removesuffix(".md").casefold()
        names.add((plain, plain.rpartition("/")[2]), path)


def dangling(
    path: str, links: Iterable[tuple[str, int]], names: Names
) -> Iterator[Finding]:
    """A finding for each link of a file that means nothing.

    Args:
        path: the file.
        links: the targets of its links, each with its line.
        names: what a link may mean.
    """
    for target, line in links:
        if names.find(target, path) is None:
            message = f"links to nothing: {target}"
            yield Finding(path, line, "dangling_link", WARNING, message)
