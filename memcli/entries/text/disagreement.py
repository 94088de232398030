"""Whether two short texts make claims that cannot both hold.

Invariant: pure, and narrow. It compares words, and knows no meaning: the two must have
the same words but for one difference that is named (one more word is another subject),
or one must say that what the other claims is given up. It says that a reader should
look, and never which of the two is right. A false hint does more harm than a missed
one: it invites an agent to replace an entry that is true.

What is compared is the claim, which is what stands before a reason ("because ...",
"; ..."). Measured on tests/entries/text/disagreement_pairs.toml: of 100 contradictions
58 are found, and none of 196 pairs that can both hold is. Of these, 40 and 60 were
written before the present rules, though by the person who made the rules: 25 of the 40
are found. Of 64 pairs that were then made up to mislead the rules, 5 still do.
"""

from __future__ import annotations

import re

from memcli.entries.text.english_stems import stem
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A longer text makes many claims, and one word of it says little about the others.
LONGEST = 600
_WORD = re.compile(r"[^\W_][\w.:'+#/-]*")
# "v1.10" is a name: what holds of one version holds of it alone.
_NUMBER = re.compile(r"\d[\d.:,-]*%?", re.ASCII)
_REASON = re.compile(
    r";\s|:\s(?!\d)|[.!]+\s|,?\s+(?:because|since|so that|as|due to)\s", re.IGNORECASE
)
_QUESTION = re.compile(r"\?(?:\s|$)")
# "No, ..." and "No way" deny nothing that the claim says.
_INTERJECTION = re.compile(r"no(?:,\s+|\s+(?=way\b))", re.IGNORECASE)

# What stands before one of these was chosen, and what stands behind it was not.
_AROUND = ("over", "before", "after", "instead", "rather")

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
    allowed anymore back become becomes became call called calls change changed changes
    due fine get gets go goes going happen happens keep keeps kept live lives longer
    lowered made make makes move moved moves now ok okay plan planned plans postponed
    raised run runs schedule scheduled slip slips store stored stores switch switched
    use used uses using went write written writes
    """.split()
)
DENYING = frozenset(
    """
    no not never none nobody nothing neither nor cannot without forbidden don't doesn't
    didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't mustn't
    hasn't haven't hadn't
    """.split()
)
"""Words that say not; `directives` goes by the same."""

_NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        "one two three four five six seven eight nine ten".split(), start=1
    )
}
# What a number measures, by the stem of its unit. 5 minutes and 512 MB can both hold.
_UNITS = {
    stem(word): measured
    for measured, words in (
        ("time", "ms s second seconds min minute hour day week month year"),
        ("size", "kb mb gb"),
        ("euro", "euro"),
        ("clock", "utc"),
    )
    for word in words.split()
}
# "30s" and "512MB"; but "iPhone 5s" is a name.
_JOINED = re.compile(r"\b(\d[\d.]*)(ms|min|kb|mb|gb|(?<=\d\d)s)\b", re.IGNORECASE)
# Behind one of these stands what is said of a thing, and no longer which thing it is.
_SAYING = frozenset(
    """
    is are was were use uses prefer prefers want wants like likes run write with
    """.split()
)
# Behind one of these a claim names the one that was chosen: "processed by Stripe".
# "in Berlin" and "in Sales", "on AWS" and "on Kubernetes" can both hold.
_CHOOSING = frozenset("is are by through called named".split())
# 5 minutes after one of these are not 5 minutes after another.
_TIMING = frozenset("after at before every for in per until within".split())
# "We have customers in Berlin" states no choice.
_STATING = frozenset(("is", "are", "through"))
_ARTICLES = frozenset("a an the now".split())

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

_ROWS = (
    *CHOICES,
    *(
        frozenset(row.split())
        for row in (
            "small large", "light dark", "enabled disabled", "enable disable",
            "safe unsafe", "allowed forbidden", "allow forbid", "manual automatic",
            "public private", "local remote", "required optional",
            "json yaml toml xml csv",
        )
    ),
)  # fmt: skip

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

    `words` are its words, without articles, in lower case; `names` those of them with a
    capital, but for the first. `about` are the stems of the words that say what it is
    about; `numbers` have their unit behind them, and `counted` are those that name a
    thing. `denied` is whether it says "not" an odd number of times. `everything` is
    `about` of the whole text, and `given_up` what it says is no longer so: stem -> the
    words.
    """

    text: str
    words: tuple[str, ...]
    names: frozenset[str]
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
    # Else 590 spaces took 11 ms to look for a reason.
    text = " ".join(text.split())
    text = _INTERJECTION.sub("", text, count=1) if text[:2].lower() == "no" else text
    text = _JOINED.sub(r"\1 \2", text)
    whole = _words(text)
    said = _REASON.split(text, maxsplit=1)[0]
    words = _words(said)
    inside = _WORD.findall(said)[1:]
    about, numbers, denials = _parts(words)
    return Claim(
        text=text,
        words=tuple(word for word in words if word not in _ARTICLES),
        names=frozenset(
            _words(" ".join(word for word in inside if word != word.lower()))
        ),
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
        or _other_number(older, newer)
        or _denied(older, newer)
        or _other_choice(older, newer)
    )


