"""Decisions of people on entities: register, ignore, rename, alias, merge.

Invariant: each decision is one commit of the registry and of every entry that it
changes, in which only the `entities` line changes; `memcli undo` takes it
back. `apply` decides again under the lock, so that no later change is missed.
"""

from __future__ import annotations

import os
from shlex import quote

from memcli.curation.entities import page
from memcli.entries import layout
from memcli.entries.checks import check_choice
from memcli.entries.eligibility import View
from memcli.entries.entry import EntityType
from memcli.entries.ids import is_adopted, new_id, slug
from memcli.entries.text import mentions
from memcli.entries.text.mentions import Registered, compiled, fold
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import free_paths
from memcli.vault.registry import store
from memcli.vault.registry.page import (
    check_name,
    description_of,
    encode_entity,
    rewrite_entity,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.registry.store import Registry
    from memcli.vault.vault import Vault


class EntityRequest(NamedTuple):
    """A person's request: `verb` is register, rename, alias or merge.

    `other` is the new name, the alias, or the entity to merge into; `type` and
    `aliases` belong to an entity that is registered.
    """

    verb: str
    name: str
    other: str = ""
    type: str = "unknown"
    aliases: tuple[str, ...] = ()


class Touched(NamedTuple):
    """An entry whose mentions change."""

    id: str
    title: str
    path: str
    before: list[str]
    after: list[str]


class EntityPlan(NamedTuple):
    """A request with everything that it would change.

    `files` are (path, what becomes of it) of the registry.
    """

    request: EntityRequest
    name: str
    files: list[tuple[str, str]]
    entries: list[Touched]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "action": self.request.verb,
            "name": self.name,
            "files": [{"path": path, "what": what} for path, what in self.files],
            "entries": [entry._asdict() for entry in self.entries],
        }


