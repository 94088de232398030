"""One file of the registry: an entity with its name, aliases and description.

Invariant: pure. A file that is changed keeps every line that has no reason to change.
"""

from __future__ import annotations

from memcli.entries import codec, layout
from memcli.entries.entry import EntityType, Entry, Status, Visibility, check_choice
from memcli.entries.frontmatter import values_of
from memcli.entries.ids import slug
from memcli.entries.plain_yaml import lines_of
from memcli.entries.text.mentions import Compiled, Registered, fold
from memcli.errors import InvalidEntry, InvalidValue

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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


def encode_entity(entity: Registered, entry_id: str, description: str = "") -> bytes:
    """The bytes of a new registry file."""
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
        body=description,
        path=entity.path,
    )
    return codec.encode(entry)


def new_entities(
    entry: Entry,
    given: Sequence[str],
    names: Compiled,
    free_path: Callable[[str, str], str],
    new_id: Callable[[], str],
) -> list[tuple[Registered, bytes]]:
    """Entities to register, with their files: names of an entry that are new.

    A candidate registers nothing, since it is not decided on. An agent that may see the
    entry may see these entities, too.

    Args:
        entry: the names were given with it; its type becomes theirs.
        given: the names.
        names: those that are registered.
        free_path: gives a free path for a folder and a slug.
        new_id: gives an id.

    Raises:
        InvalidValue: one of them cannot be a name.
    """
    if not given or entry.status is Status.PENDING:
        return []
    known = names.meant.keys() | names.ambiguous.keys()
    new = [check_name(name) for name in given if fold(name) not in known]
    folder = layout.registry_folder(str(entry.type))
    entities = []
    for name in new:
        entity = Registered(
            name,
            str(entry.type),
            created=entry.created,
            path=free_path(folder, slug(name)),
            agent=entry.agent,
            visibility=str(entry.visibility),
            groups=entry.groups,
        )
        entities.append((entity, encode_entity(entity, new_id())))
    return entities


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
    return codec.decode(data, path).entry.body.strip()
