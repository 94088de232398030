"""Whether two short texts make claims that cannot both hold.

Invariant: pure, and narrow. It compares words, and knows no meaning: the two must be
about the same thing as far as their words tell, and differ in one way that is named. It
says that a reader should look, and never which of the two is right.

What is compared is the claim, which is what stands before a reason ("because ...",
"; ..."). Measured on 60 pairs of contradictions and 60 of claims that are near and
agree, written before the rules (tests/entries/text/disagreement_pairs.toml): of the
half that the rules were made with 20 of 30 are found, of the other half 25, and none
of the 60 near ones is. Of 919 things said to agents 4 disagree with one said before.
"""

from __future__ import annotations

import re

from memcli.entries.text.english_stems import stem
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

# A longer text makes many claims, and one word of it says little about the others.
LONGEST = 600
# So many words may stand on one side only: more, and it is about more than the other.
_MOST_MORE = 3
# A choice at the end of a claim has so many words at most.
_MOST_CHOSEN = 3

_WORD = re.compile(r"[^\W_][\w.:'+#/-]*")
# "v1.10" is a name: what holds of one version holds of it alone.
_NUMBER = re.compile(r"\d[\d.:,-]*%?", re.ASCII)
_REASON = re.compile(
    r"[;:](?=\s)|[.!]+\s|,?\s+(?:because|since|so that|as|due to)\s", re.IGNORECASE
)
_QUESTION = re.compile(r"\?(?:\s|$)")
# "No, ..." and "No way" deny nothing that the claim says.
_INTERJECTION = re.compile(r"no(?:,\s+|\s+(?=way\b))", re.IGNORECASE)

_SMALL = frozenset(
    """
    a about after again against all also am an and any are as at be been before being
    between but by can could did do does down during each every for from had has have he
    her here him his how i if in into is it its just may me might more most must my of
    off on once only or our out over own same shall she should so some such than that
    the their them then there these they this those through to too under up us very was
    we were what when where which who whom why will with would you your
    """.split()
)
# What a sentence says of change, and verbs that any claim may have.
_OF_CHANGE = frozenset(
    """
    anymore back become becomes became call called calls change changed changes due get
    gets go goes going happen happens keep keeps kept live lives long longer lowered
    made make makes move moved moves now plan planned plans postponed raised run runs
    schedule scheduled slip slips store stored stores switch switched use used uses
    using went write written writes
    """.split()
) - {"long"}
_DENYING = frozenset(
    """
    no not never none nobody nothing neither nor cannot without forbidden don't doesn't
    didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't mustn't
    hasn't haven't hadn't
    """.split()
)
_NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        "one two three four five six seven eight nine ten".split(), start=1
    )
}
_UNITS = frozenset(
    map(
        stem,
        "second seconds minute hour day week month year utc euro mb gb kb ms".split(),
    )
)
_PLACING = frozenset("by in on at with to from for of".split())
# Behind one of these stands what was chosen: "is called heron", "go through Postmark".
_CHOOSING = frozenset("is are by through in on at called named with to".split())

CHOICES = tuple(
    frozenset(row.split())
    for row in (
        "us american british uk english german french spanish japanese chinese",
        "tabs spaces",
        "pip uv poetry conda pipenv pdm",
        "npm pnpm yarn bun",
        "squash rebase merge",
        "snake_case camelcase kebab-case pascalcase",
        "single double",
        "main master develop trunk",
        "jest vitest mocha",
        "pytest unittest nose",
        "postgres postgresql mysql sqlite mariadb",
        "black ruff yapf autopep8",
        "eslint biome",
        "monday tuesday wednesday thursday friday saturday sunday",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "absolute relative",
        "short long",
    )
)
"""Words of which a directive can follow only one."""

_OPPOSITES = {
    word: other
    for row in (
        "single double", "small large", "long short", "light dark", "before after",
        "enabled disabled", "enable disable", "safe unsafe", "allowed forbidden",
        "allow forbid", "manual automatic", "public private", "local remote",
        "required optional", "tabs spaces", "absolute relative",
    )
    for pair in [row.split()]
    for word, other in (pair, pair[::-1])
}  # fmt: skip

