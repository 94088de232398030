"""Entries that a change may concern: siblings, and what rests on what was changed.

Invariant: a hint and nothing more: what seems to make the same claim, and what may be
stale now, is named, and nothing is changed.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.entries.identity import claim_number
from memcli.entries.ids import number
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Vault


# So many of the best matches of each text are looked at.
_LOOKED_AT = 20


class Around(NamedTuple):
    """The surroundings of a new version: `is_resolved` says that a resolved entry makes
    its claim, so that it may not be shown; `stale` are the observations and models that
    rest on what it replaces, and may no longer hold."""

    siblings: tuple[Similar, ...]
    is_resolved: bool
    stale: list[Resting]


def look_around(vault: Vault, fresh: Entry, replaced: Sequence[Entry]) -> Around:
    """The surroundings of the new version of some entries, before it is written.

    The siblings are the entries in force that are nearest to the old or the new text,
    at most three. They are of its layer, and hold where it does: what another project
    says is that project's. Entries that this one rests on, or that rest on it, are left
    out: a model repeats its facts, and must not replace them.

    Args:
        vault: its index is asked as the last question found it.
        fresh: the new version.
        replaced: what it replaces, the entry whose text it rewords first.
    """
    now = vault.now_ms() // 1000
    old = replaced[0]

    def find(reader: Reader) -> Around:
        from memcli.entries.text.tokens import stemmer
        from memcli.search.document import document
        from memcli.vault.likeness import alike, nearest, similar

        row = document(fresh, stemmer()).row
        within = set(reader.exact("layer", row.layer))
        own = {fresh.id}
        for entry in replaced:
            within.difference_update(reader.exact("id", entry.id))
            own.update(version.id for version in lineage.versions(reader, entry.id))
        rests_on = {
            lineage.current(reader, name) for name in (*old.evidence, *row.evidence)
        }

        here = number(row.project) if row.project else None

        def in_force(doc: int) -> bool:
            return reader.verdict(doc, View(now, here=here)) is None

        found: dict[str, Similar] = {}
        for terms in (document(old, stemmer()).row.terms, row.terms):
            for likeness, theirs in alike(
                reader, terms, in_force, limit=_LOOKED_AT, within=within
            ):
                if theirs.id in rests_on or own.intersection(theirs.evidence):
                    continue
                known = found.get(theirs.id)
                if known is None or known.likeness < likeness:
                    found[theirs.id] = similar(likeness, theirs, fresh.body, "9")
        is_resolved = claim_number(fresh.body) in reader.claims.resolved
        stale = on_replaced(reader, replaced, fresh.body, now)
        return Around(nearest(found.values()), is_resolved, stale)

    return vault.index.again(find)


def made_stale(vault: Vault, fresh: Entry, replaced: Sequence[Entry]) -> list[Resting]:
    """As `Around.stale`, where nothing else around the new version is wanted."""
    now = vault.now_ms() // 1000
    return vault.index.again(
        lambda reader: on_replaced(reader, replaced, fresh.body, now)
    )


class Resting(NamedTuple):
    """An observation or model that rests on something; `layer` says which it is."""

    id: str
    title: str
    layer: str


def on_replaced(
    reader: Reader, replaced: Sequence[Entry], text: str, now: int
) -> list[Resting]:
    """Those that rest on what entries say before they get another text.

    Args:
        reader: the vault before the change.
        replaced: the entries.
        text: of the version that takes their place.
        now: epoch seconds.
    """
    if not reader.holds("evidence"):
        return []
    from memcli.vault import staleness

    return _named(staleness.made_stale(reader, replaced, text, View(now)))


def on_ended(reader: Reader, ids: Iterable[str], now: int) -> list[Resting]:
    """Those that rest on entries which are resolved or removed.

    Args:
        reader: the vault before or after they are resolved; before they are removed.
        ids: of the entries.
        now: epoch seconds.
    """
    if not reader.holds("evidence"):
        return []
    from memcli.vault import staleness

    return _named(staleness.stale_without(reader, ids, View(now)))


def _named(rows: Iterable[StoredRow]) -> list[Resting]:
    return [Resting(row.id, row.title, row.layer) for row in rows]
