"""Verify: all entries of a project, held against its code; and the renewal of anchors.

Invariant: what is looked at is what the caller may see and what is in force. A renewal
changes anchors and names in place and nothing that the entry claims, so it makes no new
version; all of one call go into one commit, under the lock, or none.
"""

from __future__ import annotations

from memcli.curation import citing
from memcli.curation.changing import Changing
from memcli.entries.anchors import MOVED, NOT_CHECKED, STALE
from memcli.entries.eligibility import Action, View
from memcli.errors import InvalidContent, NotAllowed
from memcli.named_tuple import NamedTuple, taken
from memcli.search.documents import EVERYWHERE
from memcli.storage import known_vaults
from memcli.vault.agents import refuse_unless
from memcli.vault.code_state import CloseLook, CodeState

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.vault.vault import Vault

STALE_ENTRY, AS_IT_WAS = "stale", "same"
MOVED_ENTRY, UNKNOWN = MOVED, NOT_CHECKED


class Verified(NamedTuple):
    """An entry that names code, and what became of that.

    `state` is the worst of its places: stale (some code changed or is gone),
    not_checked, moved, or same.
    """

    id: str
    title: str
    kind: str
    path: str
    state: str
    code_state: tuple[CodeState, ...]


class Confirmed(NamedTuple):
    """An entry whose anchors were renewed.

    Attributes:
        code: as they are from now on.
        dropped: places that are gone, and that the entry names no more.
    """

    id: str
    title: str
    path: str
    code: tuple[str, ...]
    dropped: tuple[str, ...]


def verify(vault: Vault) -> list[Verified]:
    """The state of the code that the entries of the caller's project name, the worst
    first.

    Raises:
        NotAllowed: the caller stands in no project (code `no_project`).
    """
    name = vault.here
    if name is None:
        raise NotAllowed(
            "this folder belongs to no project, so there is no code to look at",
            hint="Go to a checkout of the project.",
            code="no_project",
        )
    rows = vault.read(lambda reader: _rows(reader, vault, name))
    close = CloseLook(vault.project, vault.source, vault.environ)
    found = []
    for number, row in enumerate(rows, 1):
        states = tuple(look.state for look in close.looks(row))
        found.append(taken(Verified, row, state=_worst(states), code_state=states))
        if vault.caller.progress is not None:
            vault.caller.progress(number, len(rows))
    order = (STALE_ENTRY, MOVED_ENTRY, UNKNOWN, AS_IT_WAS)
    return sorted(found, key=lambda each: (order.index(each.state), each.id))


def confirm(vault: Vault, *ids: str) -> list[Confirmed]:
    """Renew what entries note of the code, since they still hold.

    Lines that moved or changed are noted as they are now, places that are gone are
    dropped.

    Args:
        vault: asked from a folder of the entries' project.
        ids: the entries, or unique prefixes of their ids.

    Raises:
        EntryNotFound, AmbiguousId: an id leads to no entry, or to several.
        InvalidContent: an entry names no code (code `not_anchored`), or is of a project
            that the caller does not stand in (code `other_project`).
        NotAllowed: the agent may not change an entry.
        LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    close = CloseLook(vault.project, vault.source, vault.environ)
    with Changing(vault) as at:
        done = []
        for path in dict.fromkeys(vault.path_of(name) for name in ids):
            stored = vault.stored(path)
            renewed, entry = _renewed(vault, close, stored.entry)
            done.append(renewed)
            at.write(stored, entry)
        at.say("verify: confirm", [each.title for each in done])
    return done


def _rows(reader: Reader, vault: Vault, name: str) -> list[StoredRow]:
    """The entries of a project that are in force and name code, by id."""
    names = [name]
    if vault.source == known_vaults.REPO and name == vault.here:
        names.append(EVERYWHERE)
    view = View(vault.now_ms() // 1000, agent=vault.agent)
    rows = [
        reader.row(doc)
        for each in names
        for doc in reader.exact("project", each)
        if reader.verdict(doc, view) is None
    ]
    return sorted((row for row in rows if row.code), key=lambda row: row.id)


def _worst(found: Sequence[CodeState]) -> str:
    states = {each.state for each in found}
    if not states.isdisjoint(STALE):
        return STALE_ENTRY
    return next((one for one in (UNKNOWN, MOVED_ENTRY) if one in states), AS_IT_WAS)


def _renewed(vault: Vault, close: CloseLook, entry: Entry) -> tuple[Confirmed, Entry]:
    refuse_unless(vault, Action.EVOLVE, entry)
    citing.refuse_unsearched(vault, entry.layer)
    if not entry.code:
        raise InvalidContent(
            f"{entry.id} names no code, so there is nothing to confirm",
            hint=f"To anchor it: memcli evolve {entry.id} --code PATH:FROM-TO",
            code="not_anchored",
        )
    if not close.is_here(entry, vault.source):
        raise InvalidContent(
            f"{entry.id} is of {entry.project or 'no project'}, and you are not in a "
            "checkout of that",
            hint="Go there, then repeat the command.",
            code="other_project",
        )
    looks = list(close.looks(entry))
    fresh = [str(look.fresh) for look in looks if look.fresh is not None]
    entry = entry.replace(code=tuple(dict.fromkeys(fresh)))
    dropped = tuple(look.state.place for look in looks if look.fresh is None)
    title = entry.display_title
    return Confirmed(entry.id, title, entry.path, entry.code, dropped), entry
