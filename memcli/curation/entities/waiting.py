"""The names that wait for a decision: they stand in entries, and may be entities.

Invariant: reads only, and through the reader of the asking agent. The index's lists of
documents tell which names there are; an entry is read to show a name in it.
"""

from __future__ import annotations

from itertools import chain

from memcli.curation.entities.listing import usual
from memcli.entries import layout
from memcli.entries.eligibility import View
from memcli.entries.text.mentions import folded
from memcli.entries.text.tokens import name_key
from memcli.named_tuple import NamedTuple
from memcli.search.columns import newest_first
from memcli.search.edges import sharing
from memcli.vault.registry.store import ignored_names

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

# A single word counts from so many entries on.
_SEVERAL = 2
_EXAMPLE = 160


class PossibleName(NamedTuple):
    """A possible name that waits for a decision, with an entry in which it stands."""

    name: str
    entries: int
    example: str
    id: str


class _Possible(NamedTuple):
    """Names that wait: by folded name in how many entries each stands, and the places
    of its spellings in `names`; `docs` and `counts` are by place, too.

    `shown` are the entries that count.
    """

    found: dict[str, tuple[int, list[int]]]
    names: Sequence[str]
    docs: Sequence[Sequence[int]]
    counts: list[int]
    shown: set[int]

    def spelling(self, places: Sequence[int]) -> str:
        """How most entries spell the name with these places."""
        if len(places) == 1:
            return self.names[places[0]]
        counts = [self.counts[place] for place in places]
        return usual([self.names[place] for place in places], counts)

    def holding(self, places: Sequence[int]) -> list[int]:
        """The entries in which the name with these places stands."""
        docs = chain.from_iterable(map(self.docs.__getitem__, places))
        return [doc for doc in docs if doc in self.shown]


def candidates(vault: Vault, most: int | None = None) -> tuple[list[PossibleName], int]:
    """Possible names in the entries in force, those in most entries first.

    Two capitalised words in a row count from the first entry on, a single one in
    mid-sentence if another entry has it anywhere. Registered and ignored names are
    left out.

    Args:
        vault: where to look.
        most: how many are wanted; None is all. Each takes reading an entry.

    Returns:
        The names, and how many there are in all.
    """

    def named(reader: Reader) -> tuple[list[PossibleName], int]:
        possible = _possible(vault, reader)
        found = possible.found
        order = sorted(found)
        order.sort(key=lambda form: -found[form][0])  # equal ones stay in order
        order = order[:most]
        newest = newest_first(reader.columns)
        # By entry, so that each is read once, and no text is kept.
        shown_in: dict[int, list[str]] = {}
        for form in order:
            docs = possible.holding(found[form][1])
            doc = docs[0] if len(docs) == 1 else min(docs, key=newest)
            shown_in.setdefault(doc, []).append(form)
        rows: dict[str, PossibleName] = {}
        for doc, forms in shown_in.items():
            entry_id, text = reader.said(doc)
            plain = " ".join(text.split())
            for form in forms:
                count, places = found[form]
                name = possible.spelling(places)
                rows[form] = PossibleName(name, count, _around(plain, name), entry_id)
        return [rows[form] for form in order], len(found)

    return vault.read(named)


def count_candidates(vault: Vault) -> int:
    """How many `candidates` there are."""
    return vault.index.again(lambda reader: len(_possible(vault, reader).found))


def _possible(vault: Vault, reader: Reader) -> _Possible:
    names = vault.registry.names
    decided = names.meant.keys() | names.ambiguous.keys()
    decided |= ignored_names(vault.root).keys()
    shown = reader.shown(View(vault.now_ms() // 1000)) - _ideas(reader)
    lists = reader.values("possible_name")
    spelled, docs = [*lists], [*lists.values()]
    counts = [len(shown.intersection(each)) for each in docs]
    spellings: dict[str, list[int]] = {}
    for place, form in enumerate(folded(spelled)):
        if counts[place] and form not in decided:
            spellings.setdefault(form, []).append(place)
    found: dict[str, tuple[int, list[int]]] = {}
    for form, places in spellings.items():
        if form.count(" ") > 1:
            tail = form.partition(" ")[2]
            if tail in spellings or tail in decided:
                continue  # `Meeting Grace Hopper` begins with a word of its sentence
        count = counts[places[0]]
        if len(places) > 1:
            count = sum(counts[place] for place in places)
        words = " " in form and any(" " in spelled[place] for place in places)
        if count == 1 and not words:
            count = len(shown.intersection(sharing(reader, name_key(form))))
        if words or count >= _SEVERAL:
            found[form] = count, places
    return _Possible(found, spelled, docs, counts, shown)


def _ideas(reader: Reader) -> set[int]:
    """The pages of ideas, whose words are not of any entry."""
    folders = (layout.INCUBATOR, f"{layout.ARCHIVE}/{layout.INCUBATOR}")
    paths = chain.from_iterable(reader.starting("path", each) for each in folders)
    pages = filter(layout.is_idea, paths)
    return {doc for path in pages for doc in reader.exact("path", path)}


def _around(plain: str, name: str) -> str:
    """The words around a name, of a text in one line."""
    at = max(0, plain.find(name))
    begin = max(0, at - (_EXAMPLE - len(name)) // 2)
    cut = plain[begin : begin + _EXAMPLE]
    return ("…" if begin else "") + cut + ("…" if begin + _EXAMPLE < len(plain) else "")
