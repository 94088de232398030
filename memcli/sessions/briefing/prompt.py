"""The entries that fit a prompt.

Invariant: each goes through the one eligibility function, which also says what holds in
the session's project; an entry that reads like an instruction to the model is left out;
nothing is told that does not fit, since a hook speaks unasked. The same vault and
prompt give the same items.
"""

from __future__ import annotations

from memcli.entries.text import prompt_injection
from memcli.named_tuple import NamedTuple
from memcli.sessions.briefing.frame import Item
from memcli.sessions.briefing.items import marked, short, source_of
from memcli.vault.signals import event

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memcli.entries.eligibility import View
    from memcli.search.ranking.order import Hit
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.code_state import Watch
    from memcli.vault.vault import Vault

_FITTING = "What may fit this prompt"

# Of a prompt: how many entries, and how well they must fit. An entry fits when it
# shares three words with the prompt, a name as two, and these are so much of the
# smaller of both, by weight (docs/benchmarks/prompts.md has how this was chosen).
MOST = 4
_FIT = 0.4
_SHARED = 3
# Words of a prompt that are looked at: the rarest say what it is about.
_WORDS = 24
_HEAD, _TAIL = 2_000, 600
# A word's weight is its idf and this, so that a small vault's words count as well.
_FLOOR = 1.0


class Fit(NamedTuple):
    """An entry that fits a prompt, with its score for the words that it `matched`."""

    item: Item
    score: float
    matched: tuple[str, ...]


class Fitting(NamedTuple):
    """The entries of one vault that fit a prompt, the best first.

    Attributes:
        found: the entries.
        counts: of each word of the prompt that the vault holds, the number of entries
            with it. The scores were made of these.
        size: how many entries the vault has.
    """

    found: list[Fit]
    counts: Mapping[str, int]
    size: int

    @property
    def items(self) -> list[Item]:
        """What to tell, the best first."""
        return [fit.item for fit in self.found]


def for_prompt(
    vault: Vault,
    asked: Sequence[tuple[str, str]],
    view: View,
    shown: Collection[str],
    watch: Watch | None = None,
) -> Fitting:
    """The entries that fit the words of a prompt, without those shown already.

    Args:
        vault: the own one.
        asked: as `question` gives them.
        view: the agent that asks, and the moment.
        shown: the ids of the entries that the session was shown.
        watch: finds out what speaks of code that changed since, which is left out.
    """
    source = source_of(vault)
    return vault.read(lambda reader: fitting(reader, asked, view, shown, source, watch))


def question(prompt: str) -> list[tuple[str, str]]:
    """The distinct words of a prompt, as `tokens.question` gives them."""
    from memcli.entries.text import tokens
    from memcli.search.stemmer import stemmer

    words = (
        prompt
        if len(prompt) <= _HEAD + _TAIL
        else f"{prompt[:_HEAD]}\n{prompt[-_TAIL:]}"
    )
    return list(dict.fromkeys(tokens.question(words, stemmer())))


def fitting(
    reader: Reader,
    asked: Sequence[tuple[str, str]],
    view: View,
    shown: Collection[str],
    source: str = "",
    watch: Watch | None = None,
) -> Fitting:
    """As `for_prompt`, for a caller that holds a reader; `source` as in `standing`."""
    from memcli.search.ranking import rank
    from memcli.search.ranking.corpus import Question, Scope
    from memcli.search.ranking.weights import LEXICAL

    frequencies = [(reader.frequency(term), term, word) for term, word in asked]
    rarest_first = sorted(each for each in frequencies if each[0])
    counts = {word: count for count, _, word in rarest_first}
    fitting = Fitting([], counts, reader.size)
    rarest = rarest_first[:_WORDS]
    if sum(_counts(word) for _, _, word in rarest) < _SHARED:
        return fitting
    terms = {term for _, term, _ in rarest}

    def admit(doc: int) -> bool:
        return reader.verdict(doc, view) is None

    ranked = rank.rank(
        Question([(term, word) for term, word in asked if term in terms], view.now),
        reader,
        limit=3 * MOST,
        scope=Scope(admit=admit),
        weights=LEXICAL,
    )
    weights = {term.word: _FLOOR + term.idf for term in ranked.terms}
    whole = sum(weights.values())
    for hit in ranked.hits:
        row = reader.row(hit.doc)
        if row.id in shown or prompt_injection.of_entry(row.title, row.text):
            continue
        if not _fits(hit.matched, weights, whole, len(row.terms)):
            continue
        if watch is None or not watch.keeps_back(row, row.kind, source):
            signal = None if source else _signal(row, hit)
            text = short(marked(reader, row, view), source)
            item = Item(row.id, text, _FITTING, source, signal)
            fitting.found.append(Fit(item, hit.score, hit.matched))
        if len(fitting.found) == MOST:
            break
    return fitting


def _signal(row: StoredRow, hit: Hit) -> event.EventRow:
    channels = event.channels(hit.parts)
    return event.row(row, score=hit.score, channels=channels, parts=hit.parts)


def _fits(
    matched: Collection[str], weights: Mapping[str, float], whole: float, terms: int
) -> bool:
    if sum(map(_counts, matched)) < _SHARED:
        return False
    shared = sum(weights[word] for word in matched)
    # A row's words weigh what the prompt's weigh on average.
    row_weight = terms * whole / len(weights)
    return shared >= _FIT * min(whole, row_weight)


def _counts(word: str) -> int:
    """The words that a word counts as: a name (`rate_limit`, 9077, ci.yml) as two."""
    return 1 if word.isalpha() else 2
