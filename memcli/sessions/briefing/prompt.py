"""The entries that a prompt brings.

An entry is brought when the words that it shares with the prompt are evidence enough
(`ranking.evidence`).

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
    from collections.abc import Collection, Sequence

    from memcli.entries.eligibility import View
    from memcli.search.reader import Reader
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


def question(prompt: str) -> list[tuple[str, ...]]:
    """The distinct words of a prompt, as `tokens.names` gives them."""
    from memcli.entries.text import tokens

    if len(prompt) > _HEAD + _TAIL:
        prompt = f"{prompt[:_HEAD]}\n{prompt[-_TAIL:]}"
    return tokens.names(prompt, tokens.stemmer())


def fitting(
    vault: Vault, reader: Reader, asked: Names, view: View, shown: Collection[str]
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
    told: list[Item] = []
    for evidence, doc in _best(reader, asked):
        if len(told) == MOST or (told and evidence < _OF_THE_BEST * told[0].evidence):
            break
        row = reader.row(doc)
        passes = row.kind in _PASSING or row.item == ReflectionItem.DERIVED
        is_known = row.id in shown or (passes and not row.pinned)
        if is_known or reader.verdict(doc, view) is not None:
            continue
        as_told = to_tell(reader, row, view, source)
        if as_told is None:
            continue
        signal = None
        if not source:
            signal = signals.row(as_told, score=evidence, channels=["lexical"])
        item = Item(row.id, short(as_told, source), _FITTING, source, signal)
        told.append(item._replace(evidence=evidence))
    return told


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
