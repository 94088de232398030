"""The names of a registry, made ready for `linking`.

Invariant: pure; the order in which entities come says nothing. Apart from `linking`
because a save whose registry has not changed takes the result from a cache.
"""

from collections.abc import Iterable
from typing import NamedTuple

from memcli.entries.text.mentions import Compiled, fold, lowered, words_of
from memcli.entries.text.tokens import STOP_WORDS

_SHORTEST = 4
# Names of tools, products and people that are ordinary words as well: these are
# linked only as they are written.
_ORDINARY = frozenset(
    """
    access ace air amber ambition ant apache apex apple arc arrow art ash atlas atom
    august aurora avalanche avid axiom azure bamboo base bash basic beacon bill black
    bolt book boost boot bottle box brave brew bridge bud bull bun camel canvas cargo
    chance charity chase chef chrome click cloud cluster coda code compass composer cook
    copilot core cosmos couch craft crown crystal cube cursor cypress dash dawn deck
    delta deno dice discord docker dragon drive drone duke echo eclipse edge elastic
    electron elm ember engine envoy everest excel expo express faith falcon falcons fast
    fiber figure fire firebase firefly flag flame flare flash flask flight flow flower
    flux focus forest forge fork frank front fuse galaxy gate gateway ghost git glass go
    goose grace grafana grant grape graph grunt guard gulf gulp hack hammer harbor
    harmony harvest haven hawk hazel heap hermes hive home hope horizon hunt ink insight
    iris iron island ivy jack jade jam jasmine java jest jet joy judge julia june
    jupiter keep kernel key king kit kiwi lake lance lane lattice leaf less light lily
    linear link loom lotus luck lynx magic make mango maple marble march mark mars mason
    matrix maven may melody mercury merry mesh metro mint mocha monday monitor moon
    mosaic mule native nest next night node north notes notion nova oak oasis ocean
    octave office olive opal opera orange orbit orchid outlook page pages panda paper
    parallel parcel patience pearl phoenix pick pilot pine pixel plan play poetry pool
    prefect prime prince prism project prose pulse puppet pure python quarkus query
    quick quill rain rally ray react reason red redwood reed relay remix river robin
    rocket roman rose ruby rust sage salt sandy scout screen script sentry shell shift
    signal silver sketch sky slack smith snow snowflake solid sonar spark spring square
    stack star steam stone storm stream stripe studio sublime summer sun surge swift
    table tango task teams temporal terra thunder tiger toast token trace track travel
    tree trello triton trust turbo twist unity vault vector velocity venus vercel view
    violet vision vista wade walker ward watch wave west will willow wind windows wing
    wolf wood word work yarn young zeal zed zoom
    """.split()
)


class Registered(NamedTuple):
    """An entity of the registry, as its file says.

    `agent`, `visibility` and `groups` say who may know of it, as of an entry.
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
    """Make the names and aliases of a registry ready.

    An alias that is another entity's name means that one; an alias of two entities
    means neither.
    """
    entities = sorted(entities, key=lambda one: (one.path, one.name))
    meant: dict[str, str] = {}
    spelt: dict[str, dict[str, bool]] = {}
    for one in entities:
        meant.setdefault(fold(one.name), one.name)
    names = set(meant)
    claims: dict[str, dict[str, None]] = {}
    for one in entities:
        name = meant[fold(one.name)]
        spelt.setdefault(fold(one.name), {})[one.name] = _is_loose(one.name, one.type)
        for alias in one.aliases:
            form = fold(alias)
            if form not in names:
                claims.setdefault(form, {})[name] = None
                loose = _is_loose(alias, one.type)
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


def _is_loose(name: str, kind: str) -> bool:
    """Whether a name is safe to find in any case.

    Several words are, and what has a digit, a mark or a capital inside. A single word
    is not when it is short, ordinary, or a person's: `Will`, `Go`, `Mark`.
    """
    if not name.isascii() or not name.isalpha():
        return len(name) > 1
    if len(name) < _SHORTEST or name.lower() in _ORDINARY | STOP_WORDS:
        return False
    if not name[1:].islower() and not name.isupper():
        return True
    return kind != "person"
