"""The constants of the ranking: how much each thing counts.

Invariant: every figure that can be tuned is here; docs/benchmarks/README.md says what
each channel adds on LoCoMo.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple


class Weights(NamedTuple):
    """How much each thing counts; the defaults are those of `recall`."""

    # How much a repeated word, and a text's length, count: (in short texts, in long
    # ones). In a chat's turns words hardly repeat and a longer turn says more; in
    # pages of notes both tell much. LoCoMo: turns want .8 and .2, sessions 1.5 and .75.
    k1: tuple[float, float] = (0.6, 1.6)
    b: tuple[float, float] = (0.0, 0.85)
    # The average length, in terms, that is half way from short to long.
    half_length: float = 50.0
    # How much a match counts in the entries after it (an answer follows its question)
    # and before it, by distance in the session.
    after: tuple[float, ...] = (0.6, 0.25)
    before: tuple[float, ...] = (0.4, 0.2)
    # How much more it counts after an entry that asks: what follows answers it.
    after_question: float = 1.5
    # An entry that follows one which asks for a rare word of the question.
    reply: float = 0.1
    session: float = 0.6
    # Half-saturation of a term's count within a session.
    session_k: float = 1.5
    # Entries about an entity that the question names.
    entity: float = 0.25
    asks: float = 0.15
    # What holds the kind of answer that is asked for: a time, a number, a place.
    answers: float = 0.5
    feedback: float = 0.15
    feedback_entries: int = 3
    feedback_terms: int = 8
    # A version that a later one has replaced, beside versions that are current.
    superseded: float = 0.15
    recency: float = 0.10
    # Entries in the window that the question names.
    temporal: float = 0.6
    recency_days: float = 365.0
    # The factor of an entry that holds in another project than the question's: R@10
    # .796 to .802 in its own on LoCoMo's conversations, .796 to .792 in a wrong one.
    elsewhere: float = 0.8
    # Entries that are tied to the best ones: the share of their score that goes over
    # one hop, from how many of them, from which share of the best score on.
    graph: float = 0.5
    graph_seeds: int = 10
    graph_floor: float = 0.5
    # The share of the best score that an entry needs which only the graph found, for
    # each hop: below it, it pads the answer (docs/benchmarks/README.md).
    graph_brings: float = 0.28
    # What counts of an edge over a name that is not registered: in short texts, in
    # long ones, where more names stand by chance.
    names: tuple[float, float] = (1.05, 0.2)
    # How many hops.
    depth: int = 1
    # How often an entry holds a word that is another name of an entity it is about.
    implied: float = 0.5
    # What a near word counts beside its similarity: in short texts, in long ones, where
    # more words are near by chance. LoCoMo: turns want .4 to .5, sessions .3 to .35.
    near: tuple[float, float] = (0.48, 0.35)
    # How many of the best lexical matches get the closer look.
    pool: int = 100
    # How many sessions, best first, are read for neighbours.
    most_sessions: int = 16
    # A question with more known terms than this is cut to its most selective ones.
    most_terms: int = 32


DEFAULTS = Weights()

LEXICAL = Weights(
    after=(),
    before=(),
    session=0.0,
    feedback=0.0,
    asks=0.0,
    answers=0.0,
    superseded=0.0,
    recency=0.0,
    depth=0,
)
"""The words alone, for answers that must not depend on the entries around one."""


def by_length(pair: tuple[float, float], average: float, half: float) -> float:
    """The figure between that of short texts and that of long ones.

    Args:
        pair: the figures of short texts and of long ones.
        average: the average length of the texts, in terms.
        half: the average length that is half way.
    """
    low, high = pair
    return low + (high - low) * average / (average + half)
