"""Reflection: what a session teaches comes into the vault.

Invariant: one session is one commit, and the same session twice is none. What is
explicit is saved, what is a pattern waits for a person, a single inference waits in
the inbox; what the vault says already is counted as evidence, what it has solved is
counted as come again, and what contradicts it is offered and never decided here.
Nothing is kept that was not looked through for secrets, and a session that could not
be mined says so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.eligibility import View
from memcli.entries.entry import Confidence, Entry, Status
from memcli.entries.text import prompt_injection, redaction
from memcli.entries.text.links import unlinked
from memcli.errors import MemcliError
from memcli.hosts.transcript import Session, Step
from memcli.sessions.already_mined import FORGOTTEN, Brought, brought
from memcli.sessions.mining import Candidate, Mined, mine
from memcli.sessions.mining.candidate import retitled
from memcli.vault import saving, session_records

if TYPE_CHECKING:
    from memcli.curation.ideas.page import Idea
    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.saving import Saved
    from memcli.vault.vault import Vault

_KINDS = {"preference": "preference", "correction": "preference"}
_DECIDED = "decided"
# Jaccard of their terms: so alike, and with nothing that differs, they say the same.
_REPEATS = 0.9
_NEAR = 0.2
_MOST_NEAR = 10
_SAME = ("id", "record", "pattern", "text")
_RANK = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
# Nobody types such a word: it is an image, a minified file, a key. The miner's rules
# look at a line as a whole, and some take the square of the length of a word.
_ENDLESS = re.compile(r"(\S{1000})\S{1000,}")
_EMPTY = re.compile(r"\s{200,}")

ACTIONS = (
    "saved",
    "review",
    "inbox",
    "supersede",
    "idea",
    "seen",
    "recurred",
    "duplicate",
    "rejected",
    FORGOTTEN,
    "cut",
)
"""What may become of a candidate; `docs/use/mining.md` says what each means."""


class Fate(NamedTuple):
    """A candidate and what became of it.

    `id` is the entry (an idea: its page) that holds it now, None while nothing is
    written; `target` the entry that it is offered to supersede, and `why` they differ.
    """

    candidate: Candidate
    action: str
    id: str | None = None
    path: str | None = None
    target: str | None = None
    why: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON and for the record of the session."""
        rest = self._asdict()
        rest.pop("candidate")
        return {**self.candidate.as_dict(), **rest}


class Reflected(NamedTuple):
    """What reflecting on one session did, or would do.

    `cut` is how many candidates the cap left out; `broken` counts lines that could
    not be read, `unknown` records of each type that is not known.
    """

    session: Session
    transcript: str
    turns: int
    fates: list[Fate]
    cut: int
    commit: str | None
    dry_run: bool
    broken: int = 0
    unknown: Mapping[str, int] = MappingProxyType({})

    @property
    def counts(self) -> dict[str, int]:
        """How many candidates met which action, in the order of `ACTIONS`."""
        found = Counter(fate.action for fate in self.fates)
        return {name: found[name] for name in ACTIONS if found[name]}

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
            "unknown": dict(self.unknown),
            "commit": self.commit,
            "dry_run": self.dry_run,
        }


class _Route(NamedTuple):
    """Where a candidate goes, before the vault has its say."""

    candidate: Candidate
    draft: Entry | None
    action: str
    target: str | None = None
    why: str | None = None


def learn(
    vault: "Vault",
    session: Session,
    steps: Iterable[Step],
    *,
    transcript: str = "",
    mined: tuple[int, int] = (0, 0),
    writer: str = "pipeline",
    dry_run: bool = False,
) -> Reflected:
    """Mine a session and bring what it teaches into the vault.

    Args:
        vault: where it goes.
        session: whose steps they are.
        steps: as a host's adapter gives them; read once.
        transcript: the file, for people.
        mined: size and time of the file, to see later whether it has grown.
        writer: `pipeline` when a person asked for it, `hook` when a host did.
        dry_run: only say what would be done.

    Raises:
        Unreadable, ScannerFailed: nothing was kept, and the session is marked so.
        LockBusy, WriteFailed, HistoryError: nothing was changed; marked as well.
    """
    session = session._replace(id=redaction.masked(session.id))
    transcript = redaction.masked(transcript)
    earlier = session_records.get(vault.root, session.host, session.id)
    try:
        found = candidates(steps)
        done = _kept(
            vault, session, found, transcript, writer, earlier, dry_run=dry_run
        )
    except Exception as error:
        code = getattr(error, "error_code", type(error).__name__)
        failed = f"{code}: {redaction.redact(str(error))}"
        if not dry_run:
            _note(vault, session, transcript, mined, earlier, failed)
        raise
    if not dry_run:
        _note(vault, session, transcript, mined, earlier, done)
    return done


