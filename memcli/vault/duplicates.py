"""Duplicates: whether a vault holds a text already.

Invariant: the same words are the same memory, whatever their marks, unless both say
where they stood (in which session, at which place) and the places differ: two people
may thank each other in the same words twice. What another project holds makes no
duplicate, since it is not told here; what holds everywhere does. Only an active entry,
or one in the draft's own state, makes it a duplicate; others are named in the outcome.
"""

from __future__ import annotations

from memcli.entries.eligibility import Facts, Resolve, View, facts, resolve_of, verdict
from memcli.entries.entry import MINERS, Confidence, Entry, Source, Status
from memcli.entries.identity import claim, fingerprint
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.search.following import Unindexed
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

_ACTIVE = str(Status.ACTIVE)
# Older sightings weigh nothing by then, and a file that grows for ever is a log.
_MOST_SIGHTINGS = 50
_PATTERN = 3


class Held(NamedTuple):
    """An entry of the vault, as far as duplicates go.

    `resolve` is what it says to others of its claim, if it is resolved.
    """

    id: str
    path: str
    title: str
    status: str
    place: tuple[Any, ...]
    item: str | None = None
    project: str | None = None
    resolve: Resolve | None = None


# The states of entries that a mined draft repeats, the most telling first, each with
# the outcome of the draft.
_MET_AGAIN = {
    _ACTIVE: "duplicate",
    str(Status.RESOLVED): "recurred",
    str(Status.REJECTED): "rejected",
    str(Status.PENDING): "duplicate",
}


class HeldTexts:
    """The entries of a vault that hold the texts of some drafts.

    Args:
        agent: the name of the agent that asks, if it is not the owner.

    Attributes:
        elsewhere: by claim what resolves it in another vault, which counts here too.
    """

    def __init__(self, agent: str | None) -> None:
        self._agent = agent
        self.elsewhere: dict[str, tuple[Resolve, ...]] = {}
        # By claim the entries, and whether it is that of their text as it is now.
        self._by_claim: dict[str, dict[Held, bool]] = {}
        self._by_id: dict[str, Held] = {}

    def add(self, text: str, held: Held, proposed: str | None = None) -> None:
        """Count an entry in: with its body, and with the words that it had before a
        review changed them."""
        self._by_claim.setdefault(words(text), {})[held] = True
        if proposed:
            self._by_claim.setdefault(claim(proposed), {}).setdefault(held, False)
        if held.resolve or held.id not in self._by_id:
            self._by_id[held.id] = held

    def settled_by(self, entry: Entry) -> str | None:
        """The id of the resolved entry that keeps this draft from being shown: the one
        whose claim it makes, in its text or as its title."""
        if entry.status not in (Status.ACTIVE, Status.PENDING):
            return None
        for said in _claims(entry):
            here = (held.resolve for held in self._by_claim.get(said, ()))
            for resolve in (*here, *self.elsewhere.get(said, ())):
                if resolve and resolve.counts_for(self._agent, facts(entry)):
                    return resolve.id
        return None

    def says(self, held: Held, entry: Entry) -> bool:
        """Whether an entry makes the claim of a draft's text."""
        return held in self._by_claim.get(words(entry.body), ())

    def match(self, entry: Entry) -> tuple[Held, str] | None:
        """The entry that holds this draft already, and the outcome that makes it."""
        if entry.id and entry.id in self._by_id:
            return self._by_id[entry.id], "duplicate"
        said = words(entry.body)
        settled = None if entry.id else self.settled_by(entry)
        if settled is not None and settled in self._by_id:
            return self._by_id[settled], "recurred"
        keeps_id = entry.id and self._agent is None  # that of an agent gets a new one
        if keeps_id and (entry.supersedes or entry.status is Status.SUPERSEDED):
            return None  # other versions name it
        if is_extracted(entry) and not keeps_id:
            same_claim = _holding(self._by_claim.get(said, ()), entry)
            for status, outcome in _MET_AGAIN.items():
                for held in (each for each in same_claim if each.status == status):
                    is_item = held.item and status == _ACTIVE
                    if outcome == "duplicate" and (is_item or _is_of_session(entry)):
                        return held, "seen"
                    if entry.item is None or outcome != "duplicate":
                        return held, outcome
        mine = place(entry.source)
        for held in self._saying(entry):
            same_state = held.status in (_ACTIVE, str(entry.status))
            # An item fades and a fact does not: one must not stand for the other.
            same_role = bool(held.item) == (entry.item is not None)
            same_place = not (mine and held.place) or mine == held.place
            if same_state and same_role and same_place:
                return held, "duplicate"
        return None

    def _saying(self, entry: Entry) -> list[Held]:
        """Entries with this text that hold where the draft does."""
        said = self._by_claim.get(words(entry.body), {})
        return _holding((held for held, is_text in said.items() if is_text), entry)

    def replaced(self, entry: Entry) -> Held | None:
        """The superseded entry whose words a draft says."""
        said = words(entry.body), claim(entry.source.proposed or "")
        there = (held for each in said for held in self._by_claim.get(each, ()))
        ended = (held for held in there if held.status == Status.SUPERSEDED)
        return next(iter(_holding(ended, entry)), None)

    def earlier(self, entry: Entry) -> list[Held]:
        """Entries with this text that are no longer active."""
        states = (_ACTIVE, str(entry.status))
        return [held for held in self._saying(entry) if held.status not in states]


