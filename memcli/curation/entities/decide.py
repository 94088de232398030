"""Decisions of people on entities: register, ignore, rename, alias, merge.

Invariant: each decision is one commit of the registry and of every entry that it
changes, in which only the `entities` line changes; `memcli undo` takes it
back. `apply` decides again under the lock, so that no later change is missed.
"""

from __future__ import annotations

import os
from shlex import quote

from memcli.curation.changing import Changing
from memcli.curation.entities import listing
from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.entry import EntityType, check_choice
from memcli.entries.ids import is_adopted, new_id, slug
from memcli.entries.text import mentions
from memcli.entries.text.mentions import Registered, compiled, fold
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault import free_paths
from memcli.vault import registry as store
from memcli.vault.registry import (
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
    from memcli.vault.registry import Registry
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
            "entries": self.entries,
        }


class _FileEdit(NamedTuple):
    """One file: its bytes before and after, None for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    what: str


class _Decision(NamedTuple):
    """The effect of a request on the registry: the entity as it was, without a path
    where it has no file, and as it will be; the entities that it takes in."""

    old: Registered
    entity: Registered
    what: str
    gone: Sequence[Registered] = ()


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
    with Changing(vault) as at:
        plan, edits = _planned(vault, request)
        for path, before, after, _ in edits:
            if after is None:
                at.change.remove(path, expected=before)
            else:
                at.change.put(path, after, expected=before)
        at.say("review", [_SENTENCES[request.verb].format(request, name=plan.name)])
    return plan, at.change.commit


_SENTENCES = {
    "register": "registered {name}",
    "rename": "renamed {0.name} to {name}",
    "alias": "{0.other} is {name}",
    "merge": "merged {0.name} into {name}",
}


def _planned(
    vault: Vault, request: EntityRequest
) -> tuple[EntityPlan, list[_FileEdit]]:
    from memcli.entries import codec, no_secrets

    vault.owner_only("deciding on entities")
    decide = {"register": _registered, "merge": _merged}.get(request.verb, _renamed)
    decision = decide(vault, request)
    edits = _files(vault, decision)
    shown = [(edit.path, edit.what) for edit in edits]
    entity = decision.entity._replace(path=edits[0].path)
    in_texts = request.verb in ("register", "alias")
    touched = []
    for path in vault.read(lambda r: _paths(vault, r, entity, in_texts=in_texts)):
        stored = vault.stored(path)
        before = stored.entry.entities
        after = _mapped(before, entity)
        if after != before:
            entry = stored.entry.replace(entities=after)
            data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
            edits.append(_FileEdit(path, stored.data, data, ""))
            title = entry.display_title
            touched.append(Touched(entry.id, title, path, list(before), list(after)))
    # As the transaction would, so that a plan refuses what its execution refuses.
    no_secrets.refuse_new({e.path: (e.before, e.after) for e in edits}, (), "")
    return EntityPlan(request, entity.name, shown, touched), edits


# --- what a request means -----------------------------------------------------------


def _registered(vault: Vault, request: EntityRequest) -> _Decision:
    name, *aliases = map(check_name, (request.name, *request.aliases))
    for each in (name, *aliases):
        _refuse_taken(vault.registry, each, None)
    kind = str(check_choice(EntityType, request.type, "type"))
    entity = Registered(name, kind, _others(name, aliases))
    return _Decision(Registered(name), entity, "registered")


def _renamed(vault: Vault, request: EntityRequest) -> _Decision:
    """An entity with another name, or with one more."""
    old = _known(vault, request.name)
    new = check_name(request.other)
    _refuse_taken(vault.registry, new, old if old.path else None)
    renames = request.verb == "rename"
    name = new if renames else old.name
    aliases = _others(name, (*old.aliases, old.name, new))
    if (name, aliases) == (old.name, old.aliases):
        raise UsageError(f"'{new}' is a name of {old.name} already")
    what = f"called {new}; the file keeps its name" if renames else f"alias {new}"
    return _Decision(old, old._replace(name=name, aliases=aliases), what)


def _merged(vault: Vault, request: EntityRequest) -> _Decision:
    source, target = _known(vault, request.name), _known(vault, request.other)
    gone = [
        entity
        for entity in vault.registry.entities
        if fold(entity.name) == fold(source.name) and entity.path != target.path
    ]
    if fold(source.name) == fold(target.name) and not gone:
        raise UsageError(
            f"{source.name} and {target.name} are one entity already: "
            f"{target.path or 'mentioned, not registered'}",
            hint="If a second file has that name, memcli inspect lint says what to do.",
        )
    names = [alias for entity in (source, *gone) for alias in entity.aliases]
    aliases = _others(target.name, (*target.aliases, source.name, *names))
    kind = target.type if target.path else source.type
    entity = target._replace(aliases=aliases, type=kind)
    return _Decision(target, entity, f"takes in {source.name}", gone)


def _known(vault: Vault, name: str) -> Registered:
    """The entity of a name; an entity that is only mentioned has no path."""
    registry = vault.registry
    listing.refuse_ambiguous(registry, name)
    return registry.find(name) or Registered(listing.page(vault, name).name)


def _files(vault: Vault, decision: _Decision) -> list[_FileEdit]:
    """The edits of the registry, that of the entity's own file first."""
    from memcli.entries import dates

    def data_of(path: str) -> bytes:
        return files.read(inside(vault.root, path))

    removed = [
        _FileEdit(each.path, data_of(each.path), None, "removed")
        for each in decision.gone
    ]
    texts = [description_of(edit.before or b"", edit.path) for edit in removed]
    added = "\n\n".join(filter(None, texts))
    old, entity, what = decision.old, decision.entity, decision.what
    before = None
    if old.path:
        path, before = old.path, data_of(old.path)
        data = rewrite_entity(
            before, path, name=entity.name, aliases=entity.aliases, added=added
        )
    else:
        now_ms, what = vault.now_ms(), "registered"
        folder = layout.registry_folder(entity.type)
        path = free_paths.free_path(vault, folder, slug(entity.name), {})
        entity = entity._replace(path=path, created=dates.iso(now_ms // 1000))
        text = f"{added}\n" if added else ""
        data = encode_entity(entity, new_id(now_ms, vault.entropy), text)
    edits = [_FileEdit(path, before, data, what), *removed]
    forms = {fold(entity.name)}
    if not old.path and forms & store.ignored_names(vault.root).keys():
        ignored = data_of(layout.IGNORED_NAMES)
        rest = store.without_names(ignored, forms)
        edits.append(_FileEdit(layout.IGNORED_NAMES, ignored, rest, "ignored no more"))
    return edits


def _others(name: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """The aliases, each once, without the name itself."""
    by_form = {fold(alias): alias for alias in reversed(list(aliases))}
    by_form.pop(fold(name), None)
    return tuple(reversed(by_form.values()))


def _refuse_taken(registry: Registry, name: str, but: Registered | None) -> None:
    """Raise NotAllowed for a name that another entity has."""
    for entity in registry.entities:
        if but is not None and fold(entity.name) == fold(but.name):
            continue
        if fold(name) in listing.forms_of(entity, entity.name):
            said = quote(entity.name)  # a page of the registry may be another person's
            also = f" as an alias of {entity.name}" * (fold(name) != fold(entity.name))
            raise NotAllowed(
                f"'{name}' is registered{also}: {entity.path}",
                hint=f"memcli entities show {said}, or merge the two: "
                f"memcli entities merge OTHER {said}",
                code="entity_exists",
            )


# --- what it means for entries ------------------------------------------------------


def _paths(
    vault: Vault, reader: Reader, entity: Registered, *, in_texts: bool
) -> list[str]:
    """Entries that mention one of the names; with `in_texts` also entries in force
    whose text does."""
    view = View(vault.now_ms() // 1000)
    rest = [other for other in vault.registry.entities if other.path != entity.path]
    names = compiled([*rest, entity])
    docs = set(listing.mentioning(reader, listing.forms_of(entity, entity.name)))
    for doc in reader.everything() if in_texts else ():
        row = reader.row(doc)
        # A note that memcli did not write is changed only when it is named.
        if not is_adopted(row.id) and reader.verdict(doc, view) is None:
            text = f"{row.title}\n\n{row.text}"
            if entity.name in mentions.mentions(text, names)[0]:
                docs.add(doc)
    return sorted(reader.row(doc).path for doc in docs)


def _mapped(before: tuple[str, ...], entity: Registered) -> tuple[str, ...]:
    """The mentions with the entity's name for each of its names, or with it added."""
    name, forms = entity.name, listing.forms_of(entity, entity.name)
    by_form: dict[str, str] = {}
    for mention in (*before, name):
        now = name if fold(mention) in forms else mention
        by_form.setdefault(fold(now), now)
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
        path = inside(vault.root, layout.IGNORED_NAMES)
        data = before = files.read(path) if os.path.lexists(path) else None
        ignored, new = set(store.ignored_names(vault.root)), []
        for name in map(check_name, names):
            _refuse_taken(vault.registry, name, None)
            if fold(name) not in ignored:
                ignored.add(fold(name))
                data = store.with_name(data, name)
                new.append(name)
        if data is not None and data != before:
            change.put(layout.IGNORED_NAMES, data, expected=before)
        change.message = subject("review", f"ignored {', '.join(new)}")
    return new, change.commit
