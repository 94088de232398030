"""Versions of an entry: how one takes the place of another, and how to follow them; and
the evidence of what was drawn from entries: what it said, and who may see it.

Invariant: lineage is a chain in both directions. The new version stands at the path of
the old one, so links keep working; that one stands below `archive/`, word for word, and
says which version replaced it, when and why. One entry may replace several; no entry is
replaced twice. An entry that was drawn from memories is shown only to those who may see
each of them, and carries the fingerprint of every one, so that a later edit by hand
shows.
"""

from __future__ import annotations

import os
import re

from memcli.entries import dates, layout
from memcli.entries.entry import Entry, Layer, Status, Visibility
from memcli.entries.identity import claim, fingerprint
from memcli.entries.ids import is_id
from memcli.errors import EntryNotFound, InvalidValue, NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.storage.vault_paths import inside
from memcli.vault import lookup

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


class Version(NamedTuple):
    """One entry of a lineage; `current` when nothing has replaced it.

    `reason` says why it was replaced.
    """

    id: str
    title: str
    status: str
    created: str
    path: str
    supersedes: str | None
    superseded_by: str | None
    reason: str | None
    current: bool


def replace(
    vault: Vault,
    change: Transaction,
    old: Stored,
    fresh: Entry,
    *,
    reason: str | None,
    now: str,
) -> str:
    """Put a new version in the place of an old one, inside a transaction.

    Args:
        vault: where both live.
        change: the transaction.
        old: the entry that is replaced, as it was read inside the transaction.
        fresh: the new version: with an id, a body and all fields that it should carry,
            at the path of `old`. Its status and lineage are set here.
        reason: why, for people who look at the history.
        now: the moment, ISO 8601.

    Returns:
        The path where the old version is from then on.
    """
    from memcli.entries import codec

    now = not_before(old.entry, now)
    fresh = fresh.replace(
        status=Status.ACTIVE,
        created=now,
        updated="",
        supersedes=old.entry.id,
        superseded_by=None,
        reason=None,
    )
    place = archive(vault, change, old, by=fresh.id, reason=reason, now=now)
    data = codec.rewrite(old.data, fresh, kinds=vault.kinds)
    # This takes the place of the removal that `archive` noted.
    change.put(old.path, data, expected=old.data)
    return place


def passed_on(
    vault: Vault, fresh: Entry, replaced: Sequence[Entry], *, shared_anew: bool
) -> Entry:
    """A new version with the name of the agent that writes it.

    The owner writes for the agent whose memory it is. Only those see the new version
    who could see everything that it replaces, unless it was shared anew on purpose.

    Args:
        vault: whose agent writes.
        fresh: the new version.
        replaced: the entries that it replaces.
        shared_anew: whether the writer said who may see it.
    """
    writer = vault.agent_name
    if writer is not None:
        fresh = fresh.replace(agent=writer)
    return fresh if shared_anew else narrowed(fresh, replaced, writer)


def archive(
    vault: Vault,
    change: Transaction,
    old: Stored,
    *,
    by: str,
    reason: str | None,
    now: str,
) -> str:
    """Take an entry out of use: the version `by` stands for it from now on.

    Returns:
        The path where it is from then on.
    """
    from memcli.entries import codec

    place = free_place(vault.root, layout.archived(old.path, old.entry.id))
    data = codec.rewrite(
        old.data,
        ended(old.entry, place, by=by, reason=reason, now=now),
        kinds=vault.kinds,
    )
    change.put(place, data, expected=None)
    change.put(old.path, None, expected=old.data)
    return place


def ended(
    old: Entry, place: str, *, by: str, now: str, reason: str | None = None
) -> Entry:
    """An entry as it stands in the archive once the version `by` has replaced it."""
    return old.replace(
        path=place,
        status=Status.SUPERSEDED,
        superseded_by=by,
        reason=reason,
        updated=not_before(old, now),
    )


