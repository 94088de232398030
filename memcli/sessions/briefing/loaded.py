"""The pages that a host loads by itself at a session's start.

What stands in them in whole lines, or as a rule that was imported from them, the agent
reads anyway.

Invariant: pages are only read, within a limit, and those of a project only from within
its folder. A line that differs in more than its marks and spaces is not found.
"""

from __future__ import annotations

import os

from memcli.errors import Unreadable
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memcli.hosts.host import Host
    from memcli.search.stored_row import StoredRow

_LARGEST = 200_000
# By which Claude Code takes that page in, too.
_ALSO = "AGENTS.md"


class LoadedPages:
    """The pages of instructions of one host, in one project.

    Args:
        host: whose they are.
        folder: of the project; None where that is none.
        environ: where the host's own folder lies.
    """

    def __init__(
        self, host: Host, folder: str | None, environ: Mapping[str, str]
    ) -> None:
        self._host, self._folder, self._environ = host, folder, environ
        pages = list(filter(None, self._pages()))
        if pages:
            from memcli.curation.instruction_block import page_lines

            pages = list(map(page_lines, pages))
        self._text = "".join(pages)

    def hold(self, row: StoredRow) -> bool:
        """Whether an entry's lines stand in one of them."""
        if len(self._text) < len(row.text):
            return False
        from memcli.curation.instruction_block import in_one_line, plain

        lines = plain(row.text), plain(in_one_line(row.title, row.text))
        return any(len(each) > 1 and each in self._text for each in lines)

    def _pages(self) -> Iterator[str]:
        for name in self._host.user_pages:
            home = self._host.folder(self._environ)
            yield _read(os.path.realpath(os.path.join(home, name)))
        if self._folder is None:
            return
        top = os.path.join(os.path.realpath(self._folder), "")
        names = list(self._host.pages)
        for name in names:
            path = os.path.realpath(os.path.join(top, *name.split("/")))
            text = _read(path) if path.startswith(top) else ""
            if f"@{_ALSO}" in text and _ALSO not in names:
                names.append(_ALSO)
            yield text


def _read(path: str) -> str:
    try:
        return files.read(path, limit=_LARGEST, follow=False).decode("utf-8", "replace")
    except Unreadable:
        return ""