class _FileEdit(NamedTuple):
    """One file: its bytes before and after, None for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    what: str


class _EntityDecision(NamedTuple):
    """The effect of a request on the registry: the entity as it will be.

    `forms` are the folded names whose mentions become its name; `search_texts` says
    whether entries whose text mentions it, but whose `entities` do not, get the name.
    """

    entity: Registered
    changes: list[_FileEdit]
    forms: set[str]
    search_texts: bool


def plan(vault: Vault, request: EntityRequest) -> EntityPlan:
    """Say what a request would change.

    Raises:
        NotAllowed: an agent asks; the name is taken (`entity_exists`) or ambiguous.
        EntryNotFound: no entity has the name (`entity_not_found`).
        InvalidValue: not a name, or no such type.
        UsageError: the request changes nothing by itself.
    """
    return _planned(vault, request)[0]


def apply(vault: Vault, request: EntityRequest) -> tuple[EntityPlan, str | None]:
    """Do what a request asks for, in one commit.

    Returns:
        (what was changed, the commit's id).

    Raises:
        As `plan`; Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.storage.transaction import subject

    with vault.transaction() as change:
        plan, edits = _planned(vault, request)
        for edit in edits:
            _put(change, edit)
        change.message = subject("review", _sentence(request, plan.name))
    return plan, change.commit


def _put(change: Transaction, edit: _FileEdit) -> None:
    if edit.after is None:
        change.remove(edit.path, expected=edit.before)
    else:
        change.put(edit.path, edit.after, expected=edit.before)


def _sentence(request: EntityRequest, name: str) -> str:
    return {
        "register": f"registered {name}",
        "rename": f"renamed {request.name} to {name}",
        "alias": f"{request.other} is {name}",
        "merge": f"merged {request.name} into {name}",
    }[request.verb]


def _planned(
    vault: Vault, request: EntityRequest
) -> tuple[EntityPlan, list[_FileEdit]]:
    from memcli.entries import no_secrets

    vault.owner_only("deciding on entities")
    decide = {
        "register": _register,
        "rename": _rename,
        "alias": _rename,
        "merge": _merge,
    }[request.verb]
    decision = decide(vault, request)
    name = decision.entity.name
    touched, rewritten = _entries(vault, decision)
    changes = decision.changes + rewritten
    # As the transaction would, so that a plan refuses what its execution refuses.
    no_secrets.refuse_new({e.path: (e.before, e.after) for e in changes}, (), "")
    shown = [(edit.path, edit.what) for edit in decision.changes]
    return EntityPlan(request, name, shown, touched), changes


# --- what a request means -----------------------------------------------------------


def _register(vault: Vault, request: EntityRequest) -> _EntityDecision:
    registry = vault.registry
    name = check_name(request.name)
    aliases = tuple(map(check_name, request.aliases))
    for each in (name, *aliases):
        _refuse_taken(registry, each, None)
    kind = str(check_choice(EntityType, request.type, "type"))
    entity, edit = _fresh(vault, name, kind, _others(name, aliases))
    edits = [edit, *_no_more_ignored(vault, {fold(name)})]
    return _EntityDecision(entity, edits, _forms(entity), search_texts=True)


def _rename(vault: Vault, request: EntityRequest) -> _EntityDecision:
    """An entity with another name, or with one more."""
    old = _known(vault, request.name)
    new = check_name(request.other)
    _refuse_taken(vault.registry, new, old if old.path else None)
    renames = request.verb == "rename"
    name = new if renames else old.name
    aliases = _others(name, (*old.aliases, old.name, new))
    if (name, aliases) == (old.name, old.aliases):
        raise UsageError(f"'{new}' is a name of {old.name} already")
    entity = old._replace(name=name, aliases=aliases)
    what = f"called {new}; the file keeps its name" if renames else f"alias {new}"
    written = _written(vault, old, entity, what)
    entity = entity._replace(path=written.path)
    forms = _forms(old) | _forms(entity)
    return _EntityDecision(entity, [written], forms, search_texts=not renames)


def _merge(vault: Vault, request: EntityRequest) -> _EntityDecision:
    source = _known(vault, request.name)
    target = _known(vault, request.other)
    same = fold(source.name) == fold(target.name)
    gone = [
        entity
        for entity in vault.registry.entities
        if fold(entity.name) == fold(source.name) and entity.path != target.path
    ]
    if same and not gone:
        raise UsageError(
            f"{source.name} and {target.name} are one entity already: "
            f"{target.path or 'mentioned, not registered'}",
            hint="If a second file has that name, memcli inspect lint says what to do.",
        )
    names = [source.name, *source.aliases]
    names += [alias for entity in gone for alias in entity.aliases]
    aliases = _others(target.name, (*target.aliases, *names))
    kind = source.type if not target.path else target.type
    entity = target._replace(aliases=aliases, type=kind)
    removed = [
        _FileEdit(old.path, files.read(inside(vault.root, old.path)), None, "removed")
        for old in gone
    ]
    texts = [description_of(edit.before or b"", edit.path) for edit in removed]
    written = _written(vault, target, entity, f"takes in {source.name}", texts)
    entity = entity._replace(path=written.path)
    forms = _forms(source) | _forms(entity)
    return _EntityDecision(entity, [written, *removed], forms, search_texts=False)


def _known(vault: Vault, name: str) -> Registered:
    """The entity of a name; an entity that is only mentioned has no path."""
    registry = vault.registry
    page.refuse_ambiguous(registry, name)
    return registry.find(name) or Registered(page.page(vault, name).name)


def _written(
    vault: Vault,
    old: Registered,
    entity: Registered,
    what: str,
    texts: Iterable[str] = (),
) -> _FileEdit:
    """The edit of an entity's file, or a new file where it has none."""
    added = "\n\n".join(text for text in texts if text)
    if not old.path:
        return _fresh(vault, entity.name, entity.type, entity.aliases, added)[1]
    before = files.read(inside(vault.root, old.path))
    after = rewrite_entity(
        before, old.path, name=entity.name, aliases=entity.aliases, added=added
    )
    return _FileEdit(old.path, before, after, what)


def _fresh(
    vault: Vault,
    name: str,
    kind: str,
    aliases: tuple[str, ...],
    description: str = "",
) -> tuple[Registered, _FileEdit]:
    from memcli.entries import dates

    now_ms = vault.now_ms()
    path = free_paths.free_path(vault, layout.registry_folder(kind), slug(name), {})
    entity = Registered(name, kind, aliases, dates.iso(now_ms // 1000), path)
    text = f"{description}\n" if description else ""
    data = encode_entity(entity, new_id(now_ms, vault.entropy), text)
    return entity, _FileEdit(path, None, data, "registered")


def _no_more_ignored(vault: Vault, forms: set[str]) -> list[_FileEdit]:
    """The edit that removes these names from the ignored ones, where it has them."""
    if not forms & store.ignored_names(vault.root).keys():
        return []
    before = files.read(inside(vault.root, layout.IGNORED_NAMES))
    after = store.without_names(before, forms)
    return [_FileEdit(layout.IGNORED_NAMES, before, after, "ignored no more")]


def _others(name: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """The aliases, each once, without the name itself."""
    by_form = {fold(alias): alias for alias in reversed(list(aliases))}
    by_form.pop(fold(name), None)
    return tuple(reversed(by_form.values()))


def _forms(entity: Registered) -> set[str]:
    return page.forms_of(entity, entity.name)


def _refuse_taken(registry: Registry, name: str, but: Registered | None) -> None:
    """Raise NotAllowed for a name that another entity has."""
    for entity in registry.entities:
        if but is not None and fold(entity.name) == fold(but.name):
            continue
        if fold(name) in _forms(entity):
            raise _taken(name, entity)


def _taken(name: str, entity: Registered) -> NotAllowed:
    """The refusal of a name that an entity has."""
    said = quote(entity.name)  # a page of the registry may be another person's
    also = "" if fold(name) == fold(entity.name) else f" as an alias of {entity.name}"
    return NotAllowed(
        f"'{name}' is registered{also}: {entity.path}",
        hint=f"memcli entities show {said}, or merge the two: "
        f"memcli entities merge OTHER {said}",
        code="entity_exists",
    )


# --- what it means for entries ------------------------------------------------------


def _entries(
    vault: Vault, decision: _EntityDecision
) -> tuple[list[Touched], list[_FileEdit]]:
    """The entries whose mentions change, and their new bytes."""
    from memcli.entries import codec

    kinds = vault.kinds
    touched, changes = [], []
    for path in vault.read(lambda reader: _paths(vault, reader, decision)):
        stored = vault.stored(path)
        before = stored.entry.entities
        after = _mapped(before, decision)
        if after == before:
            continue
        entry = stored.entry.replace(entities=after)
        data = codec.rewrite(stored.data, entry, kinds=kinds)
        changes.append(_FileEdit(path, stored.data, data, ""))
        title = entry.display_title
        touched.append(Touched(entry.id, title, path, list(before), list(after)))
    return touched, changes


def _paths(vault: Vault, reader: Reader, decision: _EntityDecision) -> list[str]:
    """Entries that mention one of the names, and entries in force whose text does."""
    view = View(vault.now_ms() // 1000)
    entity = decision.entity
    rest = [other for other in vault.registry.entities if other.path != entity.path]
    names = compiled([*rest, entity])
    docs = set(page.mentioning(reader, decision.forms))
    if decision.search_texts:
        for doc in reader.everything():
            row = reader.row(doc)
            # A note that memcli did not write is changed only when it is named.
            if doc in docs or is_adopted(row.id):
                continue
            if reader.verdict(doc, view) is None:
                text = f"{row.title}\n\n{row.text}"
                if entity.name in mentions.mentions(text, names)[0]:
                    docs.add(doc)
    return sorted(reader.row(doc).path for doc in docs)


def _mapped(before: tuple[str, ...], decision: _EntityDecision) -> tuple[str, ...]:
    """The mentions with the entity's name for each of its names, or with it added."""
    name = decision.entity.name
    by_form: dict[str, str] = {}
    for mention in before:
        now = name if fold(mention) in decision.forms else mention
        by_form.setdefault(fold(now), now)
    by_form.setdefault(fold(name), name)
    return tuple(by_form.values())


# --- names that are no entities ---------------------------------------------------


def ignore(vault: Vault, names: Sequence[str]) -> tuple[list[str], str | None]:
    """Store that these names are no entities, in one commit; none is proposed again.

    Returns:
        (the names that were not ignored before, the commit's id).

    Raises:
        As `apply`; NotAllowed also for what is registered (`entity_exists`).
    """
    from memcli.storage.transaction import subject

    vault.owner_only("deciding on entities")
    with vault.transaction() as change:
        before = _bytes(inside(vault.root, layout.IGNORED_NAMES))
        registry, ignored_now = vault.registry, store.ignored_names(vault.root)
        data, new = before, []
        for name in map(check_name, names):
            entity = registry.find(name)
            if entity is not None:
                raise _taken(name, entity)
            if fold(name) not in ignored_now:
                ignored_now[fold(name)] = name
                data = store.with_name(data, name)
                new.append(name)
        if data is not None and data != before:
            change.put(layout.IGNORED_NAMES, data, expected=before)
        change.message = subject("review", f"ignored {', '.join(new)}")
    return new, change.commit


def _bytes(path: str) -> bytes | None:
    return files.read(path) if os.path.lexists(path) else None
