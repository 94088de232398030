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

from memcli.curation import inbox
from memcli.curation.changing import Changing
from memcli.entries.entry import Confidence, Status
from memcli.entries.identity import claim
from memcli.entries.text import tokens
from memcli.entries.text.links import unlinked
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sessions import routing
from memcli.sessions.routing import JUDGED, Fate
from memcli.vault import placing, saving

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from memcli.hosts.transcript import Session
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.mining import Candidate, Mined
    from memcli.storage.transaction import Transaction
    from memcli.vault.session_records import Record
    from memcli.vault.vault import Vault

WRITERS = ("pipeline", "hook")
"""The writers of mined entries: a person's command, and a host's hook."""

FORGOTTEN = "forgotten"
# A session's summary holds the words of many sentences, and stands for none.
_EVENT = "event"
# The share of the shorter text's words that a judge and a rule have in common when both
# read the same sentence.
_SHARED = 0.5
_RANK = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
# A person who is asked more often stops looking.
MOST_UNSURE = 3
"""How many candidates below HIGH a session may leave waiting for a review."""


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
        return {
            "session": self.session.id,
            "host": self.session.host,
            "transcript": self.transcript,
            "turns": self.turns,
            "candidates": [fate.as_dict() for fate in self.fates],
            "counts": self.counts,
            "cut": self.cut,
            "broken": self.broken,
            "commit": self.commit,
            "dry_run": self.dry_run,
        }


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

    def write(transaction: Transaction | None) -> list[Fate]:
        known = vault.read(lambda reader: _Earlier(reader, session, earlier))
        planned = [
            routing.by_confidence(vault, candidate, source, project)
            for candidate in mined.candidates
        ]
        planned = vault.read(lambda reader: routing.by_vault(vault, reader, planned))
        return _written(vault, transaction, planned, known)

    saved = [one for one in earlier.candidates if _is_saved(one)] if earlier else []
    if dry_run:
        fates, commit = write(None), None
    else:
        with Changing(vault) as at:
            fates = write(at.change)
            if mined.whole:
                fates = _taken_back(at, fates, saved)
            at.change.message = f"reflect: {session.id[:80]}"
        commit = at.change.commit
    transcript = source["transcript"] or ""
    return Reflected(session, transcript, mined.turns, fates, commit, dry_run)


def _is_saved(noted: Mapping[str, Any]) -> bool:
    """Whether a rule found a candidate of a session's record, and it was saved."""
    return noted.get("action") == "saved" and noted.get("pattern") != JUDGED


def _taken_back(
    at: Changing, fates: Sequence[Fate], saved: Iterable[Mapping[str, Any]]
) -> list[Fate]:
    """Move what the session saved and would not save now to the inbox.

    A later turn has taken it back, or its turn is on a branch that was left.
    """
    sure = {fate.id for fate in fates if _is_sure(fate.candidate)}
    moved: dict[str | None, str] = {}
    for noted in saved:
        try:
            stored = at.vault.stored(at.vault.path_of(noted["id"]))
        except MemcliError:
            continue
        entry = stored.entry
        touched = entry.updated or entry.seen or entry.pinned or entry.enforce
        same = claim(entry.body) == claim(unlinked(noted.get("text") or ""))
        if entry.id in sure or entry.status is not Status.ACTIVE or touched or not same:
            continue
        entry = entry.replace(status=Status.PENDING, confidence=Confidence.MEDIUM)
        entry = entry.replace(path=at.free_path(entry))
        at.write(stored, entry, "review")
        moved[entry.id] = entry.path
    return [
        fate._replace(action="review", path=moved[fate.id])
        if fate.id in moved
        else fate
        for fate in fates
    ]


def _written(
    vault: Vault,
    transaction: Transaction | None,
    routes: Sequence[Fate],
    known: _Earlier,
) -> list[Fate]:
    """Put everything into the transaction; without one, say what would be put.

    The caps of a session count its candidates, the surest first: one those that are
    saved, the other those that wait for a review. One that the vault holds already
    counts too, so the order in which sessions are mined changes nothing. What a judge
    says is not left out for what rules have found.
    """
    fates = known.fates([route.candidate for route in routes])
    for place, route in enumerate(routes):
        if route.draft is None:
            fates.setdefault(place, route)
    drafts = {
        place: route.draft
        for place, route in enumerate(routes)
        if route.draft and place not in fates
    }
    there = saving.look_up(vault, list(drafts.values()))[0]
    fresh = sorted(drafts, key=lambda place: _rank(routes[place].candidate))
    cap = vault.settings.memory.session_cap
    judged = any(route.candidate.pattern == JUDGED for route in routes)
    most = cap if judged else min(cap, MOST_UNSURE)
    sure = [place for place in fresh if _is_sure(routes[place].candidate)]
    unsure = [place for place in fresh if place not in sure]
    room = max(0, cap - known.count(sure=True, judged=judged))
    waiting = max(0, most - known.count(sure=False, judged=judged))
    left_out = {*sure[room:], *unsure[waiting:]}
    for place in left_out:
        fates[place] = Fate(routes[place].candidate, "cut")
        drafts.pop(place, None)
    saved = placing.place(vault, transaction, list(drafts.values()), there)
    for place, outcome in zip(drafts, saved, strict=True):
        route = routes[place]
        action = route.action if outcome.outcome == "created" else outcome.outcome
        fates[place] = route._replace(
            action=action, id=outcome.id or None, path=outcome.path
        )
    inbox.offer(vault, transaction, list(drafts.values()), saved, there)
    return [fates[place] for place in range(len(routes))]


