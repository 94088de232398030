"""The entries that a session is told: at its start, and with a prompt.

Invariant: each goes through the one eligibility function, which also says what holds in
the session's project; an entry that reads like an instruction to the model is left out;
nothing is told that does not fit, since a hook speaks unasked. The same vault and
prompt give the same items.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.entries.text import prompt_injection
from memcli.named_tuple import NamedTuple
from memcli.sessions.briefing.frame import Item
from memcli.storage import known_vaults
from memcli.vault.signals import event

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memcli.entries.eligibility import View
    from memcli.search.ranking.order import Hit
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.briefing.select import WeighedItem
    from memcli.storage.settings import Config
    from memcli.vault.code_state import Watch
    from memcli.vault.vault import Vault

CONSTRAINTS, PINNED, PROJECT = "Constraints", "Pinned", "This project"
RULES, RECENTLY, WANTED = "Rules", "Recently", "What the user wants"
PARTS = (CONSTRAINTS, PINNED, PROJECT, RULES, RECENTLY, WANTED)
"""The headings of a session's start, in the order in which they get room.

What the user wants in general comes last: it fills what is left.
"""
_FITTING = "What may fit this prompt"

# The kinds that say how things are done, in a project or anywhere.
_CUSTOMS = ("convention", "preference")
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


class Standing(NamedTuple):
    """What a session is told at its start: the entries, those that need room first,
    and how many candidates wait for review."""

    items: list[Item]
    waiting: int


def at_start(vault: Vault, view: View, watch: Watch | None = None) -> Standing:
    """Constraints, pinned entries, and what is wanted in this project and anywhere.

    What speaks of code that changed since, which `watch` finds out, is left out.
    """
    settings = vault.settings

    def look(reader: Reader) -> Standing:
        asked = view._replace(statuses=frozenset({Status.PENDING}))
        docs = set(reader.exact("status", str(Status.PENDING)))
        # Ideas are decided on in their ledger.
        docs.difference_update(reader.exact("kind", "idea"))
        waiting = [doc for doc in docs if reader.verdict(doc, asked) is None]
        told = standing(reader, settings, view, _source(vault), watch)
        return Standing(told, len(waiting))

    return vault.read(look)


def standing(
    reader: Reader,
    settings: Config,
    view: View,
    source: str = "",
    watch: Watch | None = None,
) -> list[Item]:
    """The entries of `at_start`, of a reader and the settings of its vault.

    With the `source` of a team's vault every document is told by its title, and the
    team's recent focus is left out. Nothing is told twice in the same words.
    """
    from memcli.entries.identity import strict_key
    from memcli.sessions.briefing import select

    chosen = select.chosen(reader, settings, view)

    def kept_back(row: StoredRow) -> bool:
        return watch is not None and watch.keeps_back(row, row.kind, source)

    def weighed(rows: Iterable[WeighedItem], part: str, channel: str) -> Iterator[Item]:
        for row in rows:
            text = _short(row, source) if source else row.text
            docs = reader.exact("id", row.id)
            stored = reader.row(docs[0]) if docs else None
            if stored is None or kept_back(stored):
                continue  # None: it is gone since it was chosen
            signal = None if source else event.row(stored, channels=[channel])
            yield Item(row.id, text, part, source, signal)

    def plain(rows: Iterable[StoredRow], part: str) -> Iterator[Item]:
        for row in rows:
            if kept_back(row):
                continue
            signal = None if source else event.row(row, channels=[row.kind])
            yield Item(row.id, _short(row, source), part, source, signal)

    customs = [row for kind in _CUSTOMS for row in _of_kind(reader, kind, view)]
    customs.sort(key=_standing_order, reverse=True)
    # What a repository's own vault says holds in the repository.
    is_repos = source == known_vaults.REPO
    of_here = [row for row in customs if row.project or is_repos]
    entries = [
        *weighed(chosen.pinned, PINNED, "pinned"),
        *plain(_of_kind(reader, "constraint", view), CONSTRAINTS),
        *plain(of_here, PROJECT),
        *weighed(chosen.rules, RULES, "rule"),
        *weighed(() if source else chosen.focus, RECENTLY, "recent"),
        *plain((row for row in customs if not (row.project or is_repos)), WANTED),
    ]
    told: dict[str, Item] = {}
    for item in entries:
        told.setdefault(strict_key("", item.text), item)
    return sorted(told.values(), key=lambda item: PARTS.index(item.part))


def _source(vault: Vault) -> str:
    """The name of a vault that is not the user's own, which each entry then bears."""
    return "" if vault.source == known_vaults.PERSONAL else vault.source


def note(
    vault: Vault, prompt: str | None, items: Iterable[Item], shown: Collection[str]
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
    source = _source(vault)
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
            item = Item(row.id, _short(row, source), _FITTING, source, signal)
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


def _of_kind(reader: Reader, kind: str, view: View) -> list[StoredRow]:
    """The entries of a kind in force: first the most often met, then the newest."""
    docs = [
        doc for doc in reader.exact("kind", kind) if reader.verdict(doc, view) is None
    ]
    rows = [reader.row(doc) for doc in docs]
    rows = [row for row in rows if not (row.pinned or row.item)]
    rows = [row for row in rows if not prompt_injection.of_entry(row.title, row.text)]
    return sorted(rows, key=_standing_order, reverse=True)


def _standing_order(row: StoredRow) -> tuple[int, str, str]:
    """How often an entry was confirmed, and when last."""
    return len(row.seen), max((row.created, *row.seen)), row.id


def _short(row: StoredRow | WeighedItem, source: str = "") -> str:
    text = row.text
    if len(text) <= _LONGEST:
        return text
    where = f" --vault {source.removeprefix('team:')}" if source else ""
    inspect = f"memcli inspect {row.id}{where}"
    return f"{row.title[:_LONGEST]} ({len(text):,} characters: {inspect})"