def _words(text: str) -> list[str]:
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [word.rstrip(".:'-/") for word in found]


def _parts(words: Sequence[str]) -> tuple[list[str], list[str], int]:
    """Of words: what they are about, their numbers, and how many say "not"."""
    about: list[str] = []
    numbers: list[str] = []
    denials = 0
    for word in words:
        if word in DENYING:
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
    """The two words around "over", "before" or "instead of" have changed places."""
    for pivot in _AROUND:
        mine, theirs = _sides(older.words, pivot), _sides(newer.words, pivot)
        if mine != theirs == mine[::-1] and set(older.about) == set(newer.about):
            return "order", "the same words the other way round"
    return None


def _sides(words: tuple[str, ...], pivot: str) -> tuple[str, ...]:
    """The stems that stand nearest to a word, before and behind it; () without both."""
    if pivot not in words:
        return ()
    at = words.index(pivot)
    before, after = _parts(words[:at])[0], _parts(words[at + 1 :])[0]
    return (before[-1], after[0]) if before and after else ()


def _gives_up(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """The newer one says that something is given up which the older one claims."""
    gone = (newer.given_up.keys() - older.given_up.keys()) & set(older.about)
    if not gone:
        return None
    named = sorted(newer.given_up[word] for word in gone)[0]
    if not set(_words(named)) & set(older.words):
        return None
    # "Bert, not Anna" says nothing about all that is said of Anna, and a common word
    # alone ("the test is dropped") says nothing about another text.
    common = (older.everything & newer.everything) - gone
    fewest = 1 if _is_name(named, newer.text) else 2
    if len(common) >= fewest:
        return "given_up", f"one gives up {named}, which the other claims"
    return None


def _is_name(word: str, text: str) -> bool:
    """Whether a word looks like the name of a thing: a capital inside a sentence."""
    at = text.find(word)
    return word[:1].isupper() and at > 0 and text[at - 1] == " "


def _other_number(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """They are about the same, and measure it with another number.

    One word more is another subject: "audit logs", "logs". A number that names a thing
    ("ticket 812") is never compared.
    """
    mine, theirs = older.numbers - newer.numbers, newer.numbers - older.numbers
    if (
        older.about
        and set(older.about) == set(newer.about)
        and len(mine) == len(theirs) == 1
        and not older.counted ^ newer.counted
    ):
        (one,), (other,) = mine, theirs
        both = {_before(older, one), _before(newer, other)} & _TIMING
        if _measured(one) == _measured(other) and len(both) < 2:
            return "numbers", f"one says {one}, the other {other}"
    return None


def _before(claim: Claim, number: str) -> str:
    """The word before a number; "" where there is none."""
    digits = number.split()[0]
    words = [_NUMERALS.get(word, word) for word in claim.words]
    return claim.words[words.index(digits) - 1] if words.index(digits) else ""


def _measured(number: str) -> str:
    """What a number measures: its unit's kind; without one, the form it has."""
    digits, _, unit = number.partition(" ")
    if unit:
        return _UNITS[stem(unit.split()[0])]
    return "clock" if ":" in digits else re.sub(r"[\d.,]+", "", digits)


def _denied(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """The same words, and one of the two says "not"."""
    if (
        older.denied != newer.denied
        and len(older.about) > 1
        and older.about == newer.about
        and older.numbers == newer.numbers
    ):
        return "negation", "one of them says not"
    return None


def _other_choice(older: Claim, newer: Claim) -> tuple[str, str] | None:
    """The same words but for one, which is another of its class in each."""
    if len(older.words) != len(newer.words):
        return None
    pairs = zip(older.words, newer.words, strict=True)
    differing = [at for at, (one, other) in enumerate(pairs) if one != other]
    if len(differing) != 1:
        return None
    at = differing[0]
    one, other, before = older.words[at], newer.words[at], older.words[:at]
    if any({one, other} <= row for row in _ROWS):
        is_choice = not _SAYING.isdisjoint(before)
    elif any({one, other} & row for row in _ROWS):
        is_choice = False  # "in Notion", "in English"
    elif before and before[-1] in _CHOOSING and not _STATING.isdisjoint(before):
        is_naming = before[-1] in ("called", "named")
        is_choice = is_naming or (one in older.names and other in newer.names)
    else:
        is_choice = False
    if is_choice and not set(before) <= _SMALL:
        return "alternative", f"one says {one}, the other {other}"
    return None
