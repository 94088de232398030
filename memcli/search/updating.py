"""Bringing an index up to date: changed files are read and become documents.

Invariant: part of one transaction, whose lock the caller holds. It knows of no agent:
each agent's command leaves the same index of the whole vault. Loaded only where files
of the vault have changed.
"""

from __future__ import annotations

import os
import time

from memcli.entries import codec, file_checks
from memcli.entries.entry import KINDS
from memcli.entries.text.tokens import stemmer
from memcli.errors import InvalidEntry, MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.search.document import Checked, Document, document
from memcli.search.following import LOOKED_AT, Differences, State, racy_number
from memcli.search.store import Store, encoded, packed
from memcli.search.triggers import of_row
from memcli.storage import files
from memcli.storage import settings as config

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from sqlite3 import Connection

    from memcli.entries.entry import Entry
    from memcli.entries.file_checks import Finding
    from memcli.entries.text.tokens import Stem

_EVERY = 128  # files, between two calls of the progress


def indexed(
    db: Connection,
    state: State,
    found: Differences,
    root: str,
    scanned: int,
    progress: Callable[[int, int], None],
) -> State:
    """Index the files of a vault that differ.

    Args:
        db: the database, in a transaction.
        state: of it; its `recent` takes the racy ones among these files.
        found: how the files differ.
        root: the vault's folder.
        scanned: when they were listed, in nanoseconds since 1970.
        progress: called with (files done, files to do).

    Returns:
        The state after it.

    Raises:
        MemcliError: Whoosh, which writes the index, cannot be loaded.
    """
    try:
        from memcli.search.whoosh_codec import Index
    except Exception as error:  # of another version, or half installed
        raise MemcliError(
            f"the index is behind the files, and Whoosh cannot be loaded: {error}",
            hint="Install memcli again: pip install --force-reinstall memcli",
            code="no_whoosh",
        ) from error
    writer, read = Index(db, state.sums).writer(), Files(root).found
    paths = found.changed
    touched = {*paths, *found.removed}
    broken = {p: why for p, why in state.broken.items() if p not in touched}
    known = Store(db.execute, state.sums)
    known.fetch("path", touched)
    for path in sorted(touched):
        for doc in known.exact("path", path):
            writer.delete_document(doc)  # type: ignore[no-untyped-call]
    names = [(encoded(path),) for path in touched]
    told = db.executemany("DELETE FROM told WHERE path = ?", names).rowcount
    for done, path in enumerate(paths):
        each = read(path)
        if done % _EVERY == 0:
            progress(done, len(paths))
        if each.number is not None:
            state.recent[path] = each.number
        if each.broken is not None:
            broken[path] = each.broken
        if each.document is not None:
            writer.add(each.document)
            if brings := of_row(each.document.row):
                values = (encoded(path), packed(brings.packed()))
                db.execute("REPLACE INTO told VALUES (?, ?)", values)
                told += 1
    writer.commit()
    # After a rebuild nothing knows the last number, and tables of triggers of the old
    # index may remain: the time was never given before.
    number = max(scanned, state.told + 1) if told else state.told
    return state._replace(told=number, broken=broken, sums=writer.tables.sums)


# --- reading files --------------------------------------------------------------------

# Larger files are indexed by their beginning: a memory of a megabyte is a mistake
# that must not stop every recall.
_LARGEST = file_checks.INDEXED


class Found(NamedTuple):
    """The content of a file of the vault.

    `number` is its content number while it may change unseen (`following.racy_number`);
    `broken` the line and reason when it is no entry, and `document` is None then.
    """

    number: int | None
    broken: tuple[int, str] | None
    document: Document | None


class Files:
    """The files of one vault.

    Args:
        root: the vault's folder.
        settings: of the vault, if they are not those in its folder.

    Raises:
        InvalidConfig: the vault's settings cannot be understood.
    """

    def __init__(self, root: str, settings: config.Config | None = None) -> None:
        settings = settings or config.load(root)
        self.root = root
        self._kinds = (*KINDS, *settings.kinds)
        self._policies = settings.policies
        self._stem: Stem = stemmer()

    def held(
        self,
        path: str,
        data: bytes,
        seen: Callable[[Entry], Entry | None] | None = None,
    ) -> Found:
        """The content of these bytes of a file, of which the beginning counts.

        Args:
            path: of the file.
            data: its bytes.
            seen: gives what is to be seen of an entry, None for nothing.
        """
        beginning = data = data[:LOOKED_AT]
        if len(data) > _LARGEST:  # cut at the end of a character
            beginning = data[:_LARGEST].decode("utf-8", "ignore").encode()
        try:
            both = _both_sides(beginning, path, self._kinds)
            decoded = both or codec.decode(beginning, path, kinds=self._kinds)
        except InvalidEntry as error:
            return Found(None, (error.line, error.reason), None)
        if both is not None:
            checked = _listed(file_checks.in_conflict(beginning, path), ())
        elif len(data) > _LARGEST:  # the lint finds what is wrong in it
            checked = Checked(is_large=True)
        else:
            text = file_checks.text_of(beginning, decoded.entry)
            wrong = file_checks.findings(text, len(data), decoded, self._kinds)
            checked = _listed(wrong, file_checks.link_lines(text))
        entry = seen(decoded.entry) if seen else decoded.entry
        if entry is None:
            return Found(None, None, None)
        doc = document(entry, self._stem, self._policies, checked)
        return Found(None, None, doc)

    def found(self, path: str) -> Found:
        """The content of the file of a path."""
        absolute = os.path.join(self.root, path)
        try:
            read_at = time.time_ns()
            data = files.read(absolute, first=LOOKED_AT, follow=False)
            number = racy_number(os.stat(absolute), data, read_at)
        except (Unreadable, OSError) as error:
            why = str(error).removeprefix(absolute).strip(": ")
            return Found(None, (1, why), None)
        return self.held(path, data)._replace(number=number)


def _both_sides(data: bytes, path: str, kinds: Collection[str]) -> codec.Decoded | None:
    """A file in which git left two sides, as one entry that names them both."""
    if b"<<<<<<< " not in data:
        return None
    from memcli.entries.merging import files as merging

    both = merging.shown(data, path, kinds)
    return None if both is None else codec.Decoded(both, (), True)


def _listed(found: Iterable[Finding], links: tuple[tuple[str, int], ...]) -> Checked:
    return Checked(
        tuple((f.line, f.code, f.level, f.message, f.hint) for f in found), links
    )