_X = r"[\w./+#-]*[\w+#]"
_LEADING = r"(?:in |with |on |the |a |an |by |through |use |uses |using )*"
_END = r"(?=\s*(?:$|[,;.]))"
_OUT = (
    r"(?:given up|dropped|removed|turned off|switched off|cancelled|retired|replaced"
    r"|abandoned|shut down|no longer \w+)"
)
# A word of the pattern -> how a text says that something is given up. Each is compiled
# when a text has its word.
_GIVING_UP = {
    "instead": (rf"\binstead of {_LEADING}(?P<x>{_X})",),
    "rather": (rf"\brather than {_LEADING}(?P<x>{_X})",),
    "not": (rf",\s*not {_LEADING}(?P<x>{_X})(?=\s*(?:$|[,;.])|,?\s+because\b)",),
    "longer": (rf"\bno longer {_LEADING}(?P<x>{_X}(?: {_X})?){_END}",),
    "from": (
        r"\b(?:mov\w+|switch\w*|migrat\w+|chang\w+|went|go(?:es)?) (?:away )?"
        rf"from (?P<x>{_X}) to\b",
    ),
    "drops": (rf"\bdrops (?:the )?(?P<x>{_X})",),
    "replaces": (rf"\breplaces (?:the )?(?P<x>{_X})",),
    "more": (rf"\bno (?P<x>{_X}(?: {_X})?) any more\b",),
    **dict.fromkeys(
        ("is", "are", "was", "were", "been"),
        (
            rf"(?:^|[;,:.] |\band )(?:the )?(?P<x>{_X}(?: {_X})?) "
            rf"(?:is|are|was|were|has been|have been) {_OUT}"
            r"(?=\s*(?:$|[,;.]|and |since |because |now |from now|as of ))",
        ),
    ),
}


class Claim(NamedTuple):
    """What a text says, as far as it is compared with another.

    `words` are its words as written, in lower case; `about` the stems of those that say
    what it is about; `numbers` have their unit behind them; `denied` is whether it says
    "not" an odd number of times. `everything` is `about` of the whole text, and
    `given_up` what it says is no longer so: stem -> the words.
    """

    text: str
    words: tuple[str, ...]
    about: tuple[str, ...]
    numbers: frozenset[str]
    counted: frozenset[tuple[str, str]]
    denied: bool
    everything: frozenset[str]
    given_up: dict[str, str]


def claim(text: str) -> Claim | None:
    """The claim of a text; None of a question, and of a text of many claims."""
    if len(text) > LONGEST or _QUESTION.search(text):
        return None
    text = _INTERJECTION.sub("", text, count=1) if text[:2].lower() == "no" else text
    whole = _words(text)
    words = _words(_REASON.split(text, maxsplit=1)[0])
    about, numbers, denials = _parts(words)
    return Claim(
        text=text,
        words=tuple(words),
        about=tuple(about),
        numbers=frozenset(numbers),
        counted=frozenset(_counted(words)),
        denied=denials % 2 == 1,
        everything=frozenset(_parts(whole)[0]),
        given_up=_given_up(text, whole),
    )


