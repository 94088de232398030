"""Decisions of people on entities: register, merge.

Invariant: each decision is one commit of the registry and of every entry that it
changes, in which only the `entities` line changes; `memcli undo` takes it
back. `apply` decides again under the lock, so that no later change is missed.
"""

from __future__ import annotations

from shlex import quote

from memcli.curation.changing import Changing
from memcli.curation.entities import listing
from memcli.entries import dates, layout
from memcli.entries.eligibility import View
from memcli.entries.entry import EntityType, check_choice
from memcli.entries.ids import is_adopted, new_id, slug
from memcli.entries.text import mentions
from memcli.entries.text.mentions import Registered, compiled, fold
from memcli.errors import NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files
from memcli.storage.vault_paths import FreePaths, inside
from memcli.vault.registry import (
    check_name,
    description_of,
    encode_entity,
    rewrite_entity,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.search.reader import Reader
    from memcli.vault.registry import Registry
    from memcli.vault.vault import Vault


class EntityRequest(NamedTuple):
    """A person's request: `verb` is register or merge.

    `register` makes an entity of `name`, with a `type` and `aliases`. `merge` makes one
    entity of `name` and `other`, which is called `other` from then on. One of the two
    may be new: so an entity gets another name, or one more.
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

    `action` is the request's verb; of each file of the registry `files` have its `path`
    and `what` becomes of it.
    """

    action: str
    name: str
    files: list[dict[str, str]]
    entries: list[Touched]


class _FileEdit(NamedTuple):
    """One file: its bytes before and after, None for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    what: str


def apply(
    vault: Vault, request: EntityRequest, *, dry_run: bool = False
) -> tuple[EntityPlan, str | None]:
    """Do what a request asks for, in one commit; a dry run only says what it changes.

    Returns:
        (what was changed, the commit's id).

    Raises:
        NotAllowed: an agent asks; the name is taken (`entity_exists`) or ambiguous.
        EntryNotFound: no entity has one of the names (`entity_not_found`).
        InvalidValue: not a name, or no such type.
        UsageError: the two are one entity already.
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    with Changing(vault) as at:
        plan, edits = _planned(vault, request)
        for path, before, after, _ in edits if not dry_run else ():
            at.change.put(path, after, expected=before)
        merges = request.verb == "merge"
        done = f"merged {request.name} into" if merges else "registered"
        at.say("review", [f"{done} {plan.name}"])
    return plan, at.change.commit


def _planned(
    vault: Vault, request: EntityRequest
) -> tuple[EntityPlan, list[_FileEdit]]:
    from memcli.entries import codec, no_secrets

    vault.owner_only("deciding on entities")
    decide = _registered if request.verb == "register" else _merged
    entity, pages = decide(vault, request)
    edits = _files(vault, entity, pages)
    shown = [{"path": edit.path, "what": edit.what} for edit in edits]
    entity = entity._replace(path=edits[0].path)
    touched = []
    for path in vault.read(lambda reader: _paths(vault, reader, entity)):
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
    return EntityPlan(request.verb, entity.name, shown, touched), edits


# --- what a request means -----------------------------------------------------------


def _registered(
    vault: Vault, request: EntityRequest
) -> tuple[Registered, list[Registered]]:
    name, *aliases = map(check_name, (request.name, *request.aliases))
    for each in (name, *aliases):
        _refuse_taken(vault.registry, each)
    kind = str(check_choice(EntityType, request.type, "type"))
    return Registered(name, kind, _others(name, aliases)), []


def _merged(
    vault: Vault, request: EntityRequest
) -> tuple[Registered, list[Registered]]:
    """The one entity, and the pages of the two, that which stays first."""
    one, other = (_known(vault, name) for name in (request.name, request.other))
    if one is None and other is None:
        raise listing.not_found(vault, request.name)
    source, name = one or check_name(request.name), other or check_name(request.other)
    forms = {fold(source), fold(name)}
    pages = [page for page in vault.registry.entities if fold(page.name) in forms]
    pages.sort(key=lambda page: fold(page.name) != fold(name))
    if len(forms) == 1 and len(pages) < 2:
        raise UsageError(
            f"{request.name} and {request.other} are one entity already: "
            f"{pages[0].path if pages else 'mentioned, not registered'}",
            hint="If a second file has that name, memcli inspect lint says what to do.",
        )
    names = [alias for page in pages[:1] for alias in page.aliases] + [source]
    names += [each for page in pages for each in (page.name, *page.aliases)]
    kind = pages[0].type if pages else request.type
    return Registered(name, kind, _others(name, names)), pages


def _known(vault: Vault, name: str) -> str | None:
    """The name of the entity that a name means, as its page or the first entry spells
    it; None for a new name."""
    listing.refuse_ambiguous(vault.registry, name)
    entity = vault.registry.find(name)
    if entity is not None:
        return entity.name
    spelt = vault.read(lambda reader: list(reader.values("entity_name")))
    return min((each for each in spelt if fold(each) == fold(name)), default=None)


def _files(
    vault: Vault, entity: Registered, pages: Sequence[Registered]
) -> list[_FileEdit]:
    """The edits of the registry: the first page becomes that of the entity, the others
    are removed, and what they say goes there."""

    def data_of(path: str) -> bytes:
        return files.read(inside(vault.root, path))

    removed = [
        _FileEdit(page.path, data_of(page.path), None, "removed") for page in pages[1:]
    ]
    texts = [description_of(edit.before or b"", edit.path) for edit in removed]
    added = "\n\n".join(filter(None, texts))
    if pages:
        path, before = pages[0].path, data_of(pages[0].path)
        data = rewrite_entity(
            before, path, name=entity.name, aliases=entity.aliases, added=added
        )
        what = "its names" if pages[0].name == entity.name else "another name"
        what = f"{what}: {', '.join((entity.name, *entity.aliases))}"
        return [_FileEdit(path, before, data, what), *removed]
    now_ms, folder = vault.now_ms(), layout.registry_folder(entity.type)
    path = FreePaths(vault.root, None).take(folder, slug(entity.name))
    entity = entity._replace(path=path, created=dates.iso(now_ms // 1000))
    data = encode_entity(entity, new_id(now_ms, vault.caller.entropy))
    return [_FileEdit(path, None, data, "registered")]


def _others(name: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """The aliases, each once, without the name itself."""
    by_form: dict[str, str] = {}
    for alias in aliases:
        by_form.setdefault(fold(alias), alias)
    by_form.pop(fold(name), None)
    return tuple(by_form.values())


def _refuse_taken(registry: Registry, name: str) -> None:
    """Raise NotAllowed for a name that another entity has."""
    for entity in registry.entities:
        if fold(name) in listing.forms_of(entity):
            said = quote(entity.name)  # a page of the registry may be another person's
            also = f" as an alias of {entity.name}" * (fold(name) != fold(entity.name))
            raise NotAllowed(
                f"'{name}' is registered{also}: {entity.path}",
                hint=f"memcli entities show {said}, or merge the two: "
                f"memcli entities merge OTHER {said}",
                code="entity_exists",
            )


# --- what it means for entries ------------------------------------------------------


def _paths(vault: Vault, reader: Reader, entity: Registered) -> list[str]:
    """Entries that mention one of the names, and entries in force whose text does."""
    view = View(vault.now_ms() // 1000)
    forms = listing.forms_of(entity)
    others = [
        each
        for each in vault.registry.entities
        if forms.isdisjoint(listing.forms_of(each))
    ]
    names = compiled([*others, entity])
    docs = set(listing.mentioning(reader, forms))
    for doc in reader.everything():
        row = reader.row(doc)
        # A note that memcli did not write is changed only when it is named.
        if not is_adopted(row.id) and reader.verdict(doc, view) is None:
            text = f"{row.title}\n\n{row.text}"
            if entity.name in mentions.mentions(text, names)[0]:
                docs.add(doc)
    return sorted(reader.row(doc).path for doc in docs)


def _mapped(before: tuple[str, ...], entity: Registered) -> tuple[str, ...]:
    """The mentions with the entity's name for each of its names, or with it added."""
    name, forms = entity.name, listing.forms_of(entity)
    by_form: dict[str, str] = {}
    for mention in (*before, name):
        now = name if fold(mention) in forms else mention
        by_form.setdefault(fold(now), now)
    return tuple(by_form.values())
