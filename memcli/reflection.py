"""Reflection: what a session teaches comes into the vault.

Invariant: one session is one commit, and the same session twice is none. What is
explicit is saved, what is a pattern waits for a person, a single inference waits in
the inbox; what the vault says already is counted as evidence, what it has solved is
counted as come again, and what contradicts it is offered and never decided here.
Nothing is kept that was not looked through for secrets, and a session that could not
be mined says so.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli import redaction, sessions
from memcli.eligibility import View
from memcli.entry import Confidence, Entry, Status
from memcli.mining import Candidate, Mined, mine
from memcli.mining.candidate import retitled
from memcli.transcript import Session, Step

if TYPE_CHECKING:
    from memcli.reader import Reader
    from memcli.transaction import Transaction
    from memcli.vault import Saved, Vault

_KINDS = {"preference": "preference", "correction": "preference"}
_DECIDED = "decided"
# Jaccard of their terms: so alike, and with nothing that differs, they say the same.
_REPEATS = 0.9
_NEAR = 0.2
_MOST_NEAR = 10
_RANK = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
WRITERS = ("pipeline", "hook")

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
    "cut",
)
"""What may become of a candidate; `docs/mining.md` says what each means."""


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
    not be read, `unknown` records of a type that is not known.
    """

    session: Session
    transcript: str
    turns: int
    fates: list[Fate]
    cut: int
    commit: str | None
    dry_run: bool

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


