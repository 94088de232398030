"""The candidates of a session come into the vault, and what becomes of each.

Invariant: one session is one commit, and the same session a second time is none: a
candidate that the session has brought before is not new. The vault says so first, then
the record of the session: what it brought and the vault no longer holds was forgotten,
and stays so. An entry that it saved unasked, and would not save now, goes back to the
inbox, unless a person changed it or another session confirmed it. Each candidate takes
its route (`routing`); what the vault says already counts as evidence, and what it has
solved counts as recurred.
"""

from __future__ import annotations

from collections import Counter

from memcli.curation.changing import Changing
from memcli.entries.entry import JUDGED, MINERS, Confidence, Status, is_unconfirmed
from memcli.entries.identity import claim
from memcli.entries.text import tokens
from memcli.entries.text.links import unlinked
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sessions import routing
from memcli.sessions.routing import Fate
from memcli.vault import saving, session_records

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.hosts.transcript import Session
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.mining import Candidate, Mined
    from memcli.storage.transaction import Transaction
    from memcli.vault.session_records import Record
    from memcli.vault.vault import Vault

FORGOTTEN = "forgotten"
# A session's summary holds the words of many sentences, and stands for none.
_EVENT = "event"
# The share of the shorter text's words that a judge and a rule have in common when both
# read the same sentence.
_SHARED = 0.5
# A person who is asked more often stops looking.
MOST_UNSURE = 3
"""How many candidates below HIGH a session may leave waiting for a review."""
MOST_COMPARED = 200
"""How many candidates of a session are held against the vault, while nobody writes."""

ACTIONS = tuple(
    "saved review noted supersede idea seen recurred duplicate rejected forgotten "
    "cut".split()
)
"""The outcomes of a candidate; `docs/use/sessions.md` says what each means."""


class Reflected(NamedTuple):
    """The outcome of reflecting on one session.

    Attributes:
        session: whose transcript it is.
        transcript: the file, for people.
        turns: how many a person typed.
        fates: of each candidate, in the order of the transcript.
        commit: its hash; None when nothing was written.
        dry_run: whether nothing was to be written.
        broken: how many lines could not be read.
    """

    session: Session
    transcript: str
    turns: int
    fates: list[Fate]
    commit: str | None
    dry_run: bool
    broken: int = 0

    @property
    def cut(self) -> int:
        """How many candidates the cap left out."""
        return sum(fate.action == "cut" for fate in self.fates)

    @property
    def counts(self) -> dict[str, int]:
        """How many candidates met which action, in the order of `ACTIONS`."""
        counts = Counter(fate.action for fate in self.fates)
        return {name: counts[name] for name in ACTIONS if counts[name]}

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        fields = self._asdict()
        candidates = [fate.as_dict() for fate in fields.pop("fates")]
        about = {"session": self.session.id, "host": self.session.host}
        more = {"candidates": candidates, "counts": self.counts, "cut": self.cut}
        return {**fields, **about, **more}


def bring(
    vault: Vault,
    session: Session,
    mined: Mined,
    source: dict[str, Any],
    earlier: Record | None,
    *,
    dry_run: bool,
) -> Reflected:
    """Bring the candidates into the vault in one commit.

    Args:
        vault: where they go.
        session: whose candidates they are.
        mined: the candidates, without a secret in them.
        source: the `source` of their entries.
        earlier: the session's record, if it was mined before.
        dry_run: only say what would be done.
    """
    project = project_of(vault, session)
    records = [earlier]
    if session.forked_from:
        name, agent = session.forked_from, vault.agent_name
        records.append(session_records.get(vault.root, session.host, name, agent))

    with Changing(vault) as at:
        at.change.dry_run = dry_run
        known = vault.read(lambda reader: _earlier(reader, session, records))
        planned = [
            routing.by_confidence(vault, candidate, source, project)
            for candidate in mined.candidates
        ]
        compared = [n for n, route in enumerate(planned) if route.draft]
        for n in compared[MOST_COMPARED:]:
            planned[n] = Fate(mined.candidates[n], "cut")
        planned = vault.read(lambda reader: routing.by_vault(vault, reader, planned))
        fates = _written(vault, at.change, planned, known)
        if mined.whole and earlier:
            fates = _taken_back(at, fates, earlier, session.taught_by)
        at.change.message = f"reflect: {session.id[:80]}"
    about = session, source["transcript"] or "", mined.turns
    return Reflected(*about, fates, at.change.commit, dry_run)


