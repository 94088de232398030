"""Feedback: the caller says which rows were useful, and which were not.

Invariant: every id is looked up, as far as the caller may see, before anything is
noted. A verdict belongs to the newest recall that returned the entry, and changes no
entry.
"""

from __future__ import annotations

from memcli.errors import NotAllowed, UsageError, VaultNotFound
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault


class Noted(NamedTuple):
    """The verdict on one entry.

    `recall` names the newest answer that held the entry, None when the log knows no
    such answer; `noted` is False when the disk refused the line, or when the vault is
    `read_only`.
    """

    id: str
    title: str
    useful: bool
    recall: str | None
    source: str
    noted: bool
    read_only: bool = False


def feedback(
    vaults: Sequence[Vault], useful: Sequence[str], not_useful: Sequence[str] = ()
) -> list[Noted]:
    """Note which entries were useful, and which were not.

    Args:
        vaults: the vaults to look in. The first that holds an entry notes the verdict;
            those that may only be read come last.
        useful: ids, or unique prefixes of ids.
        not_useful: the same of entries that were not useful.

    Returns:
        The verdicts, in the order of the ids. For an entry in a read-only vault
        nothing is noted, and its verdict says so.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        UsageError: an entry is named as useful and as not useful.
        NotAllowed: the vault logs nothing (code `signals_off`).
        VaultNotFound, NotAllowed: all vaults that hold the entries are read-only.
    """
    from functools import partial

    from memcli.recall import listing
    from memcli.vault import lookup

    order = sorted(vaults, key=lambda vault: vault.read_only)
    verdicts = [(name, True) for name in useful] + [(n, False) for n in not_useful]
    entries: dict[str, tuple[bool, Vault, StoredRow]] = {}
    for name, is_useful in verdicts:
        vault, path = listing.holder(order, name)
        row = vault.read(partial(lookup.matching, word=path))[0]
        if entries.setdefault(row.id, (is_useful, vault, row))[0] is not is_useful:
            raise UsageError(
                f"{row.id} is named as useful and as not useful", hint="Name it once."
            )
    asked = [vault for _, vault, _ in entries.values()]
    if asked and all(vault.read_only for vault in asked):
        if len(vaults) == 1:
            vaults[0].refuse_read_only()
        sources = ", ".join(dict.fromkeys(vault.source for vault in asked))
        raise VaultNotFound(
            f"nothing was noted of {', '.join(entries)}: {sources} may only be read",
            hint="Signals are kept in vaults that you may write to.",
        )
    for vault in asked:
        if not vault.read_only and not vault.recorder.on:
            raise NotAllowed(
                f"{vault.named} keeps no log of signals, so this cannot be noted",
                hint="Its .memcli/config.toml says so: [signals] log "
                "(docs/use/recall.md)",
                code="signals_off",
            )
    noted = []
    for is_useful, vault, row in entries.values():
        closed, source = vault.read_only, vault.source
        one = Noted(row.id, row.title, is_useful, None, source, False, closed)
        if not closed:
            judged = vault.recorder.judged([row.id], useful=is_useful, by="user")
            ((_, recall, written),) = judged
            one = one._replace(recall=recall, noted=written)
        noted.append(one)
    return noted


def as_dict(noted: Sequence[Noted]) -> dict[str, Any]:
    """For JSON."""
    return {"feedback": [verdict._asdict() for verdict in noted], "count": len(noted)}
