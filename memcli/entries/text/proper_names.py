"""Words that may be the name of a person or a thing.

Invariant: pure, and only proposes: capitals say that a word may be a name, never that
it is one. Every proposed name stands in the text as it is.
"""

# ruff: noqa: RUF001 (curly quotes are named on purpose)
from __future__ import annotations

import re

from memcli.entries.entry import MONTHS, WEEKDAYS
from memcli.entries.text.identifiers import identifiers, is_code_term
from memcli.entries.text.mentions import fold
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


# Capitalised words that are no names: words that begin sentences and labels, days,
# months, acronyms that every project uses.
_COMMON = frozenset(
    """
    add ask call check fix get keep let meet run set show talk tell try update added
    after again also although always another any as because before both changed done
    during each either every everything except finally fixed first for found given
    here hence however i'd i'll i'm i've instead just last later like many maybe
    more most much never new next no not nothing now once one only open other others
    otherwise our please second see several since some something still such sure
    then third though thus today together tomorrow too twice two under unless until
    use used using very via what whatever while without yes yesterday yet mon tue wed
    thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec ok todo note fixme
    xxx warning error important tip fyi tbd wip asap faq eta nb ps api apis url urls uri
    json yaml xml html css http https sql csv pdf id ids ui ux cli ci cd pr prs mr cpu
    gpu ram ssd io os db ip tcp dns ssh tls ssl utc am pm us it kb mb gb tb
    """.split()
) | STOP_WORDS.union(MONTHS, WEEKDAYS, (f"{day}s" for day in WEEKDAYS))
_NAME = r"[^\W\d_a-z][\w’'-]*"
_LEADING = "\"'“”‘’«»([{*_"
_ENDING = "\"'“”‘’«»)]}*_"
_STOPS = ".!?…:;"
_BEHIND = _ENDING + _STOPS + ","
_MARKS = _LEADING + _BEHIND
# Names in a row, with nothing but marks around them.
_RUN = (
    rf"(?:(?<=\s)|^)[{re.escape(_LEADING)}]*({_NAME}(?:\s+{_NAME})*)"
    rf"(?=[{re.escape(_BEHIND)}—–]*(?:\s|$))"
)
_CODE = r"```.*?(?:```|\Z)|`[^`\n]*`|!?\[\[[^\[\]\n]*\]\]|\w+://\S+|\]\([^()\s]*\)"
# "a script called `heron`"; without a mark around it the name ends its clause.
_CALLED = (
    r"""\b(?:called|named) (?:[`"'*_]+|(?=[\w-]+(?:[.,;:]|$)))([a-z]\w+(?:-\w+)*)"""
)
_LABEL = r"[ \t]*(?:[-*+>•]|\d{1,3}[.)])[ \t]+"
_BEFORE_LABEL = " \t-*+>•0123456789"
_MOST_WORDS = 4


class ProperName(NamedTuple):
    """A possible name; `several` when it has two capitalised words or more.

    `begins` says that it only begins sentences, as any word may.
    """

    name: str
    several: bool
    begins: bool = False


def proper_names(text: str) -> list[ProperName]:
    """The possible names of a text, each once, in their order.

    These are two capitalised words in a row, or one, and a word that the text calls a
    name. Headings, code, links, and lines in which every important word has a capital
    are skipped.
    """
    called: list[str] = []
    if "called " in text or "named " in text:
        called = re.findall(_CALLED, text, flags=re.MULTILINE)
    if "`" in text or "[" in text or "://" in text:
        text = re.sub(_CODE, " . ", text, flags=re.DOTALL)
    names = {
        name: ProperName(name, several=False)
        for name in called
        if name not in _COMMON and not name.endswith("ly")
    }
    for line in text.split("\n"):
        plain = line
        # At its start alone: a search tries each of a million spaces as the first.
        if line[:1] in _BEFORE_LABEL and (label := re.match(_LABEL, line)):
            plain = line[label.end() :]
        if plain.lstrip().startswith(("#", "|", "---")):
            continue
        for name in _of_line(plain):
            if names.setdefault(name.name, name).begins:
                names[name.name] = name
    return list(names.values())


def _of_line(line: str) -> Iterator[ProperName]:
    if _is_title(line.split()):
        return
    for match in re.finditer(_RUN, line):
        head = line[: match.start(1)].rstrip(_LEADING + " \t")
        at_start = not head or _ends(head)
        run: list[str] = []
        for word in (*match[1].split(), ""):
            stem = re.sub(r"['’]s?$", "", word)
            is_common = len(stem) < 2 or stem.lower().replace("’", "'") in _COMMON
            if not is_common:
                run.append(stem)
            if is_common or stem != word:
                if 0 < len(run) <= _MOST_WORDS:
                    several = len(run) > 1
                    yield ProperName(" ".join(run), several, at_start and not several)
                run, at_start = [], False


def _is_title(words: list[str]) -> bool:
    """Whether every important word of a line has a capital: a title, or shouting."""
    if len(words) <= 2:
        return False
    for word in words:
        plain = word.strip(_MARKS)
        if plain[:1].islower() and plain not in STOP_WORDS:
            return False
    return True


def _ends(word: str) -> bool:
    """Whether a sentence ends behind a word, from its first letter on."""
    return word.rstrip(_ENDING)[-1:] in _STOPS or word.endswith(("—", "–"))


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
