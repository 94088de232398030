"""How far to trust an answer: how much of the question its facts cover; and why a
question has no answer, or no better one: words that no entry holds, and what was left
out.

Invariant: confidence never rises above low when the best fact holds too little of the
question, however many facts there are. Why there is none is asked only through the
reader that gave the answer, so nothing is named or counted that the caller may not see.
"""

from __future__ import annotations

from memcli.entries.eligibility import standing
from memcli.entries.entry import Status
from memcli.entries.text import tokens
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple
from memcli.recall import question as asking

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memcli.recall.query import Query
    from memcli.search.reader import Reader

# How many facts make confidence medium and high: the rule of the envelope's origin.
_MEDIUM, _HIGH = 2, 5
# Coverage below which confidence is low, and below which it is not high: chosen on
# three LoCoMo conversations, reported on two others.
LEAST, _SURE = 0.4, 0.5


def share(words: Iterable[str], word_weights: Mapping[str, float]) -> float:
    """The share of the question's weight that these of its words have, 0 to 1."""
    whole = sum(word_weights.values())
    return sum(word_weights[word] for word in words) / whole if whole else 0.0


class Covered(NamedTuple):
    """The words of a question that a fact holds, and those that it lacks."""

    matched: list[str]
    nothing_about: list[str]

    @property
    def told(self) -> str:
        """As a person reads it: "matched: price; nothing about: rounding"."""
        if not self.nothing_about:
            return "every word matched"
        matched = f"matched: {', '.join(self.matched)}; " if self.matched else ""
        return f"{matched}nothing about: {', '.join(self.nothing_about)}"


def covered(words: Collection[str], matched: Collection[str]) -> Covered:
    """The words of a question by whether a fact holds them."""
    return Covered(
        [word for word in words if word in matched],
        [word for word in words if word not in matched],
    )


def level(
    facts: Sequence[tuple[Collection[str], bool]], word_weights: Mapping[str, float]
) -> tuple[str, str]:
    """How sure an answer is: high, medium or low, and why.

    Facts that may no longer hold make nothing sure.

    Args:
        facts: the words of the question that each holds, and whether it is stale.
        word_weights: as `Recalled.weights`.
    """
    if not facts:
        return "low", "no fact"
    fresh = [words for words, stale in facts if not stale]
    best = max(
        fresh or [words for words, _ in facts],
        key=lambda words: share(words, word_weights),
    )
    why = counted(len(facts), "fact")
    if len(fresh) < len(facts):
        stale = len(facts) - len(fresh)
        why += ", stale" if not fresh else f", {stale} of them stale"
    held = {word for words, _ in facts for word in words}
    why += f"; {covered(word_weights, held).told}"
    lacks = [word for word in word_weights if word in held and word not in best]
    if lacks:
        why += f"; the best fact lacks: {', '.join(lacks)}"
    covers = share(best, word_weights)
    if len(fresh) < _MEDIUM or covers < LEAST:
        return "low", why
    return ("high" if len(fresh) >= _HIGH and covers >= _SURE else "medium"), why


# --- no answer -----------------------------------------------------------------------


class NoMatch(NamedTuple):
    """Why there is no row, or no better one.

    Args:
        entries: how many entries there are for the caller.
        missing_terms: the words of the question that no entry holds.
        filtered: how many entries hold a word of the question, and would be shown
            without the filters.
        ended: status -> how many entries hold a word of the question, or more of it
            than every row, and are not shown because of that status.
        filters: which filters the question has, as flags and JSON name them.
    """

    entries: int
    missing_terms: Sequence[str] = ()
    filtered: int = 0
    ended: Mapping[str, int] = {}
    filters: Sequence[str] = ()


def why_none(reader: Reader, query: Query, missing: Sequence[str]) -> NoMatch:
    """Why nothing was found in one vault.

    Args:
        reader: the vault's index.
        query: as `query.checked` gives it.
        missing: the words of the question that no entry holds.
    """
    question = asking.read(reader, query, asking.window_of(query))
    docs = {doc for term, _ in question.terms for doc in reader.exact("terms", term)}
    shown = {*reader.shown([*docs], query.view._replace(as_of=None))}
    narrowed = _filters(query)
    return NoMatch(
        entries=reader.live,
        missing_terms=tuple(missing),
        filtered=len(shown) if narrowed else 0,
        ended={} if narrowed else _ended(reader, query, docs - shown),
        filters=narrowed,
    )


def why_no_better(
    reader: Reader,
    query: Query,
    rows: Iterable[Iterable[str]],
    weights: Mapping[str, float],
) -> NoMatch | None:
    """The entries that are over and hold more of the question's weight than every row;
    None without one.

    Args:
        reader: the vault's index.
        query: as `query.checked` gives it.
        rows: the words of the question that each row holds.
        weights: as `Recalled.weights`.
    """
    held_by = (sum(weights.get(word, 0.0) for word in {*words}) for words in rows)
    best = max(held_by) + _ROUNDING
    if best >= sum(weights.values()) or _filters(query):
        return None
    over = reader.over
    held: dict[int, float] = {}
    for word, weight in weights.items():
        for term in tokens.terms(word, tokens.stemmer())[:1]:
            for doc in over.intersection(reader.exact("terms", term)):
                held[doc] = held.get(doc, 0.0) + weight
    better = [doc for doc, weight in held.items() if weight > best]
    ended = _ended(reader, query, better)
    return NoMatch(reader.live, ended=ended) if ended else None


_ROUNDING = 1e-6


def _filters(query: Query) -> tuple[str, ...]:
    """The names of the filters that narrow a question."""
    given = [
        "entity" if name == "entities" else name.removesuffix("s")
        for name, value in query.filters._asdict().items()
        if name != "tags_match" and value not in ((), None, "")
    ]
    return (*given, *(["as_of"] if query.view.as_of is not None else ()))


def merged(answers: Sequence[NoMatch], missing: Sequence[str]) -> NoMatch:
    """Why several vaults found nothing; all of them lack the missing words."""
    statuses = sorted({status for answer in answers for status in answer.ended})
    return NoMatch(
        entries=sum(answer.entries for answer in answers),
        missing_terms=tuple(missing),
        filtered=sum(answer.filtered for answer in answers),
        ended={s: sum(answer.ended.get(s, 0) for answer in answers) for s in statuses},
        filters=answers[0].filters,
    )


def _ended(reader: Reader, query: Query, docs: Iterable[int]) -> dict[str, int]:
    """By status the entries that are not shown because of it."""
    view, ended = query.view, dict[str, int]()
    for doc in docs:
        status = standing(reader.facts(doc, access=view.agent is not None), view)
        if status not in view.statuses and status is not Status.REJECTED:
            ended[str(status)] = ended.get(str(status), 0) + 1
    return dict(sorted(ended.items()))
