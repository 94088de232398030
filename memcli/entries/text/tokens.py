"""Text to search terms, the same way for entries and for questions; and the kinds of
answer (a time, a number, a place) that a question asks for and a text holds.

Invariant: indexed text and questions go through the same splitting and stemming, so a
word matches its inflections, an identifier its parts, and a run of Chinese the same
run. Nothing here knows an index.

Changing anything that `terms` returns changes what an index holds: raise
`ANALYSIS_VERSION`, and every index is rebuilt at its next use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import pairwise

from memcli.entries.entry import MONTHS, NUMERALS, WEEKDAYS
from memcli.entries.identity import composed

ANALYSIS_VERSION = 5

Stem = Callable[[str], str]

# Question words are here because a question is not about its "what" or "when"
# (LoCoMo: +10 points of R@5 over the 34 stop words that Whoosh ships).
STOP_WORDS = frozenset(
    """
    a about am an and are as at be been but by can could did do does for from had
    has have he her him his how i if in into is it its me my of on or our she should
    so than that the their them then there these they this to us was we were what
    when where which who whom whose why will with would you your
    """.split()
)

NEGATIONS = frozenset(
    """no not never none nobody nothing neither nor cannot without
    dont doesnt didnt cant couldnt wont wouldnt shouldnt mustnt isnt arent wasnt werent
    """.split()
)
"""The words that deny; besides these, words that end with `n't` do."""

# Scripts written without spaces: Han, kana, Hangul, and Thai, Lao, Myanmar, Khmer.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_CHUNK = re.compile(r"\w+(?:['’._/\\:@+#-]+\w+)*")
# The same for text that is not ASCII: vowel signs of Indic scripts and of those written
# without spaces are part of their word, and no `\w`.
_MARKS = (
    "\u0900-\u0963\u0966-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc"
    "\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
)
_WIDE_CHUNK = f"[\\w{_MARKS}]+(?:['’._/\\\\:@+#-]+[\\w{_MARKS}]+)*"
# The place in a file, as compilers write it: app.py:12, app.py:12:4.
_PLACE = r"(.*\.[A-Za-z]\w*):([0-9]+)(?::([0-9]+))?"
# `str.casefold`, where it differs from the lower case; a capital stays one, since humps
# of identifiers are found by their capitals. Greek has two small letters for its s, and
# `str.lower` writes the one at the end of a word for a capital there.
_CASEFOLDED = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "\u03c2": "\u03c3", "\u03a3": "\u03c3"}
)
_SEPARATORS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
# The s of several: PRs, userIDs.
_PLURAL = re.compile(r"(?<=[A-Z]{2})s(?![a-z])")
_POSSESSIVE = re.compile(r"['’](?:s|S)\b|['’]$")
# A chunk with one of these, or with a hump, is one name, and not words that happen to
# touch.
_OF_NAMES = frozenset("_/\\:@#.0123456789")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
# A word longer than this is data (a hash, base64), useful whole or not at all.
_LONGEST = 64


@cache
def stemmer() -> Stem:
    """Snowball's English stemmer, one for the process.

    Not Porter's first one, which turns committed into committ: `commit` would miss it.
    """
    # Not at the top: a module in C, which only what has a text to search needs.
    from Stemmer import Stemmer

    stem: Stem = Stemmer("english").stemWord
    return stem


def words(text: str) -> list[str]:
    """Split text into lower-case words, unstemmed, in order, stop words included.

    An identifier (`snake_case`, `CamelCase`, `src/app.py`, `v1.10`) gives its
    whole form and then its parts, `PRs` also `pr`; text in a script without spaces
    gives bigrams.

    >>> words("Caroline's parseArgs in src/app.py")
    ['caroline', 'parseargs', 'parse', 'args', 'in', 'src/app.py', 'src', 'app', 'py']
    """
    return [word for chunk in _chunks(text) for word in _words_of(chunk)]


def _chunks(text: str) -> list[str]:
    """The runs of letters, digits and the marks between them in a text."""
    if text.isascii():
        return _CHUNK.findall(text)
    # Compiled at its first use, as `_spaced`.
    return re.compile(_WIDE_CHUNK).findall(_spaced(_fold(text)))


def _words_of(chunk: str) -> tuple[str, ...]:
    """The words of a run of letters, digits and the marks between them."""
    if chunk.isascii() and chunk.isalpha():
        if chunk[1:].islower() or chunk.islower() or chunk.isupper():
            return (chunk.lower()[:_LONGEST],)
    elif not chunk.isascii() and re.match(f"[{UNSPACED}]", chunk):
        return tuple(chunk[i : i + 2] for i in range(len(chunk) - 1)) or (chunk,)
    return tuple(_split(chunk))


def terms(text: str, stem: Stem) -> list[str]:
    """The search terms of a text, in order, with repeats; stop words are left out.

    Args:
        text: any text.
        stem: maps one lower-case word to its stem.
    """
    found: list[str] = []
    for chunk in _chunks(text):
        short = len(chunk) <= _LONGEST
        found += _remembered_terms(chunk, stem) if short else _terms_of(chunk, stem)
    return found


def _terms_of(chunk: str, stem: Stem) -> tuple[str, ...]:
    """The search terms of a chunk."""
    return tuple([term for term, _ in _stemmed(_words_of(chunk), stem)])


def _stemmed(words: Iterable[str], stem: Stem) -> list[tuple[str, str]]:
    """Words with their search terms, without stop words."""
    return [
        (stem(word) if word.isalpha() and word.isascii() else word, word)
        for word in words
        if word not in STOP_WORDS
    ]


# Most chunks of a vault are words that it holds a hundred times. Long ones are not
# kept: a note may be one chunk of a megabyte.
_remembered_terms = lru_cache(maxsize=1 << 16)(_terms_of)


def question(text: str, stem: Stem) -> list[tuple[str, str]]:
    """The search terms of a question, each with the word of the question."""
    return _stemmed(words(text), stem)


def names(text: str, stem: Stem) -> list[tuple[str, ...]]:
    """The distinct search terms of a text, the parts of one name together.

    >>> names("add parseArgs to src/app.py", str)
    [('add',), ('parseargs', 'parse', 'args'), ('src/app.py', 'src', 'app', 'py')]
    """
    known: set[str] = set()
    names = []
    for chunk in _chunks(text):
        terms = dict.fromkeys(_terms_of(chunk, stem))
        new = tuple(term for term in terms if term not in known)
        if new:
            known.update(new)
            names.append(new)
    return names


# Of the 14,000 names in 10,000 notes, each in five of them.
@lru_cache(maxsize=1 << 14)
def name_key(name: str) -> str:
    """An entity's name in the form in which the index finds it.

    >>> name_key("Ada-Lovelace")
    'ada lovelace'
    """
    return " ".join(words(name))


def _fold(text: str) -> str:
    """Without compatibility forms and accents, so that café is found as cafe.

    Letters that a lower case leaves apart are made one: Straße and STRASSE.
    """
    text = composed(text, "NFKD").translate(_CASEFOLDED)
    text = "".join(c for c in text if not unicodedata.combining(c) or c > "\u0370")
    return composed(text)


def _spaced(text: str) -> str:
    """Put spaces around runs of scripts without spaces."""
    # Compiled at its first use: its ranges cost 4 ms, which an English recall saves.
    return re.sub(f"[{UNSPACED}]+", r" \g<0> ", text)


def _split(chunk: str) -> list[str]:
    if ":" in chunk and (place := re.fullmatch(_PLACE, chunk)):
        return [*_split(place[1]), *(number for number in place.groups()[1:] if number)]
    if "'" in chunk or "’" in chunk:
        chunk = _POSSESSIVE.sub("", chunk)
    whole = chunk.lower()
    if "'" in whole or "’" in whole:
        # don't, we'll, o'clock: a word of its own, without the mark.
        return [whole.replace("'", "").replace("’", "")[:_LONGEST]]
    parts: list[str] = []
    for part in _SEPARATORS.split(chunk):
        if not part.isascii() or part.isdigit() or (part.isalpha() and part.islower()):
            parts.append(part.lower())
        elif part:
            parts += map(str.lower, _CAMEL.findall(_PLURAL.sub("", part)))
    if len(parts) < 2 and not _PLURAL.search(chunk):
        return [whole[:_LONGEST]] if whole else []
    if len(whole) <= _LONGEST:
        named = not _OF_NAMES.isdisjoint(chunk)
        if named or (chunk != whole and _HUMP.search(chunk)):
            return [whole, *parts]
    return parts


# --- kinds of answer ------------------------------------------------------------------

TIME, NUMBER, PLACE = 1, 2, 4

# Longer texts hold every kind, and so none that tells them apart.
_MOST_READ = 4000
_HOW = dict.fromkeys(("many", "much", "often", "long", "old"), NUMBER)
_WHAT = {
    **dict.fromkeys(("day", "date", "month", "time", "week", "year"), TIME),
    **dict.fromkeys(("city", "country", "place", "state"), PLACE),
}
_TIMES = frozenset(
    """
    yesterday today tonight tomorrow last next ago since recently earlier later
    morning afternoon evening night week weekend weeks month months year years day days
    spring summer autumn fall winter
    """.split()
).union(MONTHS, WEEKDAYS)
_NUMBERS = frozenset(
    """
    dozen hundred thousand million once twice couple few several half
    """.split()
).union(NUMERALS)


# "in Berlin", "to the Alps". It begins with a space, which is looked for quickly, and
# what stands before it is read only where a capital follows.
_AT_A_PLACE = (
    r" (?=[A-Zt])(?:(?<=\bin )|(?<=\bat )|(?<=\bto )|(?<=\bfrom )|(?<=\bnear ))"
    r"(?:the )?[A-Z][a-z]"
)


def asked(question: str) -> int:
    """The kinds of answer that a question asks for.

    >>> asked("When did we ship?") == TIME, asked("How many retries?") == NUMBER
    (True, True)
    """
    words = re.findall(r"[a-z]+", question.lower())
    kinds = 0
    for word, following in pairwise([*words, ""]):
        if word == "when":
            kinds |= TIME
        elif word == "where":
            kinds |= PLACE
        elif word == "how":
            kinds |= _HOW.get(following, 0)
        elif word in ("what", "which"):
            kinds |= _WHAT.get(following, 0)
    return kinds


def held(text: str) -> int:
    """The kinds of answer that a text holds.

    >>> held("We moved to Berlin last week.") == TIME | PLACE
    True
    """
    text = text[:_MOST_READ]
    kinds = 0
    if re.search(_AT_A_PLACE, text):
        kinds |= PLACE
    parts = re.findall(r"[a-z]+|[0-9]+(?:st|nd|rd|th)?", text.lower())
    words = set(parts)
    numbers = [part for part in parts if part[0].isdigit()]
    if not words.isdisjoint(_TIMES) or any(map(_is_date, numbers)):
        kinds |= TIME
    if numbers or not words.isdisjoint(_NUMBERS):
        kinds |= NUMBER
    return kinds


def _is_date(number: str) -> bool:
    return not number.isdigit() or (len(number) == 4 and number[:2] in ("19", "20"))
