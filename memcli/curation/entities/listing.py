"""The entities that a vault registers or mentions, the names that may be entities, and
what memories claim of one, by their kinds.

Invariant: reads only, and through the reader of the asking agent: a name that stands
only in entries that the agent may not see is in no list, no count and no message. The
index's lists of documents tell all of a list; an entry is read only to show a name in
it.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.entries.ids import ANY
from memcli.entries.text.mentions import Registered, fold
from memcli.entries.text.tokens import name_key
from memcli.errors import EntryNotFound, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.recall.filters import of_project
from memcli.search.documents import newest_first
from memcli.search.ranking.graph import is_hub, sharing
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault.registry import description_of, ignored_names

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.vault.registry import Registry
    from memcli.vault.vault import Vault

    _Spellings = Mapping[str, Sequence[int]]
    from typing import Any


UNDECIDED = (str(Status.PENDING), str(Status.REJECTED))
"""The statuses of what is no memory; it counts for no entity."""

# A single word may be a name from so many entries on.
_SEVERAL = 2
_EXAMPLE = 160


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


class PossibleName(NamedTuple):
    """A possible name that waits for a decision, with an entry in which it stands."""

    name: str
    entries: int
    example: str
    id: str


def _grouped(
    reader: Reader, field: str, registry: Registry | None = None
) -> dict[str, dict[str, Sequence[int]]]:
    """By folded name its spellings, each with the documents that have it; with a
    registry by the name of the entity that is meant."""
    values = reader.values(field)
    meant = registry.names.meant if registry else {}
    groups: dict[str, dict[str, Sequence[int]]] = {}
    for name, docs in values.items():
        form = fold(name)
        if form in meant:
            form = fold(meant[form])
        groups.setdefault(form, {})[name] = docs
    return groups


def _usual(spellings: _Spellings, among: Collection[int]) -> str:
    """The spelling of a name that most documents have; of several such, the first."""
    held = {name: len(set(among).intersection(spellings[name])) for name in spellings}
    return min(held, key=lambda name: (-held[name], name))


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
        force = docs & reader.shown(View(vault.now_ms() // 1000))
        decided = docs.difference(*(reader.exact("status", s) for s in UNDECIDED))
        groups = _grouped(reader, "entity_name", registry)
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
            one = known or Registered(_usual(groups[form], every))
            about = one.name, one.type, bool(known), list(one.aliases)
            rows.append(ListedEntity(*about, *counts[form], hub, one.path or None))
        return rows

    return vault.read(look)


# --- names that wait for a decision -----------------------------------------------


def candidates(vault: Vault) -> list[PossibleName]:
    """Possible names in the entries in force, those in most entries first.

    Two capitalised words in a row count from the first entry on, a single one in
    mid-sentence if another entry has it anywhere. Registered and ignored names are
    left out.
    """

    def named(reader: Reader) -> list[PossibleName]:
        shown = reader.shown(View(vault.now_ms() // 1000))
        found = _possible(vault, reader, shown)
        order = sorted(found, key=lambda form: (-found[form][0], form))
        newest = newest_first(reader.columns)
        names = []
        for form in order:
            count, spellings = found[form]
            docs = shown.intersection(set().union(*spellings.values()))
            row = reader.row(min(docs, key=newest))
            name = _usual(spellings, shown)
            example = _around(" ".join(row.text.split()), name)
            names.append(PossibleName(name, count, example, row.id))
        return names

    return vault.read(named)


def _possible(
    vault: Vault, reader: Reader, shown: set[int]
) -> dict[str, tuple[int, _Spellings]]:
    """By folded name in how many entries it stands, and its spellings."""
    names = vault.registry.names
    decided = names.meant.keys() | names.ambiguous.keys()
    decided |= ignored_names(vault.root).keys()
    groups: dict[str, _Spellings] = {}
    for form, each in _grouped(reader, "possible_name").items():
        held = {name: docs for name, docs in each.items() if shown & {*docs}}
        if held and form not in decided:
            groups[form] = held
    found: dict[str, tuple[int, _Spellings]] = {}
    for form, spellings in groups.items():
        tail = form.partition(" ")[2]
        if form.count(" ") > 1 and (tail in groups or tail in decided):
            continue  # `Meeting Grace Hopper` begins with a word of its sentence
        count = sum(len(shown.intersection(docs)) for docs in spellings.values())
        words = " " in form and any(" " in name for name in spellings)
        if count == 1 and not words:
            count = len(shown.intersection(sharing(reader, name_key(form))))
        if words or count >= _SEVERAL:
            found[form] = count, spellings
    return found


def _around(plain: str, name: str) -> str:
    """The words around a name, of a text in one line."""
    begin = max(0, plain.find(name) - (_EXAMPLE - len(name)) // 2)
    cut = plain[begin : begin + _EXAMPLE]
    return ("…" if begin else "") + cut + ("…" if begin + _EXAMPLE < len(plain) else "")


# --- what is claimed of one ---------------------------------------------------------


_MOST_COMPANIONS = 20


class Claim(NamedTuple):
    """A memory about an entity; `reason` says why it is not in force."""

    id: str
    title: str
    text: str
    kind: str
    status: str
    created: str
    occurred_at: str | None
    path: str
    reason: str | None


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
    with_others: list[tuple[str, int]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON: claims by aspect."""
        others = [{"name": name, "entries": count} for name, count in self.with_others]
        current, past = by_aspect(self.current), by_aspect(self.past)
        claims = {"current": current, "past": past}
        return {**self._asdict(), **claims, "with_others": others}


