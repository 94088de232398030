"""Feedback: whoever asked says which rows were of use, and which were not.

Invariant: every id is looked up before anything is noted, as far as whoever says so may
see; what is said concerns the newest recall that returned the entry, and changes no
entry.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.errors import EntryNotFound, NotAllowed, UsageError, VaultNotFound

if TYPE_CHECKING:
    from memcli.vault.vault import Vault


class Noted(NamedTuple):
    """What was said of one entry.

    `recall` names the newest answer that held it, None when no answer is known that
    did; `noted` is False when the disk refused the line, or when the vault is
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
    vaults: "Sequence[Vault]", useful: Sequence[str], not_useful: Sequence[str] = ()
) -> list[Noted]:
    """Note which entries were of use, and which were not.

    Args:
        vaults: where they may be; one that holds it notes it.
        useful: ids, or unique prefixes of them.
        not_useful: the same of those that were not.

    Returns:
        What was noted, in the order of the ids; of an entry in a vault that may only
        be read nothing is, which it says.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        UsageError: an entry is said to be both.
        NotAllowed: the vault logs nothing (code `signals_off`).
        VaultNotFound: only vaults that may only be read hold them.
    """
    named = [(one, True) for one in useful] + [(one, False) for one in not_useful]
    found: dict[str, tuple[list[tuple[Vault, str]], bool]] = {}
    for name, good in named:
        entry_id, places = _found(vaults, name)
        if found.setdefault(entry_id, (places, good))[1] is not good:
            raise UsageError(
                f"{entry_id} is said to be useful, and not to be",
                hint="Give it once.",
            )
    where = [vault for places, _ in found.values() for vault, _ in places]
    if where and all(vault.read_only for vault in where):
        if len(vaults) == 1:
            vaults[0].refuse_read_only()
        raise _only_read(found, where)
    for vault in where:
        _refuse_silence(vault)
    noted = []
    for entry_id, (places, good) in found.items():
        for vault, title in places:
            if vault.read_only:
                noted.append(
                    Noted(entry_id, title, good, None, vault.source, False, True)
                )
                continue
            said = vault.recorder.judged([entry_id], useful=good, by="user")
            noted += [
                Noted(entry_id, title, good, recall, vault.source, done)
                for _, recall, done in said
            ]
    return noted


def as_dict(noted: Sequence[Noted]) -> dict[str, Any]:
    """For JSON."""
    return {"feedback": [one._asdict() for one in noted], "count": len(noted)}


def _found(
    vaults: "Sequence[Vault]", name: str
) -> "tuple[str, list[tuple[Vault, str]]]":
    """The whole id that a prefix means, and the vaults that hold it."""
    from memcli.vault import lookup

    prefix = name.strip().lower()
    held: dict[str, list[tuple[Vault, str]]] = {}
    labels: list[str] = []
    twice = False
    missing: EntryNotFound | None = None
    for vault in vaults:
        try:
            rows = vault.read(lambda reader: lookup.matching(reader, prefix))
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
    # A copy in a vault that may only be read takes nothing from the one that may not.
    return entry_id, [one for one in places if not one[0].read_only] or places


def _only_read(ids: Iterable[str], where: "Sequence[Vault]") -> VaultNotFound:
    sources = ", ".join(dict.fromkeys(vault.source for vault in where))
    return VaultNotFound(
        f"nothing was noted of {', '.join(ids)}: {sources} may only be read",
        hint="Signals are kept in vaults that you may write to (docs/use/signals.md).",
    )


def _refuse_silence(vault: "Vault") -> None:
    if not vault.read_only and not vault.recorder.on:
        raise NotAllowed(
            f"{vault.named} keeps no log of signals, so this cannot be noted",
            hint="Its .memcli/config.toml says so: [signals] log (docs/use/signals.md)",
            code="signals_off",
        )
