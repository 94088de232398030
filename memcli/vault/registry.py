"""The names that a vault knows: the registry as a value, from its files or a cache of
them; and a file of it, with an entity's name, aliases and description.

Invariant: the files are the truth. A file that cannot be understood is named by the
lint, counts as no entity, and stops nothing; one that is changed keeps every line that
has no reason to change. What is derived from the files is kept in the user's cache
folder, by path, size and time, so that a save parses no YAML; it may be deleted at any
time.
"""

from __future__ import annotations

import os
import time

from memcli.entries import layout
from memcli.entries.eligibility import Agent, visible
from memcli.entries.entry import EntityType, Entry, Visibility, check_choice
from memcli.entries.text.mentions import Compiled, Registered, compiled, fold
from memcli.errors import InvalidEntry, InvalidValue, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs
from memcli.storage.listing import scan, stats_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeGuard

    # Of a file that cannot be used: the line, and why.
    _Broken = tuple[int, str]
    # By path the time and the size of a file.
    _Stamps = dict[str, list[int]]
    _Cached = tuple[_Stamps, "Registry"]

_VERSION = 7
# A file may change again within the same tick of the clock: of one so young nothing is
# kept, so that it is read again.
_RACY_NS = 2_000_000_000
_TYPES = frozenset(map(str, EntityType))


class Registry(NamedTuple):
    """The registered entities that the asking agent may know of.

    `files` has by path, in order, the entity of a file, or why it cannot be used;
    `names` are ready for linking.
    """

    files: Mapping[str, Registered | _Broken]
    names: Compiled

    @property
    def entities(self) -> tuple[Registered, ...]:
        """Every entity, in the order of their paths."""
        return tuple(each for each in self.files.values() if _is_entity(each))

    @property
    def broken(self) -> list[tuple[str, int, str]]:
        """Path, line and reason of each file that cannot be used."""
        rows = self.files.items()
        return [(path, *each) for path, each in rows if not _is_entity(each)]

    def find(self, name: str) -> Registered | None:
        """The entity that a name or an alias means; None for none or several."""
        meant = self.names.meant.get(fold(name))
        if meant is None:
            return None
        return next((each for each in self.entities if each.name == meant), None)


def _is_entity(found: Registered | _Broken) -> TypeGuard[Registered]:
    return isinstance(found, Registered)


EMPTY = Registry({}, Compiled({}, {}, {}))


def load(root: str, agent: Agent | None = None) -> Registry:
    """Load the registry of a vault; a vault without one costs a look at one folder.

    Args:
        root: the vault's folder.
        agent: the agent that asks, which gets only what it may see; None is the owner.
    """
    stamps = _stamps(root)
    if not stamps:
        return EMPTY
    cached = files.load_value(state_dirs.path(root, layout.REGISTRY_CACHE), _parsed)
    if cached is not None and cached[0] == stamps:
        registry = cached[1]
    else:
        registry = _read(root, stamps, cached)
    if agent is None:
        return registry

    seen = [each for each in registry.entities if visible(each, agent)]
    return Registry({each.path: each for each in seen}, compiled(seen))


# --- files ------------------------------------------------------------------------


def _stamps(root: str) -> _Stamps:
    """The time and the size of every registry file, by its path."""
    top = os.path.join(root, layout.ENTITIES)
    if os.path.islink(top):
        return {}
    try:
        folders = scan(top).folders
    except MemcliError:  # there is no folder, or it may not be listed
        return {}
    return {
        f"{layout.ENTITIES}/{path}": [*stat]
        for folder, part in folders.items()
        if folder.partition("/")[0] in _TYPES
        for path, stat in stats_of(part)
    }


def _read(root: str, stamps: _Stamps, cached: _Cached | None) -> Registry:
    """Read what is not in the cache, and write the cache anew."""
    known: dict[str, Registered | _Broken] = {}
    if cached is not None:
        old, rows = cached[0], cached[1].files.items()
        known = {path: row for path, row in rows if old.get(path) == stamps.get(path)}
    found = {path: known.get(path) or _read_file(root, path) for path in sorted(stamps)}
    names = compiled(each for each in found.values() if _is_entity(each))
    if max(stamps.values())[0] < time.time_ns() - _RACY_NS:
        path = state_dirs.path(root, layout.REGISTRY_CACHE)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            files.store_value(path, (_VERSION, stamps, names, found))
        except OSError:  # a vault that may only be read
            pass
    return Registry(found, names)


