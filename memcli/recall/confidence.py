"""How far to trust an answer: how much of the question its facts cover.

Invariant: pure. Confidence never rises above low when the best fact holds too little of
the question, however many facts there are.
"""

from __future__ import annotations

from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memcli.search.ranking.corpus import Term

# How many facts make confidence medium and high: the rule of the envelope's origin.
_MEDIUM, _HIGH = 2, 5
# Coverage below which confidence is low, and below which it is not high: chosen on
# three LoCoMo conversations, reported on two others.
_CAPS = (0.4, 0.5)
# The same for an agent, for whom each word weighs the same: how rare a word is in the
# whole vault would tell of entries that the agent may not see.
_CAPS_OF_AGENTS = (0.5, 0.65)
# A word weighs this much besides its idf. In a vault of three notes about deploying,
# "deploy" has an idf of .1 and would count for nothing; on LoCoMo it changes nothing.
_FLOOR = 2.0


def weights(
    words: Iterable[str], terms: Sequence[Term], *, for_agent: bool
) -> dict[str, float]:
    """How much each word of the question counts, in the order of the words.

    Args:
        words: the question's own, as asked.
        terms: those words as the ranking weighs them; a word without a term is left
            out.
        for_agent: each word counts the same.
    """
    weighed = {term.word: 1.0 if for_agent else _FLOOR + term.idf for term in terms}
    return {word: weighed[word] for word in words if word in weighed}


def coverage(
    matched: Iterable[Iterable[str]], word_weights: Mapping[str, float]
) -> float:
    """The largest share of the question that one fact holds, 0 to 1.

    Words scattered over ten facts say little: ten facts of any vault hold most of the
    words of any question (docs/benchmarks/README.md has the figures).
    """
    return max((share(words, word_weights) for words in matched), default=0.0)


def share(words: Iterable[str], word_weights: Mapping[str, float]) -> float:
    """The share of the question's weight that these of its words have, 0 to 1."""
    whole = sum(word_weights.values())
    return sum(word_weights[word] for word in words) / whole if whole else 0.0


def least(*, for_agent: bool) -> float:
    """The coverage below which confidence is low."""
    return _caps(for_agent)[0]


def level(count: int, covered: float, *, for_agent: bool) -> tuple[str, str]:
    """How sure an answer is: high, medium or low, and why.

    Args:
        count: how many facts the answer has.
        covered: as `coverage` gives it.
        for_agent: whether an agent asks.
    """
    low, middle = _caps(for_agent)
    facts = counted(count, "fact")
    best = f"the best holds {covered:.2f} of the question"
    if count < _MEDIUM:
        return "low", f"{facts}; {best}" if count else "no fact"
    if covered < low:
        return "low", f"{facts}, but {best}, less than {low}"
    if count >= _HIGH and covered < middle:
        return "medium", f"{facts}, but {best}, less than {middle}"
    return ("high" if count >= _HIGH else "medium"), f"{facts}; {best}"


def _caps(for_agent: bool) -> tuple[float, float]:
    return _CAPS_OF_AGENTS if for_agent else _CAPS
