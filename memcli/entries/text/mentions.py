"""Which entities a text mentions: registered names, wikilinks and identifiers.

Invariant: pure, and linear in the text. A capital alone makes no entity: a mention is
registered, or it stands in a wikilink, or it has the form of an identifier. Paths and
commands are code, and no entities unless a person registered them. The same
text and names give the same mentions, for every order of the names, and a name that
means two entities is reported and links to neither.
"""

from __future__ import annotations

import re

from memcli.entries.identity import composed
from memcli.entries.ids import is_id
from memcli.entries.shipped import code_words
from memcli.entries.text.identifiers import (
    AROUND,
    identifier,
    identifiers,
    is_code_term,
)
from memcli.entries.text.tokens import STOP_WORDS, UNSPACED
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.entries.entry import Entry


# A text with more identifiers than this lists them, it does not speak of them.
_MOST_IDENTIFIERS = 12
_LONGEST_LINK = 80

_WORD = r"\w+"
_JOINERS = frozenset("._/\\@-:")


class Compiled(NamedTuple):
    """Names prepared for look-up; plain values, to be cached.

    `meant`: folded form -> the name it means. `ambiguous`: folded form -> the names it
    could mean. `places`: first word -> the forms that begin with it, longest first:
    (form, where in the form the word starts, how it must be written, or "").
    """

    meant: dict[str, str]
    ambiguous: dict[str, tuple[str, ...]]
    places: dict[str, list[tuple[str, int, str]]]

    def explained(self, form: str) -> str:
        """Why an ambiguous name links to nothing."""
        several = ", ".join(self.ambiguous[form])
        return f"'{form}' means several entities, so it links to none: {several}"


def fold(name: str) -> str:
    """The form in which two spellings of one name are equal."""
    return " ".join(composed(name).split()).casefold()


# --- texts ------------------------------------------------------------------------


def mentions(text: str, names: Compiled) -> tuple[list[str], list[str]]:
    """The entities that a text mentions, and the ambiguous names in it.

    Returns:
        (registered names, then wikilinks, then identifiers, each in the order in which
        they first stand; the folded ambiguous names, in the same order).
    """
    mentioned: dict[str, str] = {}
    unclear: dict[str, None] = {}
    if names.places:
        for form in forms(text, names.places):
            if form in names.ambiguous:
                unclear[form] = None
            else:
                name = names.meant[form]
                mentioned.setdefault(fold(name), name)
    if "[[" in text:
        for target in _linked(text, names):
            mentioned.setdefault(fold(target), target)
    count = 0
    for name in identifiers(text):
        form = fold(name)
        if form in names.ambiguous:
            continue
        if is_code_term(name) and form not in names.meant:
            continue
        name = names.meant.get(form, name)
        if fold(name) not in mentioned:
            mentioned[fold(name)] = name
            count += 1
            if count == _MOST_IDENTIFIERS:
                break
    return list(mentioned.values()), list(unclear)


def linked(entry: Entry, names: Compiled) -> tuple[Entry, list[str]]:
    """An entry with what it mentions, and the ambiguous names that it uses.

    The entities that it has stay first and in their order, in the registry's spelling.
    """
    text = f"{entry.title}\n\n{entry.body}" if entry.title else entry.body
    mentioned, unclear = mentions(text, names)
    by_form: dict[str, str] = {}
    for name in entry.entities:
        form = fold(name)
        if form in names.ambiguous and form not in unclear:
            unclear.append(form)
        name = names.meant.get(form, name)
        by_form.setdefault(fold(name), name)
    for name in mentioned:
        by_form.setdefault(fold(name), name)
    entities = tuple(by_form.values())
    if entities != entry.entities:
        entry = entry.replace(entities=entities)
    return entry, unclear


