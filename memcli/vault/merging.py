"""What a text that is saved again brings to the entry that holds it.

Invariant: pure, and nothing is dropped silently. What says nothing of the claim itself
(tags, entities, a pin, a date that was missing) is added. What contradicts the entry is
left, and named with the way to change it. No agent learns by it what was meant for
fewer agents than may see the entry.
"""

from __future__ import annotations

from memcli.entries.entry import Entry, Status, Visibility
from memcli.entries.field_values import MOST_ASKED
from memcli.entries.rights import Action, may
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.entries.eligibility import Agent


_ADDED = ("tags", "asked", "entities", "evidence", "code", "code_names")
# Taken where the entry says nothing.
_FILLED = (
    "title", "type", "occurred_at", "occurred_until", "review_after", "confidence",
    "rationale",
)  # fmt: skip
_KEPT = ("kind", "layer", "subtype", "item", "visibility", "groups", "expires_at")
_PLAIN = Entry("")
# These have a flag of `memcli evolve`.
_BY_SET = ("subtype", "occurred_at", "expires_at")
_EVOLVED = ("title", "kind", "type", *_BY_SET)


class NotTaken(NamedTuple):
    """A field that was not taken: what was given, what the entry has (None: nothing),
    and how to change it."""

    field: str
    given: str
    has: str | None
    how: str


class Merged(NamedTuple):
    """An entry with what was added to it, the names of these fields, and the rest."""

    entry: Entry
    taken: tuple[str, ...]
    left: tuple[NotTaken, ...]


def brings(draft: Entry) -> bool:
    """Whether a draft says anything besides its text and where it came from."""
    fields = (*_ADDED, *_FILLED, *_KEPT, "pinned")
    return any(getattr(draft, name) != getattr(_PLAIN, name) for name in fields)


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
    left: list[NotTaken] = []
    # What an observation cites is not of the fact in the same words.
    drawn = {entry.layer, draft.layer} != {_PLAIN.layer}
    for name in (*_ADDED, "pinned", *_FILLED, *_KEPT):
        given, has = getattr(draft, name), getattr(seen, name)
        if given == getattr(_PLAIN, name) or given == has:
            continue
        if name in _ADDED and not (drawn and name == "evidence"):
            value = (*getattr(entry, name), *_new(given, has))
            if name == "asked" and len(value) > MOST_ASKED:
                left.append(_not_taken(entry, name, given, has))
                continue
        elif name in filled and has == getattr(_PLAIN, name):
            value = given
        else:
            if not (name in _ADDED and set(given) <= set(has)):
                left.append(_not_taken(entry, name, given, has))
            continue
        if value != getattr(entry, name):
            changes[name] = value
    allowed = _is_for_all_of(draft, entry) and may(Action.EVOLVE, entry, writer)
    if changes and not allowed:
        left = [
            _not_taken(entry, name, getattr(draft, name), getattr(seen, name))
            for name in changes
        ] + left
        changes = {}
    return Merged(entry.replace(**changes), tuple(changes), tuple(left))


def sentence(entry_id: str, left: NotTaken) -> str:
    """What a person is told about a field that was not taken."""
    has = f"has '{left.has}'" if left.has else "has none"
    return (
        f"{left.field} '{left.given}' was not taken: {entry_id} {has}; to change it: "
        f"{left.how}"
    )


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


def _not_taken(entry: Entry, name: str, given: object, has: object) -> NotTaken:
    how = f"edit `{name}` in {entry.path}"
    if name in _EVOLVED and entry.status is Status.ACTIVE:
        import shlex

        flag, value = name.replace("_", "-"), shlex.quote(_shown(given))
        given_as = f"--set {flag}={value}" if name in _BY_SET else f"--{flag} {value}"
        how = f"memcli evolve {entry.id} {given_as}"
    cites = entry.layer is not _PLAIN.layer
    if name == "evidence" and entry.status is Status.ACTIVE and cites:
        flags = " ".join(f"--cite {cite}" for cite in _shown(given).split(", "))
        how = f"memcli evolve {entry.id} {flags}"
    return NotTaken(name, _shown(given), _shown(has) or None, how)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
