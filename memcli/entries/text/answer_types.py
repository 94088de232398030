"""The kinds of answer that a question asks for, and that a text holds.

Invariant: pure; it reads English, and a text or question in which it recognises nothing
has no kind. A kind is a bit: a time, a number, a place.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memcli.entries.checks import MONTHS, NUMERALS, WEEKDAYS

TIME, NUMBER, PLACE = 1, 2, 4

# Longer texts hold every kind, and so none that tells them apart.
_READ = 4000
_HOW = {"many": NUMBER, "much": NUMBER, "often": NUMBER, "long": NUMBER, "old": NUMBER}
_WHAT = {
    "day": TIME,
    "date": TIME,
    "month": TIME,
    "time": TIME,
    "week": TIME,
    "year": TIME,
    "city": PLACE,
    "country": PLACE,
    "place": PLACE,
    "state": PLACE,
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
_AT_A_PLACE = re.compile(
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
    text = text[:_READ]
    kinds = 0
    if _AT_A_PLACE.search(text):
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
