"""Feedback: the caller says which rows were useful, and which were not.

Invariant: every id is looked up, as far as the caller may see, before anything is
noted. A verdict belongs to the newest recall that returned the entry, and changes no
entry.
"""

from __future__ import annotations

from memcli.errors import EntryNotFound, NotAllowed, UsageError, VaultNotFound
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
        vaults: the vaults to look in; each one that holds an entry notes the verdict.
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
    # By id: the verdict, and the vaults that hold the entry, with its title there.
    entries: dict[str, tuple[bool, list[tuple[Vault, str]]]] = {}
    verdicts = [(name, True) for name in useful] + [(n, False) for n in not_useful]
    for name, is_useful in verdicts:
        entry_id, places = _places(vaults, name)
        if entries.setdefault(entry_id, (is_useful, places))[0] is not is_useful:
            raise UsageError(
                f"{entry_id} is named as useful and as not useful", hint="Name it once."
            )
    holders = [vault for _, places in entries.values() for vault, _ in places]
    if holders and all(vault.read_only for vault in holders):
        if len(vaults) == 1:
            vaults[0].refuse_read_only()
        sources = ", ".join(dict.fromkeys(vault.source for vault in holders))
        raise VaultNotFound(
            f"nothing was noted of {', '.join(entries)}: {sources} may only be read",
            hint="Signals are kept in vaults that you may write to.",
        )
    for vault in holders:
        if not vault.read_only and not vault.recorder.on:
            raise NotAllowed(
                f"{vault.named} keeps no log of signals, so this cannot be noted",
                hint="Its .memcli/config.toml says so: [signals] log "
                "(docs/use/recall.md)",
                code="signals_off",
            )
    noted = []
    for entry_id, (is_useful, places) in entries.items():
        for vault, title in places:
            one = Noted(entry_id, title, is_useful, None, vault.source, False, True)
            if not vault.read_only:
                judged = vault.recorder.judged([entry_id], useful=is_useful, by="user")
                ((_, recall, written),) = judged
                one = one._replace(recall=recall, noted=written, read_only=False)
            noted.append(one)
    return noted


def as_dict(noted: Sequence[Noted]) -> dict[str, Any]:
    """For JSON."""
    return {"feedback": [verdict._asdict() for verdict in noted], "count": len(noted)}


def _places(vaults: Sequence[Vault], name: str) -> tuple[str, list[tuple[Vault, str]]]:
    """The whole id that a word means; the vaults that hold it, with its title."""
    from functools import partial

    from memcli.vault import lookup

    held: list[tuple[Vault, StoredRow]] = []
    missing: EntryNotFound | None = None
    for vault in vaults:
        try:
            path = vault.path_of(name)
        except EntryNotFound as error:
            missing = missing or error
            continue
        rows = vault.read(partial(lookup.matching, word=path))
        held.append((vault, rows[0]))
    if missing is not None and not held:
        raise missing
    if len({row.id for _, row in held}) > 1:
        labels = [f"{row.id} ({vault.source} {row.path})" for vault, row in held]
        raise lookup.ambiguous(name, labels, one_id=False)
    # A copy in a read-only vault does not keep the others from noting it.
    writable = [one for one in held if not one[0].read_only]
    return held[0][1].id, [(vault, row.title) for vault, row in writable or held]
