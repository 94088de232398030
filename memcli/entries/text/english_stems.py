"""The stems of English words: what makes `commit` find "committed".

Invariant: pure. It is Martin Porter's second stemmer for English (Porter2), in the form
in which Whoosh has it: tests/entries/text/test_english_stems.py compares the two. With
Whoosh's come those of fourteen other languages, which take a fortieth of a recall.

Porter's description: https://snowballstem.org/algorithms/english/stemmer.html. The
region R1 of a word is what stands behind the first consonant after a vowel; R2 is the
same of R1. Most endings count only when they lie within one of the two.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

_VOWELS = frozenset("aeiouy")
# A `y` that stands for a consonant is written as a capital on the way.
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
# R1 begins behind these, since the words that begin with them have little in common.
_BEGINNINGS = ("gener", "commun", "arsen")

_WHOLE: Mapping[str, str] = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{
        word: word
        for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")
    },
}
"""Words that have their stem from here."""

_AFTER_PLURALS = frozenset(
    "inning outing canning herring earring proceed exceed succeed".split()
)
"""Words that have no other ending once their plural's is gone."""

# The longest ending is tried first; what stands for it has the same place in a line.
_SECOND = (
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
)
_THIRD = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ative", ""),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
# Where one of these takes the place of an ending that began before R2, nothing is left
# of R2; but the last letter of -ate and -ive is, when `_shortened` puts them there.
_NEW = frozenset("ize ate ive al ous ble ic".split())
_FOURTH = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate"),
    *("iti", "ous", "ive", "ize", "ion", "al", "er", "ic"),
)
# Most words have no ending of a step, which one call says.
_TENSES = ("eedly", "ingly", "edly", "eed", "ing", "ed")
_SECOND_ENDINGS = tuple(ending for ending, _ in _SECOND)
_THIRD_ENDINGS = tuple(ending for ending, _ in _THIRD)


def stem(word: str) -> str:
    """The stem of a word of lower-case letters from a to z.

    >>> [stem(word) for word in ("committed", "commits", "relational", "skies")]
    ['commit', 'commit', 'relat', 'sky']
    """
    if len(word) <= 2:
        return word
    known = _WHOLE.get(word)
    if known is not None:
        return known
    word = _marked(word) if "y" in word else word
    first = _first_region(word)
    second = _behind(word, first)
    word = _without_plural(word)
    if word in _AFTER_PLURALS:
        return word
    word, first, second = _without_tense(word, first, second)
    if word[-1] in "yY" and len(word) > 2 and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word, second = _shortened(word, first, second)
    word, second = _shortened_more(word, first, second)
    word = _without_ending(word, second)
    return _without_last_letter(word, first, second).replace("Y", "y")


def _marked(word: str) -> str:
    """The word with Y for each `y` that begins it or follows a vowel."""
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _first_region(word: str) -> int:
    for beginning in _BEGINNINGS:
        if word.startswith(beginning):
            return len(beginning)
    return _behind(word, 0)


def _behind(word: str, start: int) -> int:
    """The place behind the first consonant that follows a vowel, from a place on."""
    for at in range(start + 1, len(word)):
        if word[at] not in _VOWELS and word[at - 1] in _VOWELS:
            return at + 1
    return len(word)


def _has_vowel(letters: str) -> bool:
    return not _VOWELS.isdisjoint(letters)


def _ends_short(word: str) -> bool:
    """Whether a word ends in a short syllable, as `trap` and `at` do."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2
        and word[-1] not in _VOWELS
        and word[-1] not in "wxY"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _without_tense(word: str, first: int, second: int) -> tuple[str, int, int]:
    """Without -ed and -ing, as the word is written then; and where R1 and R2 begin."""
    if not word.endswith(_TENSES):
        return word, first, second
    ending = next(ending for ending in _TENSES if word.endswith(ending))
    start = len(word) - len(ending)
    rest = word[:start]
    if ending in ("eedly", "eed"):
        return (rest + "ee" if start >= first else word), first, second
    if not _has_vowel(rest):
        return word, first, second
    if rest.endswith(("at", "bl", "iz")):
        # The new letter belongs to R1, and to R2 unless the word is short.
        first = min(first, start)
        if start >= 5 or start - first >= 2:
            second = min(second, start)
        return rest + "e", first, second
    if rest.endswith(_DOUBLES):
        return rest[:-1], first, second
    if first >= start and _ends_short(rest):
        return rest + "e", first, second
    return rest, first, second


def _shortened(word: str, first: int, second: int) -> tuple[str, int]:
    """The word with the first of two endings shortened, and where R2 begins then."""
    if not word.endswith(_SECOND_ENDINGS):
        return word, second
    for ending, instead in _SECOND:
        if not word.endswith(ending):
            continue
        start = len(word) - len(ending)
        before = word[start - 1 : start]
        if (
            start < first
            or (ending == "ogi" and before != "l")
            or (ending == "li" and before not in "cdeghkmnrt")
        ):
            break
        made = word[:start] + instead
        if start < second and instead in _NEW:
            second = len(made) - (instead in ("ate", "ive"))
        return made, second
    return word, second


def _shortened_more(word: str, first: int, second: int) -> tuple[str, int]:
    if not word.endswith(_THIRD_ENDINGS):
        return word, second
    for ending, instead in _THIRD:
        if not word.endswith(ending):
            continue
        start = len(word) - len(ending)
        if start < (second if ending == "ative" else first):
            break
        made = word[:start] + instead
        return made, len(made) if start < second and instead in _NEW else second
    return word, second


def _without_ending(word: str, second: int) -> str:
    if not word.endswith(_FOURTH):
        return word
    for ending in _FOURTH:
        if word.endswith(ending):
            start = len(word) - len(ending)
            if start < second or (ending == "ion" and word[start - 1] not in "st"):
                return word
            return word[:start]
    return word


def _without_last_letter(word: str, first: int, second: int) -> str:
    start = len(word) - 1
    if word.endswith("e"):
        if start >= second or (start >= first and not _ends_short(word[:-1])):
            return word[:-1]
    elif word.endswith("ll") and start >= second:
        return word[:-1]
    return word
