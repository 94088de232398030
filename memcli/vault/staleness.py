"""Why an observation or model may no longer hold, computed from the files.

Invariant: nothing is marked and nothing is stored: the answer follows from the files
as they are now, and from those alone that the caller may see. Each reason names the
entries that make it.
"""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries import dates
from memcli.entries.eligibility import View
from memcli.entries.entry import Layer, Status, Subtype
from memcli.entries.ids import is_id

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow

NEWER, EDITED, REMOVED = "newer", "edited", "removed"
_MOST_IDS = 5
_ABOVE = {
    str(Layer.OBSERVATION): (Layer.OBSERVATION, Layer.MODEL),
    str(Layer.MODEL): (Layer.MODEL,),
}


class Reason(NamedTuple):
    """One reason: `superseded`, `resolved`, `expired`, ... of its evidence, `edited`
    or `removed` evidence, or `newer` memories; at most five ids of their `number`."""

    reason: str
    ids: list[str]
    number: int


def reasons(reader: "Reader", row: "StoredRow", view: View) -> list[Reason]:
    """Why an observation or model may no longer hold; none for a fact.

    Evidence that the caller may not see gives no reason, so an agent never gets
    `removed`. Evidence that had ended before the entry was refreshed was cited as
    history. At an earlier moment (`as_of`) the files do not tell what was edited or
    removed since.
    """
    if row.layer == str(Layer.FACT):
        return []
    when = row.refreshed_at or row.created
    looked = dates.to_epoch(when) if when else 0
    by_reason: dict[str, list[str]] = {}
    prints = dict(cited.partition(":")[::2] for cited in row.fingerprints)
    for name in row.evidence:
        reason = _of(reader, name, prints.get(name), view, looked)
        if reason:
            by_reason.setdefault(reason, []).append(name)
    newer = _newer(reader, row, view, looked)
    if newer:
        by_reason[NEWER] = newer
    return [
        Reason(reason, ids[:_MOST_IDS], len(ids)) for reason, ids in by_reason.items()
    ]


def is_stale(row: "StoredRow", why: list[Reason]) -> bool:
    """Whether the reasons make it stale; people judge pinned models themselves."""
    return bool(why) and row.subtype != str(Subtype.PINNED)


def sentence(why: Reason) -> str:
    """A reason in words.

    >>> sentence(Reason("newer", ["1m7x"], 2))
    '2 newer memories in its scope: 1m7x, ...'
    """
    names = ", ".join(why.ids) + (", ..." if why.number > len(why.ids) else "")
    if why.reason == NEWER:
        memories = "memory" if why.number == 1 else "memories"
        return f"{why.number} newer {memories} in its scope: {names}"
    return f"evidence {why.reason}: {names}"


def _of(
    reader: "Reader", name: str, mark: str | None, view: View, looked: int
) -> str | None:
    """What happened to one piece of evidence, or None."""
    docs = reader.exact("id", name)
    owner = view.agent is None and reader.agent is None
    if not len(docs):
        gone = owner and view.as_of is None and is_id(name)
        return REMOVED if gone else None
    seen = view._replace(statuses=frozenset(Status), as_of=None)
    docs = [doc for doc in docs if reader.verdict(doc, seen) is None]
    if not docs:
        return None
    force = View(view.now, as_of=view.as_of)
    verdicts = {doc: reader.verdict(doc, force) for doc in docs}
    current = [doc for doc, verdict in verdicts.items() if verdict is None]
    if current:
        edited = view.as_of is None and _edited(reader, current, mark, looked)
        return EDITED if edited else None
    facts = reader.facts(docs[0], access=False)
    verdict = verdicts[docs[0]]
    end = facts.expires if verdict == str(Status.EXPIRED) else facts.ended
    return None if 0 < end < looked else verdict


def _edited(reader: "Reader", docs: list[int], mark: str | None, looked: int) -> bool:
    """Whether it says something else than when it was cited."""
    if mark:
        return set(docs).isdisjoint(reader.exact("fingerprint", mark))
    updated = [reader.row(doc).updated for doc in docs]
    return any(when and dates.to_epoch(when) > looked for when in updated)


def _newer(reader: "Reader", row: "StoredRow", view: View, looked: int) -> list[str]:
    """Ids of memories in scope that were written since, the newest first.

    A memory is in scope when it names two entities of the model, or its only one; of a
    model without entities the tags count. One of several would be too wide: most
    memories of a project name the project.
    """
    from memcli.entries.text.tokens import name_key

    names = [("entity", name_key(name)) for name in row.entities]
    scope = set(names or [("tag", tag) for tag in row.tags])
    created = reader.columns.created
    shared = Counter(
        doc
        for field, value in scope
        for doc in reader.exact(field, value)
        if created[doc] > looked
    )
    least = min(2, len(scope))
    docs = {doc for doc, number in shared.items() if number >= least}
    if not docs:
        return []
    for layer in _ABOVE[row.layer]:
        docs.difference_update(reader.exact("layer", str(layer)))
    force = View(view.now, as_of=view.as_of, agent=view.agent)
    shown = [doc for doc in docs if reader.verdict(doc, force) is None]
    shown.sort(key=lambda doc: (-created[doc], reader.orders[doc]))
    ids = [reader.row(doc).id for doc in shown]
    return [name for name in dict.fromkeys(ids) if name not in row.evidence]