def _read_file(root: str, path: str) -> Registered | _Broken:
    try:
        data = files.read(os.path.join(root, *path.split("/")), follow=False)
        return read_entity(data, path)
    except InvalidEntry as error:
        return error.line, error.reason
    except MemcliError as error:
        return 1, error.message


def _parsed(state: Any) -> _Cached | None:
    """The parts of a cache. Nobody but the user writes there, so what is in them is not
    looked at."""
    version, stamps, names, rows = state
    if version != _VERSION:
        return None
    found = {path: _of_row(row) for path, row in rows.items()}
    return stamps, Registry(found, Compiled(*names))


def _of_row(row: list[Any]) -> Registered | _Broken:
    """The entity of a file, or why it cannot be used, of its row in the cache."""
    if len(row) == 2:
        return row[0], row[1]
    values: Any = (tuple(each) if isinstance(each, list) else each for each in row)
    return Registered(*values)


# --- a file ---------------------------------------------------------------------------


_ALIASES = "aliases"
# As notes of other programs spell it.
_ALIAS_KEYS = (_ALIASES, "alias")
_NAME_KEY = "name"
_LONGEST_NAME = 200


def read_entity(data: bytes, path: str) -> Registered:
    """Read a registry file: its title is the name, else `name`, else the file's name.

    Raises:
        InvalidEntry: as `codec.decode`; also a name that is empty or too long.
    """
    from memcli.entries import codec
    from memcli.entries.frontmatter import values_of

    entry = codec.decode(data, path).entry
    extra = dict(entry.extra)
    names = values_of(extra[_NAME_KEY]) if _NAME_KEY in extra else []
    stem = path.rpartition("/")[2].removesuffix(".md")
    name = " ".join((entry.title or " ".join(names) or stem).split())
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

    aliases = (
        " ".join(value.split())
        for key, lines in entry.extra
        if key in _ALIAS_KEYS
        for value in values_of(lines)
    )
    return tuple(dict.fromkeys(filter(None, aliases)))


def check_name(name: str) -> str:
    """The name on one line, or InvalidValue when it cannot be entity."""
    plain = " ".join(name.split())
    if not any(map(str.isalnum, plain)) or len(plain) > _LONGEST_NAME or "\0" in plain:
        raise InvalidValue(
            f"not a name: {name[:60]!r}",
            hint=f"One line with a letter, at most {_LONGEST_NAME} characters.",
            code="invalid_entity",
        )
    return plain


def encode_entity(entity: Registered, entry_id: str) -> bytes:
    """The bytes of a new registry file."""
    from memcli.entries import codec
    from memcli.entries.frontmatter import lines_of

    extra = ((_ALIASES, lines_of(_ALIASES, entity.aliases)),) if entity.aliases else ()
    entry = Entry(
        id=entry_id,
        title=entity.name,
        type=check_choice(EntityType, entity.type, "type"),
        created=entity.created,
        agent=entity.agent,
        visibility=Visibility(entity.visibility),
        groups=entity.groups,
        extra=extra,
        path=entity.path,
    )
    return codec.encode(entry)


def rewrite_entity(
    data: bytes, path: str, *, name: str, aliases: Iterable[str], added: str = ""
) -> bytes:
    """A registry file with this name and these aliases; every other line stays.

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
    title = entry.title if read_entity(data, path).name == name else name
    body = entry.body
    if added.strip():
        gap = "\n" if body.endswith("\n") or not body else "\n\n"
        body = f"{body}{gap}{added.strip()}\n"
    return codec.rewrite(data, entry.replace(title=title, extra=extra, body=body))


def description_of(data: bytes, path: str) -> str:
    """The description of an entity in its registry file.

    Raises:
        InvalidEntry: as `codec.decode`.
    """
    from memcli.entries import codec

    return codec.decode(data, path).entry.body.strip()