def _taken_back(
    at: Changing, fates: Sequence[Fate], earlier: Record, mark: str
) -> list[Fate]:
    """Move what the session saved by a rule and would not save now to the inbox, and
    take away where it confirmed an entry.

    A later turn has taken it back, or its turn is on a branch that was left.
    """
    from memcli.entries import dates

    sure = {fate.id for fate in fates if _is_sure(fate.candidate)}
    moved: dict[str | None, str] = {}
    for noted in earlier.candidates:
        name = noted.get("id")
        action = noted.get("action")
        by_rule = action in ("saved", "seen") and noted.get("pattern") != JUDGED
        if not by_rule or name in sure:
            continue
        try:
            stored = at.vault.stored(at.vault.path_of(noted["id"]))
        except MemcliError:
            continue
        entry = stored.entry
        same = claim(entry.body) == claim(unlinked(noted.get("text") or ""))
        when = dates.to_epoch(noted.get("at"))
        seen = tuple(one for one in entry.seen if dates.to_epoch(one) != when)
        if action == "seen":
            if mark in entry.evidence and seen != entry.seen:
                left = tuple(one for one in entry.evidence if one != mark)
                at.write(stored, entry.replace(seen=seen, evidence=left), "review")
            continue
        if entry.status is Status.ACTIVE and same and is_unconfirmed(entry):
            entry = entry.replace(status=Status.PENDING, confidence=Confidence.MEDIUM)
            entry = entry.replace(path=at.free_path(entry))
            at.write(stored, entry, "review")
            moved[name] = entry.path
    return [
        fate._replace(action="review", path=moved[fate.id])
        if fate.id in moved
        else fate
        for fate in fates
    ]


def _written(
    vault: Vault,
    transaction: Transaction,
    routes: Sequence[Fate],
    known: Sequence[_Before],
) -> list[Fate]:
    """Put everything into the transaction.

    The caps of a session count its candidates: one those that are saved, the other
    those that wait for a review. One that the vault holds already
    counts too, so the order in which sessions are mined changes nothing. What a judge
    says is not left out for what rules have found.
    """
    candidates = [route.candidate for route in routes]
    fates = _fates(known, candidates)
    fates |= {n: route for n, route in enumerate(routes) if route.draft is None}
    judged = any(candidate.pattern == JUDGED for candidate in candidates)
    cap = vault.settings.memory.session_cap
    met = {n for n, r in enumerate(routes) if not r.draft and r.action == "duplicate"}
    fresh = [n for n, _ in enumerate(routes) if n not in fates or n in met]
    fresh.sort(key=lambda n: candidates[n].line)
    for sure in (True, False):
        held = sum(
            (one.confidence == Confidence.HIGH) is sure
            for one in known
            if one.action != FORGOTTEN and (not judged or one.rule == JUDGED)
        )
        most = cap if sure or judged else min(cap, MOST_UNSURE)
        alike = [n for n in fresh if _is_sure(candidates[n]) is sure]
        for n in alike[max(0, most - held) :]:
            fates[n] = Fate(candidates[n], "cut")
    drafts = {n: r.draft for n, r in enumerate(routes) if r.draft and n not in fates}
    there = saving.look_up(vault, list(drafts.values()))[0]
    saved = saving.place(vault, transaction, list(drafts.values()), there)
    for n, outcome in zip(drafts, saved, strict=True):
        route, became = routes[n], outcome.outcome
        action = route.action if became == "created" else became
        fates[n] = route._replace(
            action=action, id=outcome.id or None, path=outcome.path
        )
    return [fates[n] for n, _ in enumerate(routes)]


