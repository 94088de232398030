"""Moving memories of an older layout into the folders of their months.

Invariant: a move changes where a file lies, and in texts the links that say where; no
entry loses its id, a text, or a link. Only what memcli wrote is moved: the id of any
other note is drawn from its path. All of it is one commit, or nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from urllib.parse import quote, unquote

from memcli.entries import layout
from memcli.entries.ids import is_adopted
from memcli.entries.text.counted import counted
from memcli.entries.text.links import composed, joined, relinked
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.listing import paths_of, scan
from memcli.storage.vault_paths import inside
from memcli.vault import free_paths
from memcli.vault.health.repair_step import Repair, RepairPlan

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.vault import Stored, Vault

# A path of these characters alone needs no quotes in YAML that it had not before.
_SAFE = frozenset("/-_.abcdefghijklmnopqrstuvwxyz0123456789")


def crowded(vault: Vault) -> int:
    """How many memories lie in a kind's own folder, of folders that are too full."""
    listed = paths_of(scan(vault.root))
    folders = Counter(filter(None, map(layout.without_month, listed)))
    return sum(count for count in folders.values() if count > layout.ROOMY)


def plan(vault: Vault) -> RepairPlan:
    """One step `by_month` for each file that moves, whose detail is its new path, and
    one step `links` for each file that stays, and whose links change.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("repair")
    vault.read(lambda _: None)  # finishes what a killed command began
    moves, texts = _planned(vault)
    return RepairPlan(_steps(moves, texts), [])


def apply(vault: Vault, planned: RepairPlan) -> RepairPlan:
    """Move the files of a plan, in one commit; returns what was done.

    Files that have changed since are read again; what cannot move any more stays.

    Raises:
        Conflict, LockBusy, WriteFailed, HistoryError: nothing was changed.
    """
    wanted = frozenset(step.path for step in planned.steps)
    with vault.transaction() as change:
        moves, texts = _planned(vault, wanted)
        for path, place in moves.items():
            data = files.read(inside(vault.root, path), follow=False)
            before, after = texts.get(path, (data, data))
            change.carry(before)
            change.put(place, after, expected=None)
            change.remove(path, expected=before)
        for path, (before, after) in texts.items():
            if path not in moves:
                change.put(path, after, expected=before)
        change.message = f"repair: {counted(len(moves), 'memory')} by month"
    return RepairPlan(_steps(moves, texts), [], applied=True)


def _steps(
    moves: dict[str, str], texts: dict[str, tuple[bytes, bytes]]
) -> list[Repair]:
    moved = [
        Repair("by_month", path, f"move it to {place}", place)
        for path, place in moves.items()
    ]
    stay = [path for path in texts if path not in moves]
    return moved + [Repair("links", path, "let its links follow") for path in stay]


def _planned(
    vault: Vault, only: frozenset[str] | None = None
) -> tuple[dict[str, str], dict[str, tuple[bytes, bytes]]]:
    """The new path of each file that moves; the texts before and after, by old path."""
    paths = sorted(paths_of(scan(vault.root)))
    stored = _read(vault, [path for path in paths if layout.is_entry(path)])
    folders: dict[str, set[str]] = {}
    moves = {}
    for item in stored:
        folder = layout.without_month(item.path)
        entry = item.entry
        if folder is None or is_adopted(entry.id) or not entry.id:
            continue
        month = layout.month_folder(folder, entry.created)
        if month == folder or (only is not None and item.path not in only):
            continue
        name = item.path.rpartition("/")[2].removesuffix(".md")
        moves[item.path] = free_paths.free_path(vault, month, name, folders)
    if not moves:
        return {}, {}
    places = _Places(paths, moves)
    texts = {}
    for item in stored:
        after = _with_links(item, places)
        if after != item.data:
            texts[item.path] = (item.data, after)
    ledger = files.current(os.path.join(vault.root, *layout.IDEA_LEDGER.split("/")))
    if ledger is not None:
        text = ledger.decode("utf-8", "surrogateescape")
        text = places.relinked(text, layout.IDEA_LEDGER)
        fresh = text.encode("utf-8", "surrogateescape")
        if fresh != ledger:
            texts[layout.IDEA_LEDGER] = (ledger, fresh)
    return moves, texts


def _read(vault: Vault, paths: list[str]) -> list[Stored]:
    """The files that can be read; the lint names the others."""
    found = []
    for number, path in enumerate(paths):
        if number % 64 == 0 and vault.progress:
            vault.progress(number, len(paths))
        try:
            found.append(vault.stored(path))
        except MemcliError:
            continue
    if vault.progress:
        vault.progress(len(paths), len(paths))
    return found


class _Places:
    """Where a link leads before the move, and how it is written after it."""

    def __init__(self, paths: list[str], moves: dict[str, str]) -> None:
        self._moves = moves
        self._paths = {_key(path): path for path in reversed(paths)}

    def relinked(self, text: str, path: str) -> str:
        """A text of the file at `path` with its links as they are after the move."""
        return relinked(text, lambda target, wiki: self._now(target, path, wiki))

    def _now(self, target: str, path: str, wiki: bool) -> str | None:
        plain = unquote(target) if "%" in target else target
        key = _key(plain.removeprefix("./"))
        folder = path.rpartition("/")[0]
        now = self._moves.get(path, path).rpartition("/")[0]
        if "/" in key and (meant := self._paths.get(key)) is not None:
            if (fresh := self._moves.get(meant)) is None:
                return None
        elif wiki and "/" not in key:
            return None  # a name leads there from every folder
        else:
            meant = self._paths.get(joined(folder.casefold(), key))
            if meant is None or (meant not in self._moves and folder == now):
                return None
            fresh = self._moves.get(meant, meant)
            if not wiki:
                fresh = os.path.relpath(fresh, now or ".").replace(os.sep, "/")
        fresh = fresh if plain.endswith(".md") else fresh.removesuffix(".md")
        return quote(fresh) if plain != target else fresh


def _key(path: str) -> str:
    return composed(path.removesuffix(".md").casefold())


def _with_links(stored: Stored, places: _Places) -> bytes:
    """The file's bytes with its links as they are after the move."""
    entry = stored.entry
    if "[" not in entry.body and not any(name == "links" for name, _ in entry.extra):
        return stored.data
    text = stored.data.decode()
    body = entry.body
    if not text.endswith(body):
        return stored.data
    head = text[: len(text) - len(body)]
    for name, lines in entry.extra:
        fresh = places.relinked(lines, stored.path) if name == "links" else lines
        if _SAFE.issuperset(set(fresh) - set(lines)):
            head = head.replace(lines, fresh, 1)
    return (head + places.relinked(body, stored.path)).encode()
