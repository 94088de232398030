"""Problems between entries: ids, lineages, claims.

Invariant: asks the columns of the index, and reads no file. It reports traces of an
edit by hand, a merge or a killed command, and is silent about what is merely unusual:
notes that memcli did not write may have states of their own.
"""

from __future__ import annotations

from collections import defaultdict
from shlex import quote

from memcli.entries import layout
from memcli.entries.eligibility import View, settled_by
from memcli.entries.entry import Status
from memcli.entries.file_checks import ERROR, WARNING
from memcli.named_tuple import NamedTuple
from memcli.search.columns import STATUS_MASK

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memcli.search.reader import Reader

_STATUSES = tuple(Status)


class Problem(NamedTuple):
    """Something wrong with a document: a finding that still lacks its line.

    `field` is the key of the frontmatter in whose line it is.
    """

    doc: int
    field: str
    code: str
    message: str
    hint: str | None = None
    level: str = WARNING


def problems(reader: Reader, now: int) -> Iterator[Problem]:
    """The problems between the entries of an index; `now` in epoch seconds."""
    # Once: to read the ids of 10,000 documents takes half of the time of all rules.
    ids = reader.values("id")
    yield from _repeated_ids(reader, ids)
    if reader.holds("supersedes") or reader.holds("superseded_by"):
        yield from _about_lineages(_Lineages(reader, ids))
    yield from _about_resolved(reader)
    yield from _about_claims(reader, now)


def _repeated_ids(
    reader: Reader, ids: Mapping[str, Sequence[int]]
) -> Iterator[Problem]:
    """A problem for each file with the id of an earlier one."""
    for name, docs in ids.items():
        if len(docs) == 1:
            continue
        paths = {doc: reader.row(doc).path for doc in docs}
        first, *others = sorted(docs, key=paths.__getitem__)
        for doc in others:
            message = f"has the id of {paths[first]}: {name}"
            hint = (
                "memcli doctor --fix gives the newer file an id of its own; until then "
                "name each by its path."
            )
            field = "(?:memcli_)?id"
            yield Problem(doc, field, "duplicate_id", message, hint, ERROR)


# --- lineages -----------------------------------------------------------------------


class _Lineages:
    """Which entry replaced which, as each side says it.

    Attributes:
        names: the id of each document.
        docs: the document of each id; of several files the one outside the archive,
            since the pair is a finding of its own.
        before, after: by document the id that it replaced, and was replaced by.
        claimants: by id the documents that say that they replaced it.
    """

    def __init__(self, reader: Reader, ids: Mapping[str, Sequence[int]]) -> None:
        self._reader = reader
        self._flags = reader.columns.flags
        self.claimants = reader.values("supersedes")
        self.names = _by_doc(ids)
        self.docs = {
            name: found[0] if len(found) == 1 else min(found, key=self.place)
            for name, found in ids.items()
        }
        self.before = _by_doc(self.claimants)
        self.after = _by_doc(reader.values("superseded_by"))

    def status(self, doc: int) -> Status:
        """As its file says it."""
        return _STATUSES[self._flags[doc] & STATUS_MASK]

    def place(self, doc: int) -> tuple[bool, str]:
        """The key that orders documents: their paths, those in the archive last."""
        path = self._reader.row(doc).path
        return path.startswith(layout.ARCHIVE + "/"), path


def _by_doc(values: Mapping[str, Sequence[int]]) -> dict[int, str]:
    return {doc: value for value, docs in values.items() for doc in docs}


def _about_lineages(lives: _Lineages) -> Iterator[Problem]:
    circles, forks = _circles(lives), list(_forks(lives))
    # These get a finding already, and the right other side cannot be told.
    doubtful = {name for circle in circles for name in circle}
    doubtful.update(lives.before[doc] for doc, _ in forks)
    for doc, other in lives.after.items():
        yield from _about_end(lives, doc, other, lives.names[doc] in doubtful)
    for doc, other in lives.before.items():
        old = lives.docs.get(other)
        if old is None:
            yield _dangling(doc, "supersedes", other)
        elif old not in lives.after and lives.names[doc] not in doubtful:
            message = f"supersedes {other}, which does not say so and is "
            message += str(lives.status(old))
            hint = f"If it is meant: memcli evolve {lives.names[doc]} --also {other}"
            yield Problem(doc, "supersedes", "one_sided_lineage", message, hint)
    for circle in circles:
        first = min((lives.docs[name] for name in circle), key=lives.place)
        field = "superseded_by" if first in lives.after else "supersedes"
        message = f"a circle of versions: {' -> '.join([*circle, circle[0]])}"
        hint = "Take superseded_by out of the current version"
        hint += ", and supersedes out of the first."
        yield Problem(first, field, "lineage_cycle", message, hint, ERROR)
    for doc, chosen in forks:
        other = lives.names[chosen]
        message = f"{lives.before[doc]} is superseded by {other} as well"
        hint = "memcli doctor --fix makes one chain of them; or one text: "
        hint += f"memcli evolve {lives.names[doc]} --also {other}"
        yield Problem(doc, "supersedes", "lineage_fork", message, hint)