def project_of(vault: Vault, session: Session) -> str | None:
    """The project of the folder in which a session ran; None: everywhere."""
    from memcli.storage import projects

    project = projects.of(session.cwd, vault.environ)
    return project.name if project else None


def _is_sure(candidate: Candidate) -> bool:
    return candidate.confidence is Confidence.HIGH


class _Before(NamedTuple):
    """A candidate that the session brought before.

    Attributes:
        record, rule: in which it was found, and by which.
        words: as `claim` gives them; people correct them.
        action, id: what it is now.
        confidence: that it had.
        row: of the entry that it made; none where another entry said it.
    """

    record: Any
    rule: Any
    words: str
    action: str
    id: str
    confidence: Any
    row: StoredRow | None = None


def _earlier(
    reader: Reader, session: Session, records: Sequence[Record | None]
) -> list[_Before]:
    """The candidates that one session has brought, by the vault and its records."""
    found = []
    for row in map(reader.row, reader.of_session(session.taught_by)):
        if row.writer in MINERS and row.source.host == session.host:
            rule, place = (row.rationale or "").partition(":")[0], row.source.record
            about = place or "", rule, claim(row.text), "duplicate", row.id
            found.append(_Before(*about, row.confidence, row))
    for each in (one for record in records if record for one in record.candidates):
        name, action = each.get("id"), "duplicate"
        if not isinstance(name, str):
            continue
        if not reader.exact("id", name):
            action = FORGOTTEN
        elif each.get("action") not in ("seen", "recurred"):
            continue
        mark, words = (each.get("record"), each.get("pattern")), each.get("text") or ""
        found.append(_Before(*mark, claim(words), action, name, each.get("confidence")))
    return found


def _fates(
    earlier: Sequence[_Before], candidates: Sequence[Candidate]
) -> dict[int, Fate]:
    """The earlier outcomes of the candidates that are not new, by their places.

    First come those in the same words; then what the same rule found in the same
    record, since later turns change what is mined; then what a judge and a rule
    made of one sentence. Each that was brought answers for one candidate.
    """
    fates: dict[int, Fate] = {}
    left = [*earlier]
    for is_met in (_in_words, _in_record, _in_sentence):
        for place, candidate in enumerate(candidates):
            met = (one for one in left if place not in fates and is_met(candidate, one))
            before = next(met, None)
            if before is not None:
                fates[place] = Fate(candidate, before.action, id=before.id)
                if is_met is not _in_sentence:
                    left.remove(before)
    return fates


def _in_words(candidate: Candidate, before: _Before) -> bool:
    # A turn that is sent again moves to the later record.
    same = before.words == claim(unlinked(candidate.text))
    return same and before.rule == candidate.pattern


def _in_record(candidate: Candidate, before: _Before) -> bool:
    same = (before.record, before.rule) == (candidate.record, candidate.pattern)
    return same and (before.row is not None or before.action == FORGOTTEN)


def _in_sentence(candidate: Candidate, before: _Before) -> bool:
    """Whether a judge and a rule have read the same sentence."""
    one_of_each = (before.rule == JUDGED) is not (candidate.pattern == JUDGED)
    row = before.row
    if before.record != candidate.record or not one_of_each:
        return False
    if row is None:  # the words of what was forgotten are known no more
        return before.action == FORGOTTEN and candidate.kind != _EVENT
    words, others = _words(candidate.text), _words(row.text)
    shared = len(words & others) >= _SHARED * min(len(words), len(others))
    return shared and _EVENT not in (candidate.kind, row.kind)


def _words(text: str) -> set[str]:
    """The words of a text that say something, cut so that their forms meet."""
    return {word[:5] for word in tokens.words(text) if word not in tokens.STOP_WORDS}
