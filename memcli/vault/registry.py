"""The registry: who and what a vault knows by name, a file for each in `entities/`.

Invariant: the files are the truth. A file that cannot be understood is named by the
lint, counts as no entity, and stops nothing. What is derived from them is kept below
`.memcli/run/`, by path, size and time, so that a save parses no YAML; it may be
deleted at any time.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memcli.entries import layout
from memcli.entries.checks import check_choice
from memcli.entries.eligibility import Agent, Facts, visible
from memcli.entries.entry import EntityType, Entry, Status, Visibility
from memcli.entries.ids import slug
from memcli.entries.text.mentions import Compiled, fold
from memcli.errors import InvalidEntry, InvalidValue, MemcliError
from memcli.storage import cache, files
from memcli.storage.listing import scan

if TYPE_CHECKING:
    from memcli.entries.text.name_index import Registered

_VERSION = 3
# A file may change again within the same tick of the clock; so young, it is read again.
_RACY_NS = 2_000_000_000
_TYPES = frozenset(map(str, EntityType))
_ALIASES = "aliases"
# As notes of other programs spell it.
_ALIAS_KEYS = (_ALIASES, "alias")
_NAME_KEY = "name"
_LONGEST_NAME = 200


_Kept = tuple[dict[str, list[Any]], str, tuple[Any, ...], list[tuple[str, int, str]]]


class Registry:
    """What is registered, as far as whoever asks may know of it.

    `names` are ready for linking, `broken` are files that cannot be used: (path, line,
    why). The entities themselves are made when somebody asks: a save does not.
    """

    __slots__ = ("_rows", "broken", "names")

    def __init__(
        self,
        rows: Sequence[tuple[Any, ...]] | str,
        names: Compiled,
        broken: Sequence[tuple[str, int, str]],
    ) -> None:
        self._rows = rows
        self.names = names
        self.broken = broken

    @property
    def entities(self) -> "tuple[Registered, ...]":
        """Every entity, in the order of their paths."""
        from memcli.entries.text.name_index import Registered

        rows = self._rows
        if isinstance(rows, str):
            rows = _rows(rows)
        return tuple(Registered(*row) for row in rows)

    def find(self, name: str) -> "Registered | None":
        """The entity that a name or an alias means, None for none or several."""
        meant = self.names.meant.get(fold(name))
        found = (one for one in self.entities if one.name == meant)
        return next(found, None) if meant is not None else None


EMPTY = Registry((), Compiled({}, {}, {}), ())


def load(root: str, agent: Agent | None = None) -> Registry:
    """The registry of a vault; without one, this is a look at one folder.

    Args:
        root: the vault.
        agent: who asks; what it may not see is not registered for it.
    """
    listing = _listing(root)
    if not listing:
        return EMPTY
    kept = _cached(root)
    if kept is not None and kept[0] == listing:
        found = Registry(kept[1], Compiled(*kept[2]), kept[3])
    else:
        found = _read(root, listing, kept)
    return found if agent is None else _seen_by(found, agent)


def _seen_by(registry: Registry, agent: Agent) -> Registry:
    from memcli.entries.text.name_index import compiled

    seen = tuple(one for one in registry.entities if _is_visible(one, agent))
    return Registry(seen, compiled(seen), ())


def _is_visible(one: "Registered", agent: Agent) -> bool:
    facts = Facts(
        Status.ACTIVE,
        0,
        agent=one.agent,
        visibility=Visibility(one.visibility),
        groups=one.groups,
    )
    return visible(facts, agent)


# --- files ------------------------------------------------------------------------


def _listing(root: str) -> dict[str, list[str | int]]:
    """The folders of registry files, each flat, as `Listing` has them."""
    top = os.path.join(root, layout.ENTITIES)
    if os.path.islink(top):
        return {}
    try:
        found = scan(top).folders
    except MemcliError:  # there is none, or nobody may list it
        return {}
    return {
        folder: flat
        for folder, flat in found.items()
        if folder.partition("/")[0] in _TYPES
    }


def _stamps(listing: Mapping[str, Sequence[Any]]) -> dict[str, tuple[int, int]]:
    """path -> (time, size) of every file of a listing."""
    return {
        f"{layout.ENTITIES}/{folder}/{flat[i]}": (flat[i + 1], flat[i + 2])
        for folder, flat in listing.items()
        for i in range(0, len(flat), 3)
    }


def _read(
    root: str, listing: Mapping[str, list[str | int]], kept: "_Kept | None"
) -> Registry:
    """Read what is not in the cache, and write the cache anew."""
    from memcli.entries.text.name_index import Registered, compiled

    stamps = _stamps(listing)
    known: dict[str, Registered] = {}
    if kept is not None:
        old = _stamps(kept[0])
        rows = [Registered(*row) for row in _rows(kept[1])]
        same = (row for row in rows if old.get(row.path) == stamps.get(row.path))
        known = {row.path: row for row in same}
    entities: list[Registered] = []
    broken: list[tuple[str, int, str]] = []
    for path in sorted(stamps):
        one = known.get(path) or _one(root, path)
        if isinstance(one, Registered):
            entities.append(one)
        else:
            broken.append(one)
    registry = Registry(entities, compiled(entities), broken)
    _keep(root, listing, registry)
    return registry


def _one(root: str, path: str) -> "Registered | tuple[str, int, str]":
    try:
        data = files.read(os.path.join(root, *path.split("/")))
        return registered(data, path)
    except InvalidEntry as error:
        return path, error.line, error.reason
    except MemcliError as error:
        return path, 1, error.message


def _keep(
    root: str, listing: Mapping[str, list[str | int]], registry: Registry
) -> None:
    """Write the cache; not durable, since it is read again when it is missing."""
    horizon = time.time_ns() - _RACY_NS
    sure = {folder: list(flat) for folder, flat in listing.items()}
    for flat in sure.values():
        for i in range(1, len(flat), 3):
            if int(flat[i]) >= horizon:
                flat[i] = 0  # no file is so old: it is read again
    import json

    rows = json.dumps(registry.entities)
    state: Any = (_VERSION, sure, rows, registry.names.parts, list(registry.broken))
    place = _cache_path(root)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        cache.store(place, state)
    except OSError:  # a vault that may only be read
        return


def _cached(root: str) -> "_Kept | None":
    """(listing, rows, names, broken) as they were kept, None when of no use."""
    state = cache.load(_cache_path(root))
    if not isinstance(state, list) or state[:1] != [_VERSION]:
        return None
    _, listing, rows, names, broken = state
    return listing, rows, names, [tuple(why) for why in broken]


def _rows(text: str) -> list[tuple[Any, ...]]:
    """The rows of entities, kept as text so that a save parses none of them."""
    import json

    return [
        (*row[:2], tuple(row[2]), *row[3:7], tuple(row[7])) for row in json.loads(text)
    ]


def _cache_path(root: str) -> str:
    return os.path.join(root, *layout.REGISTRY_CACHE.split("/"))


# --- one file ---------------------------------------------------------------------


def registered(data: bytes, path: str) -> "Registered":
    """Read a registry file: its title is the name, else `name`, else the file's own.

    Raises:
        InvalidEntry: as `codec.decode`; also a name that is empty or too long.
    """
    from memcli.entries import codec
    from memcli.entries.frontmatter import values_of
    from memcli.entries.text.name_index import Registered

    entry = codec.decode(data, path).entry
    extra = dict(entry.extra)
    called = values_of(extra[_NAME_KEY]) if _NAME_KEY in extra else []
    stem = path.rpartition("/")[2].removesuffix(".md")
    name = " ".join((entry.title or " ".join(called) or stem).split())
    if len(name) > _LONGEST_NAME:
        raise InvalidEntry(path, 1, f"a name of {len(name)} characters")
    kind = str(entry.type)
    if entry.type is EntityType.UNKNOWN:
        kind = layout.registered_type(path) or kind
    return Registered(
        name=name,
        type=kind,
        aliases=_aliases_of(entry),
        created=entry.created,
        path=path,
        agent=entry.agent,
        visibility=str(entry.visibility),
        groups=entry.groups,
    )


def _aliases_of(entry: Entry) -> tuple[str, ...]:
    from memcli.entries.frontmatter import values_of

    found = (
        " ".join(value.split())
        for key, lines in entry.extra
        if key in _ALIAS_KEYS
        for value in values_of(lines)
    )
    return tuple(dict.fromkeys(filter(None, found)))


def check_name(name: str) -> str:
    """The name on one line, or InvalidValue when it cannot be one."""
    plain = " ".join(name.split())
    if not any(map(str.isalnum, plain)) or len(plain) > _LONGEST_NAME or "\0" in plain:
        raise InvalidValue(
            f"not a name: {name[:60]!r}",
            hint=f"One line with a letter, at most {_LONGEST_NAME} characters.",
            code="invalid_entity",
        )
    return plain


def fresh(one: "Registered", entry_id: str, description: str = "") -> bytes:
    """The bytes of a new registry file."""
    from memcli.entries import codec
    from memcli.entries.frontmatter import lines_of

    extra = ((_ALIASES, lines_of(_ALIASES, one.aliases)),) if one.aliases else ()
    entry = Entry(
        id=entry_id,
        title=one.name,
        type=check_choice(EntityType, one.type, "type"),
        created=one.created,
        agent=one.agent,
        visibility=Visibility(one.visibility),
        groups=one.groups,
        extra=extra,
        body=description,
        path=one.path,
    )
    return codec.encode(entry)


def enrolled(
    entry: Entry,
    given: Sequence[str],
    names: Compiled,
    place: Callable[[str, str], str],
    fresh_id: Callable[[], str],
) -> "list[tuple[Registered, bytes]]":
    """The new files of names that somebody gave an entry and nobody knows.

    A candidate registers nothing: it is not decided on. Who may see the entry may know
    of its entities.

    Args:
        entry: what the names were given to; its type becomes theirs.
        given: the names.
        names: those that are known.
        place: gives a free path for a folder and a slug.
        fresh_id: gives an id.

    Raises:
        InvalidValue: one of them cannot be a name.
    """
    if not given or entry.status is Status.PENDING:
        return []
    from memcli.entries.text.name_index import Registered

    known = names.meant.keys() | names.ambiguous.keys()
    new = [check_name(name) for name in given if fold(name) not in known]
    folder = layout.registry_folder(str(entry.type))
    found = []
    for name in new:
        one = Registered(
            name,
            str(entry.type),
            created=entry.created,
            path=place(folder, slug(name)),
            agent=entry.agent,
            visibility=str(entry.visibility),
            groups=entry.groups,
        )
        found.append((one, fresh(one, fresh_id())))
    return found


def changed(
    data: bytes, path: str, *, name: str, aliases: Iterable[str], added: str = ""
) -> bytes:
    """A registry file with another name and other aliases; every other line stays.

    Args:
        data: the file as it is.
        path: where it is.
        name: its name from now on.
        aliases: all of its aliases from now on.
        added: a text to put behind its description.
    """
    from memcli.entries import codec
    from memcli.entries.frontmatter import lines_of

    entry = codec.decode(data, path).entry
    names = tuple(dict.fromkeys(aliases))
    extra = entry.extra
    if names != _aliases_of(entry):
        rest = tuple(item for item in extra if item[0] not in _ALIAS_KEYS)
        lines = ((_ALIASES, lines_of(_ALIASES, names)),) if names else ()
        extra = rest + lines
    title = entry.title if registered(data, path).name == name else name
    body = entry.body
    if added.strip():
        gap = "\n" if body.endswith("\n") or not body else "\n\n"
        body = f"{body}{gap}{added.strip()}\n"
    return codec.rewrite(data, entry.replace(title=title, extra=extra, body=body))


def description_of(data: bytes, path: str) -> str:
    """What a registry file says of its entity.

    Raises:
        InvalidEntry: as `codec.decode`.
    """
    from memcli.entries import codec

    return codec.decode(data, path).entry.body.strip()


# --- what is wrong ----------------------------------------------------------------


def link_names(
    root: str, agent: Agent | None = None
) -> Iterator[tuple[tuple[str, ...], str]]:
    """(names in lower case, path) of each entity that whoever asks may know of."""
    for one in load(root, agent).entities:
        yield (tuple(map(fold, (one.name, *one.aliases))), one.path)


# --- names that are none ----------------------------------------------------------


def ignored(root: str) -> dict[str, str]:
    """folded -> name of what was said to be no entity."""
    try:
        text = files.read(files.inside(root, layout.IGNORED_NAMES)).decode()
    except (MemcliError, UnicodeDecodeError):
        return {}
    lines = (line.strip() for line in text.splitlines())
    return {fold(line): line for line in lines if line and line[0] != "#"}


def with_ignored(data: bytes | None, name: str) -> bytes:
    """The file of ignored names with one more, a line each."""
    head = b"# Names that are no entities, one a line; memcli review NAME --ignore\n"
    before = head if data is None else data
    if before and not before.endswith(b"\n"):
        before += b"\n"
    return before + name.encode() + b"\n"


def without_ignored(data: bytes, forms: set[str]) -> bytes:
    """The file of ignored names without these folded ones; other lines stay."""
    lines = data.decode().splitlines(keepends=True)
    return "".join(line for line in lines if fold(line) not in forms).encode()
