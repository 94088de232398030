"""Files of a vault, read for the index: each one as a document, or why it is none.

Invariant: what is found depends on the files alone and comes in the order of their
paths, however many processes read them and whichever of them dies.
"""

from __future__ import annotations

import os
import time

from memcli.entries import codec, file_checks
from memcli.entries.entry import KINDS
from memcli.errors import InvalidEntry, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search.document import Checked, document
from memcli.search.prepared import Prepared, prepared
from memcli.search.state import LOOKED_AT, racy_number
from memcli.search.stemmer import stemmer
from memcli.search.triggers import of_row
from memcli.storage import files
from memcli.storage import settings as config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memcli.entries.finding import Finding
    from memcli.entries.text.tokens import Stem
    from memcli.search.triggers import Line

# Larger files are indexed by their beginning: a memory of a megabyte is a mistake
# that must not stop every recall.
_LARGEST = file_checks.INDEXED


class Found(NamedTuple):
    """What a file of the vault holds.

    `number` is its content number while it may change unseen (`state.racy_number`);
    `broken` the line and reason when it is no entry, and `document` is None then.
    `told` is what sessions are told of the entry, None when that is nothing.
    """

    path: str
    number: int | None
    broken: tuple[int, str] | None
    document: Prepared | None
    told: Line | None = None


class Files:
    """The files of one vault.

    Args:
        root: the vault's folder.

    Raises:
        InvalidConfig: the vault's settings cannot be understood.
    """

    def __init__(self, root: str) -> None:
        settings = config.load(root)
        self.root = root
        self._kinds = (*KINDS, *settings.kinds)
        self._policies = settings.policies
        self._stem: Stem = stemmer()

    def held(self, path: str, data: bytes) -> Found:
        """What these bytes of a file hold, of which the beginning counts."""
        data = data[:LOOKED_AT]
        beginning = _beginning(data)
        try:
            both = _both_sides(beginning, path, self._kinds)
            decoded = both or codec.decode(beginning, path, kinds=self._kinds)
        except InvalidEntry as error:
            return Found(path, None, (error.line, error.reason), None)
        if both is None:
            checked = _checked(beginning, decoded, self._kinds, len(data))
        else:
            checked = _listed(file_checks.in_conflict(beginning, path), ())
        doc = document(decoded.entry, self._stem, self._policies, checked)
        told = of_row(doc.row)
        return Found(path, None, None, prepared(doc), told and told.as_line())

    def found(self, path: str) -> Found:
        """What the file of a path holds."""
        absolute = os.path.join(self.root, path)
        number = None
        try:
            read_at = time.time_ns()
            data = files.read(absolute, first=LOOKED_AT, follow=False)
            number = racy_number(os.stat(absolute), data, read_at)
        except (Unreadable, OSError) as error:
            why = str(error).removeprefix(absolute).strip(": ")
            return Found(path, number, (1, why), None)
        return self.held(path, data)._replace(number=number)


def _both_sides(data: bytes, path: str, kinds: Collection[str]) -> codec.Decoded | None:
    """A file in which git left two sides, as one entry that names them both."""
    if b"<<<<<<< " not in data:
        return None
    from memcli.entries.merging import one_file

    both = one_file.shown(data, path, kinds)
    return None if both is None else codec.Decoded(both, (), True)


def _listed(found: Iterable[Finding], links: tuple[tuple[str, int], ...]) -> Checked:
    return Checked(
        tuple((f.line, f.code, f.level, f.message, f.hint) for f in found), links
    )


def _checked(
    data: bytes, decoded: codec.Decoded, kinds: Collection[str], size: int
) -> Checked:
    """What is wrong in a file; of one that is not indexed whole the lint finds out."""
    if size > _LARGEST:
        return Checked(is_large=True)
    text = file_checks.text_of(data, decoded.entry)
    found = file_checks.findings(text, size, decoded, kinds)
    return _listed(found, file_checks.link_lines(text))


def _beginning(data: bytes) -> bytes:
    """The data, cut before the limit at the end of a character."""
    if len(data) <= _LARGEST:
        return data
    return data[:_LARGEST].decode("utf-8", "ignore").encode()
