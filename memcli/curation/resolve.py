"""Resolve: an entry that is settled is not shown any more, and can be brought back.

Invariant: a claim is resolved, not a row: every entry that says the same is resolved
with it, a candidate in the inbox as well, unless the caller says otherwise; and one
that comes later is not shown (`eligibility`). A resolved entry that is met again
records that, and stays resolved until a person reopens it. A plan that is not clear
is carried out only when a person has seen it.
"""

from __future__ import annotations

from memcli.curation.changing import Changing, path_of, resting_on
from memcli.entries import layout
from memcli.entries.eligibility import Action, View, may, resolve_of
from memcli.entries.entry import Entry, Layer, ResolutionScope, Status
from memcli.entries.identity import claim_number, fingerprint
from memcli.entries.merging.fields import RESOLUTION, decisions_of
from memcli.errors import AmbiguousQuery, Conflict, EntryNotFound, NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.vault import lineage, lookup
from memcli.vault.agents import refuse_unless, scope_for

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.curation.changing import Resting
    from memcli.search.following import Unindexed
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault


_NAMED = 10
_MOST_COMMITS = 100  # that are looked at
_RESOLVED, _PENDING = str(Status.RESOLVED), str(Status.PENDING)


class Target(NamedTuple):
    """An entry that is to be resolved or reopened.

    `status` is that of its file, before the resolve in a plan and after it in the
    result; `score` is that of the question's match, None for an id; `same_key_as` is
    the entry whose claim it shares, when it was not named itself.
    """

    id: str
    title: str
    path: str
    kind: str
    status: str
    score: float | None = None
    same_key_as: str | None = None


class ResolvePlan(NamedTuple):
    """The entries that `apply` would resolve or reopen.

    `already` are named entries that are in the wanted state; `near` are matches of the
    question that do not count; `missing_terms` are words of the question that no entry
    holds. `ambiguous` says why the question may mean something else, None when
    it is clear. `alone` leaves other entries of the claim as they are.
    `still_resolved_by` are resolved entries that keep hiding the claim when the targets
    are reopened. `other_kinds` hold as much of the question, and are of kinds that it
    is not about. `left` say nearly the same as what ids name, and stay;
    `hides` say the same in another project, and are shown no more.
    """

    targets: list[Target]
    already: list[Target]
    undo: bool = False
    alone: bool = False
    still_resolved_by: Sequence[str] = ()
    near: Sequence[Target] = ()
    missing_terms: Sequence[str] = ()
    ambiguous: str | None = None
    other_kinds: Sequence[Target] = ()
    left: Sequence[Target] = ()
    hides: Sequence[Target] = ()

    def refusal(self, problem: str) -> AmbiguousQuery:
        """The refusal to carry this plan out, which shows it."""
        shown = [f"  {one.id} {one.title}" for one in self.targets[:_NAMED]]
        more = len(self.targets) - _NAMED
        shown += [f"  and {more:,} more"] if more > 0 else []
        shown += [f"  near: {one.id} {one.title}" for one in self.near[:_NAMED]]
        said = f"{problem}; nothing was changed. Matches:"
        details = {"plan": self}
        return AmbiguousQuery(
            "\n".join([said, *(shown or ["  none"])]), hint=self.by_ids, details=details
        )

    @property
    def by_ids(self) -> str:
        """How to resolve all or some of a plan that is not clear."""
        ids = " ".join(one.id for one in self.targets[:_NAMED])
        return f"Give the ids that are meant: memcli resolve {ids or 'ID...'}"


