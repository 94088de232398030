"""What people decide on entities: register, ignore, rename, alias, merge.

Invariant: each decision is one commit of the registry and of every entry that it
changes, of which nothing but the `entities` line changes; `memcli review --undo` takes
it back. What is planned is decided again under the lock, so that nothing is missed.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.curation.entities import page
from memcli.entries import layout
from memcli.entries.checks import check_choice
from memcli.entries.eligibility import View
from memcli.entries.entry import EntityType
from memcli.entries.ids import is_adopted, new_id, slug
from memcli.entries.text import mentions
from memcli.entries.text.mentions import fold
from memcli.entries.text.name_index import Registered, compiled
from memcli.errors import NotAllowed, UsageError
from memcli.storage import files
from memcli.vault.registry import ignored
from memcli.vault.registry.page import (
    check_name,
    description_of,
    encode_entity,
    rewrite_entity,
)

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.storage.transaction import Transaction
    from memcli.vault.registry.store import Registry
    from memcli.vault.vault import Vault


class EntityRequest(NamedTuple):
    """What is to happen: `verb` is register, rename, alias or merge.

    `other` is the new name, the alias, or what the entity is merged into; `type` and
    `aliases` are of what is registered.
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
            "entries": [one._asdict() for one in self.entries],
        }


class _FileEdit(NamedTuple):
    """One file: its bytes before and after, None for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    what: str


class _EntityDecision(NamedTuple):
    """What a request means for the registry: the entity as it will be.

    `forms` are the folded names whose mentions become its name; `found` is whether
    texts that mention it without a link get one.
    """

    entity: Registered
    changes: list[_FileEdit]
    forms: set[str]
    found: bool


def plan(vault: "Vault", request: EntityRequest) -> EntityPlan:
    """What a request would change; nothing is changed.

    Raises:
        NotAllowed: an agent asks; the name is taken (`entity_exists`) or ambiguous.
        EntryNotFound: nobody knows the name (`entity_not_found`).
        InvalidValue: not a name, or no such type.
        UsageError: the request changes nothing by itself.
    """
    return _planned(vault, request)[0]


def apply(vault: "Vault", request: EntityRequest) -> tuple[EntityPlan, str | None]:
    """Do what a request asks for, in one commit.

    Returns:
        (what was changed, the commit's id).

    Raises:
        As `plan`; Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    from memcli.storage.transaction import subject

    with vault.transaction() as change:
        found, changes = _planned(vault, request)
        for one in changes:
            _put(change, one)
        change.message = subject("review", _sentence(request, found.name))
    return found, change.commit


def ignore(vault: "Vault", names: Sequence[str]) -> tuple[list[str], str | None]:
    """Remember that these are no entities, in one commit; they are not proposed again.

    Returns:
        (the names that were not ignored before, the commit's id).

    Raises:
        As `apply`; NotAllowed also for what is registered (`entity_exists`).
    """
    from memcli.storage.transaction import subject

    vault.owner_only("deciding on entities")
    with vault.transaction() as change:
        place = files.inside(vault.root, layout.IGNORED_NAMES)
        before = _bytes(place)
        known, there = vault.registry, ignored.ignored_names(vault.root)
        data, new = before, []
        for name in map(check_name, names):
            one = known.find(name)
            if one is not None:
                raise _taken(name, one)
            if fold(name) not in there:
                there[fold(name)] = name
                data = ignored.with_name(data, name)
                new.append(name)
        if data is not None and data != before:
            change.put(layout.IGNORED_NAMES, data, expected=before)
        change.message = subject("review", f"ignored {', '.join(new)}")
    return new, change.commit


def _bytes(place: str) -> bytes | None:
    import os

    return files.read(place) if os.path.lexists(place) else None


def _put(change: "Transaction", one: _FileEdit) -> None:
    if one.after is None:
        change.remove(one.path, expected=one.before)
    else:
        change.put(one.path, one.after, expected=one.before)


def _sentence(request: EntityRequest, name: str) -> str:
    return {
        "register": f"registered {name}",
        "rename": f"renamed {request.name} to {name}",
        "alias": f"{request.other} is {name}",
        "merge": f"merged {request.name} into {name}",
    }[request.verb]


def _planned(
    vault: "Vault", request: EntityRequest
) -> tuple[EntityPlan, list[_FileEdit]]:
    vault.owner_only("deciding on entities")
    decide = {
        "register": _register,
        "rename": _rename,
        "alias": _alias,
        "merge": _merge,
    }[request.verb]
    decision = decide(vault, request)
    name = decision.entity.name
    touched, rewritten = _entries(vault, decision)
    changes = decision.changes + rewritten
    shown = [(one.path, one.what) for one in decision.changes]
    return EntityPlan(request, name, shown, touched), changes


# --- what a request means -----------------------------------------------------------


def _register(vault: "Vault", request: EntityRequest) -> _EntityDecision:
    known = vault.registry
    name = check_name(request.name)
    aliases = tuple(map(check_name, request.aliases))
    for each in (name, *aliases):
        _refuse_taken(known, each, None)
    kind = str(check_choice(EntityType, request.type, "type"))
    one = _fresh(vault, name, kind, _others(name, aliases))
    ending = _no_more_ignored(vault, {fold(name)})
    return _EntityDecision(one[0], [one[1], *ending], _forms(one[0]), found=True)


def _rename(vault: "Vault", request: EntityRequest) -> _EntityDecision:
    known = vault.registry
    old = _known(vault, request.name)
    new = check_name(request.other)
    _refuse_taken(known, new, old if old.path else None)
    if new == old.name:
        raise UsageError(f"it is called '{new}' already")
    aliases = _others(new, (*old.aliases, old.name))
    entity = old._replace(name=new, aliases=aliases)
    changes = [_written(vault, old, entity, f"called {new}; the file keeps its name")]
    entity = entity._replace(path=changes[0].path)
    return _EntityDecision(entity, changes, _forms(old) | _forms(entity), found=False)


def _alias(vault: "Vault", request: EntityRequest) -> _EntityDecision:
    known = vault.registry
    one = _known(vault, request.name)
    alias = check_name(request.other)
    _refuse_taken(known, alias, one if one.path else None)
    aliases = _others(one.name, (*one.aliases, alias))
    if aliases == one.aliases:
        raise UsageError(f"'{alias}' is a name of {one.name} already")
    entity = one._replace(aliases=aliases)
    changes = [_written(vault, one, entity, f"alias {alias}")]
    entity = entity._replace(path=changes[0].path)
    return _EntityDecision(entity, changes, _forms(entity), found=True)


def _merge(vault: "Vault", request: EntityRequest) -> _EntityDecision:
    known = vault.registry
    source = _known(vault, request.name)
    target = _known(vault, request.other)
    same = fold(source.name) == fold(target.name)
    gone = [
        one
        for one in known.entities
        if fold(one.name) == fold(source.name) and one.path != target.path
    ]
    if same and not gone:
        raise UsageError(
            f"{source.name} and {target.name} are one entity already: "
            f"{target.path or 'mentioned, not registered'}",
            hint="A second file of that name, if there is one, is named with what to "
            "do by: memcli inspect lint",
        )
    names = [source.name, *source.aliases]
    names += [alias for one in gone for alias in one.aliases]
    aliases = _others(target.name, (*target.aliases, *names))
    kind = source.type if not target.path else target.type
    entity = target._replace(aliases=aliases, type=kind)
    removed = [
        _FileEdit(
            one.path, files.read(files.inside(vault.root, one.path)), None, "removed"
        )
        for one in gone
    ]
    texts = [description_of(one.before or b"", one.path) for one in removed]
    kept = _written(vault, target, entity, f"takes in {source.name}", texts)
    entity = entity._replace(path=kept.path)
    forms = _forms(source) | _forms(entity)
    return _EntityDecision(entity, [kept, *removed], forms, found=False)


def _known(vault: "Vault", name: str) -> Registered:
    """The entity of a name; one that is only mentioned has no path."""
    known = vault.registry
    page.refuse_ambiguous(known, name)
    one = known.find(name)
    if one is not None:
        return one
    found = page.page(vault, name)
    return Registered(found.name)


def _written(
    vault: "Vault",
    old: Registered,
    entity: Registered,
    what: str,
    texts: Iterable[str] = (),
) -> _FileEdit:
    """The change of an entity's file; what had none gets one."""
    added = "\n\n".join(text for text in texts if text)
    if not old.path:
        return _fresh(vault, entity.name, entity.type, entity.aliases, added)[1]
    before = files.read(files.inside(vault.root, old.path))
    after = rewrite_entity(
        before, old.path, name=entity.name, aliases=entity.aliases, added=added
    )
    return _FileEdit(old.path, before, after, what)


def _fresh(
    vault: "Vault",
    name: str,
    kind: str,
    aliases: tuple[str, ...],
    description: str = "",
) -> tuple[Registered, _FileEdit]:
    from memcli.entries import dates

    now_ms = vault.now_ms()
    path = vault.free_path(layout.registry_folder(kind), slug(name), {})
    one = Registered(name, kind, aliases, dates.iso(now_ms // 1000), path)
    text = f"{description}\n" if description else ""
    data = encode_entity(one, new_id(now_ms, vault.entropy), text)
    return one, _FileEdit(path, None, data, "registered")


def _no_more_ignored(vault: "Vault", forms: set[str]) -> list[_FileEdit]:
    """The file of ignored names without these, when it has them."""
    if not forms & ignored.ignored_names(vault.root).keys():
        return []
    before = files.read(files.inside(vault.root, layout.IGNORED_NAMES))
    after = ignored.without_names(before, forms)
    return [_FileEdit(layout.IGNORED_NAMES, before, after, "ignored no more")]


def _others(name: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """The aliases, each once, without the name itself."""
    found = {fold(alias): alias for alias in reversed(list(aliases))}
    found.pop(fold(name), None)
    return tuple(reversed(found.values()))


def _forms(one: Registered) -> set[str]:
    return page.forms_of(one, one.name)


def _refuse_taken(known: "Registry", name: str, but: Registered | None) -> None:
    """Raise NotAllowed for a name that another entity has."""
    for one in known.entities:
        if but is not None and fold(one.name) == fold(but.name):
            continue
        if fold(name) in _forms(one):
            raise _taken(name, one)


def _taken(name: str, one: Registered) -> NotAllowed:
    also = "" if fold(name) == fold(one.name) else f" as an alias of {one.name}"
    return NotAllowed(
        f"'{name}' is registered{also}: {one.path}",
        hint=f"memcli inspect entity '{one.name}', or make two one: "
        f"memcli entities merge OTHER '{one.name}'",
        code="entity_exists",
    )


# --- what it means for entries ------------------------------------------------------


def _entries(
    vault: "Vault", decision: _EntityDecision
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


def _paths(vault: "Vault", reader: "Reader", decision: _EntityDecision) -> list[str]:
    """Entries that mention one of the names; in force, also those whose text does."""
    view = View(vault.now_ms() // 1000)
    entity = decision.entity
    rest = [one for one in vault.registry.entities if one.path != entity.path]
    names = compiled([*rest, entity])
    found = set(page.mentioning(reader, decision.forms))
    if decision.found:
        for doc in reader.everything():
            row = reader.row(doc)
            # A note that memcli did not write is changed only when it is named.
            if doc in found or is_adopted(row.id):
                continue
            if reader.verdict(doc, view) is None:
                text = f"{row.title}\n\n{row.text}"
                if entity.name in mentions.mentions(text, names)[0]:
                    found.add(doc)
    return sorted(reader.row(doc).path for doc in found)


def _mapped(before: tuple[str, ...], decision: _EntityDecision) -> tuple[str, ...]:
    """The mentions with the entity's name for each of its names, or with it added."""
    name = decision.entity.name
    kept: dict[str, str] = {}
    for each in before:
        now = name if fold(each) in decision.forms else each
        kept.setdefault(fold(now), now)
    kept.setdefault(fold(name), name)
    return tuple(kept.values())