def lowered(text: str) -> str:
    """Lower case with every letter at the same position."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def words_of(text: str) -> Iterator[tuple[int, str]]:
    """(position, word) of a text; a sign of a script without spaces is a word."""
    pattern = _WORD
    if not text.isascii():
        pattern = f"[{UNSPACED}]|[^\\W{UNSPACED}]+"
    return ((match.start(), match[0]) for match in re.finditer(pattern, text))


def forms(text: str, places: dict[str, list[tuple[str, int, str]]]) -> Iterator[str]:
    """The folded names that a text holds as whole words, the longest at each position.

    Args:
        text: any text.
        places: of `Compiled`.
    """
    text = " ".join(composed(text).split())
    lower = lowered(text)
    done = 0
    for start, word in words_of(lower):
        if word not in places or start < done:
            continue
        for form, offset, way in places[word]:
            begin = start - offset
            end = begin + len(form)
            if (
                begin >= done
                and lower.startswith(form, begin)
                and (not way or text[begin:end] == way)
                and _is_whole(text, begin, end)
            ):
                done = end
                yield fold(form)
                break


def _is_whole(text: str, begin: int, end: int) -> bool:
    """Whether a name stands alone, and not within a word or an identifier."""
    before, after = text[begin - 1 : begin], text[end : end + 1]
    if _touches(before, text[begin]) or _touches(text[end - 1], after):
        return False
    if before not in _JOINERS and after not in _JOINERS:
        return True
    left = text.rfind(" ", max(0, begin - 200), begin) + 1
    right = text.find(" ", end, end + 200)
    chunk = text[left : right if right >= 0 else end + 200]
    bare = chunk.strip(AROUND).rstrip(".")
    if len(bare) <= end - begin:
        return True
    return "://" not in chunk and "@" not in chunk and identifier(bare) is None


def _touches(left: str, right: str) -> bool:
    """Whether two signs beside each other belong to one word."""
    pair = left + right
    letter = r"\w" if pair.isascii() else f"[^\\W{UNSPACED}]"
    return re.fullmatch(letter * 2, pair) is not None


def _linked(text: str, names: Compiled) -> Iterator[str]:
    """The names in links; a link to another file or an entry is no name."""
    from memcli.entries.text.links import links

    for raw in links(text):
        target = " ".join(raw.rstrip("\\").split())
        last = target.rpartition("/")[2].removesuffix(".md")
        for form in (fold(target), fold(last)):
            if form in names.meant:
                yield names.meant[form]
                break
        else:
            is_file = last != target or re.search(r"\.\w{1,5}$", target)
            letters = any(map(str.isalpha, target))
            known = fold(target) in names.ambiguous
            if letters and not (
                is_file or known or is_id(target) or len(target) > _LONGEST_LINK
            ):
                yield target


_SHORTEST = 4


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
    for entity in entities:
        meant.setdefault(fold(entity.name), entity.name)
    names = set(meant)
    # Folded form -> each spelling, and whether it is found in any case.
    spelt: dict[str, dict[str, bool]] = {}
    claims: dict[str, set[str]] = {}
    for entity in entities:
        for spelling in (entity.name, *entity.aliases):
            form = fold(spelling)
            if form not in names:
                claims.setdefault(form, set()).add(meant[fold(entity.name)])
            elif spelling != entity.name:
                continue  # an alias that is a name means the entity of that name
            spelt.setdefault(form, {})[spelling] = _is_loose(spelling, entity.type)
    ambiguous = {form: tuple(sorted(s)) for form, s in claims.items() if len(s) > 1}
    meant |= {form: min(s) for form, s in claims.items() if len(s) == 1}
    return Compiled(meant, ambiguous, _places(spelt))


def _places(spelt: dict[str, dict[str, bool]]) -> dict[str, list[tuple[str, int, str]]]:
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

    Several words are, and a word with a digit, a mark or a capital inside. A single
    word is not when it is short, ordinary, or the name of a person: `Will`, `Go`,
    `Mark`.
    """
    if not name.isascii() or not name.isalpha():
        return len(name) > 1
    low = name.lower()
    if (
        len(name) < _SHORTEST
        or low in STOP_WORDS
        or low in code_words()["name-or-word"]
    ):
        return False
    if not name[1:].islower() and not name.isupper():
        return True
    return kind != "person"
