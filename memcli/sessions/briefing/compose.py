"""The entries that a session is told at its start.

Invariant: each goes through the one eligibility function, which also says what holds in
the session's project; an entry that reads like an instruction to the model is left out;
nothing is told that does not fit, since a hook speaks unasked. The same vault and
moment give the same items.
"""

from __future__ import annotations

from memcli.entries.entry import Status
from memcli.entries.text import prompt_injection
from memcli.named_tuple import NamedTuple
from memcli.sessions.briefing.frame import Item
from memcli.sessions.briefing.items import short, source_of
from memcli.storage import known_vaults
from memcli.vault.signals import event

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.entries.eligibility import View
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
# The kinds that say how things are done, in a project or anywhere.
_CUSTOMS = ("convention", "preference")


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
        told = standing(reader, settings, view, source_of(vault), watch)
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
            text = short(row, source) if source else row.text
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
            yield Item(row.id, short(row, source), part, source, signal)

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