def not_before(entry: Entry, now: str) -> str:
    """The moment, or when the entry was written, if a clock has jumped back since."""
    if entry.created and dates.to_epoch(entry.created) > dates.to_epoch(now):
        return dates.iso(dates.to_epoch(entry.created))
    return now


def free_place(root: str, path: str) -> str:
    """The path, or the first with a number that nothing holds."""
    names = layout.numbered(path.removesuffix(".md"))
    return next(name for name in names if not os.path.lexists(inside(root, name)))


def refuse_ended(vault: Vault, entry: Entry) -> None:
    """Raise NotAllowed for an entry that is not in use, with what to do instead."""
    name, status = entry.id, entry.status
    said, hint = f"{name} is {status}", f"Decide on it: memcli review {name} --approve"
    if status is Status.ACTIVE:
        return
    if status is Status.SUPERSEDED:
        head = vault.read(lambda reader: current(reader, name))
        said = f"{name} was superseded by {head or 'an entry that is gone'}"
        hint = f"Name the current version: {head}" if head else ""
    elif status is Status.RESOLVED:
        said = f"{name} is resolved, since {entry.resolved_at or 'an unknown date'}"
        hint = f"Bring it back first: memcli resolve --undo {name}"
    raise NotAllowed(said, hint=hint or None, code=str(status))


def recurred_at(
    reader: Reader, row: StoredRow | Entry, said: str | None = None
) -> str | None:
    """When a resolved entry came up again, or None; takes an entry or its row.

    It was met again, or another entry in its words was written after it was resolved.
    Its claim need not be found in its words, which takes half a millisecond, where
    `said` gives it.
    """
    if row.status != str(Status.RESOLVED):
        return None
    moments = [*row.seen]
    if row.resolved_at:
        said = said or claim(row.body if isinstance(row, Entry) else row.text)
        moments += [
            reader.row(doc).created
            for doc in reader.exact("claim", said)
            if reader.facts(doc, access=False).status is not Status.RESOLVED
        ]
    last = max(moments, default="")
    return last if last > (row.resolved_at or "") else None


def current(reader: Reader, entry_id: str) -> str | None:
    """The id of what stands for an entry now; None when that is gone or a cycle."""
    seen: set[str] = set()
    while entry_id not in seen:
        seen.add(entry_id)
        row = _head(reader, entry_id)
        if row is None:
            return None
        if not row.superseded_by:
            return None if row.status == str(Status.SUPERSEDED) else entry_id
        entry_id = row.superseded_by
    return None


_MOST_VERSIONS = 1_000


def versions(reader: Reader, entry_id: str) -> list[Version]:
    """Everything that an entry replaced or was replaced by, the oldest first; of more
    than a thousand versions the nearest."""
    rows: dict[str, StoredRow] = {}
    waiting = [entry_id]
    while waiting and len(rows) < _MOST_VERSIONS:
        name = waiting.pop(0)
        row = None if name in rows else _head(reader, name)
        if row is None:
            continue
        rows[name] = row
        waiting += filter(None, (row.supersedes, row.superseded_by))
        waiting += [
            reader.row(doc).id
            for way in ("supersedes", "superseded_by")
            for doc in reader.exact(way, name)
        ]
    oldest_first = sorted(rows.values(), key=lambda row: (row.created, row.id))
    active = str(Status.ACTIVE)
    return [
        taken(Version, row, current=row.status == active and not row.superseded_by)
        for row in oldest_first
    ]


def _head(reader: Reader, entry_id: str) -> StoredRow | None:
    """The row of an id, the one in use before an archived copy."""
    return next(iter(lookup.of_id(reader, entry_id)), None)


# --- evidence -----------------------------------------------------------------------


_SHARED = str(Visibility.SHARED)
_CITATION = r"[0-9a-hjkmnp-tv-z]{4,16}"
_GROUP = str(Visibility.GROUP)


