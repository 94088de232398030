"""Why an observation or model may no longer hold, computed from the files.

Invariant: nothing is marked and nothing is stored: the answer follows from the files
as they are now, and from those alone that the caller may see. What makes an entry
stale also makes stale what cites it. Each reason names the entries that make it, and
the citations that lead to them.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from memcli.entries import dates
from memcli.entries.eligibility import View, settled_by
from memcli.entries.entry import Layer, Status, Subtype, is_unconfirmed, marks_of
from memcli.entries.identity import fingerprint
from memcli.entries.ids import is_id
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeGuard

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

NEWER, EDITED, REMOVED = "newer", "edited", "removed"
CODE_CHANGED, REOPENED = "code_changed", "reopened"
# Behind a fingerprint: the evidence had ended when a run found it.
ENDED = "ended"
_MOST_IDS = 5
# How many citations of citations are followed.
_MOST_ENTRIES = 2_000
# A name that stands in more memories than this, and in so many times more than another
# name of the same report, says little about what a memory is about.
_WIDE, _TIMES_WIDER = 20, 10
_ABOVE = {
    str(Layer.OBSERVATION): (Layer.OBSERVATION, Layer.MODEL),
    str(Layer.MODEL): (Layer.MODEL,),
}


class Reason(NamedTuple):
    """One reason. Its evidence is `superseded`, `resolved`, `expired`, ..., `edited`,
    `removed`, or `reopened` after it was cited as history; or code that it or its
    evidence speaks of changed (`code_changed`); or there are `newer` memories. `ids`
    are at most five of their `number`.

    `paths` has the way to each of the ids: what the entry cites, what that cites, and
    so on, with the id itself at the end.
    """

    reason: str
    ids: list[str]
    number: int
    paths: list[list[str]]


class _Finding(NamedTuple):
    """The finding about one piece of evidence.

    `way` leads from the id that is cited to the version that stands for it; `reason`
    is None where that still holds, and `row` is then what it says.
    """

    way: tuple[str, ...]
    reason: str | None = None
    row: StoredRow | None = None


def reasons(reader: Reader, row: StoredRow, view: View) -> list[Reason]:
    """Why an observation or model may no longer hold; none for a fact.

    Evidence that the caller may not see gives no reason. Evidence that had ended before
    a run found it was cited as history. At an earlier moment (`as_of`) the files do not
    tell what was edited or removed since. Evidence that may no longer hold passes its
    reasons on, but for news that an entry further up has seen.
    """
    if row.layer == str(Layer.FACT):
        return []
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    met = {row.id}
    walk: list[tuple[StoredRow, tuple[str, ...], int, frozenset[str]]]
    walk = [(row, (), 0, frozenset())]
    if _code_changed(reader, row, view):
        found[CODE_CHANGED] = {row.id: (row.id,)}
    # The walk grows: what is nearest comes first.
    for entry, path, seen, cited in islice(walk, _MOST_ENTRIES):
        looked = _looked(entry)
        seen, cited = max(seen, looked), cited.union(entry.evidence)
        for finding in _findings(reader, entry, view):
            way, below = (*path, *finding.way), finding.row
            if finding.reason:
                found.setdefault(finding.reason, {}).setdefault(way[-1], way)
                continue
            if _code_changed(reader, below, view):
                found.setdefault(CODE_CHANGED, {}).setdefault(way[-1], way)
            if _passes_on(below) and below.id not in met:
                met.add(below.id)
                walk.append((below, way, seen, cited))
        for name in _newer(reader, entry, view, seen):
            if name not in cited:
                found.setdefault(NEWER, {}).setdefault(name, (*path, name))
    order = sorted(found, key=lambda reason: reason == NEWER)
    return [_reason(reason, list(found[reason].values())) for reason in order]


def resting_on(
    reader: Reader, ids: Iterable[str], view: View, text: str | None = None
) -> list[StoredRow]:
    """The observations and models that are stale once entries end; a pinned one among
    them, which its person has to judge.

    Those that cite them come first, then those that cite these; by id otherwise.

    Args:
        reader: the vault before or after the entries are resolved; before they are
            removed, or replaced.
        ids: of the entries.
        view: who asks.
        text: of the version that takes their place, if they are replaced: one that
            says the same changes nothing.
    """
    after = None if text is None else fingerprint(text)
    walk: list[tuple[str, bool]] = []  # id, and whether a later version stands for it
    for name in islice(ids, _MOST_ENTRIES):
        for row in map(reader.row, reader.exact("id", name)[:1]):
            if fingerprint(row.text) == after:
                continue
            # This one stood for the versions before it, unless a later one does.
            before = () if row.superseded_by else _said_before(reader, row)
            walk += [(name, False), *((reader.row(doc).id, True) for doc in before)]
    met = {name for name, _ in walk}
    # Thousands of facts may name one entry: their rows are not read.
    drawn = {doc for layer in _ABOVE for doc in reader.exact("layer", layer)}
    found: list[StoredRow] = []
    for name, replaced in islice(walk, _MOST_ENTRIES):
        resting = drawn.intersection(reader.exact("evidence", name))
        docs = sorted(resting)[:_MOST_ENTRIES]
        # By id: the order of the index depends on entries that an agent may not see.
        for _, doc in sorted((reader.row(doc).id, doc) for doc in docs):
            row = reader.row(doc)
            if row.id in met:
                continue
            is_history = replaced and _cited(row, name)[1]
            if is_history or reader.verdict(doc, view) is not None:
                continue
            met.add(row.id)
            found.append(row)
            if _passes_on(row):
                walk.append((row.id, False))
    return found


def _said_before(reader: Reader, row: StoredRow) -> Iterator[int]:
    """The versions before an entry that said the same, the newest first."""
    said = reader.exact("fingerprint", fingerprint(row.text)) if row.supersedes else ()
    met = {row.id}
    while (name := row.supersedes) and name not in met:
        met.add(name)
        docs = [doc for doc in reader.exact("id", name) if doc in said]
        if not docs:
            return
        yield docs[0]
        row = reader.row(docs[0])


def is_stale(row: StoredRow, why: list[Reason]) -> bool:
    """Whether the reasons make it stale; people judge pinned models themselves."""
    return bool(why) and row.subtype != str(Subtype.PINNED)


def marks(reader: Reader, row: StoredRow, view: View) -> tuple[str, ...]:
    """The marks of an entry, as `marks_of` has them."""
    why = reasons(reader, row, view)
    heard = is_unconfirmed(row)
    return marks_of(stale=is_stale(row, why), doubt=bool(why), unconfirmed=heard)


def sentence(why: Reason) -> str:
    """A reason in words.

    >>> sentence(Reason("newer", ["1m7x"], 2, [["1m7x"]]))
    '2 newer memories in its scope: 1m7x, ...'
    >>> sentence(Reason("resolved", ["1m7x"], 1, [["1m7y", "1m7x"]]))
    'evidence resolved: 1m7y → 1m7x'
    """
    names = ", ".join(" → ".join(path) for path in why.paths)
    names += ", ..." if why.number > len(why.paths) else ""
    if why.reason == NEWER:
        return f"{counted(why.number, 'newer memory')} in its scope: {names}"
    if why.reason == CODE_CHANGED:
        return f"code changed: {names}"
    return f"evidence {why.reason}: {names}"


def _reason(reason: str, ways: Sequence[tuple[str, ...]]) -> Reason:
    paths = [list(way) for way in ways[:_MOST_IDS]]
    return Reason(reason, [path[-1] for path in paths], len(ways), paths)


def _looked(row: StoredRow) -> int:
    """Up to when its author looked, epoch seconds."""
    return dates.to_epoch(row.refreshed_at or row.created)


def _passes_on(row: StoredRow | None) -> TypeGuard[StoredRow]:
    """Whether what makes it stale makes stale what cites it."""
    return row is not None and row.layer != str(Layer.FACT)


def _code_changed(reader: Reader, row: StoredRow | None, view: View) -> bool:
    """Whether the code that an entry speaks of is not now as it was."""
    return row is not None and view.as_of is None and reader.code_changed(row)


# --- its evidence -------------------------------------------------------------------


def _findings(reader: Reader, row: StoredRow, view: View) -> Iterator[_Finding]:
    """A finding for each entry that it cites; sessions give none."""
    for name in row.evidence:
        if not len(reader.exact("id", name)):
            if view.as_of is None and is_id(name) and not reader.hides(name):
                yield _Finding((name,), REMOVED)
        elif docs := _visible(reader, name, view):
            yield _finding(reader, name, docs, row, view)


def _finding(
    reader: Reader, name: str, docs: Sequence[int], row: StoredRow, view: View
) -> _Finding:
    force = View(view.now, as_of=view.as_of)
    way: tuple[str, ...] = (name,)
    mark, is_history = _cited(row, name)
    current = reader.shown(docs, force)
    if not current:
        # A version that says the same, with another tag, stands for the one before.
        mark = mark or fingerprint(reader.row(docs[0]).text)
        heir = _heir(reader, docs[0], view)
        if heir is not None and heir in reader.exact("fingerprint", mark):
            docs, way = [heir], (name, reader.row(heir).id)
            current = reader.shown(docs, force)
    if current and is_history and way == (name,):
        return _Finding(way, REOPENED)
    if current:
        if view.as_of is None and _edited(reader, current, mark, _looked(row)):
            return _Finding(way, EDITED)
        return _Finding(way, None, reader.row(current[0]))
    return _Finding(way, None if is_history else _end(reader, docs[0], force)[0])


def _cited(row: StoredRow, name: str) -> tuple[str, bool]:
    """The fingerprint of what evidence said when it was cited, empty for none; and
    whether it had ended when a run found it, so that it was cited as history."""
    for cited in row.fingerprints:
        entry_id, _, said = cited.partition(":")
        if entry_id == name:
            mark, _, state = said.partition(":")
            return mark, state == ENDED
    return "", False


def ends(reader: Reader, ids: Iterable[str], view: View) -> dict[str, int]:
    """When each of these entries ended, epoch seconds; those in force are left out."""
    docs = {name: _visible(reader, name, view)[:1] for name in ids}
    found = {name: _end(reader, doc[0], view) for name, doc in docs.items() if doc}
    return {name: end for name, (verdict, end) in found.items() if verdict}


def _end(reader: Reader, doc: int, force: View) -> tuple[str | None, int]:
    """Why an entry is not in force, None if it is, and since when, epoch seconds."""
    facts, verdict = reader.facts(doc, access=False), reader.verdict(doc, force)
    settled = settled_by(facts, force) if facts.status is Status.ACTIVE else None
    if settled is not None:
        return str(Status.RESOLVED), settled.at
    end = facts.expires if verdict == str(Status.EXPIRED) else facts.ended
    return verdict, end


def _visible(reader: Reader, name: str, view: View) -> list[int]:
    """The documents of an id that the caller may see, in any status."""
    seen = view._replace(statuses=frozenset(Status), as_of=None, here=None)
    docs = reader.exact("id", name)
    # Of two files with one id the first in the order of entries counts.
    return sorted(reader.shown(docs, seen), key=reader.columns.orders.__getitem__)


def _heir(reader: Reader, doc: int, view: View) -> int | None:
    """The version that stands for a superseded one: that in force, else the last."""
    force = View(view.now, as_of=view.as_of)
    met: set[str] = set()
    heir = None
    while (name := reader.row(doc).superseded_by) and name not in met:
        met.add(name)
        docs = _visible(reader, name, view)
        if not docs:
            return None
        current = reader.shown(docs, force)
        doc = heir = (*current, docs[0])[0]
        if current:
            break
    return heir


def _edited(reader: Reader, docs: list[int], mark: str, looked: int) -> bool:
    """Whether it says something else than when it was cited."""
    if mark:
        return set(docs).isdisjoint(reader.exact("fingerprint", mark))
    updated = [reader.row(doc).updated for doc in docs]
    return any(when and dates.to_epoch(when) > looked for when in updated)


# --- newer memories -----------------------------------------------------------------


def _newer(reader: Reader, row: StoredRow, view: View, looked: int) -> list[str]:
    """Ids of memories in scope that were written since, the newest first.

    A memory is in scope when it names an entity of the model; of a model without
    entities the tags count. A name that most memories of a project share would be too
    wide: it counts together with another one.
    """
    created = reader.columns.created
    narrow, wide = _scope(reader, row)
    # One wide name alone brings nothing, and most memories of a project are in it.
    several = wide if len(wide) > 1 else []
    together = Counter(doc for docs in several for doc in docs)
    docs = {doc for docs in narrow for doc in docs}
    docs.update(doc for doc, number in together.items() if number > 1)
    docs = {doc for doc in docs if created[doc] > looked}
    if not docs:
        return []
    for layer in _ABOVE[row.layer]:
        docs.difference_update(reader.exact("layer", str(layer)))
    force = View(view.now, as_of=view.as_of, agent=view.agent)
    shown = sorted(
        reader.shown(docs, force),
        key=lambda doc: (-created[doc], reader.columns.orders[doc]),
    )
    ids = [reader.row(doc).id for doc in shown if _is_news(reader, doc, looked)]
    return list(dict.fromkeys(ids))


def _scope(
    reader: Reader, row: StoredRow
) -> tuple[list[Sequence[int]], list[Sequence[int]]]:
    """The documents of each of its names: of narrow ones, and of those too wide."""
    from memcli.entries.text.tokens import name_key

    names = [("entity", name_key(name)) for name in row.entities]
    held = [
        reader.exact(*name) for name in set(names or [("tag", t) for t in row.tags])
    ]
    widest = max(_WIDE, _TIMES_WIDER * min(map(len, held), default=0))
    return (
        [docs for docs in held if len(docs) <= widest],
        [docs for docs in held if len(docs) > widest],
    )


def _is_news(reader: Reader, doc: int, looked: int) -> bool:
    """Whether its text was first written since; a new tag makes a new version only."""
    created, same = reader.columns.created, _said_before(reader, reader.row(doc))
    return all(created[before] > looked for before in same)