def disagree(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """(rule, why) when the two seem to say what cannot both hold, else None.

    >>> disagree(claim("The page size is 50"), claim("The page size is 80"))
    ('numbers', 'one says 50, the other 80')
    """
    return (
        _turned_round(older, newer)
        or _gives_up(older, newer)
        or _gives_up(newer, older)
        or _same_but_for(older, newer)
        or _other_choice(older, newer)
    )


def _words(text: str) -> list[str]:
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [word.rstrip(".:'-/") for word in found]


def _parts(words: list[str]) -> tuple[list[str], list[str], int]:
    """Of words: what they are about, their numbers, and how many say "not"."""
    about: list[str] = []
    numbers: list[str] = []
    denials = 0
    for word in words:
        if word in _DENYING:
            denials += 1
        elif word in _NUMERALS or _NUMBER.fullmatch(word):
            numbers.append(_NUMERALS.get(word, word))
        elif numbers and stem(word) in _UNITS:
            numbers[-1] += f" {word}"
        elif word not in _SMALL and word not in _OF_CHANGE:
            about.append(stem(word))
    return about, numbers, denials


def _counted(words: list[str]) -> Iterator[tuple[str, str]]:
    """Each number that names a thing: (the word before it, the number), as in
    "release 2.0". One with a unit behind it measures."""
    for at, word in enumerate(words[1:], start=1):
        before = words[at - 1]
        if not _NUMBER.fullmatch(word) or before in _SMALL | _OF_CHANGE:
            continue
        if at + 1 == len(words) or stem(words[at + 1]) not in _UNITS:
            yield stem(before), word


def _given_up(text: str, words: list[str]) -> dict[str, str]:
    found = {}
    patterns = {one for word in words for one in _GIVING_UP.get(word, ())}
    for pattern in sorted(patterns):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            named = match["x"]
            found.update(dict.fromkeys(_parts(_words(named))[0], named))
    return found


def _turned_round(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """The same words in another order around "over", "before" or "instead of"."""
    around = {"over", "before", "after", "not", "to", "instead", "rather"}
    if (
        older.about != newer.about
        and sorted(older.about) == sorted(newer.about)
        and older.numbers == newer.numbers
        and around.intersection(older.words)
        and around.intersection(newer.words)
    ):
        return "order", "the same words the other way round"
    return None


def _gives_up(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """The newer one says that something is given up which the older one claims."""
    gone = (newer.given_up.keys() - older.given_up.keys()) & set(older.about)
    if not gone:
        return None
    named = sorted(newer.given_up[word] for word in gone)[0]
    if not set(_words(named)) & set(older.words):
        return None
    # A common word alone ("the test is dropped") says nothing about another text.
    common = (older.everything & newer.everything) - gone
    if _is_name(named, newer.text) or len(common) > 1:
        return "given_up", f"one gives up {named}, which the other claims"
    return None


def _is_name(word: str, text: str) -> bool:
    """Whether a word looks like the name of a thing: a capital inside a sentence."""
    at = text.find(word)
    return word[:1].isupper() and at > 0 and text[at - 1] == " "


def _same_but_for(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """They are about the same, but for a number, a "not" or an opposite."""
    first, second = set(older.about), set(newer.about)
    more, others = first - second, second - first
    common = first & second
    is_one_sided = not (more and others) and len(more | others) <= _MOST_MORE
    if is_one_sided and common:
        mine = sorted(older.numbers - newer.numbers)
        theirs = sorted(newer.numbers - older.numbers)
        same_things = not _other_things(older, newer) or (
            first == second and len(common) > 2
        )
        if mine and theirs and same_things:
            return "numbers", f"one says {mine[0]}, the other {theirs[0]}"
        if older.denied != newer.denied and len(common) > 1 and same_things:
            return "negation", "one of them says not"
    return _opposite(older, newer)


def _opposite(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """One says "small" and the other "large", of what is the same else."""
    for word in older.words:
        other = _OPPOSITES.get(word)
        if other is None or other not in newer.words or word in newer.words:
            continue
        mine = set(older.about) - {stem(word)}
        theirs = set(newer.about) - {stem(other)}
        is_one_sided = not (mine - theirs and theirs - mine)
        if mine & theirs and is_one_sided and len(mine ^ theirs) <= _MOST_MORE:
            return "alternative", f"one says {word}, the other {other}"
    return None


def _other_things(older: Claim, newer: Claim) -> bool:
    """Whether they count apart what they speak of: release 1.9 and release 2.0."""
    mine, theirs = dict(older.counted), dict(newer.counted)
    return any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys())


def _other_choice(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """The same beginning ("Mails go through"), and another choice behind it."""
    same = 0
    for one, other in zip(older.words, newer.words, strict=False):
        if one != other:
            break
        same += 1
    mine, theirs = older.words[same:], newer.words[same:]
    begin = older.words[:same]
    if (
        same > 2
        and begin[-1] in _CHOOSING
        and not set(begin) <= _SMALL
        and 0 < len(mine) <= _MOST_CHOSEN
        and 0 < len(theirs) <= _MOST_CHOSEN
        # "in all code" and "in Go code" differ in where, not in what.
        and set(mine).isdisjoint(theirs)
        and _PLACING.isdisjoint(mine) == _PLACING.isdisjoint(theirs)
    ):
        return "alternative", f"one says {' '.join(mine)}, the other {' '.join(theirs)}"
    return None
