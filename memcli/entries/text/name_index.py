"""The names of a registry, prepared for `mentions`.

Invariant: the result does not depend on the order of the entities. This is apart from
`mentions` because a save whose registry has not changed takes the result from a cache.
"""

from __future__ import annotations

import os
from functools import cache

from memcli.entries.text.mentions import Compiled, fold, lowered, words_of
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST = 4
_WORD_LIST = os.path.join(os.path.dirname(__file__), "ordinary_words.txt")


class Registered(NamedTuple):
    """An entity of the registry, as its file describes it.

    `agent`, `visibility` and `groups` say which agents may know of it, as for entries.
    """

    name: str
    type: str = "unknown"
    aliases: tuple[str, ...] = ()
    created: str = ""
    path: str = ""
    agent: str | None = None
    visibility: str = "shared"
    groups: tuple[str, ...] = ()


def compiled(entities: Iterable[Registered]) -> Compiled:
    """Prepare the names and aliases of a registry for look-up.

    An alias that is another entity's name means that entity; an alias of two entities
    means neither.
    """
    entities = sorted(entities, key=lambda entity: (entity.path, entity.name))
    meant: dict[str, str] = {}
    # Folded form -> each spelling, and whether it is found in any case.
    spelt: dict[str, dict[str, bool]] = {}
    for entity in entities:
        meant.setdefault(fold(entity.name), entity.name)
    names = set(meant)
    claims: dict[str, dict[str, None]] = {}
    for entity in entities:
        name = meant[fold(entity.name)]
        loose = _is_loose(entity.name, entity.type)
        spelt.setdefault(fold(entity.name), {})[entity.name] = loose
        for alias in entity.aliases:
            form = fold(alias)
            if form not in names:
                claims.setdefault(form, {})[name] = None
                loose = _is_loose(alias, entity.type)
                spelt.setdefault(form, {})[alias] = loose
    ambiguous = {}
    for form, several in claims.items():
        if len(several) == 1:
            meant[form] = next(iter(several))
        else:
            ambiguous[form] = tuple(sorted(several))
    return Compiled(meant, ambiguous, _places(spelt))


def _places(
    spelt: dict[str, dict[str, bool]],
) -> dict[str, list[tuple[str, int, str]]]:
    places: dict[str, list[tuple[str, int, str]]] = {}
    for form, spellings in spelt.items():
        lower = lowered(form)
        first = next(words_of(lower), None)
        if first is None or (len(lower) == 1 and not lower.isascii()):
            continue  # marks alone, or one sign of a script without spaces
        if any(spellings.values()):
            ways = [""]
        else:
            ways = sorted(" ".join(way.split()) for way in spellings)
        start, word = first
        places.setdefault(word, []).extend((lower, start, way) for way in ways)
    for forms in places.values():
        forms.sort(key=lambda item: (-len(item[0]), item))
    return places


@cache
def ordinary_words() -> frozenset[str]:
    """Names of tools, products and people that are ordinary words as well.

    They are linked only where they are written like the name. The list is a file of
    the package, one word a line, and is read when a registry has changed.
    """
    with open(_WORD_LIST, encoding="utf-8") as file:
        return frozenset(file.read().split())


def _is_loose(name: str, kind: str) -> bool:
    """Whether a name is safe to find in any case.

    Several words are, and a word with a digit, a mark or a capital inside. A single
    word is not when it is short, ordinary, or the name of a person: `Will`, `Go`,
    `Mark`.
    """
    if not name.isascii() or not name.isalpha():
        return len(name) > 1
    if len(name) < _SHORTEST or name.lower() in ordinary_words() | STOP_WORDS:
        return False
    if not name[1:].islower() and not name.isupper():
        return True
    return kind != "person"