def _about_end(
    lives: _Lineages, doc: int, other: str, is_doubtful: bool
) -> Iterator[Problem]:
    """Problems of an entry that names its successor."""
    field, status, successor = "superseded_by", lives.status(doc), lives.docs.get(other)
    if successor is None:
        yield _dangling(doc, field, other, replaced=status is Status.SUPERSEDED)
    elif status is Status.ACTIVE:
        message = f"superseded by {other}, but its status is active"
        hint = "Remove superseded_by, or set status: superseded."
        yield Problem(doc, field, "superseded_but_active", message, hint)
    elif (
        successor not in lives.before
        and status is Status.SUPERSEDED
        and not is_doubtful
    ):
        message = f"superseded by {other}, which does not say so"
        hint = "memcli doctor --fix writes the other side."
        yield Problem(doc, field, "silent_successor", message, hint)


def _dangling(doc: int, field: str, other: str, *, replaced: bool = False) -> Problem:
    hint = f"git may have it: git log --all -S {quote(other)}"
    if replaced:
        hint += "; to use this entry again, set status: active."
    message = f"{field} names no entry: {other}"
    return Problem(doc, field, "dangling_lineage", message, hint)


def _circles(lives: _Lineages) -> list[list[str]]:
    """Circles of versions: the ids, each replaced by the next."""
    chosen = sorted(lives.docs.items())
    before, then = lives.before, lives.after
    after = {before[doc]: name for name, doc in chosen if doc in before}
    after |= {name: then[doc] for name, doc in chosen if doc in then}
    circles = []
    done: set[str] = set()
    for start in sorted(after):
        chain: list[str] = []
        name: str | None = start
        while name and name in lives.docs and name not in done:
            done.add(name)
            chain.append(name)
            name = after.get(name)
        if name in chain:
            circles.append(chain[chain.index(name) :])
    return circles


def _forks(lives: _Lineages) -> Iterator[tuple[int, int]]:
    """Pairs of entries that claim to replace the same one, the likelier one last."""
    for name, claimants in lives.claimants.items():
        # The replaced entry's own word counts most.
        own = lives.after.get(lives.docs.get(name, -1))
        chosen = lives.docs.get(own) if own else None
        if chosen is None and len(claimants) == 1:
            continue
        order = claimants
        if len(claimants) > 1:
            order = sorted(claimants, key=lambda doc: lives.place(doc)[1])
        chosen = order[0] if chosen is None else chosen
        for doc in order:
            if lives.names[doc] != lives.names[chosen]:
                yield doc, chosen


# --- claims -------------------------------------------------------------------------


def _about_resolved(reader: Reader) -> Iterator[Problem]:
    """A current version of what is resolved in an earlier one: git has merged them."""
    flags = reader.columns.flags
    for doc, old in reader.claims.heirs.items():
        if _STATUSES[flags[doc] & STATUS_MASK] is Status.ACTIVE:
            name = reader.row(old).id
            message = f"not shown; {name}, which it replaced, is resolved"
            hint = "memcli doctor --fix resolves it, too; to bring it back: "
            hint += f"memcli resolve --undo {name}"
            yield Problem(doc, "supersedes", "resolved_before", message, hint)


def _about_claims(reader: Reader, now: int) -> Iterator[Problem]:
    """Entries that are not shown, since another one settles their claim."""
    claims, flags = reader.columns.claims, reader.columns.flags
    settling: dict[int, list[int]] = defaultdict(list)
    for doc in reader.claims.settling():
        settling[claims[doc]].append(doc)
    settling.pop(0, None)
    for doc in reader.everything() if settling else ():
        status = _STATUSES[flags[doc] & STATUS_MASK]
        if claims[doc] not in settling or status not in _WAITING:
            continue
        # Not what another vault has resolved, nor an earlier version of an entry.
        own = {reader.row(each).id for each in settling[claims[doc]]}
        facts = reader.facts(doc)
        facts = facts._replace(
            resolves=tuple(each for each in facts.resolves if each.id in own)
        )
        resolve = settled_by(facts, View(now))
        if resolve is not None:
            again = "it recurred: " if facts.created > resolve.at > 0 else ""
            message = f"not shown; {again}its claim is resolved by {resolve.id}"
            hint = f"To bring it back: memcli resolve --undo {resolve.id}"
            yield Problem(doc, "status", "key_twins", message, hint)


_WAITING = (Status.ACTIVE, Status.PENDING)