def _note(
    vault: "Vault",
    session: Session,
    transcript: str,
    mined: tuple[int, int],
    earlier: session_records.Record | None,
    done: Reflected | str,
) -> None:
    """Write the record of the session; what was kept or refused stands without it."""
    from memcli.entries import dates

    record = session_records.Record(
        session=session.id,
        host=session.host,
        transcript=transcript,
        at=dates.iso(vault.now_ms() // 1000),
        reflected=False,
        mined=mined,
    )
    before = earlier.candidates if earlier else ()
    if isinstance(done, str):
        record = record._replace(error=done, candidates=before)
    else:
        record = record._replace(
            reflected=True,
            turns=done.turns,
            cut=done.cut,
            candidates=tuple(_noted(fate, before) for fate in done.fates),
        )
    try:
        session_records.put(vault.root, record)
    except MemcliError as error:
        vault.tell(f"the record of session {session.id} is not kept: {error.message}")


def _noted(fate: Fate, before: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """A fate for the record; what is met again is as it was the first time."""
    fresh = fate.as_dict()
    if fate.action == FORGOTTEN:
        return session_records.without_words(fresh)
    if fate.action == "duplicate" and fate.id is not None:
        for one in before:
            if all(one.get(name) == fresh[name] for name in _SAME):
                return one
    return fresh


def candidates(steps: Iterable[Step]) -> Mined:
    """What `reflect` finds in a session, without a secret in it.

    Raises:
        Unreadable, ScannerFailed: the steps end early, or nothing looked for secrets.
    """
    found = mine(_redacted(steps))
    return found._replace(candidates=[_scrubbed(one) for one in found.candidates])


def _redacted(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        text = _ENDLESS.sub(r"\1 … ", redaction.redact(step.text))
        record = redaction.masked(step.record)
        yield step._replace(text=_EMPTY.sub("\n\n", text), record=record)


def _scrubbed(one: Candidate) -> Candidate:
    text = redaction.scrub(one.text)
    if text != one.text:
        one = retitled(one._replace(text=text))
    return one._replace(
        title=redaction.scrub(one.title), excerpt=redaction.scrub(one.excerpt)
    )


def _kept(
    vault: "Vault",
    session: Session,
    found: Mined,
    transcript: str,
    writer: str,
    earlier: session_records.Record | None,
    *,
    dry_run: bool,
) -> Reflected:
    def keep(change: "Transaction | None") -> list[Fate]:
        known = vault.read(lambda reader: brought(reader, session, earlier))
        routes = [
            _route(vault, session, one, transcript, writer) for one in found.candidates
        ]
        routes = vault.read(lambda reader: _met(vault, reader, routes))
        return _written(vault, change, session, routes, known)

    if dry_run:
        fates, commit = keep(None), None
    else:
        with vault.transaction() as change:
            fates = keep(change)
            change.message = f"reflect: {session.id[:80]}"
            change.whole = True  # an idea's page without its ledger is no idea
        commit = change.commit
    cut = sum(fate.action == "cut" for fate in fates)
    return Reflected(session, transcript, found.turns, fates, cut, commit, dry_run)


def _route(
    vault: "Vault", session: Session, one: Candidate, transcript: str, writer: str
) -> _Route:
    """By confidence: saved, to review, to the inbox; by its words, never saved."""
    if one.category == "idea":
        return _Route(one, None, "idea")
    silent = vault.settings.memory.review_mode == "silent"
    sure = one.confidence is Confidence.HIGH or (
        silent and one.confidence is Confidence.MEDIUM
    )
    doubt = prompt_injection.suspicious(one.text)
    saved = sure and doubt is None
    action = "inbox"
    if saved:
        action = "saved"
    elif one.confidence is not Confidence.LOW:
        action = "review"
    kind = "decision" if one.pattern == _DECIDED else _KINDS.get(one.category)
    draft = vault.draft(
        {
            "text": unlinked(one.text),
            "title": one.title,
            "kind": kind or one.category,
            "status": str(Status.ACTIVE if saved else Status.PENDING),
            "occurred_at": one.at,
            "confidence": str(one.confidence),
            "rationale": f"{one.pattern}: {one.rationale}",
            "source": {
                "writer": writer,
                "host": session.host,
                "session": session.id,
                "transcript": transcript or None,
                "record": one.record,
                "excerpt": one.excerpt,
            },
        }
    )
    return _Route(one, draft, action, None, doubt)


def _met(vault: "Vault", reader: "Reader", routes: Sequence[_Route]) -> list[_Route]:
    """What the vault holds that says the same in other words, or the contrary."""
    from memcli.recall.conflicts import differ
    from memcli.search.document import document
    from memcli.search.stemmer import stemmer
    from memcli.vault.duplicates import alike

    now = vault.now_ms() // 1000

    def in_force(doc: int) -> bool:
        return reader.verdict(doc, View(now)) is None

    found = []
    for route in routes:
        draft = route.draft
        if draft is None or draft.kind in ("fix", "workflow"):
            found.append(route)
            continue
        terms = document(draft, stemmer()).row.terms
        for likeness, row in alike(reader, terms, in_force, limit=_MOST_NEAR):
            if likeness < _NEAR or row.source.session == draft.source.session:
                continue
            told = differ(draft.body, row.text)
            if told is not None:
                pending = draft.replace(status=Status.PENDING)
                route = _Route(route.candidate, pending, "supersede", row.id, told[1])
                break
            if likeness >= _REPEATS:
                # In the words of the entry, it is evidence for it.
                route = route._replace(draft=draft.replace(body=row.text))
                break
        found.append(route)
    return found


def _written(
    vault: "Vault",
    change: "Transaction | None",
    session: Session,
    routes: Sequence[_Route],
    known: Brought,
) -> list[Fate]:
    """Put everything into the transaction; without one, say what would be put.

    The cap of a session counts what would be new in the vault, the surest first.
    """
    fates: dict[int, Fate] = {}
    for place, before in enumerate(known.match([route.candidate for route in routes])):
        if before is not None:
            fates[place] = Fate(routes[place].candidate, before.action, before.id)
    drafts = {
        place: route.draft
        for place, route in enumerate(routes)
        if route.draft and route.candidate.refers is None and place not in fates
    }
    ideas = _ideas(vault, session, routes, fates)
    there, _ = saving.look_up(vault, list(drafts.values()))
    fresh = [place for place, draft in drafts.items() if there.match(draft) is None]
    fresh = sorted([*fresh, *ideas], key=lambda place: _rank(routes[place].candidate))
    for place in fresh[max(0, vault.settings.memory.session_cap - known.count) :]:
        fates[place] = Fate(routes[place].candidate, "cut")
        drafts.pop(place, None)
        ideas.pop(place, None)
    saved = saving.place(vault, change, list(drafts.values()), there)
    for place, one in zip(drafts, saved, strict=True):
        fates[place] = _fate(routes[place], one)
    paths = _surfaced(vault, change, list(ideas.values()))
    for place, path in zip(ideas, paths, strict=True):
        fates[place] = Fate(routes[place].candidate, "idea", None, path)
    by_record = {
        fate.candidate.record: fate for fate in fates.values() if fate.action != "cut"
    }
    for place, route in enumerate(routes):
        if place not in fates:
            other = by_record.get(route.candidate.refers or "")
            fates[place] = Fate(route.candidate, "duplicate", other and other.id)
    return [fates[place] for place in range(len(routes))]


def _rank(one: Candidate) -> tuple[int, int]:
    return _RANK[one.confidence], one.line


def _fate(route: _Route, saved: "Saved") -> Fate:
    action = route.action if saved.outcome == "created" else saved.outcome
    return Fate(
        route.candidate, action, saved.id or None, saved.path, route.target, route.why
    )


def _ideas(
    vault: "Vault",
    session: Session,
    routes: Sequence[_Route],
    fates: dict[int, Fate],
) -> "dict[int, Idea]":
    """The ideas that the ledger does not have; the others get their fate."""
    from memcli.curation.ideas import incubator
    from memcli.curation.ideas.page import Idea, keys, known
    from memcli.entries import dates

    today = dates.iso(vault.now_ms() // 1000)
    found: dict[int, Idea] = {}
    there: set[str] | None = None
    for place, route in enumerate(routes):
        if place in fates or route.action != "idea":
            continue
        one = route.candidate
        idea = Idea(
            title=one.title,
            summary=one.text,
            day=(one.at or today)[:10],
            session=session.id,
            record=one.record,
            excerpt=one.excerpt,
            at=one.at,
            host=session.host,
            agent=vault.agent.name if vault.agent else None,
        )
        if there is None:
            there = set(known(incubator.existing(vault)))
        if there & keys(idea):
            fates[place] = Fate(one, "duplicate")
            continue
        there |= keys(idea)
        found[place] = idea
    return found


def _surfaced(
    vault: "Vault", change: "Transaction | None", new: "Sequence[Idea]"
) -> "Sequence[str | None]":
    """The pages of new ideas, which are put into the transaction."""
    from memcli.curation.ideas import incubator

    if change is None or not new:
        return [None] * len(new)
    return incubator.add(vault, change, new)