def plan(
    vault: Vault, ids: Sequence[str], *, same_key: bool = True, undo: bool = False
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
    entries = [vault.stored(path_of(vault, name)).entry for name in ids]
    for entry in entries:
        refuse_unless(vault, Action.RESOLVE, entry)
        if entry.status is not Status.RESOLVED:
            lineage.refuse_ended(vault, entry)
    named = [(path, None) for path in dict.fromkeys(entry.path for entry in entries)]

    def glance(reader: Reader, later: Unindexed) -> ResolvePlan | None:
        if not _is_apart(reader, later, entries):
            return None
        later.look(quick=False)
        return look(reader, later) if _is_apart(reader, later, entries) else None

    def look(reader: Reader, later: Unindexed | None = None) -> ResolvePlan:
        found = gather(reader, named, wanted, same_key=same_key)
        return found._replace(left=_left(reader, later, found, vault))

    return (None if undo else vault.index.glance(glance)) or vault.read(look)


def _is_apart(reader: Reader, later: Unindexed, entries: Sequence[Entry]) -> bool:
    """Whether what an index knows wrongly changes no plan for some entries: it is facts
    of other claims, all of which could be read."""
    paths = [*later.changed, *later.removed]
    docs = [doc for path in paths for doc in reader.exact("path", path)]
    read = [*later.entries(reader.agent)]
    claims = {reader.columns.claims[doc] for doc in docs}
    claims.update(claim_number(entry.body) for entry in read)
    layers = {reader.row(doc).layer for doc in docs}.union(each.layer for each in read)
    same = claims.intersection(claim_number(entry.body) for entry in entries)
    return len(read) == len(later.changed) and not same and layers <= {Layer.FACT}


def _left(
    reader: Reader, later: Unindexed | None, found: ResolvePlan, vault: Vault
) -> list[Target]:
    """The entries in force that say nearly what a plan resolves, and stay."""
    from memcli.vault.likeness import MAY_REPLACE, alike_now

    view = View(vault.now_ms() // 1000, agent=vault.agent)
    done = {target.path for target in (*found.targets, *found.hides)}
    left: dict[str, Target] = {}
    for target in () if found.undo else found.targets[:_NAMED]:
        mine = reader.row(_doc(reader, target.path))
        for likeness, row in alike_now(reader, later, mine, view, limit=_NAMED):
            is_fact = (row.layer, row.status) == (Layer.FACT, Status.ACTIVE)
            stays = is_fact and mine.project in (None, row.project)
            if likeness >= MAY_REPLACE and stays and row.path not in done:
                left[row.path] = taken(Target, row, score=None, same_key_as=None)
    return [*left.values()]


def plan_last_undo(vault: Vault) -> ResolvePlan:
    """Plan to reopen what the last resolve of this clone has resolved.

    Raises:
        EntryNotFound: nothing is resolved.
        NotAllowed: other clones have resolved all that is (code `nothing_to_undo`).
    """
    from memcli.storage.git import history

    rows = vault.read(
        lambda reader: [reader.row(doc) for doc in reader.exact("status", _RESOLVED)]
    )
    if not rows:
        raise EntryNotFound("nothing is resolved, so there is nothing to bring back")
    # Commits tell which: another clone may have resolved something later.
    left = {row.path: row.id for row in rows}
    repository = vault.repository()
    own = history.made_here(repository)
    for commit, *_ in history.steps(repository, _MOST_COMMITS):
        if commit.subject.startswith("resolve"):
            paths = history.changes(repository, commit.id)
            changed = [left.pop(path) for path in paths if path in left]
            if changed and (own is None or commit.id in own):
                return plan(vault, changed, undo=True)
    newest = max(rows, key=lambda row: row.resolved_at or "")
    raise NotAllowed(
        "nothing that this clone resolved is still resolved",
        hint=f"Resolved elsewhere, last: {newest.title}. "
        f"To bring that back: memcli resolve --undo {newest.id}",
        code="nothing_to_undo",
    )


def apply(
    vault: Vault,
    found: ResolvePlan,
    *,
    by: str | None = None,
    note: str | None = None,
    agreed: bool = False,
) -> list[Target]:
    """Do what a plan says, in one commit; what has changed since is checked again.

    Args:
        vault: where it was made.
        found: the plan.
        by: who solved it; the agent that acts, or else git's user, when not given.
        note: what solved it.
        agreed: a person has seen it: one that is not clear is carried out, too.

    Returns:
        The entries that were changed.

    Raises:
        AmbiguousQuery: the plan is not clear.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
        NotAllowed: an entry was superseded since.
    """
    if found.ambiguous and not agreed:
        raise found.refusal(found.ambiguous)
    changed: list[Target] = []
    with Changing(vault) as at:
        if not found.undo:
            by = vault.agent_name or by or at.change.committer
        for target in found.targets:
            stored = vault.stored(target.path)
            entry = stored.entry
            if entry.id != target.id:
                raise Conflict(f"{target.path} has changed meanwhile; nothing was done")
            if target.same_key_as and not may(Action.RESOLVE, entry, vault.agent):
                continue  # nobody named it
            refuse_unless(vault, Action.RESOLVE, entry)
            if (entry.status is Status.RESOLVED) != found.undo:
                continue  # it is already as it should be
            if found.undo:
                entry = _reopened(entry, stored.path)
            else:
                if target.status != _PENDING or entry.status is not Status.PENDING:
                    lineage.refuse_ended(vault, entry)
                entry = entry.replace(
                    status=Status.RESOLVED,
                    resolved_at=lineage.not_before(entry, at.now),
                    resolved_by=by,
                    resolution_note=note,
                    resolution_scope=ResolutionScope.ENTRY
                    if found.alone
                    else scope_for(vault.agent, entry),
                    resolved_text=fingerprint(entry.body),
                )
            at.write(stored, entry, "resolve")
            changed.append(target._replace(status=str(entry.status)))
        verb = "resolve: undo" if found.undo else "resolve"
        at.say(verb, [target.title for target in changed])
    if not found.undo:
        # An entry that was resolved for its words was not the one that was looked for.
        named = [target.id for target in changed if target.same_key_as is None]
        vault.recorder.acted(named, "resolve")
    return changed


def stale_by(vault: Vault, targets: Sequence[Target]) -> list[Resting]:
    """The observations and models that rest on entries, once these are resolved.

    Args:
        vault: its index is asked as the last question found it.
        targets: what is resolved, or would be.
    """
    ids, now = [target.id for target in targets], vault.now_ms() // 1000
    return vault.index.again(lambda reader: resting_on(reader, ids, now))


def _reopened(entry: Entry, path: str) -> Entry:
    """A resolved entry as it was before."""
    if layout.is_waiting(path):
        status = Status.PENDING
    elif entry.superseded_by:  # a merge has kept a resolve beside a new version
        status = Status.SUPERSEDED
    else:
        status = Status.ACTIVE
    return entry.replace(status=status, **decisions_of(Entry(""), RESOLUTION))


def gather(
    reader: Reader,
    named: Sequence[tuple[str, float | None]],
    wanted: Status,
    *,
    same_key: bool,
) -> ResolvePlan:
    """The plan for named entries, each with its score, and those of their claims."""
    undo = wanted is Status.ACTIVE
    docs = {_doc(reader, name): score for name, score in named}
    if undo:  # its earlier versions would keep it out of sight, and a later one is it
        lines = [each for doc in docs for each in _line_of(reader, doc)]
        docs |= {each: None for each in lines if each not in docs}
    targets: dict[str, Target] = {}
    done: dict[str, Target] = {}
    for doc, score in docs.items():
        target = target_of(reader, doc, score)
        (done if target.status == str(wanted) else targets)[target.path] = target
    for doc in docs if same_key else ():
        for twin_doc in _of_claim(reader, doc):
            twin = target_of(reader, twin_doc, None, reader.row(doc).id)
            counts = twin.status == (_RESOLVED if undo else str(Status.ACTIVE))
            waits = twin.status == _PENDING and layout.is_waiting(twin.path)
            counts |= waits and not undo
            if counts and twin.path not in done:
                targets.setdefault(twin.path, twin)
    hides: dict[str, Target] = {}
    for target in [*targets.values()] if same_key and not undo else ():
        # What is taken along, everywhere, says so of other projects as well.
        for other in _of_claim(reader, _doc(reader, target.path)):
            if reader.row(other).path not in targets.keys() | done.keys():
                hidden = target_of(reader, other, None, target.id)
                hides |= {hidden.path: hidden} if hidden.status == Status.ACTIVE else {}
    ids = {target.id for target in targets.values()}
    claims = (reader.columns.claims[doc] for doc in docs)
    hiding = (one.id for number in claims for one in reader.claims.resolves(number))
    still = dict.fromkeys(name for name in hiding if undo and name not in ids)
    return ResolvePlan(
        [*targets.values()],
        [*done.values()],
        undo,
        not same_key,
        tuple(still),
        hides=[*hides.values()],
    )


def _line_of(reader: Reader, doc: int) -> list[int]:
    """The resolved versions before and after an entry: a merge has resolved them."""
    found: dict[int, None] = {}
    waiting = [doc]
    while waiting:
        row = reader.row(waiting.pop())
        beside = [*reader.exact("superseded_by", row.id)]
        beside += reader.exact("id", row.superseded_by) if row.superseded_by else ()
        waiting += [each for each in beside if each not in found]
        found |= dict.fromkeys(beside)
    return [each for each in found if reader.row(each).status == _RESOLVED]


def _of_claim(reader: Reader, doc: int) -> list[int]:
    """The entries that a document settles once it is resolved, and that who asks may
    resolve, in the order of their ids."""
    row = reader.row(doc)._replace(status=_RESOLVED)
    resolve = resolve_of(row._replace(resolution_scope=str(ResolutionScope.CLAIM)))
    number = reader.columns.claims[doc]
    docs = [
        other
        for other in (reader.exact("claim", f"{number:016x}") if number else ())
        if resolve is not None
        and resolve.counts_for(None, reader.facts(other))
        and may(Action.RESOLVE, reader.row(other), reader.agent)
    ]
    return sorted(docs, key=lambda each: (reader.row(each).id, each))


def _doc(reader: Reader, name: str) -> int:
    docs = reader.exact("path" if lookup.is_path(name) else "id", name)
    if not docs:
        raise EntryNotFound(f"{name}: was removed after it was read")
    return docs[0]


def target_of(
    reader: Reader, doc: int, score: float | None, same_key_as: str | None = None
) -> Target:
    """A document as a target."""
    score = None if score is None else round(score, 3)
    status = str(reader.facts(doc, access=False).status)
    row = reader.row(doc)
    return taken(Target, row, status=status, score=score, same_key_as=same_key_as)