def reflect(
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
    from memcli import temporal

    now = temporal.iso(vault.now_ms() // 1000)
    record = sessions.Record(
        session=session.id,
        host=session.host,
        transcript=transcript,
        at=now,
        reflected=False,
        mined=mined,
    )
    try:
        found = candidates(steps)
        done = _kept(vault, session, found, transcript, writer, dry_run=dry_run)
    except Exception as error:
        if not dry_run:
            code = getattr(error, "error_code", type(error).__name__)
            said = redaction.redact(str(error))
            sessions.put(vault.root, record._replace(error=f"{code}: {said}"))
        raise
    if not dry_run:
        fates = tuple(fate.as_dict() for fate in done.fates)
        record = record._replace(
            reflected=True, turns=done.turns, cut=done.cut, candidates=fates
        )
        sessions.put(vault.root, record)
    return done


def candidates(steps: Iterable[Step]) -> Mined:
    """What `reflect` finds in a session, without a secret in it.

    Raises:
        Unreadable, ScannerFailed: the steps end early, or nothing looked for secrets.
    """
    found = mine(_redacted(steps))
    return found._replace(candidates=[_scrubbed(one) for one in found.candidates])


def _redacted(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step._replace(text=redaction.redact(step.text))


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
    *,
    dry_run: bool,
) -> Reflected:
    def keep(change: "Transaction | None") -> tuple[list[Fate], int]:
        known = vault.read(lambda reader: _of_session(reader, session.id))
        routes = [
            _route(vault, session, one, transcript, writer) for one in found.candidates
        ]
        routes = vault.read(lambda reader: _met(vault, reader, routes))
        routes, cut = _capped(routes, known, vault.settings.memory.session_cap)
        return _written(vault, change, session, routes, known), cut

    if dry_run:
        fates, cut = keep(None)
        return Reflected(session, transcript, found.turns, fates, cut, None, True)
    with vault.transaction() as change:
        fates, cut = keep(change)
        change.message = f"reflect: {session.id[:80]}"
    return Reflected(session, transcript, found.turns, fates, cut, change.commit, False)


def _route(
    vault: "Vault", session: Session, one: Candidate, transcript: str, writer: str
) -> _Route:
    """By confidence: saved, to review, to the inbox."""
    if one.category == "idea":
        return _Route(one, None, "idea")
    silent = vault.settings.memory.review_mode == "silent"
    saved = one.confidence is Confidence.HIGH or (
        silent and one.confidence is Confidence.MEDIUM
    )
    action = "inbox"
    if saved:
        action = "saved"
    elif one.confidence is Confidence.MEDIUM:
        action = "review"
    kind = "decision" if one.pattern == _DECIDED else _KINDS.get(one.category)
    draft = vault.draft(
        {
            "text": one.text,
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
    return _Route(one, draft, action)


def _of_session(reader: "Reader", session: str) -> list[Mapping[str, Any]]:
    """What this session has brought before, in whatever state it is now."""
    rows = [reader.row(doc) for doc in reader.of_session(session)]
    return [row for row in rows if row["origin"].get("writer") in WRITERS]


def _met(vault: "Vault", reader: "Reader", routes: Sequence[_Route]) -> list[_Route]:
    """What the vault holds that says the same in other words, or the contrary."""
    from memcli.disagreement import differ
    from memcli.document import document
    from memcli.duplicates import alike
    from memcli.reader import stemmer

    now = vault.now_ms() // 1000

    def in_force(doc: int) -> bool:
        return reader.verdict(doc, View(now)) is None

    found = []
    for route in routes:
        draft = route.draft
        if draft is None or draft.kind in ("fix", "workflow"):
            found.append(route)
            continue
        terms = document(draft, stemmer()).row["terms"]
        for likeness, row in alike(reader, terms, in_force, limit=_MOST_NEAR):
            if likeness < _NEAR or row["origin"].get("session") == draft.source.session:
                continue
            told = differ(draft.body, row["text"])
            if told is not None:
                pending = draft.replace(status=Status.PENDING)
                route = _Route(
                    route.candidate, pending, "supersede", row["id"], told[1]
                )
                break
            if likeness >= _REPEATS:
                # In the words of the entry, it is evidence for it.
                route = route._replace(draft=draft.replace(body=row["text"]))
                break
        found.append(route)
    return found


def _capped(
    routes: Sequence[_Route], known: Sequence[Mapping[str, Any]], cap: int
) -> tuple[list[_Route], int]:
    """The surest ones within the cap of a session, and how many it leaves out."""
    room = max(0, cap - len(known))
    before = _brought(known)
    fresh = [route for route in routes if _sign(route.candidate) not in before]
    fresh = [route for route in fresh if route.candidate.refers is None]
    by_rank = sorted(
        fresh, key=lambda r: (_RANK[r.candidate.confidence], r.candidate.line)
    )
    left = {id(route) for route in by_rank[room:]}
    cut = [r._replace(draft=None, action="cut") if id(r) in left else r for r in routes]
    return cut, len(left)


def _brought(known: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """(record, pattern) -> id of what a session has brought before."""
    return {
        (
            row["origin"].get("record") or "",
            (row["rationale"] or "").partition(":")[0],
        ): row["id"]
        for row in known
    }


def _sign(one: Candidate) -> tuple[str, str]:
    return one.record, one.pattern


def _written(
    vault: "Vault",
    change: "Transaction | None",
    session: Session,
    routes: Sequence[_Route],
    known: Sequence[Mapping[str, Any]],
) -> list[Fate]:
    """Put everything into the transaction; without one, say what would be put."""
    before = _brought(known)
    fates: dict[int, Fate] = {}
    drafts: list[tuple[int, Entry]] = []
    for place, route in enumerate(routes):
        held = before.get(_sign(route.candidate))
        if held is not None:
            fates[place] = Fate(route.candidate, "duplicate", held)
        elif route.action == "cut":
            fates[place] = Fate(route.candidate, "cut")
        elif route.draft is not None and route.candidate.refers is None:
            drafts.append((place, route.draft))
    there, _ = vault.known([draft for _, draft in drafts])
    saved = vault.place(change, [draft for _, draft in drafts], there)
    for (place, _), one in zip(drafts, saved, strict=True):
        fates[place] = _fate(routes[place], one)
    _ideas(vault, change, session, routes, fates)
    by_record = {
        fate.candidate.record: fate for fate in fates.values() if fate.action != "cut"
    }
    for place, route in enumerate(routes):
        if place not in fates:
            other = by_record.get(route.candidate.refers or "")
            fates[place] = Fate(route.candidate, "duplicate", other and other.id)
    return [fates[place] for place in range(len(routes))]


def _fate(route: _Route, saved: "Saved") -> Fate:
    action = route.action if saved.outcome == "created" else saved.outcome
    return Fate(
        route.candidate, action, saved.id or None, saved.path, route.target, route.why
    )


def _ideas(
    vault: "Vault",
    change: "Transaction | None",
    session: Session,
    routes: Sequence[_Route],
    fates: dict[int, Fate],
) -> None:
    from memcli import incubator, temporal
    from memcli.ideas import Idea, keys, known

    today = temporal.iso(vault.now_ms() // 1000)
    mine: list[tuple[int, Idea]] = []
    there = None
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
        )
        if there is None:
            there = set(known(incubator.existing(vault)))
        if there & keys(idea):
            fates[place] = Fate(one, "duplicate")
            continue
        there |= keys(idea)
        mine.append((place, idea))
    if change is not None and mine:
        paths = incubator.add(vault, change, [idea for _, idea in mine])
    else:
        paths = []
    for number, (place, _) in enumerate(mine):
        path = paths[number] if number < len(paths) else None
        fates[place] = Fate(routes[place].candidate, "idea", None, path)
