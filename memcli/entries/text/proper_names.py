"""Words of a text that may be names of persons or things, and tie entries together.

Invariant: pure, and only proposes: capitals say that a word may be a name, never that
it is one. Every proposed name stands in the text as it is.
"""

# ruff: noqa: RUF001 (curly quotes are named on purpose)
from __future__ import annotations

import re

from memcli.entries.entry import MONTHS, WEEKDAYS
from memcli.entries.shipped import code_words
from memcli.entries.text.identifiers import identifiers, is_code_term
from memcli.entries.text.mentions import fold
from memcli.entries.text.tokens import STOP_WORDS
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


_COMMON = code_words()["no-names"] | STOP_WORDS.union(
    MONTHS, WEEKDAYS, (f"{day}s" for day in WEEKDAYS)
)
_NAME = r"[^\W\d_a-z][\w’'-]*"
_LEADING = "\"'“”‘’«»([{*_"
_ENDING = "\"'“”‘’«»)]}*_"
_STOPS = ".!?…:;"
_BEHIND = _ENDING + _STOPS + ","
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


def loose_names(text: str, entities: Collection[str]) -> LooseNames:
    """The names in a text that are not among its entities, at most twelve: paths and
    commands, capitalised words, and a word that the text calls a name.

    Args:
        text: of an entry.
        entities: the names of its entities, which tie it by themselves.
    """
    text = text[:_MOST_READ]
    # Whether a name only begins sentences.
    names = {
        name: False
        for name in re.findall(_CALLED, text, flags=re.MULTILINE)
        if name not in _COMMON and not name.endswith("ly")
    }
    for name, begins in _capitalised(text):
        names[name] = names.get(name, True) and begins
    single = sum(not begins and " " not in name for name, begins in names.items())
    if single > _ALWAYS and single > len(text.split()) // _WORDS_A_NAME:
        names = {
            name: begins
            for name, begins in names.items()
            if " " in name and name.partition(" ")[0] not in _ARTICLES
        }
    code = dict.fromkeys(filter(is_code_term, identifiers(text)), False)
    seen = {fold(name) for name in entities}
    found: tuple[list[str], list[str]] = [], []
    for name, begins in sorted((code | names).items(), key=lambda item: item[1]):
        if fold(name) not in seen and sum(map(len, found)) < _MOST:
            seen.add(fold(name))
            found[begins].append(name)
    return LooseNames(tuple(found[0]), tuple(found[1]))


def _capitalised(text: str) -> Iterator[tuple[str, bool]]:
    """The capitalised words of a text, with whether they begin a sentence.

    Headings, code, links, and lines in which every important word has a capital are
    skipped.
    """
    if "`" in text or "[" in text or "://" in text:
        text = re.sub(_CODE, " . ", text, flags=re.DOTALL)
    for line in text.split("\n"):
        plain = line
        # At its start alone: a search tries each of a million spaces as the first.
        if line[:1] in _BEFORE_LABEL and (label := re.match(_LABEL, line)):
            plain = line[label.end() :]
        if plain.lstrip().startswith(("#", "|", "---")) or _is_title(plain.split()):
            continue
        for match in re.finditer(_RUN, plain):
            head = plain[: match.start(1)].rstrip(_LEADING + " \t")
            # Where a sentence ends before it, another begins.
            ends = head.rstrip(_ENDING)[-1:] in _STOPS or head.endswith(("—", "–"))
            begins = not head or ends
            run: list[str] = []
            for word in (*match[1].split(), ""):
                stem = re.sub(r"['’]s?$", "", word)
                is_common = len(stem) < 2 or stem.lower().replace("’", "'") in _COMMON
                if not is_common:
                    run.append(stem)
                if is_common or stem != word:
                    if 0 < len(run) <= _MOST_WORDS:
                        yield " ".join(run), begins and len(run) == 1
                    run, begins = [], False


def _is_title(words: list[str]) -> bool:
    """Whether every important word of a line has a capital: a title, or shouting."""
    plain = [word.strip(_LEADING + _BEHIND) for word in words]
    return len(words) > 2 and not any(
        word[:1].islower() and word not in STOP_WORDS for word in plain
    )