def project_of(vault: Vault, session: Session) -> str | None:
    """The project of the folder in which a session ran; None: everywhere."""
    from memcli.storage import projects

    project = projects.of(session.cwd, vault.environ)
    return project.name if project else None


def _is_sure(candidate: Candidate) -> bool:
    return candidate.confidence is Confidence.HIGH


def _rank(candidate: Candidate) -> tuple[int, int]:
    return _RANK[candidate.confidence], candidate.line


class _Before(NamedTuple):
    """A candidate that the session brought before.

    Attributes:
        mark: the record in which it was found, and the rule.
        words: as `claim` gives them; people correct them.
        action, id: what it is now.
        by_rule: whether other words of that record and rule are it as well.
    """

    mark: tuple[Any, Any]
    words: str
    action: str
    id: str
    by_rule: bool


class _Earlier:
    """The candidates that one session has brought, by the vault and its record."""

    def __init__(self, reader: Reader, session: Session, record: Record | None) -> None:
        rows = [reader.row(doc) for doc in reader.of_session(session.id)]
        self._rows = [
            row
            for row in rows
            if row.writer in WRITERS and row.source.host == session.host
        ]
        # The confidence and the rule of each.
        self._brought: list[tuple[Any, Any]] = [
            (row.confidence, _mark_of(row)[1]) for row in self._rows
        ]
        self._before = [
            _Before(_mark_of(row), claim(row.text), "duplicate", row.id, True)
            for row in self._rows
        ]
        for each in record.candidates if record else ():
            mark, name = (each.get("record"), each.get("pattern")), each.get("id")
            words = claim(each.get("text") or "")
            if isinstance(name, str) and not reader.exact("id", name):
                self._before.append(_Before(mark, words, FORGOTTEN, name, True))
            elif isinstance(name, str) and each.get("action") in ("seen", "recurred"):
                self._before.append(_Before(mark, words, "duplicate", name, False))
                self._brought.append((each.get("confidence"), each.get("pattern")))

    def count(self, *, sure: bool, judged: bool) -> int:
        """How many candidates it has brought that are HIGH, or are not.

        Args:
            sure: those that are HIGH; else the others.
            judged: only those of a judge.
        """
        return sum(
            (confidence == Confidence.HIGH) is sure and (not judged or rule == JUDGED)
            for confidence, rule in self._brought
        )

    def fates(self, candidates: Sequence[Candidate]) -> dict[int, Fate]:
        """The earlier outcomes of the candidates that are not new, by their places.

        First come those in the same words; then what the same rule found in the same
        record, since later turns change what is mined; then what a judge and a rule
        made of one sentence. Each that was brought answers for one candidate.
        """
        fates: dict[int, Fate] = {}
        for in_words in (True, False):
            for place, candidate in enumerate(candidates):
                mark = candidate.record, candidate.pattern
                words = claim(unlinked(candidate.text))
                for before in () if place in fates else self._before:
                    same = before.words == words if in_words else before.by_rule
                    if before.mark == mark and same:
                        fates[place] = Fate(candidate, before.action, id=before.id)
                        self._before.remove(before)
                        break
        for place, candidate in enumerate(candidates):
            row = None if place in fates else self._of_same_sentence(candidate)
            if row is not None:
                fates[place] = Fate(candidate, "duplicate", id=row.id)
        return fates

    def _of_same_sentence(self, candidate: Candidate) -> StoredRow | None:
        if candidate.kind == _EVENT:
            return None
        words = _words(candidate.text)
        for row in self._rows:
            record, rule = _mark_of(row)
            one_of_each = (rule == JUDGED) is not (candidate.pattern == JUDGED)
            if record == candidate.record and one_of_each and row.kind != _EVENT:
                others = _words(row.text)
                if len(words & others) >= _SHARED * min(len(words), len(others)):
                    return row
        return None


def _words(text: str) -> set[str]:
    """The words of a text that say something, cut so that their forms meet."""
    return {word[:5] for word in tokens.words(text) if word not in tokens.STOP_WORDS}


def _mark_of(row: StoredRow) -> tuple[str, str]:
    return row.source.record or "", (row.rationale or "").partition(":")[0]