def _claims(entry: Entry) -> tuple[str, ...]:
    """The claims of a draft, in its text, in its words as they were proposed, and by a
    title that somebody gave it: that of a mined draft is its first sentence."""
    title = "" if _is_of_session(entry) else claim(entry.title)
    proposed = "" if entry.id else claim(entry.source.proposed or "")
    return words(entry.body), *filter(None, (proposed, title))


def words(text: str) -> str:
    """The number of a text's claim; of its signs, where it holds no word."""
    return claim(text) or fingerprint(text)


def _holding(helds: Iterable[Held], entry: Entry) -> list[Held]:
    """Those that hold where the draft does, its own project's first."""
    found = [held for held in helds if held.project in (None, entry.project)]
    return sorted(found, key=lambda held: held.project != entry.project)


def is_extracted(entry: Entry) -> bool:
    """Whether a draft was mined from a session, rather than written by its author.

    An author may say again what was resolved or rejected; a mined draft may not.
    """
    return (
        entry.item is not None
        or entry.status is Status.PENDING
        or entry.source.writer in MINERS
    )


def _is_of_session(entry: Entry) -> bool:
    """Whether a draft was mined in a session, which makes it a sighting of its twin."""
    return entry.source.writer in MINERS and bool(entry.source.session)


def sighted(entry: Entry, draft: Entry, now: str) -> Entry | None:
    """The entry with one more sighting, or None when the sighting is counted already.

    Sightings count once a session; without a session once a day. A sighting from before
    the entry was resolved says nothing new; each one after that is a recurrence. What
    is in doubt itself confirms nothing that was mined.
    """
    from memcli.entries import dates

    in_doubt = draft.status is Status.PENDING and entry.status is Status.ACTIVE
    if in_doubt and entry.source.writer in MINERS and not entry.updated:
        return None
    dated = draft.occurred_at or draft.created
    when = dated or now
    first_since = False
    if entry.status is Status.RESOLVED and entry.resolved_at:
        solved = dates.to_epoch(entry.resolved_at)
        if dated and dates.span(dated)[1] <= solved:
            return None
        # Seconds are coarse, and a recurrence must be later than the resolution.
        when = dates.iso(max(dates.to_epoch(when), solved + 1))
        first_since = all(dates.to_epoch(seen) <= solved for seen in entry.seen)
    source = draft.source
    mark = source.session or source.transcript or source.record
    if mark:
        own = (entry.source.session, entry.source.transcript, entry.source.record)
        known = mark in entry.evidence or mark in own
        # A host's long id names one record, and a moment one turn: a copied session.
        copied = source.record == entry.source.record and len(source.record or "") > 15
        at_once = bool(entry.source.session and draft.occurred_at == entry.occurred_at)
        if not draft.occurred_at:  # of hosts that write no times, by its place
            at_once &= source.record is not None
            at_once &= source.record == entry.source.record
        known = known or copied or at_once
    else:
        known = when[:10] in {seen[:10] for seen in (entry.created, *entry.seen)}
    # A full list drops its oldest; a sighting older than those was dropped before.
    full = len(entry.seen) >= _MOST_SIGHTINGS
    late = full and dates.to_epoch(when) < min(map(dates.to_epoch, entry.seen))
    if (known or late) and not first_since:
        return None
    evidence = (*entry.evidence, mark) if mark else entry.evidence
    # Undoubted now: that is the first hearing that counts.
    if entry.status is Status.PENDING and draft.status is Status.ACTIVE:
        entry = entry.replace(status=Status.ACTIVE, pinned=False, enforce=None)
        return entry.replace(seen=(), evidence=_last(evidence))
    # Seen in three sessions it is a pattern, and no single inference (seed 002).
    if entry.status is Status.PENDING and entry.confidence is Confidence.LOW:
        often = len(entry.seen) + 2 >= _PATTERN
        entry = entry.replace(confidence=Confidence.MEDIUM if often else Confidence.LOW)
    return entry.replace(
        seen=tuple(sorted((*entry.seen, when), key=dates.to_epoch))[-_MOST_SIGHTINGS:],
        evidence=_last(evidence),
    )


