"""Resolve: an entry that is settled is not shown any more, and can be brought back.

Invariant: a claim is resolved, not a row: every entry that says the same in the same
state is resolved with it, unless the caller says otherwise. The plan of a question
covers all of its matches, never a list that a limit has cut. A resolved entry that is
met again records that, and stays resolved until a person reopens it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.entries.projects import holds
from memcli.entries.rights import Action, may
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound, UsageError
from memcli.vault import lineage, lookup
from memcli.vault.agents import refuse_unless

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.vault.vault import Stored, Vault

# A question means an entry that holds all of its words that any entry holds, or this
# share of their weight and this share of the best score. The next entry below must be
# this far away, or it is not clear where the matches end.
_COVERAGE = 0.6
_OF_BEST = 0.5
_MARGIN = 0.2
_MOST_NEAR = 10
# Nobody resolves more than this at once; it is a word that stands in many entries.
_MOST = 20


class Target(NamedTuple):
    """An entry that is to be resolved or reopened.

    `score` is that of the question's match, None for an id; `same_key_as` is the
    entry whose claim it shares, when it was not named itself.
    """

    id: str
    title: str
    path: str
    kind: str
    status: str
    score: float | None = None
    same_key_as: str | None = None


class ResolvePlan(NamedTuple):
    """What `apply` would resolve or reopen.

    `done` are named entries that are in the wanted state already; `near` are matches
    of the question just below those that count; `margin` is the distance between the
    last match that counts and the first that does not, as a share of the former's
    score; `missing` are words of the question that no entry holds. `unclear` says why
    the question may mean something else, None when it is clear.
    """

    targets: list[Target]
    done: list[Target]
    near: list[Target]
    margin: float
    missing: list[str]
    undo: bool = False
    unclear: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "targets": [target._asdict() for target in self.targets],
            "already": [target._asdict() for target in self.done],
            "near": [target._asdict() for target in self.near],
            "margin": round(self.margin, 3),
            "missing_terms": self.missing,
            "ambiguous": self.unclear,
            "undo": self.undo,
        }


class Standing(NamedTuple):
    """An entry in the list: `state` is unresolved, resolved or recurred."""

    id: str
    state: str
    title: str
    kind: str
    item: str | None
    path: str
    resolved_at: str | None
    resolved_by: str | None
    resolution_note: str | None
    seen: int
    last_seen: str


def plan(
    vault: "Vault", ids: Sequence[str], *, same_key: bool = True, undo: bool = False
) -> ResolvePlan:
    """Plan to resolve (or reopen) these ids.

    Args:
        vault: where they are.
        ids: ids, or unique prefixes of them.
        same_key: whether entries of the same claim are resolved with them.
        undo: reopen instead.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        NotAllowed: an entry is superseded, pending or rejected.
    """
    wanted = Status.ACTIVE if undo else Status.RESOLVED
    entries = [vault.stored(vault.path_of(name)).entry for name in ids]
    for entry in entries:
        refuse_unless(vault, Action.RESOLVE, entry)
        if entry.status is not Status.RESOLVED:
            lineage.refuse_ended(vault, entry)
    named = {entry.path: None for entry in entries}
    return vault.read(
        lambda reader: _gather(
            reader, [(name, None) for name in named], wanted, same_key
        )
    )


def plan_query(vault: "Vault", query: str, *, same_key: bool = True) -> ResolvePlan:
    """Plan to resolve every entry that a question means.

    Raises:
        UsageError: the question holds no word to search for.
        EntryNotFound: nothing in force matches it.
    """
    view = View(vault.now_ms() // 1000)

    def find(reader: "Reader") -> ResolvePlan:
        hits, near, missing = _matches(reader, query, view)
        plan = _gather(reader, hits, Status.RESOLVED, same_key)
        last, first = hits[-1][1], near[0][1] if near else 0.0
        margin = (last - first) / last if last else 0.0
        unclear = None
        if near and margin < _MARGIN:
            unclear = "other entries match nearly as well"
        if len(plan.targets) > _MOST:
            unclear = f"{counted(len(plan.targets), 'entry')} match"
        return plan._replace(
            near=[_target(reader, name, score) for name, score in near[:_MOST_NEAR]],
            margin=margin,
            missing=missing,
            unclear=unclear,
        )

    return vault.read(find)


def apply(
    vault: "Vault",
    found: ResolvePlan,
    *,
    by: str | None = None,
    note: str | None = None,
) -> list[Target]:
    """Do what a plan says, in one commit; what has changed since is checked again.

    Returns:
        The entries that were changed.

    Raises:
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
        NotAllowed: an entry was superseded since.
    """
    from memcli.entries import codec, dates
    from memcli.storage.transaction import subject

    changed: list[Target] = []
    with vault.transaction() as change:
        now = dates.iso(vault.now_ms() // 1000)
        for target in found.targets:
            stored = _stored(vault, target)
            entry = stored.entry
            if target.same_key_as and not may(Action.RESOLVE, entry, vault.agent):
                continue  # nobody named it
            refuse_unless(vault, Action.RESOLVE, entry)
            if found.undo:
                if entry.status is not Status.RESOLVED:
                    continue
                entry = entry.replace(
                    status=Status.ACTIVE,
                    resolved_at=None,
                    resolved_by=None,
                    resolution_note=None,
                )
            else:
                if entry.status is Status.RESOLVED:
                    continue
                lineage.refuse_ended(vault, entry)
                entry = entry.replace(
                    status=Status.RESOLVED,
                    resolved_at=lineage.not_before(entry, now),
                    resolved_by=by,
                    resolution_note=note,
                )
            data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
            change.put(stored.path, data, expected=stored.data)
            change.note(entry, "resolve")
            changed.append(target)
        verb = "resolve: undo" if found.undo else "resolve"
        change.message = (
            subject(verb, changed[0].title)
            if len(changed) == 1
            else f"{verb}: {counted(len(changed), 'entry')}"
        )
    if not found.undo:
        # An entry that was resolved for its words was not the one that was looked for.
        named = [target.id for target in changed if target.same_key_as is None]
        vault.recorder.acted(named, "resolve")
    return changed


def standings(vault: "Vault", states: Sequence[str] = ()) -> list[Standing]:
    """Entries in force or resolved; recurred entries first, then the newest.

    Args:
        vault: where they are.
        states: unresolved, resolved, recurred; none means all.
    """

    def look(reader: "Reader") -> list[Standing]:
        view = View(vault.now_ms() // 1000)
        standings = [
            _standing(reader.row(doc))
            for doc in reader.exact("status", str(Status.RESOLVED))
        ]
        if not states or "unresolved" in states:
            standings += [
                _standing(reader.row(doc))
                for doc in reader.exact("status", str(Status.ACTIVE))
                if reader.verdict(doc, view) is None
            ]
        shown = [item for item in standings if not states or item.state in states]
        shown.sort(key=lambda item: (item.last_seen, item.id), reverse=True)
        order = {"recurred": 0, "resolved": 2, "unresolved": 1}
        # An entry that came up again needs a person; reflection items are injected.
        shown.sort(key=lambda item: (order[item.state], item.item is None))
        return shown

    return vault.read(look)


def _standing(row: Any) -> Standing:
    state = "unresolved"
    if row.status == str(Status.RESOLVED):
        state = "recurred" if lineage.recurred_at(row) else "resolved"
    return Standing(
        id=row.id,
        state=state,
        title=row.title,
        kind=row.kind,
        item=row.item,
        path=row.path,
        resolved_at=row.resolved_at,
        resolved_by=row.resolved_by,
        resolution_note=row.resolution_note,
        seen=1 + len(row.seen),
        last_seen=max([row.created or "", *row.seen]),
    )


def _gather(
    reader: "Reader",
    named: Sequence[tuple[str, float | None]],
    wanted: Status,
    same_key: bool,
) -> ResolvePlan:
    """The plan for the named entries, and for entries of the same claim."""
    before = Status.RESOLVED if wanted is Status.ACTIVE else Status.ACTIVE
    targets: dict[str, Target] = {}
    done: dict[str, Target] = {}
    for name, score in named:
        target = _target(reader, name, score)
        (done if target.status == str(wanted) else targets)[target.path] = target
    if same_key:
        for target in [*targets.values(), *done.values()]:
            for doc in _twins(reader, target.path):
                row = reader.row(doc)
                counted = row.path in targets or row.path in done
                if row.status == str(before) and not counted:
                    twin = _target(reader, row.path, None)
                    targets[row.path] = twin._replace(same_key_as=target.id)
    return ResolvePlan(
        targets=list(targets.values()),
        done=list(done.values()),
        near=[],
        margin=1.0,
        missing=[],
        undo=wanted is Status.ACTIVE,
    )


def _stored(vault: "Vault", target: Target) -> "Stored":
    """The entry of a plan: at its path, or wherever its id is by now."""
    try:
        return vault.stored(vault.path_of(target.path))
    except EntryNotFound:
        return vault.stored(vault.path_of(target.id))


def _twins(reader: "Reader", name: str) -> list[int]:
    """The entries of the same claim, in the order of their ids.

    What another project alone holds is no twin: it may be solved here and not there.
    """
    from memcli.entries.identity import claim

    projects = reader.columns.projects
    twins = [
        twin
        for doc in lookup.docs(reader, name)
        for twin in reader.exact("claim", claim(reader.row(doc).text))
        if not projects[doc] or holds(projects[twin], projects[doc])
    ]
    return sorted(twins, key=lambda doc: (reader.row(doc).id, doc))


def _target(reader: "Reader", name: str, score: float | None) -> Target:
    docs = lookup.docs(reader, name)
    if not docs:
        raise EntryNotFound(f"{name}: gone since it was read")
    row = reader.row(docs[0])
    return Target(
        id=row.id,
        title=row.title,
        path=row.path,
        kind=row.kind,
        status=row.status,
        score=None if score is None else round(score, 3),
    )


def _matches(
    reader: "Reader", query: str, view: View
) -> tuple[list[tuple[str, float]], list[tuple[str, float]], list[str]]:
    """(id, score) of the entries that a question means, the same of other matches, and
    the words that no entry holds."""
    from memcli.entries.text import tokens
    from memcli.search.ranking import bm25
    from memcli.search.ranking.corpus import Question, Scope
    from memcli.search.ranking.weights import LEXICAL
    from memcli.search.stemmer import stemmer

    question = tokens.question(query, stemmer())
    if not question:
        raise UsageError(
            "the question holds no word to search for",
            hint="Name what was solved, or give ids.",
        )
    ranked = bm25.rank(
        Question(question),
        reader,
        limit=reader.size,
        scope=Scope(admit=lambda doc: reader.verdict(doc, view) is None),
        weights=LEXICAL._replace(pool=max(1, reader.size)),
    )
    if not ranked.hits:
        raise EntryNotFound(
            f"nothing in force matches '{query}'",
            hint="See what there is: memcli resolve --list --unresolved",
        )
    weights = {term.word: term.idf for term in ranked.terms if term.frequency}
    whole = sum(weights.values())
    best = ranked.hits[0].score
    means: list[tuple[str, float]] = []
    near: list[tuple[str, float]] = []
    for hit in ranked.hits:
        coverage = sum(weights[word] for word in hit.matched) / whole
        everything = len(hit.matched) == len(weights)
        counts = everything or (coverage >= _COVERAGE and hit.score >= _OF_BEST * best)
        match = (reader.row(hit.doc).id, hit.score)
        (means if counts else near).append(match)
    if not means:
        raise EntryNotFound(
            f"nothing in force is clearly about '{query}'; nearest is {near[0][0]}",
            hint="Use words of the entry, or give its id.",
        )
    return means, near, list(dict.fromkeys(ranked.missing))