def is_citation(word: str) -> bool:
    """Whether a piece of evidence names an entry, by its id, a prefix of four letters
    or more, or the path of its file; everything else is the name of a session.

    >>> is_citation("1m7xvn68"), is_citation("claude-code:1b2c"), is_citation("s1")
    (True, False, False)
    >>> is_citation("memories/note/a.md")
    True
    """
    word = word.strip()
    return word.endswith(".md") or bool(re.fullmatch(_CITATION, word.lower()))


def checked_evidence(
    reader: Reader, draft: Entry, beside: Collection[str] = frozenset()
) -> Entry:
    """A draft with the whole id of every entry that its evidence names.

    Args:
        reader: the entries that the author may see.
        draft: what is to be saved.
        beside: ids that are saved together with it, and may be cited as well.

    Raises:
        EntryNotFound, AmbiguousId: it names no entry, or several.
        InvalidValue: a fact names an entry; it rests on what was seen.
    """
    if draft.layer is Layer.FACT:
        for word in draft.evidence:
            if is_id(word) and (word in beside or len(reader.exact("id", word))):
                raise of_a_fact()
        return draft
    names = (_whole_id(reader, word, beside) for word in draft.evidence)
    return draft.replace(evidence=tuple(dict.fromkeys(names)))


def of_a_fact() -> InvalidValue:
    """The refusal of a fact that cites."""
    return InvalidValue(
        "only an observation or a model cites other entries; this is a fact",
        hint="Give --layer observation or model, or leave --cite, --evidence and "
        "--research out.",
        code="invalid_layer",
    )


def _whole_id(reader: Reader, word: str, beside: Collection[str]) -> str:
    prefix = word.strip().lower()
    if not is_citation(word) or prefix in beside:
        return prefix if prefix in beside else word
    try:
        path = lookup.path_of(reader, word)
    except EntryNotFound as error:
        raise EntryNotFound(
            error.message,
            hint="The name of a session is written HOST:SESSION.",
            entry_id=word,
        ) from error
    return reader.row(reader.exact("path", path)[0]).id


def settled_evidence(vault: Vault, entry: Entry, now: str) -> Entry:
    """A drawn entry as it is to be written.

    Args:
        vault: where its author writes it.
        entry: an observation or model with its evidence; fingerprints and
            `refreshed_at` that it brings stay as they are.
        now: the moment, ISO 8601.

    Returns:
        It with the narrowest visibility of its evidence, a fingerprint for each
        piece of it, and the moment up to which it looked.
    """
    rows = vault.read(
        lambda reader: [
            row for name in entry.evidence for row in lookup.of_id(reader, name)
        ]
    )
    known = {cited.partition(":")[0]: cited for cited in entry.fingerprints}
    prints = {name: known.get(name, "") for name in entry.evidence}
    for row in rows:
        name = row.id
        prints[name] = prints[name] or f"{name}:{fingerprint(row.text)}"
    return narrowed(entry, rows, vault.agent_name).replace(
        fingerprints=tuple(filter(None, prints.values())),
        refreshed_at=entry.refreshed_at or now,
    )


def narrowed(
    entry: Entry, rows: Sequence[StoredRow | Entry], agent: str | None
) -> Entry:
    """The entry, shown only to those who may see all that it was made of.

    Private is narrower than group, and group than shared; of several groups those
    remain that see everything. Authors always see their own entries, so when part of it
    belongs to another agent, `agent` becomes the author.
    """
    limited = [row for row in rows if row.visibility != _SHARED]
    if not limited:
        return entry
    if any(row.agent != entry.agent for row in limited):
        entry = entry.replace(agent=agent)
    if entry.visibility is not Visibility.SHARED:
        limited.append(entry)
    # Nobody but its author is in the groups of what is private.
    seeing = (each.groups if each.visibility == _GROUP else () for each in limited)
    groups = tuple(sorted(set.intersection(*map(set, seeing))))
    visibility = Visibility.GROUP if groups else Visibility.PRIVATE
    return entry.replace(visibility=visibility, groups=groups)
