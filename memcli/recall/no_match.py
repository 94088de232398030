"""Why a question has no answer: words that no entry holds, and what was left out.

Invariant: reads only, and only through the reader that gave no row, so nothing is named
or counted that the caller may not see. It costs nothing where there is an answer.
"""

from __future__ import annotations

from memcli.entries.eligibility import standing
from memcli.entries.entry import Status
from memcli.entries.text import tokens
from memcli.named_tuple import NamedTuple
from memcli.recall import question as asking
from memcli.recall.filters import Admission
from memcli.recall.query import Filters, Query

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from memcli.search.reader import Reader

# Of how many words spellings are looked for, and how many are named of each. A look
# takes the terms that are one edit away, and compares those that begin alike: at 10,000
# entries it takes some 15 ms, and only an answer without a row pays for it.
_MOST_WORDS = 8
_MOST_SPELLINGS = 3
_ALIKE = 0.75  # of difflib: "postgress" and "postgres" have .94, "cat" and "cut" .67
_BEGINNING = 2
_MOST_COMPARED = 2000
# Of the entries that hold a term, so many are asked whether they are shown, and so many
# of those for the words that they write it as.
_MOST_HOLDING = 64
_MOST_READ = 8


class NoMatch(NamedTuple):
    """Why there is no row.

    Args:
        entries: how many entries there are for the caller.
        missing: the words of the question that no entry holds.
        near: word of `missing` -> words of entries that are spelt alike, the nearest
            first.
        filtered: how many entries hold a word of the question, and would be shown
            without the filters.
        ended: status -> how many entries hold a word of the question, and are not
            shown because of that status.
        filters: which filters the question has, as flags and JSON name them.
    """

    entries: int
    missing: Sequence[str] = ()
    near: Mapping[str, Sequence[str]] = {}
    filtered: int = 0
    ended: Mapping[str, int] = {}
    filters: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        near = {word: list(spellings) for word, spellings in self.near.items()}
        return {
            "entries": self.entries,
            "missing_terms": list(self.missing),
            "near_terms": near,
            "filtered": self.filtered,
            "filters": list(self.filters),
            "ended": dict(self.ended),
        }

    def corrected(self, text: str) -> str | None:
        """The question with the nearest spelling in place of each word that has one."""
        import re

        for word, spellings in self.near.items():
            whole = rf"(?<!\w){re.escape(word)}(?!\w)"
            meant = spellings[0].replace("\\", r"\\")
            text = re.sub(whole, meant, text, flags=re.IGNORECASE)
        return text if self.near else None


def why(reader: Reader, query: Query) -> NoMatch:
    """Why nothing was found in one vault.

    Args:
        reader: the vault's index.
        query: as `query.checked` gives it.
    """
    question = asking.read(reader, query, asking.window_of(reader, query))
    missing: dict[str, None] = {}
    docs: set[int] = set()
    for term, word in question.terms:
        holding = reader.exact("terms", term)
        docs.update(holding)
        if not (holding or question.implied.get(term)):
            missing[word] = None
    open_to_all = Admission(reader, query.view._replace(as_of=None), Filters())
    shown = {doc for doc in docs if open_to_all(doc)}
    narrowed = _filters(query)
    return NoMatch(
        entries=reader.live,
        missing=tuple(missing),
        near=_spellings(reader, missing, open_to_all),
        filtered=len(shown) if narrowed else 0,
        ended={} if narrowed else _ended(reader, query, docs - shown),
        filters=narrowed,
    )


# Fields of a query's filters whose flag has another name.
_FLAGS = {
    "kinds": "kind",
    "types": "type",
    "layers": "layer",
    "tags": "tag",
    "entities": "entity",
}


def _filters(query: Query) -> tuple[str, ...]:
    """The names of the filters that narrow a question."""
    given = [
        _FLAGS.get(name, name)
        for name, value in query.filters._asdict().items()
        if name != "tags_match" and value not in ((), None, "")
    ]
    return (*given, *(["as_of"] if query.view.as_of is not None else ()))


def merged(answers: Sequence[NoMatch]) -> NoMatch:
    """Why several vaults found nothing; a word is missing when all of them lack it."""
    first, *others = answers
    missing = [w for w in first.missing if all(w in a.missing for a in others)]
    near = {
        word: tuple(dict.fromkeys(s for a in answers for s in a.near.get(word, ())))
        for word in missing
    }
    ended: dict[str, int] = {}
    for answer in answers:
        for status, count in answer.ended.items():
            ended[status] = ended.get(status, 0) + count
    return NoMatch(
        entries=sum(answer.entries for answer in answers),
        missing=tuple(missing),
        near={word: s[:_MOST_SPELLINGS] for word, s in near.items() if s},
        filtered=sum(answer.filtered for answer in answers),
        ended=ended,
        filters=first.filters,
    )


def _ended(reader: Reader, query: Query, docs: Iterable[int]) -> dict[str, int]:
    """By status the entries that are not shown because of it."""
    view, ended = query.view, dict[str, int]()
    for doc in docs:
        status = standing(reader.facts(doc, access=view.agent is not None), view)
        if status not in view.statuses and status is not Status.REJECTED:
            ended[str(status)] = ended.get(str(status), 0) + 1
    return dict(sorted(ended.items()))


def _spellings(
    reader: Reader, words: Iterable[str], shown: Callable[[int], bool]
) -> dict[str, tuple[str, ...]]:
    """By word the words of shown entries that are spelt nearly like it."""
    near = {}
    for word in list(words)[:_MOST_WORDS]:
        spellings = _near(reader, word, shown)
        if spellings:
            near[word] = spellings
    return near


def _near(reader: Reader, word: str, shown: Callable[[int], bool]) -> tuple[str, ...]:
    from difflib import get_close_matches
    from heapq import nsmallest

    if len(word) <= _BEGINNING:
        return ()
    stem = tokens.stemmer()
    sought = stem(word) if word.isascii() and word.isalpha() else word
    begun = reader.starting("terms", word[:_BEGINNING], _MOST_COMPARED)
    # Stems are shorter than words, so they are alike less; the words decide.
    alike = get_close_matches(sought, begun, 8, _ALIKE - 0.1)
    stems = dict.fromkeys([*reader.near(sought)[:8], *alike])
    spelt: dict[str, None] = {}
    for term in stems:
        # By an order that is theirs, since that of the index tells of its past.
        held = nsmallest(
            _MOST_HOLDING, reader.exact("terms", term), key=reader.orders.__getitem__
        )
        for doc in list(filter(shown, held))[:_MOST_READ]:
            written = _written(reader, doc, term, stem)
            if written:
                spelt[written] = None
    return tuple(get_close_matches(word, spelt, _MOST_SPELLINGS, _ALIKE))


def _written(reader: Reader, doc: int, term: str, stem: tokens.Stem) -> str | None:
    """The first word of a document that the index holds as this term."""
    row = reader.row(doc)
    text = "\n".join((row.title, row.text, *row.tags, *row.entities))
    for word in dict.fromkeys(tokens.words(text)):
        if (stem(word) if word.isascii() and word.isalpha() else word) == term:
            return word
    return None
