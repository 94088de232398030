"""The entries that a session is told: at its start, and with a prompt.

Invariant: each goes through the one eligibility function; an entry that reads like an
instruction to the model is left out; nothing is told that does not fit, since a hook
speaks unasked. The same vault and prompt give the same items.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memcli.entries.text import prompt_injection
from memcli.sessions.briefing.frame import Item
from memcli.vault.signals import event

if TYPE_CHECKING:
    from memcli.entries.eligibility import View
    from memcli.search.ranking.bm25 import Hit
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.briefing.select import WeighedItem
    from memcli.storage.settings import Config
    from memcli.vault.vault import Vault

PINNED, CONSTRAINTS, WANTED = "Pinned", "Constraints", "What the user wants"
RULES, RECENTLY = "Rules", "Recently"
PARTS = (PINNED, CONSTRAINTS, WANTED, RULES, RECENTLY)
"""The headings of a session's start, in their order."""
_FITTING = "What may fit this prompt"

_MOST_PREFERENCES = 12
_MOST_CONSTRAINTS = 8
# A text longer than this is a document; the session is told its title.
_LONGEST = 1_200

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


def at_start(vault: "Vault", view: "View") -> list[Item]:
    """Pinned entries, constraints, preferences, inherited rules, and recent focus."""
    settings = vault.settings
    return vault.read(lambda reader: standing(reader, settings, view))


def standing(
    reader: "Reader", settings: "Config", view: "View", source: str = ""
) -> list[Item]:
    """As `at_start`, of a reader and the settings of its vault.

    With the `source` of a team's vault every document is told by its title, and the
    team's recent focus is left out.
    """
    from memcli.sessions.briefing import select

    chosen = select.chosen(reader, settings, view=view)

    def items(rows: "Iterable[WeighedItem]", part: str, channel: str) -> Iterator[Item]:
        for row in rows:
            text = _short(row, source) if source else row.text
            docs = () if source else reader.exact("id", row.id)
            signal = (
                event.row(reader.row(docs[0]), channels=[channel]) if docs else None
            )
            yield Item(row.id, text, part, source, signal)

    entries = [*items(chosen.pinned, PINNED, "pinned")]
    ids = {row.id for row in chosen.pinned}
    for kind, part, most in (
        ("constraint", CONSTRAINTS, _MOST_CONSTRAINTS),
        ("preference", WANTED, _MOST_PREFERENCES),
    ):
        rows = [row for row in _of_kind(reader, kind, view) if row.id not in ids]
        entries += [
            Item(
                row.id,
                _short(row, source),
                part,
                source,
                None if source else event.row(row, channels=[kind]),
            )
            for row in rows[:most]
        ]
    entries += items(chosen.rules, RULES, "rule")
    if not source:
        entries += items(chosen.focus, RECENTLY, "recent")
    return entries


def note(
    vault: "Vault", prompt: str | None, items: Iterable[Item], shown: Collection[str]
) -> None:
    """Write into the vault's log of signals which of its entries a session was told.

    Args:
        vault: the own one; entries of other vaults are not noted.
        prompt: the question; None at a start.
        items: what there was to tell, the best first.
        shown: the ids of those that were told.
    """
    rows = [item.signal for item in items if item.signal and item.id in shown]
    if prompt is not None:
        rows = [{**row, "rank": rank} for rank, row in enumerate(rows, 1)]
    vault.recorder.recalled(prompt, rows)


def for_prompt(
    vault: "Vault",
    asked: Sequence[tuple[str, str]],
    view: "View",
    shown: Collection[str],
) -> Fitting:
    """The entries that fit the words of a prompt, without those shown already.

    Args:
        vault: the own one.
        asked: as `question` gives them.
        view: the agent that asks, and the moment.
        shown: the ids of the entries that the session was shown.
    """
    return vault.read(lambda reader: fitting(reader, asked, view, shown))


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
    reader: "Reader",
    asked: Sequence[tuple[str, str]],
    view: "View",
    shown: Collection[str],
    source: str = "",
) -> Fitting:
    """As `for_prompt`, of a reader; `source` as in `standing`."""
    from memcli.search.ranking import bm25
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

    ranked = bm25.rank(
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
        if row.id in shown or prompt_injection.suspicious(row.text):
            continue
        if _fits(hit.matched, weights, whole, len(row.terms)):
            signal = None if source else _signal(row, hit)
            item = Item(row.id, _short(row, source), _FITTING, source, signal)
            fitting.found.append(Fit(item, hit.score, hit.matched))
        if len(fitting.found) == MOST:
            break
    return fitting


def _signal(row: "StoredRow", hit: "Hit") -> event.EventRow:
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


def _of_kind(reader: "Reader", kind: str, view: "View") -> "list[StoredRow]":
    """The entries of a kind in force: first the most often met, then the newest."""
    docs = [
        doc for doc in reader.exact("kind", kind) if reader.verdict(doc, view) is None
    ]
    rows = [reader.row(doc) for doc in docs]
    rows = [row for row in rows if not (row.pinned or row.item)]
    rows = [row for row in rows if not prompt_injection.suspicious(row.text)]
    rows.sort(key=lambda row: (row.created, row.id), reverse=True)
    return sorted(rows, key=lambda row: -len(row.seen))


def _short(row: "StoredRow | WeighedItem", source: str = "") -> str:
    text = row.text
    if len(text) <= _LONGEST:
        return text
    where = f" --vault {source.partition(':')[2]}" if source else ""
    inspect = f"memcli inspect {row.id}{where}"
    return f"{row.title[:_LONGEST]} ({len(text):,} characters: {inspect})"
