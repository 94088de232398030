"""Everything that a vault knows, as one value to be looked at.

Invariant: reads only. It holds what the caller may see: for an agent neither another's
entries nor a word of what others recalled. Nothing here is drawn, or said in words.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries.eligibility import View, standing, verdict
from memcli.named_tuple import NamedTuple
from memcli.recall.filters import of_project
from memcli.search.ranking.graph import outgoing
from memcli.vault import code_state, signals, staleness
from memcli.vault.signals import is_hit

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

# A graph of more names cannot be read, and one of more lines is a ball of wool.
_MOST_NAMES, _MOST_TIES = 300, 900


class Seen(NamedTuple):
    """One entry.

    Attributes:
        row: as the index holds it; its status is the one that it counts as.
        hidden: why recall does not show it; None when it does.
        links: the numbers of the entries that its text links to.
        stale: why it may no longer hold.
        code: what became of the code that it speaks of, a line for each place.
        recalled, useful: how often it matched a question, and was judged useful.
    """

    row: StoredRow
    hidden: str | None
    links: tuple[int, ...]
    stale: tuple[str, ...]
    code: tuple[str, ...]
    recalled: int
    useful: int


class Picture(NamedTuple):
    """A vault at one moment.

    Attributes:
        entries: newest first; numbers elsewhere are places in this list.
        names: the most frequent entities, each with its count.
        ties: (place of a name, place of another, entries that hold both).
    """

    entries: list[Seen]
    names: list[tuple[str, int]]
    ties: list[tuple[int, int, int]]


def picture(vault: Vault, project: str = "") -> Picture:
    """The picture of a vault.

    Args:
        vault: whose.
        project: only of this project, as `--project` names it.
    """
    view = View(vault.now_ms() // 1000, agent=vault.agent)
    events = signals.read(vault.root).events if vault.agent is None else []
    recalled: Counter[str] = Counter()
    useful: Counter[str] = Counter()
    for event in events:
        if event["event"] == "recall" and event["question"] is not None:
            rows = (row for row in event["rows"] if is_hit([row]))
            recalled.update({row["id"] for row in rows})
        elif event["event"] == "feedback" and event["useful"]:
            useful[event["id"]] += 1

    code = code_state.Watch(vault.project)

    def look(reader: Reader) -> list[Seen]:
        chosen = of_project(reader, project, vault.here) if project else None
        docs = list(reader.everything() if chosen is None else chosen)
        rows = {doc: reader.row(doc) for doc in docs}
        order = sorted(docs, key=lambda doc: rows[doc].created or "", reverse=True)
        places = {doc: place for place, doc in enumerate(order)}
        seen = []
        for doc in order:
            row, facts = rows[doc], reader.facts(doc)
            links = {places[d] for d in outgoing(reader, row) if d in places}
            states = code.states(row, "personal")
            stale = [
                *map(staleness.sentence, staleness.reasons(reader, row, view)),
                *code_state.why_stale(states),
            ]
            seen.append(
                Seen(
                    row._replace(status=str(standing(facts, view))),
                    verdict(facts, view),
                    tuple(sorted(links - {places[doc]})),
                    tuple(stale),
                    tuple(one.why or f"{one.place}: {one.state}" for one in states),
                    recalled[row.id],
                    useful[row.id],
                )
            )
        return seen

    entries = vault.read(look)
    names, ties = _graph(entries)
    return Picture(entries, names, ties)


def _graph(
    entries: list[Seen],
) -> tuple[list[tuple[str, int]], list[tuple[int, int, int]]]:
    """The most frequent entities, and how many entries hold two of them."""
    shown = [seen.row.entities for seen in entries if seen.hidden is None]
    counts = Counter(name for held in shown for name in set(held))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    names = ranked[:_MOST_NAMES]
    places = {name: place for place, (name, _) in enumerate(names)}
    ties: Counter[tuple[int, int]] = Counter()
    for held in shown:
        known = sorted({places[name] for name in held if name in places})
        ties.update(
            (one, other) for at, one in enumerate(known) for other in known[at + 1 :]
        )
    strongest = sorted(ties.items(), key=lambda pair: (-pair[1], pair[0]))
    return names, [(*pair, count) for pair, count in strongest[:_MOST_TIES]]
