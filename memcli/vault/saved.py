"""A draft beside the entry that holds its text: what it adds to that, and its outcome.

Invariant: pure; one value for each draft, whether it became an entry or not.
"""

from __future__ import annotations

from memcli.entries.eligibility import Action, View, may, settled_by
from memcli.entries.entry import EntityType, Entry, ResolutionScope, Status, Visibility
from memcli.entries.fields import MOST_ASKED
from memcli.entries.merging.fields import RESOLUTION
from memcli.named_tuple import NamedTuple, encoded
from memcli.vault.signals import is_skill

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.entries.eligibility import Agent
    from memcli.search.reader import Reader
    from memcli.vault.duplicates import Held
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Vault


class Saved(NamedTuple):
    """The outcome of one draft.

    `outcome` is one of: created; duplicate (an entry holds the same text); merged (it
    does, and the draft's tags or the like were added to it); seen (a reflection item
    was met again); recurred (a resolved entry was met again); rejected
    (a review has rejected this text); superseded (of an import: another version has
    replaced this text). `id` is that of the entry which holds the text.
    For a created entry, `entities` are its mentions, `registered` the entities that are
    new in the registry, and `cited` the entries that an observation or model rests on;
    `research` is the research run that retrieved them, and `dropped` what it did not.
    Of an entry that was there, `merged` names the fields that the draft added to, and
    `not_taken` those in which it says something else, which stays.
    `project` is where it holds; None is everywhere. `code` are the places in the
    project's code that a created entry speaks of.
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
    not_taken: tuple[str, ...] = ()
    project: str | None = None
    dropped: tuple[str, ...] = ()
    research: str | None = None
    settled_by: str | None = None
    like_resolved: Similar | None = None
    code: tuple[str, ...] = ()

    @property
    def citations_checked(self) -> bool:
        """Whether a research run retrieved what it cites; never of a fact."""
        return bool(self.research)

    def as_dict(self, *, drawn: bool = False) -> dict[str, Any]:
        """The `data` of the JSON envelope; of what is `drawn` from other entries also
        what it cites."""
        fields = self._asdict() | {"id": self.id or None}
        for name in ("notes", "research", *(() if drawn else ("cited", "dropped"))):
            del fields[name]
        if drawn:
            fields["citations_checked"] = self.citations_checked
        return {name: encoded(value) for name, value in fields.items()}


def matched(held: Held, outcome: str) -> Saved:
    """The outcome of a draft whose text an entry holds already."""
    notes: tuple[str, ...] = ()
    if outcome == "rejected":
        notes = (f"{held.id} says this, and a review rejected it",)
    return Saved(
        held.id, held.path, outcome, held.title, notes=notes, project=held.project
    )


def held_back(saved: Saved, resolved_id: str | None) -> Saved:
    """The outcome of a draft, with what keeps it from being shown."""
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


def not_shown(vault: Vault, ids: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each of these entries whose claim is resolved."""
    if not ids:
        return ()
    view = View(vault.now_ms() // 1000, agent=vault.agent)

    def look(reader: Reader) -> tuple[str, ...]:
        found = {}
        for name in ids:
            for doc in reader.exact("id", name):
                resolve = settled_by(reader.facts(doc), view)
                if resolve is not None:
                    found[name] = f"{name} is not shown: {why_not_shown(resolve.id)}"
        return tuple(found.values())

    return vault.read(look)


_ADDED = ("tags", "asked", "entities", "evidence", "code")
# Taken where the entry says nothing.
_FILLED = (
    "type", "occurred_at", "occurred_until", "review_after", "confidence",
    "rationale",
)  # fmt: skip
# A title stands for the entry where it is told: one that comes later gives it none.
_KEPT = (
    "title", "kind", "layer", "subtype", "item", "visibility", "groups", "expires_at",
)  # fmt: skip
_RESOLVED = ("status", *RESOLUTION)
_PLAIN = Entry("")


class Merged(NamedTuple):
    """An entry with what was added to it, the names of these fields, and the rest."""

    entry: Entry
    taken: tuple[str, ...]
    left: tuple[str, ...]

    @property
    def notes(self) -> Iterator[str]:
        """A sentence about each field that was not taken, and about its end."""
        name = self.entry.id
        if "status" in self.taken:
            yield (
                f"{name} is resolved where this comes from, so it is here; to bring it "
                f"back: memcli resolve --undo {name}"
            )
        for field in self.left:
            if field == "status":
                yield stays_active(name)
            else:
                yield (
                    f"{field} was not taken: {name} says something else; to change it: "
                    "evolve it, or edit its file"
                )


def stays_active(name: str) -> str:
    """The sentence about an entry that is resolved where a draft comes from."""
    return f"{name} stays as it is: memcli resolve {name} if it is solved"


def brings(draft: Entry) -> bool:
    """Whether a draft says anything besides its text and where it came from."""
    fields = (*_ADDED, *_FILLED, *_KEPT, "pinned")
    ends = draft.status is Status.RESOLVED
    return ends or any(getattr(draft, f) != getattr(_PLAIN, f) for f in fields)


def merge(
    entry: Entry, draft: Entry, writer: Agent | None = None, seen: Entry | None = None
) -> Merged:
    """Add a draft to the entry that holds its text.

    Args:
        entry: as it is.
        draft: its entities are spelled as the registry spells them.
        writer: the agent that saves; what it may not do to the entry is left.
        seen: the entry as the writer may know it, if that is less.
    """
    seen = seen or entry
    filled = (*_FILLED, "pinned") if may(Action.PIN, entry, writer) else _FILLED
    changes: dict[str, Any] = {}
    left: list[str] = []
    # What an observation cites is not of the fact in the same words.
    drawn = {entry.layer, draft.layer} != {_PLAIN.layer}
    for name in (*_ADDED, "pinned", *_FILLED, *_KEPT):
        given, has = getattr(draft, name), getattr(seen, name)
        if given == getattr(_PLAIN, name) or given == has:
            continue
        if name in _ADDED and not (drawn and name == "evidence"):
            value = (*getattr(entry, name), *_new(given, has))
            if name == "asked" and len(value) > MOST_ASKED:
                left.append(name)
                continue
        elif name in filled and has == getattr(_PLAIN, name):
            value = given
        else:
            if not (name in _ADDED and set(given) <= set(has)):
                left.append(name)
            continue
        if value != getattr(entry, name):
            changes[name] = value
    allowed = _is_for_all_of(draft, entry) and may(Action.EVOLVE, entry, writer)
    if draft.status is Status.RESOLVED and seen.status is Status.ACTIVE:
        # What was written after it was resolved has come up again; and what was
        # resolved alone ends nothing else.
        solved = (draft.resolved_at or "") >= (entry.created or "")
        solved = solved and draft.resolution_scope is not ResolutionScope.ENTRY
        if solved and may(Action.RESOLVE, entry, writer):
            changes |= {name: getattr(draft, name) for name in _RESOLVED}
        else:
            left.append("status")
    if changes and not allowed:
        left, changes = [*changes, *left], {}
    return Merged(entry.replace(**changes), tuple(changes), tuple(left))


def _new(given: tuple[str, ...], has: tuple[str, ...]) -> list[str]:
    known = {name.casefold() for name in has}
    return [name for name in dict.fromkeys(given) if name.casefold() not in known]


def _is_for_all_of(draft: Entry, entry: Entry) -> bool:
    """Whether everyone who may see the entry may see the draft, too."""
    if draft.visibility is Visibility.SHARED:
        return True
    if entry.visibility is Visibility.PRIVATE:
        return entry.agent == draft.agent
    both_group = draft.visibility is entry.visibility is Visibility.GROUP
    return both_group and set(entry.groups) <= set(draft.groups)


# --- skills ---------------------------------------------------------------------------


def skill_name(entry: Entry) -> str:
    """The name by which a skill is an entity: its title; empty for anything else."""
    if not is_skill(entry.kind, str(entry.type)):
        return ""
    name = entry.display_title.rstrip("… ")
    return name if any(map(str.isalnum, name)) else ""


def with_its_name(draft: Entry) -> Entry:
    """A skill, which mentions itself; any other draft as it is.

    A note of this type that names what it is about is about that skill.
    """
    name = skill_name(draft)
    if not name or (draft.entities and draft.kind != "skill"):
        return draft
    kind = EntityType.SKILL if draft.type is EntityType.UNKNOWN else draft.type
    names = tuple(dict.fromkeys((*draft.entities, name)))
    return draft.replace(type=kind, entities=names)
