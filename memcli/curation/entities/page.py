"""Entities as the vault knows them: which are mentioned, how often, and what memories
claim of each.

Invariant: reads only, and through the reader of the asking agent: a name that stands
only in entries that the agent may not see does not exist for it, in lists, counts and
messages.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from memcli.curation.entities import aspects
from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.entries.projects import ANY
from memcli.entries.text.mentions import fold
from memcli.errors import EntryNotFound, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.recall.filters import of_project
from memcli.search.ranking.graph import is_hub
from memcli.storage import files
from memcli.vault.registry.ignored import ignored_names
from memcli.vault.registry.page import description_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from memcli.entries.text.name_index import Registered
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.registry.store import Registry
    from memcli.vault.vault import Vault

# A single capitalised word counts from so many entries on.
_SEVERAL = 2
_EXAMPLE = 160
_MOST_COMPANIONS = 20
_WAITING = (str(Status.PENDING), str(Status.REJECTED))


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


class Claim(NamedTuple):
    """A memory about an entity; `reason` says why it is not in force."""

    id: str
    aspect: str
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
        fields = self._asdict()
        for name in ("current", "past"):
            fields[name] = {
                aspect: [claim._asdict() for claim in claims]
                for aspect, claims in by_aspect(fields[name]).items()
            }
        fields["with_others"] = [
            {"name": name, "entries": count} for name, count in self.with_others
        ]
        return fields


class PossibleName(NamedTuple):
    """A possible name that waits for a decision, with an entry in which it stands."""

    name: str
    entries: int
    example: str
    id: str


def by_aspect(claims: list[Claim]) -> dict[str, list[Claim]]:
    """Claims by aspect, in the order of `aspects.ORDER`."""
    groups: dict[str, list[Claim]] = {name: [] for name in aspects.ORDER}
    for claim in claims:
        groups[claim.aspect].append(claim)
    return {name: group for name, group in groups.items() if group}


def listed(vault: Vault, project: str = "") -> list[ListedEntity]:
    """Every entity that is registered or mentioned, the most mentioned first.

    With a `project` (as `recall --project` takes it), those that its entries mention.
    """
    registry = vault.registry
    view = View(vault.now_ms() // 1000)
    counts: dict[str, tuple[int, int]] = {}
    spelt: dict[str, str] = {}

    def count(reader: Reader) -> int:
        within = of_project(reader, project, vault.here)
        docs = set(reader.everything() if within is None else within)
        force = {doc for doc in docs if reader.verdict(doc, view) is None}
        for status in _WAITING:
            docs.difference_update(reader.exact("status", status))
        current = docs & force
        for form, mentions in _mentions(registry, reader).items():
            known = len(docs.intersection(mentions.docs))
            if known:
                now = len(current.intersection(mentions.docs))
                spelt[form] = mentions.name
                counts[form] = (now, known - now)
        return len(force)

    force = vault.read(count)
    registered = {fold(entity.name): entity for entity in reversed(registry.entities)}
    rows = []
    named = registered.keys() if project in ("", ANY) else set()
    found = ((*counts.get(form, (0, 0)), form) for form in counts.keys() | named)
    for current, past, form in sorted(
        found, key=lambda row: (-row[0], -row[1], row[2])
    ):
        entity = registered.get(form)
        rows.append(
            ListedEntity(
                name=entity.name if entity else spelt[form],
                type=entity.type if entity else "unknown",
                registered=entity is not None,
                aliases=list(entity.aliases) if entity else [],
                current=current,
                past=past,
                hub=is_hub(current, force),
                path=entity.path if entity else None,
            )
        )
    return rows


class _Mentions(NamedTuple):
    """The entries that mention an entity, and how most of them spell its name."""

    name: str
    docs: Collection[int]


def _mentions(registry: Registry, reader: Reader) -> dict[str, _Mentions]:
    """By folded name: the entries that mention an entity."""
    meanings = registry.names.meant
    spellings: dict[str, list[_Mentions]] = {}
    for name, docs in reader.values("entity_name").items():
        form = fold(name)
        meant = meanings.get(form)
        if meant is not None:
            name, form = meant, fold(meant)
        spellings.setdefault(form, []).append(_Mentions(name, docs))
    return {form: _as_one(several) for form, several in spellings.items()}


def _as_one(spellings: list[_Mentions]) -> _Mentions:
    """The entries that mention an entity in one of several spellings."""
    if len(spellings) == 1:
        return spellings[0]
    usual = min(spellings, key=lambda each: (-len(each.docs), each.name))
    docs = set[int]().union(*(each.docs for each in spellings))
    return _Mentions(usual.name, docs)


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
            if row.status in _WAITING:
                continue
            why = reader.verdict(doc, view)
            (past if why else current).append(_claim(row, why))
            if not why:
                names = {_canonical(registry, each) for each in row.entities}
                others.update(each for each in names if fold(each) not in forms)

    vault.read(look)
    if entity is None and not spelt:
        raise not_found(vault, name)
    for claims in (current, past):
        claims.sort(key=lambda each: (each.occurred_at or each.created, each.id))
        claims.reverse()
    ranked = sorted(others.items(), key=lambda item: (-item[1], fold(item[0])))
    return EntityPage(
        name=entity.name if entity else min(spelt),
        type=entity.type if entity else "unknown",
        registered=entity is not None,
        aliases=list(entity.aliases) if entity else [],
        description=_description(vault, entity),
        path=entity.path if entity else None,
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
        else "What is known: memcli inspect entities",
        code="entity_not_found",
    )


def _claim(row: StoredRow, why: str | None) -> Claim:
    dated = bool(row.occurred_at)
    return Claim(
        id=row.id,
        aspect=aspects.aspect(row.kind, row.text, dated=dated),
        title=row.title,
        text=row.text,
        kind=row.kind,
        status=row.status,
        created=row.created,
        occurred_at=row.occurred_at,
        path=row.path,
        reason=row.reason or why if why else None,
    )


def _description(vault: Vault, entity: Registered | None) -> str:
    if entity is None:
        return ""
    try:
        data = files.read(files.inside(vault.root, entity.path))
        return description_of(data, entity.path)
    except MemcliError:  # gone since it was listed
        return ""


def candidates(vault: Vault, most: int | None = None) -> tuple[list[PossibleName], int]:
    """Possible names in the entries in force, those in most entries first.

    Two capitalised words in a row count from the first entry on, a single one in
    mid-sentence from the second. Registered and ignored names are left out.

    Args:
        vault: where to look.
        most: how many are wanted; None is all. Each takes reading an entry.

    Returns:
        The names, and how many there are in all.
    """

    def named(reader: Reader) -> tuple[list[PossibleName], int]:
        found = _possible(vault, reader)
        rows = []
        for name, count, docs in found[:most]:
            row = reader.row(reader.newest(docs)[0])
            rows.append(PossibleName(name, count, _around(row.text, name), row.id))
        return rows, len(found)

    return vault.read(named)


def count_candidates(vault: Vault) -> int:
    """How many `candidates` there are."""
    return vault.index.again(lambda reader: len(_possible(vault, reader)))


def _possible(vault: Vault, reader: Reader) -> list[tuple[str, int, Collection[int]]]:
    """Possible names, those in most entries first: how many these are, and which."""
    names = vault.registry.names
    decided = names.meant.keys() | names.ambiguous.keys()
    decided |= ignored_names(vault.root).keys()
    view = View(vault.now_ms() // 1000)
    folders = (layout.INCUBATOR, f"{layout.ARCHIVE}/{layout.INCUBATOR}")
    paths = chain.from_iterable(reader.starting("path", each) for each in folders)
    pages = filter(layout.is_idea, paths)
    ideas = {doc for path in pages for doc in reader.exact("path", path)}
    shown = {
        doc
        for doc in reader.everything()
        if doc not in ideas and reader.verdict(doc, view) is None
    }
    spellings: dict[str, dict[str, set[int]]] = {}
    for name, docs in reader.values("possible_name").items():
        form = fold(name)
        known = form not in decided and shown.intersection(docs)
        if known:
            spellings.setdefault(form, {})[name] = known
    found: list[tuple[str, int, Collection[int]]] = []
    for form, spelt in spellings.items():
        tail = form.partition(" ")[2]
        if " " in tail and (tail in spellings or tail in decided):
            continue  # `Meeting Grace Hopper` begins with a word of its sentence
        count = sum(map(len, spelt.values()))
        if any(" " in name for name in spelt) or count >= _SEVERAL:
            name = min(spelt, key=lambda each: (-len(spelt[each]), each))
            held = set[int]().union(*spelt.values()) if len(spelt) > 1 else spelt[name]
            found.append((name, count, held))
    return sorted(found, key=lambda each: (-each[1], fold(each[0])))


def _around(text: str, name: str) -> str:
    """The words around a name, on one line."""
    plain = " ".join(text.split())
    at = max(0, plain.find(name))
    begin = max(0, at - (_EXAMPLE - len(name)) // 2)
    cut = plain[begin : begin + _EXAMPLE]
    return ("…" if begin else "") + cut + ("…" if begin + _EXAMPLE < len(plain) else "")
