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
    from collections.abc import Iterable, Sequence
    from typing import Any

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
        VaultNotFound: all vaults that hold the entries are read-only.
    """
    verdicts = [(name, True) for name in useful] + [(n, False) for n in not_useful]
    # By id: the vaults that hold the entry, with its title there, and the verdict.
    entries: dict[str, tuple[list[tuple[Vault, str]], bool]] = {}
    for name, is_useful in verdicts:
        entry_id, places = _places(vaults, name)
        if entries.setdefault(entry_id, (places, is_useful))[1] is not is_useful:
            raise UsageError(
                f"{entry_id} is named as useful and as not useful", hint="Name it once."
            )
    holders = [vault for places, _ in entries.values() for vault, _ in places]
    if holders and all(vault.read_only for vault in holders):
        if len(vaults) == 1:
            vaults[0].refuse_read_only()
        raise _only_read(entries, holders)
    for vault in holders:
        _refuse_without_log(vault)
    noted = []
    for entry_id, (places, is_useful) in entries.items():
        for vault, title in places:
            if vault.read_only:
                noted.append(
                    Noted(entry_id, title, is_useful, None, vault.source, False, True)
                )
                continue
            lines = vault.recorder.judged([entry_id], useful=is_useful, by="user")
            noted += [
                Noted(entry_id, title, is_useful, recall, vault.source, written)
                for _, recall, written in lines
            ]
    return noted


def as_dict(noted: Sequence[Noted]) -> dict[str, Any]:
    """For JSON."""
    return {"feedback": [verdict._asdict() for verdict in noted], "count": len(noted)}


def _places(vaults: Sequence[Vault], name: str) -> tuple[str, list[tuple[Vault, str]]]:
    """The whole id that a word means; the vaults that hold it, with its title."""
    from memcli.vault import lookup

    held: dict[str, list[tuple[Vault, str]]] = {}
    labels: list[str] = []
    twice = False
    missing: EntryNotFound | None = None
    for vault in vaults:
        try:
            rows = vault.read(lambda reader: lookup.matching(reader, name))
        except EntryNotFound as error:
            missing = missing or error
            continue
        label = "" if len(vaults) == 1 else f"{vault.source} "
        labels += [f"{row.id} ({label}{row.path})" for row in rows]
        twice = twice or len({row.id for row in rows}) < len(rows)
        for row in rows:
            held.setdefault(row.id, []).append((vault, row.title))
    if twice or len(held) > 1:
        raise lookup.ambiguous(name, labels, one_id=len(held) == 1)
    if missing is not None and not held:
        raise missing
    ((entry_id, places),) = held.items()
    # A copy in a read-only vault does not keep the others from noting it.
    writable = [(vault, title) for vault, title in places if not vault.read_only]
    return entry_id, writable or places


def _only_read(ids: Iterable[str], holders: Sequence[Vault]) -> VaultNotFound:
    sources = ", ".join(dict.fromkeys(vault.source for vault in holders))
    return VaultNotFound(
        f"nothing was noted of {', '.join(ids)}: {sources} may only be read",
        hint="Signals are kept in vaults that you may write to (docs/use/recall.md).",
    )


def _refuse_without_log(vault: Vault) -> None:
    if not vault.read_only and not vault.recorder.on:
        raise NotAllowed(
            f"{vault.named} keeps no log of signals, so this cannot be noted",
            hint="Its .memcli/config.toml says so: [signals] log (docs/use/recall.md)",
            code="signals_off",
        )
