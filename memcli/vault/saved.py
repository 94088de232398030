"""What became of a draft that was to be saved.

Invariant: pure; one value for each draft, whether it became an entry or not.
"""

from __future__ import annotations

from memcli.entries.eligibility import View, settled_by
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.vault.duplicates import Held
    from memcli.vault.likeness import Similar
    from memcli.vault.merging import NotTaken
    from memcli.vault.vault import Vault


class Saved(NamedTuple):
    """What became of one draft.

    `outcome` is one of: created; duplicate (an entry holds the same text); merged (it
    does, and the draft's tags or the like were added to it); seen (a reflection item
    was met again); recurred (a resolved entry was met again); rejected
    (a review has rejected this text). `id` is that of the entry which holds the text.
    For a created entry, `entities` are its mentions, `registered` the entities that are
    new in the registry, and `cited` the entries that an observation or model rests on;
    `research` is the research run that retrieved them, and `dropped` what it did not.
    Of an entry that was there, `merged` names the fields that the draft added to, and
    `not_taken` those that contradict it.
    `project` is where it holds; None is everywhere. `code` and `code_names` are the
    places in the project's code that a created entry speaks of.
    `similar` are the nearest entries by their words.
    `settled_by` is the resolved entry because of which it is not shown; `like_resolved`
    one that says nearly the same.
    """

    id: str
    path: str
    outcome: str
    title: str
    similar: tuple[Similar, ...] = ()
    notes: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    registered: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    project: str | None = None
    dropped: tuple[str, ...] = ()
    research: str | None = None
    settled_by: str | None = None
    like_resolved: Similar | None = None
    code: tuple[str, ...] = ()
    code_names: tuple[str, ...] = ()

    def as_dict(self, *, drawn: bool) -> dict[str, Any]:
        """The `data` of the JSON envelope; of what is `drawn` from other entries also
        what it cites."""
        data: dict[str, Any] = {
            "id": self.id,
            "path": self.path,
            "outcome": self.outcome,
            "settled_by": self.settled_by,
            "like_resolved": self.like_resolved and self.like_resolved.as_dict(),
            "title": self.title,
            "project": self.project,
            "code": list(self.code),
            "code_names": list(self.code_names),
            "similar": [item.as_dict() for item in self.similar],
            "entities": list(self.entities),
            "registered": list(self.registered),
            "merged": list(self.merged),
            "not_taken": [item._asdict() for item in self.not_taken],
        }
        if drawn:
            data["cited"] = list(self.cited)
            data["dropped"] = list(self.dropped)
            data["citations_checked"] = self.research is not None
        return data


def matched(held: Held, outcome: str) -> Saved:
    """What became of a draft whose text an entry holds already."""
    notes: tuple[str, ...] = ()
    if outcome == "rejected":
        notes = (f"{held.id} says this, and a review rejected it",)
    return Saved(
        held.id, held.path, outcome, held.title, notes=notes, project=held.project
    )


def held_back(saved: Saved, resolved_id: str | None) -> Saved:
    """What became of a draft, with what keeps it from being shown."""
    if resolved_id is None and saved.outcome == "recurred":
        resolved_id = saved.id  # what was mined: an entry that was resolved alone
    if resolved_id is None:
        return saved
    note = f"it came up again and is not shown: {why_not_shown(resolved_id)}"
    return saved._replace(settled_by=resolved_id, notes=(note, *saved.notes))


def why_not_shown(resolved_id: str) -> str:
    """Why something is not shown, and the command that brings it back."""
    return (
        f"its claim is resolved by {resolved_id}; to bring it back: "
        f"memcli resolve --undo {resolved_id}"
    )


def not_shown(vault: Vault, ids: Iterable[str]) -> list[str]:
    """A sentence for each of these entries whose claim is resolved."""
    wanted = list(ids)
    if not wanted:
        return []
    view = View(vault.now_ms() // 1000, agent=vault.agent)

    def look(reader: Reader) -> list[str]:
        found = {}
        for name in wanted:
            for doc in reader.exact("id", name):
                resolve = settled_by(reader.facts(doc), view)
                if resolve is not None:
                    found[name] = f"{name} is not shown: {why_not_shown(resolve.id)}"
        return list(found.values())

    return vault.read(look)
