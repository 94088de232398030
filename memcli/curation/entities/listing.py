"""The entities that a vault registers or mentions, and what memories claim of one, by
their kinds.

Invariant: reads only, and through the reader of the asking agent: a name that stands
only in entries that the agent may not see is in no list, no count and no message. The
index's lists of documents tell all of a list; an entry is read only to show a name in
it.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.entries.entry import Status, nearest
from memcli.entries.ids import ANY
from memcli.entries.text.mentions import Registered, fold
from memcli.errors import EntryNotFound, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.recall.filters import of_project
from memcli.recall.results import row_of
from memcli.search.ranking.graph import is_hub
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault.registry import description_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.vault.registry import Registry
    from memcli.vault.vault import Vault

    _Spellings = Mapping[str, Sequence[int]]
    from typing import Any


UNDECIDED = (str(Status.PENDING), str(Status.REJECTED))
"""The statuses of what is no memory; it counts for no entity."""


class ListedEntity(NamedTuple):
    """One entity: `current` counts entries in force that mention it, `past` others."""

    name: str
    type: str
    registered: bool
    aliases: list[str]
    current: int
    past: int
    hub: bool
    path: str | None


def _grouped(reader: Reader, registry: Registry) -> dict[str, dict[str, Sequence[int]]]:
    """By the folded name of the entity that is meant its spellings, each with the
    documents that have it."""
    meant = registry.names.meant
    groups: dict[str, dict[str, Sequence[int]]] = {}
    for name, docs in reader.values("entity_name").items():
        form = fold(name)
        groups.setdefault(fold(meant.get(form, name)), {})[name] = docs
    return groups


def _usual(spellings: _Spellings) -> str:
    """The spelling of a name that most documents have; of several such, the first."""
    return min(spellings, key=lambda name: (-len(spellings[name]), name))


def listed(vault: Vault, project: str = "") -> list[ListedEntity]:
    """Every entity that is registered or mentioned, the most mentioned first.

    Args:
        vault: where to look.
        project: only what its entries mention, named as `recall --project` takes it.
    """
    registry = vault.registry
    registered = {fold(entity.name): entity for entity in reversed(registry.entities)}

    def look(reader: Reader) -> list[ListedEntity]:
        within = of_project(reader, project, vault.here)
        every = set(reader.everything())
        docs = every if within is None else every & within
        force = {*reader.shown([*docs], View(vault.now_ms() // 1000))}
        decided = docs.difference(*(reader.exact("status", s) for s in UNDECIDED))
        groups = _grouped(reader, registry)
        counts = {
            form: (len(mentioning & force), len(mentioning - force))
            for form, spellings in groups.items()
            if (mentioning := decided.intersection(set().union(*spellings.values())))
        }
        if project in ("", ANY):
            counts = dict.fromkeys(registered, (0, 0)) | counts
        order = sorted(counts)
        order.sort(key=counts.__getitem__, reverse=True)  # equal ones stay in order
        rows = []
        for form in order:
            hub = is_hub(counts[form][0], len(force))
            known = registered.get(form)
            one = known or Registered(_usual(groups[form]))
            about = one.name, one.type, bool(known), list(one.aliases)
            rows.append(ListedEntity(*about, *counts[form], hub, one.path or None))
        return rows

    return vault.read(look)


# --- what is claimed of one ---------------------------------------------------------


class Claim(NamedTuple):
    """A memory about an entity; `reason` says why it is not in force, `marks` what to
    see before relying on it."""

    id: str
    title: str
    text: str
    kind: str
    status: str
    created: str
    occurred_at: str | None
    path: str
    reason: str | None
    marks: tuple[str, ...]


class EntityPage(NamedTuple):
    """An entity and everything that is claimed of it."""

    name: str
    type: str
    registered: bool
    aliases: list[str]
    description: str
    path: str | None
    current: list[Claim]
    past: list[Claim]

    def as_dict(self) -> dict[str, Any]:
        """For JSON: claims by aspect."""
        current, past = by_aspect(self.current), by_aspect(self.past)
        return {**self._asdict(), "current": current, "past": past}


def by_aspect(claims: list[Claim]) -> dict[str, list[Claim]]:
    """Claims by their aspects, which are the kinds of their memories."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.kind, []).append(claim)
    return dict(sorted(groups.items()))


def page(vault: Vault, name: str) -> EntityPage:
    """Everything that memories claim of an entity.

    Args:
        vault: where to look.
        name: its name or an alias, in any case.

    Raises:
        EntryNotFound: no entity of this name is registered or mentioned
            (`entity_not_found`).
        NotAllowed: the name is an alias of several (`ambiguous_entity`).
    """
    registry = vault.registry
    refuse_ambiguous(registry, name)
    entity = registry.find(name)
    forms = forms_of(entity or Registered(name))
    view = View(vault.now_ms() // 1000)
    current: list[Claim] = []
    past: list[Claim] = []
    spelt: list[str] = []

    def look(reader: Reader) -> None:
        for doc in mentioning(reader, forms):
            row = reader.row(doc)
            spelt.extend(each for each in row.entities if fold(each) in forms)
            if row.status in UNDECIDED:
                continue
            why = reader.verdict(doc, view)
            marks = row_of(reader, view, doc, vault.source).marks
            reason = row.reason or why if why else None
            claim = taken(Claim, row, reason=reason, marks=marks)
            (past if why else current).append(claim)

    vault.read(look)
    if entity is None and not spelt:
        raise not_found(vault, name)
    for claims in (current, past):
        claims.sort(key=lambda each: (each.occurred_at or each.created, each.id))
        claims.reverse()
    one = entity or Registered(min(spelt))
    try:
        data = files.read(inside(vault.root, one.path))
        description = description_of(data, one.path)
    except MemcliError:  # not registered, or gone since it was listed
        description = ""
    return EntityPage(
        name=one.name,
        type=one.type,
        registered=entity is not None,
        aliases=list(one.aliases),
        description=description,
        path=one.path or None,
        current=current,
        past=past,
    )


def forms_of(entity: Registered) -> set[str]:
    """The folded names by which entries may mention an entity."""
    return {fold(each) for each in (entity.name, *entity.aliases)}


def mentioning(reader: Reader, forms: set[str]) -> list[int]:
    """The documents with one of these folded names among their entities, in order."""
    values = reader.values("entity_name").items()
    found = (docs for name, docs in values if fold(name) in forms)
    return sorted(set[int]().union(*found))


def refuse_ambiguous(registry: Registry, name: str) -> None:
    """Raise NotAllowed for an alias of several entities."""
    several = registry.names.ambiguous.get(fold(name))
    if several:
        raise NotAllowed(
            f"'{name}' means several entities: {', '.join(several)}",
            hint="Name the one that is meant.",
            code="ambiguous_entity",
        )


def not_found(vault: Vault, name: str) -> EntryNotFound:
    """The error for an unknown name, with the nearest that is known."""
    hint = nearest(name, [fold(entity.name) for entity in listed(vault)])
    return EntryNotFound(
        f"no entity is called '{name}'",
        hint=hint or "What is known: memcli entities",
        code="entity_not_found",
    )
