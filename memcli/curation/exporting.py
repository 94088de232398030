"""Export: what a vault holds, for other tools and for another vault.

Invariant: the vault is only read, and an agent's export holds what it may see. What
`as_object` makes, `import` takes back: ids, lineage, dates and unknown keys included.
"""

from __future__ import annotations

import os
import shutil
from enum import StrEnum

from memcli.entries import plain_yaml
from memcli.entries.eligibility import View
from memcli.entries.entry import FIELDS, Entry, Source, Status
from memcli.errors import Conflict, MemcliError, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.recall import recall
from memcli.recall.query import Filters, Query
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.vault.vault import Vault


class Exported(NamedTuple):
    """The entries of an export, and the files that could not be read, with the reason.

    A file that is no entry is among them whatever the filters are: nobody knows what it
    would be.
    """

    entries: list[Entry]
    unread: list[str]


def entries(vault: Vault, filters: Filters, *, current: bool) -> Exported:
    """The entries that an export holds, oldest first.

    Args:
        vault: whose.
        filters: what an entry must be.
        current: only what is in force; else also what is superseded, resolved,
            expired, rejected, or waits for review.

    Raises:
        InvalidValue: a filter names what does not exist.
        NotAllowed: the vault is answered by a database, which has no files.
    """
    vault.refuse_published("exported from here")
    now = vault.now_ms() // 1000
    statuses = frozenset({Status.ACTIVE} if current else Status)
    query = Query("", View(now, statuses, agent=vault.agent), filters)
    found: list[Entry] = []
    rows = recall.enumerate_all(vault, query).rows
    unread = [
        f"{file.path}:{file.line} was left out: {file.reason}"
        for file in vault.index.again(lambda reader: reader.broken)
    ]
    for row in rows:
        try:
            entry = vault.stored(row.path).entry
        except MemcliError as error:
            unread.append(f"{row.path} was left out: {error.message}")
            continue
        found.append(vault.as_seen(entry))
    return Exported(found, unread)


def as_object(entry: Entry) -> dict[str, Any]:
    """An entry as a line of JSON that `import` takes: what differs from its default.

    A research run is of one machine and is left out.
    """
    line: dict[str, Any] = {"id": entry.id}
    for name in FIELDS[1:]:
        value = getattr(entry, name)
        if value == Entry._field_defaults.get(name) or name == "research":
            continue
        line[name] = _plain(value)
    if entry.extra:
        line["extra"] = dict(entry.extra)
    return {**line, "text": entry.body}


def _plain(value: Any) -> Any:
    if isinstance(value, Source):
        return value.as_dict()
    if isinstance(value, StrEnum):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


# --- a folder of notes --------------------------------------------------------------


def write_notes(folder: str, found: Sequence[Entry]) -> None:
    """Write each entry as a plain note, with a title, tags and dates.

    Raises:
        Conflict: the folder is there and holds something.
        WriteFailed: the disk refused; nothing was written.
    """
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise Conflict(
            f"{folder} is there already, and not an empty folder",
            hint="Name a new folder; an export never mixes with other files.",
        )
    try:
        files.write_several(
            [
                (os.path.join(folder, *each.path.split("/")), _note(each))
                for each in found
            ]
        )
    except WriteFailed:
        shutil.rmtree(folder, ignore_errors=True)  # it was new, or empty
        raise


def _note(entry: Entry) -> bytes:
    fields = {
        "title": entry.display_title,
        "kind": entry.kind,
        "tags": entry.tags,
        "project": entry.project or "",
        "created": entry.created,
    }
    lines = "".join(
        plain_yaml.lines_of(name, value) for name, value in fields.items() if value
    )
    return plain_yaml.to_bytes(f"---\n{lines}---\n{entry.body}")