def by_aspect(claims: list[Claim]) -> dict[str, list[Claim]]:
    """Claims by their aspects, which are the kinds of their memories."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.kind, []).append(claim)
    return dict(sorted(groups.items()))


def _canonical(registry: Registry, name: str) -> str:
    return registry.names.meant.get(fold(name), name)


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
    forms = forms_of(entity, name)
    view = View(vault.now_ms() // 1000)
    current: list[Claim] = []
    past: list[Claim] = []
    others: Counter[str] = Counter()
    spelt: list[str] = []

    def look(reader: Reader) -> None:
        for doc in mentioning(reader, forms):
            row = reader.row(doc)
            spelt.extend(each for each in row.entities if fold(each) in forms)
            if row.status in UNDECIDED:
                continue
            why = reader.verdict(doc, view)
            (past if why else current).append(
                taken(Claim, row, reason=row.reason or why if why else None)
            )
            if not why:
                names = {_canonical(registry, each) for each in row.entities}
                others.update(each for each in names if fold(each) not in forms)

    vault.read(look)
    if entity is None and not spelt:
        raise not_found(vault, name)
    for claims in (current, past):
        claims.sort(key=lambda each: (each.occurred_at or each.created, each.id))
        claims.reverse()
    ranked = sorted(others.items(), key=lambda item: (-item[1], fold(item[0]), item[0]))
    one = entity or Registered(min(spelt))
    return EntityPage(
        name=one.name,
        type=one.type,
        registered=entity is not None,
        aliases=list(one.aliases),
        description=_description(vault, entity),
        path=one.path or None,
        current=current,
        past=past,
        with_others=ranked[:_MOST_COMPANIONS],
    )


def forms_of(entity: Registered | None, name: str) -> set[str]:
    """The folded names by which entries may mention an entity."""
    if entity is None:
        return {fold(name)}
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
    from difflib import get_close_matches

    spelt = {fold(entity.name): entity.name for entity in listed(vault)}
    near = get_close_matches(fold(name), list(spelt), 1)
    return EntryNotFound(
        f"no entity is called '{name}'",
        hint=f"Did you mean '{spelt[near[0]]}'?"
        if near
        else "What is known: memcli entities",
        code="entity_not_found",
    )


def _description(vault: Vault, entity: Registered | None) -> str:
    if entity is None:
        return ""
    try:
        data = files.read(inside(vault.root, entity.path))
        return description_of(data, entity.path)
    except MemcliError:  # gone since it was listed
        return ""
