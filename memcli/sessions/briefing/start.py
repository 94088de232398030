"""The entries that a session is told at its start.

Whole are pinned entries, constraints, rules and recent focus, and what was settled, as
far as its share goes; then titles of what else is known in the project. In each part
comes first what shares most with the work at hand, then what was confirmed most often.

Invariant: each entry goes through the one eligibility function, which also says what
holds in the session's project; one that reads like an instruction to the model is left
out, and so is one that the host loads by itself. The same vault, work and moment give
the same items.
"""

from __future__ import annotations

import os

from memcli.entries.entry import SUMMARY_TAG, Status, one_line
from memcli.entries.entry import Item as Kept
from memcli.entries.identity import strict_key
from memcli.entries.ids import shortened
from memcli.errors import Unreadable
from memcli.named_tuple import NamedTuple
from memcli.sessions.briefing.frame import (
    TITLES,
    Item,
    is_new,
    short,
    source_of,
    to_tell,
)
from memcli.storage import files, known_vaults
from memcli.vault import signals

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memcli.entries.eligibility import View
    from memcli.hosts.host import Host
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.briefing.select import WeighedItem
    from memcli.vault.vault import Vault

CONSTRAINTS, PINNED, PROJECT = "Constraints", "Pinned", "This project"
RULES, RECENTLY, ANYWHERE = "Rules", "Recently", "In every project"
PARTS = (CONSTRAINTS, PINNED, PROJECT, RULES, RECENTLY, ANYWHERE, TITLES)
"""The headings of a session's start, in the order in which they get room."""

# What a person or a session settled: told wherever it holds, as whole texts in so many
# characters and else by title. A hundred titles reach more tasks than twenty texts.
_SETTLED = ("convention", "preference", "decision", "workflow", "fix")
_ROOM = 4_000
SELF_IMPROVEMENT = "self-improvement"
"""The tag of models that tell an agent how to work, such as rules for its searches."""
# Characters around an entry: its id, its vault, a dash and brackets.
_AROUND = 40
# Characters of which more have no room in any host, and of a title.
_MOST, _TITLE = 9_500, 120
# Characters for all teams: a third of what hosts take.
_TEAMS = 3_000
# So few entries come whole in any order; git is not asked for one.
_FEW = 12
_CHANNELS = {PINNED: "pinned", RULES: "rule", RECENTLY: "recent"}


class Session(NamedTuple):
    """The session that starts.

    Attributes:
        view: its agent and project, and the moment.
        project: the name of its project; None where that is none.
        work: gives the terms of the work at hand, as `tokens.names` does.
        loaded: the lines of the pages that its host loads by itself.
    """

    view: View
    project: str | None = None
    work: Callable[[], Sequence[Sequence[str]]] = tuple
    loaded: str = ""


class Standing(NamedTuple):
    """The items of one vault at a start.

    Attributes:
        items: in the order in which they get room.
        more: how many entries there are besides.
    """

    items: list[Item]
    more: int = 0


