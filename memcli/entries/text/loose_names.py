"""Names that tie entries together though nobody has registered them.

Invariant: pure, and linear in the text. These are no entities: a person decides on
those. They are possible proper names, and code terms: paths and commands.
"""

from __future__ import annotations

from memcli.entries.text.identifiers import identifiers, is_code_term
from memcli.entries.text.mentions import fold
from memcli.entries.text.proper_names import ProperName, proper_names
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# A name may stand anywhere, but a long note is a page about many things.
_MOST_READ = 20_000
_MOST = 12
# German writes every noun with a capital: where more than one word in so many is a
# possible name of one word, such words are no names. In English notes of software
# teams it is one in 20 to 30, in German ones one in 4.
_WORDS_A_NAME = 8
_ALWAYS = 3
# An article at the beginning of a sentence and its noun are no name of two words.
_ARTICLES = frozenset(
    "Der Die Das Den Dem Des Ein Eine Einen Einem Einer Im Am".split()
)


class LooseNames(NamedTuple):
    """The names of a text that are not among its entities, in their order.

    `said` are names by what stands there; `begun` begin its sentences, as any word may,
    and are names if other texts have them in mid-sentence.
    """

    said: tuple[str, ...]
    begun: tuple[str, ...]


def loose_names(
    text: str, entities: Collection[str], possible: Sequence[ProperName] | None = None
) -> LooseNames:
    """The names in a text that are not among its entities, at most twelve.

    Args:
        text: of an entry.
        entities: the names of its entities, which tie it by themselves.
        possible: the proper names of the text, where the caller knows them.
    """
    if possible is None or len(text) > _MOST_READ:
        text = text[:_MOST_READ]
        possible = proper_names(text)
    known = {fold(name) for name in entities}
    found: dict[str, tuple[str, bool]] = {}
    for name, begins in _names(text, possible):
        form = fold(name)
        if form not in known:
            found.setdefault(form, (name, begins))
            if len(found) == _MOST:
                break
    return LooseNames(
        tuple(name for name, begins in found.values() if not begins),
        tuple(name for name, begins in found.values() if begins),
    )


def _names(text: str, possible: Sequence[ProperName]) -> Iterator[tuple[str, bool]]:
    """The names, each with whether it only begins sentences; these come last."""
    for name in identifiers(text):
        if is_code_term(name):
            yield name, False
    single = sum(not (name.several or name.begins) for name in possible)
    nouns = single > _ALWAYS and single > len(text.split()) // _WORDS_A_NAME
    for name, several, begins in sorted(possible, key=lambda name: name.begins):
        if not nouns or (several and name.partition(" ")[0] not in _ARTICLES):
            yield name, begins
