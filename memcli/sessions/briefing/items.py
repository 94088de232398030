"""What an entry becomes when a session is told it: its words, and the note of it.

Invariant: a text is told whole or by its title, and marked where it may no longer
hold. Who is told what is written into the
log of signals of the own vault, and of no other.
"""

from __future__ import annotations

from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memcli.entries.eligibility import View
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.briefing.frame import Item
    from memcli.vault.vault import Vault

# A text longer than this is a document; the session is told its title.
_LONGEST = 1_200


def source_of(vault: Vault) -> str:
    """The name of a vault that is not the user's own, which each entry then bears."""
    return "" if vault.source == known_vaults.PERSONAL else vault.source


def note(
    vault: Vault, prompt: str | None, items: Iterable[Item], shown: Collection[str]
) -> None:
    """Write into the vault's log of signals which of its entries a session was told.

    Args:
        vault: the own one; entries of other vaults are not noted.
        prompt: the question; None at a start.
        items: what there was to tell, the best first.
        shown: the ids of those that were told.
    """
    rows = [item.signal for item in items if item.signal and item.id in shown]
    if prompt is not None:
        rows = [{**row, "rank": rank} for rank, row in enumerate(rows, 1)]
    vault.recorder.recalled(prompt, rows)


def marked(reader: Reader, row: StoredRow, view: View) -> StoredRow:
    """The row of an entry to tell, marked where it rests on what no longer holds.

    Every hook tells what this returns. A fact rests on nothing, and costs nothing.
    """
    if row.layer == "fact":
        return row
    from memcli.entries import dates
    from memcli.vault import staleness

    found = staleness.reasons(reader, row, view, news=False)
    if not found:
        return row
    name = found[0].ids[0]
    why = f"may no longer hold: rests on {name}, {found[0].reason}"
    for doc in reader.exact("id", name)[:1]:
        of = reader.row(doc)
        when = reader.columns.ended[doc] or dates.to_epoch(of.updated or of.created)
        why += f" on {dates.iso(when)[:10]}"
    return row._replace(text=f"({why}) {row.text}", title=f"({why}) {row.title}")


def short(row: StoredRow, source: str = "") -> str:
    """The text of an entry, or the title of a document."""
    text = row.text
    if len(text) <= _LONGEST:
        return text
    where = f" --vault {source.removeprefix('team:')}" if source else ""
    inspect = f"memcli inspect {row.id}{where}"
    return f"{row.title[:_LONGEST]} ({len(text):,} characters: {inspect})"
