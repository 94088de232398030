"""The evidence of observations and models: what it said, and who may see it.

Invariant: an entry that was drawn from memories is shown only to those who may see each
of them, and carries the fingerprint of every one, so that a later edit by hand shows.
"""

from __future__ import annotations

import re

from memcli.entries.entry import Entry, Layer, Visibility
from memcli.entries.identity import fingerprint
from memcli.entries.ids import is_id
from memcli.errors import EntryNotFound, InvalidValue
from memcli.vault import lookup

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

_SHARED = str(Visibility.SHARED)
_CITATION = r"[0-9a-hjkmnp-tv-z]{4,16}"
_PRIVATE = str(Visibility.PRIVATE)


def is_drawn(entry: Entry) -> bool:
    """Whether an entry was drawn from others, and says from which."""
    return entry.layer is not Layer.FACT and bool(entry.evidence)


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


def checked(
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
        rows = lookup.matching(reader, word)
    except EntryNotFound as error:
        raise EntryNotFound(
            error.message,
            hint="The name of a session is written HOST:SESSION.",
            entry_id=word,
        ) from error
    if len({row.id for row in rows}) > 1:
        labels = [f"{row.id} ({row.path})" for row in rows]
        raise lookup.ambiguous(word, labels, one_id=False)
    return rows[0].id


def settled(vault: Vault, entry: Entry, now: str) -> Entry:
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
    sets = [set(row.groups) for row in limited]
    if entry.visibility is Visibility.GROUP:
        sets.append(set(entry.groups))
    groups = set.intersection(*sets)
    private = any(row.visibility == _PRIVATE for row in limited)
    if private or not groups or entry.visibility is Visibility.PRIVATE:
        return entry.replace(visibility=Visibility.PRIVATE, groups=())
    if entry.visibility is Visibility.GROUP and groups == set(entry.groups):
        return entry
    return entry.replace(visibility=Visibility.GROUP, groups=tuple(sorted(groups)))
