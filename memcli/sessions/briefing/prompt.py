"""The entries that a prompt brings.

An entry is brought when the words that it shares with the prompt are evidence enough
(`ranking.evidence`); and from there, over a rare name, what else is known of it: with
"the ledger importer belongs to Noor" comes "Noor is away until May".

Invariant: each goes through the one eligibility function, which also says what holds in
the session's project; an entry that reads like an instruction to the model is left out;
nothing is told that does not fit, since a hook speaks unasked. The same vault and
prompt give the same items.
"""

from __future__ import annotations

from memcli.entries.entry import Item as ReflectionItem
from memcli.sessions.briefing.frame import Item, is_new, short, source_of, to_tell
from memcli.vault import signals

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from memcli.entries.eligibility import View
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

    Names = Sequence[Sequence[str]]

_FITTING = "What may fit this prompt"
MOST = 3
# Of the own vault among these, if so many fit.
_OWN = 2
# What happened, what is to be done and what might be done is asked for (`recall`), and
# not told unasked. Any other kind says what holds until somebody changes it; a note
# may be anything, and somebody wanted it kept.
_PASSING = frozenset({"event", "action", "idea"})
# Of what a prompt brings, each has so much of the best one's evidence.
_OF_THE_BEST = 0.7
# So many of the entries with enough evidence are read, in search of those to tell.
_READ = 12
# Of a long prompt the two ends are read, so many characters.
_HEAD, _TAIL = 2_000, 600
# A name of more entries is a hub: it does not say which of them is meant.
_FEW = 4


def question(prompt: str) -> list[tuple[str, ...]]:
    """The distinct words of a prompt, as `tokens.names` gives them."""
    from memcli.entries.text import tokens

    if len(prompt) > _HEAD + _TAIL:
        prompt = f"{prompt[:_HEAD]}\n{prompt[-_TAIL:]}"
    return tokens.names(prompt, tokens.stemmer())


def fitting(
    vault: Vault,
    reader: Reader,
    asked: Names,
    view: View,
    shown: Collection[str],
) -> list[Item]:
    """The entries that a prompt brings, the best first, without those shown already.

    Args:
        vault: the own one, or a team's.
        reader: of it.
        asked: as `question` gives them.
        view: the agent that asks, and the moment.
        shown: the ids of the entries that the session was shown.
    """
    source = source_of(vault)
    told: list[tuple[float, StoredRow]] = []

    def take(doc: int, evidence: float) -> None:
        if reader.verdict(doc, view) is not None:
            return
        row = reader.row(doc)
        if row.id in shown or any(row.id == other.id for _, other in told):
            return
        if not row.pinned and (
            row.kind in _PASSING or row.item == ReflectionItem.DERIVED
        ):
            return
        as_told = to_tell(reader, row, view, source)
        if as_told is not None:
            told.append((evidence, as_told))

    for evidence, doc in _best(reader, asked):
        if len(told) == MOST or (told and evidence < _OF_THE_BEST * told[0][0]):
            break
        take(doc, evidence)
    for _, row in tuple(told):
        for doc in _named_too(reader, row) if len(told) < MOST else ():
            if len(told) < MOST:
                take(doc, 0.0)
    return [_item(row, evidence, source) for evidence, row in told]


def _item(row: StoredRow, evidence: float, source: str) -> Item:
    channel = "lexical" if evidence else "graph"
    signal = None if source else signals.row(row, score=evidence, channels=[channel])
    return Item(row.id, short(row, source), _FITTING, source, signal, evidence=evidence)


def together(own: Sequence[Item], teams: Sequence[Sequence[Item]]) -> list[Item]:
    """The entries that a prompt brings out of all vaults: those with most evidence.

    Evidence is a sum on one scale in every vault, so it is not weighed again.
    """
    marks: set[str] = set()
    found = [item for items in (own, *teams) for item in items if is_new(item, marks)]
    found.sort(key=lambda item: -item.evidence)  # equal: the own vault first
    best_own = [item for item in found if not item.source][:_OWN]
    others = [item for item in found if item not in best_own]
    others = others[: MOST - len(best_own)]
    return [item for item in found if item in best_own or item in others]


def _best(reader: Reader, asked: Names) -> list[tuple[float, int]]:
    """The documents with enough evidence, and how much; the best first."""
    from memcli.search.ranking import evidence

    found, words = evidence.of_documents(reader, asked)
    least, orders = evidence.bar(reader.size, words), reader.columns.orders
    enough = [(shared, doc) for doc, shared in found.items() if shared >= least]
    return sorted(enough, key=lambda pair: (-pair[0], orders[pair[1]]))[:_READ]


def _named_too(reader: Reader, row: StoredRow) -> Iterator[int]:
    """The documents that share a rare name with an entry, in the order of its names."""
    from memcli.entries.text import tokens

    for name in dict.fromkeys((*row.entities, *row.names, *_capitalised(row.text))):
        terms = tokens.names(name, tokens.stemmer())
        rarest = min(
            (term for parts in terms for term in parts),
            key=lambda term: (reader.frequency(term), term),
            default="",
        )
        docs = reader.postings(rarest)[0] if rarest else ()
        if 1 < len(docs) <= _FEW:
            for doc in sorted(docs, key=reader.columns.orders.__getitem__):
                if name in reader.row(doc).text:
                    yield doc


def _capitalised(text: str) -> list[str]:
    """The capitalised words of a text that are no words of English.

    Also those that begin a sentence, where every word has a capital.
    """
    from memcli.entries.shipped import ordinary_words

    words = [word.strip(".,:;!?()\"'") for word in text.split()]
    words = [w for w in words if len(w) > 2 and w.isalpha() and w.istitle()]
    if not words:
        return []
    return [word for word in words if word.lower() not in ordinary_words()]