def standing(vault: Vault, reader: Reader, session: Session) -> Standing:
    """The items of a vault, by a reader of it.

    Of a team's vault every document is told by its title, and the team's recent focus
    is left out. Nothing is told twice in the same words.
    """
    from memcli.sessions.briefing import select

    source = source_of(vault)
    found = _Found(reader, source, session)
    pinned = set(reader.pinned())
    apart = pinned.union(*(reader.exact("item", str(each)) for each in Kept))
    apart.update(reader.exact("kind", "idea"))
    constraints = set(reader.exact("kind", "constraint")) - apart
    settled = {doc for kind in _SETTLED for doc in reader.exact("kind", kind)} - apart
    # What an agent has learned about its own work, wherever that holds.
    learned = set(reader.exact("tag", SELF_IMPROVEMENT))
    learned.intersection_update(reader.exact("layer", "model"))
    others = (found.of_project() | learned) - apart - constraints - settled
    ordered = found.in_order(pinned | constraints | settled | others)
    chosen = select.chosen(reader, vault.settings, session.view)
    items = [
        *found.items((doc for doc in ordered if doc in pinned), PINNED),
        *found.items(found.docs_of(chosen, Kept.INVARIANT), RULES),
        *found.items(found.docs_of(() if source else chosen, Kept.DERIVED), RECENTLY),
    ]
    # Of the sessions that were summed up the last one says where the work stands.
    summaries = others & set(reader.exact("tag", SUMMARY_TAG)) & set(ordered)
    created, orders = reader.columns.created, reader.columns.orders
    last = sorted(summaries, key=lambda doc: (created[doc], orders[doc]))[-1:]
    others -= summaries | learned
    groups = (constraints, last, learned - summaries, settled, others)
    queue = [doc for group in groups for doc in ordered if doc in group]
    # About as many as have room.
    reader.fetch_rows(queue[: _MOST // 80])
    more, room = len(queue), _ROOM
    # What is pinned, perhaps by others, takes no more than half of it.
    left = _MOST - min(sum(len(item.text) for item in items), _MOST // 2)
    for doc in queue:
        if left < 0:
            break
        more -= 1
        part = CONSTRAINTS if doc in constraints else found.place(doc)
        for item in found.items((doc,), part):
            cost = len(item.text) + _AROUND
            if doc in settled and cost <= room:
                room -= cost
            elif doc not in constraints:
                item = item.by_title
            items.append(item)
            left -= len(item.text) + len(item.id)
    items.sort(key=lambda item: PARTS.index(item.part))
    return Standing(items, more)


def together(own: Standing, teams: Sequence[Standing]) -> Standing:
    """The items of all vaults.

    Under each heading the entries of the own vault come first. Teams get room by turns;
    what one says in the words of another vault is left out.
    """
    from itertools import chain, zip_longest

    marks: set[str] = set()
    for item in own.items:
        is_new(item, marks)
    of_teams = [[item for item in team.items if is_new(item, marks)] for team in teams]
    items = list(own.items)
    more = own.more + sum(team.more for team in teams)
    room = _TEAMS
    for item in filter(None, chain.from_iterable(zip_longest(*of_teams))):
        for told in (item, item.by_title):
            cost = len(told.text) + _AROUND
            if cost <= room:
                items.append(told)
                room -= cost
                break
        else:
            more += 1
    items.sort(key=lambda item: PARTS.index(item.part))
    return Standing(items, more)


class _Found:
    """The entries of one vault that a start may tell; each text is told once."""

    def __init__(self, reader: Reader, source: str, session: Session) -> None:
        self._reader, self._source, self._session = reader, source, session
        # What a repository's own vault says holds in the repository.
        self._is_repos = source == known_vaults.REPO
        self._told: set[str] = set()

    def of_project(self) -> set[int]:
        """The documents of the session's project, of any kind."""
        if self._is_repos:
            return set(self._reader.exact("status", str(Status.ACTIVE)))
        project = self._session.project
        return set(self._reader.exact("project", project) if project else ())

    def docs_of(self, chosen: Iterable[WeighedItem], kind: Kept) -> Iterator[int]:
        """The documents of the reflection items of a kind."""
        for item in chosen:
            if item.item == kind:
                yield from self._reader.exact("path", item.path)

    def place(self, doc: int) -> str:
        """The heading for what holds here, or everywhere."""
        is_here = self._is_repos or self._reader.columns.projects[doc]
        return PROJECT if is_here else ANYWHERE

    def in_order(self, docs: set[int]) -> list[int]:
        """Those of some documents that may be shown, the first of a part first."""
        reader, view = self._reader, self._session.view
        shown = reader.shown(docs, view)
        counts = reader.values("seen").items() if shown else ()
        seen = {doc: int(count) for count, docs in counts for doc in docs}
        fits: dict[int, float] = {}
        if len(shown) > _FEW:
            from memcli.search.ranking.evidence import of_documents

            fits, _ = of_documents(reader, self._session.work())
        created, orders = reader.columns.created, reader.columns.orders

        def key(doc: int) -> tuple[float, bool, int, int, int]:
            elsewhere = self.place(doc) == ANYWHERE
            confirmed = seen.get(doc, 0)
            return -fits.get(doc, 0), elsewhere, -confirmed, -created[doc], orders[doc]

        return sorted(shown, key=key)

    def items(self, docs: Iterable[int], part: str) -> Iterator[Item]:
        """The items for documents; none for one that must not be told."""
        reader, source, session = self._reader, self._source, self._session
        for doc in docs:
            row = reader.row(doc)
            key = strict_key(row.text)
            if key in self._told or _is_loaded(row, session.loaded):
                continue
            as_told = to_tell(reader, row, session.view, source)
            if as_told is None:
                continue
            self._told.add(key)
            row = as_told
            always = part in _CHANNELS and not source
            text = row.text if always else short(row, source)
            title = shortened(one_line(row.title), _TITLE, " ")
            signal = None
            if not source:
                signal = signals.row(row, channels=[_CHANNELS.get(part, row.kind)])
            title = "" if title == text else title
            yield Item(row.id, text, part, source, signal, title)


# --- pages that the host loads --------------------------------------------------------

_LARGEST = 200_000
# By which Claude Code takes that page in, too.
_ALSO = "AGENTS.md"


def loaded(host: Host, folder: str | None, environ: Mapping[str, str]) -> str:
    """The lines of the pages of instructions that a host loads by itself.

    What stands in them in whole lines, or as a rule that was imported from them, the
    agent reads anyway. Pages are only read, within a limit, and those of a project only
    from within its folder. A line that differs in more than its marks and spaces is not
    found.

    Args:
        host: whose they are.
        folder: of the project; None where that is none.
        environ: where the host's own folder lies.
    """
    paths = [os.path.join(host.folder(environ), name) for name in host.user_pages]
    pages = [_read(os.path.realpath(path)) for path in paths]
    top = os.path.join(os.path.realpath(folder or os.sep), "")
    names = list(host.pages if folder else ())
    for name in names:
        path = os.path.realpath(os.path.join(top, *name.split("/")))
        pages.append(_read(path) if path.startswith(top) else "")
        if f"@{_ALSO}" in pages[-1] and _ALSO not in names:
            names.append(_ALSO)
    if not any(pages):
        return ""
    from memcli.curation.exporting import page_lines

    return "".join(map(page_lines, filter(None, pages)))


def _is_loaded(row: StoredRow, pages: str) -> bool:
    """Whether an entry's lines stand in the pages that the host loads."""
    if len(pages) < len(row.text):
        return False
    from memcli.curation.exporting import in_one_line, plain

    lines = plain(row.text), plain(in_one_line(row.title, row.text))
    return any(len(each) > 1 and each in pages for each in lines)


def _read(path: str) -> str:
    try:
        return files.read(path, limit=_LARGEST, follow=False).decode("utf-8", "replace")
    except Unreadable:
        return ""