def _last(marks: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(marks))[-_MOST_SIGHTINGS:]


def place(source: Source) -> tuple[Any, ...]:
    """Where in a session or document an entry stood; empty when it does not say."""
    document = source.session or source.transcript
    position = (source.record, source.seq)
    return (document, *position) if document or any(position) else ()


def held_texts(
    reader: Reader, later: Unindexed, drafts: Sequence[Entry], now: int
) -> HeldTexts:
    """The entries with these drafts' texts and ids, at `now` (epoch seconds).

    Files that changed after the index was made are read one by one: in a series of
    saves to index them would cost each one more than the rest of its work.
    """
    known = HeldTexts(reader.agent.name if reader.agent else None)
    claims = {said for entry in drafts for said in _claims(entry)}
    signs = {fingerprint(entry.body) for entry in drafts if not claim(entry.body)}
    ids = {entry.id for entry in drafts if entry.id}
    for name in claims:
        known.elsewhere[name] = reader.claims.resolves_elsewhere(int(name, 16))
    docs: dict[int, None] = {}
    wanted = {"fingerprint": signs, "claim": claims, "proposed": claims, "id": ids}
    for field, values in wanted.items():
        for value in sorted(values):
            docs.update(dict.fromkeys(reader.exact(field, value)))
    for doc in docs:
        row = reader.row(doc)
        if later.is_current(row.path):
            one = held(row, reader.facts(doc, access=False), now)
            known.add(row.text, one, row.source.proposed)
    for entry in later.entries(reader.agent):
        if ids or entry.source.proposed or words(entry.body) in claims:
            one = held(entry, facts(entry), now)
            known.add(entry.body, one, entry.source.proposed)
    return known


def held(entry: Entry | StoredRow, known: Facts, now: int) -> Held:
    """An entry that has a path, or its row, as far as duplicates go."""
    title = entry.display_title if isinstance(entry, Entry) else entry.title
    return Held(
        entry.id,
        entry.path,
        title,
        _standing(known, entry.item is not None, now),
        # What was mined is one statement, whichever page or turn says it again.
        () if entry.source.writer in MINERS else place(entry.source),
        entry.item and str(entry.item),
        entry.project,
        # A row counts as resolved when its claim is.
        resolve_of(entry, known.ended) if known.status is Status.RESOLVED else None,
    )


def _standing(known: Facts, is_item: bool, now: int) -> str:
    """An entry's status, as far as duplicates go.

    An entry that has expired counts as expired; an item that has faded does not, since
    a new sighting refreshes it.
    """
    if not is_item and verdict(known, View(now)) == "expired":
        return str(Status.EXPIRED)
    return str(known.status)
