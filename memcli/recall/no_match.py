"""Why a question has no answer: words that no entry holds, and what was left out.

Invariant: reads only, and only through the reader that gave no row, so nothing is named
or counted that the caller may not see. It costs nothing where there is an answer.
"""

from __future__ import annotations

from memcli.entries.eligibility import standing
from memcli.entries.entry import Status
from memcli.named_tuple import NamedTuple
from memcli.recall import question as asking
from memcli.recall.filters import Admission
from memcli.recall.query import Filters, Query

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from memcli.search.reader import Reader


class NoMatch(NamedTuple):
    """Why there is no row.

    Args:
        entries: how many entries there are for the caller.
        missing: the words of the question that no entry holds.
        filtered: how many entries hold a word of the question, and would be shown
            without the filters.
        ended: status -> how many entries hold a word of the question, and are not
            shown because of that status.
        filters: which filters the question has, as flags and JSON name them.
    """

    entries: int
    missing: Sequence[str] = ()
    filtered: int = 0
    ended: Mapping[str, int] = {}
    filters: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = self._asdict()
        return {"entries": fields.pop("entries"), "missing_terms": self.missing} | {
            name: value for name, value in fields.items() if name != "missing"
        }


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
        filtered=len(shown) if narrowed else 0,
        ended={} if narrowed else _ended(reader, query, docs - shown),
        filters=narrowed,
    )


def _filters(query: Query) -> tuple[str, ...]:
    """The names of the filters that narrow a question."""
    given = [
        "entity" if name == "entities" else name.removesuffix("s")
        for name, value in query.filters._asdict().items()
        if name != "tags_match" and value not in ((), None, "")
    ]
    return (*given, *(["as_of"] if query.view.as_of is not None else ()))


def merged(answers: Sequence[NoMatch]) -> NoMatch:
    """Why several vaults found nothing; a word is missing when all of them lack it."""
    first = answers[0]
    missing = [w for w in first.missing if all(w in a.missing for a in answers)]
    statuses = sorted({status for answer in answers for status in answer.ended})
    return NoMatch(
        entries=sum(answer.entries for answer in answers),
        missing=tuple(missing),
        filtered=sum(answer.filtered for answer in answers),
        ended={s: sum(answer.ended.get(s, 0) for answer in answers) for s in statuses},
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
