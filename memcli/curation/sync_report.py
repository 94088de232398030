"""The outcome of a sync, as a value and in words; and what it commits first: files
written by hand, or left.

Invariant: the words and the JSON say the same. A file is committed as it is, and only
when it can be read as what it is and holds no new secret: what a sync pushes cannot be
taken back. What a person has staged stays staged. A file that a person has deleted is
forgotten, in a commit of its own.
"""

from __future__ import annotations

from memcli.curation import sync_rules
from memcli.curation.sync_rules import Force
from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple
from memcli.storage import settings
from memcli.storage.git import commit as commits
from memcli.storage.git import tree
from memcli.vault.health.working_tree import why_left, working_tree

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.entries.merging.trees import MergeNote
    from memcli.storage.git.repository import Repository
    from memcli.storage.git.tree import Difference
    from memcli.vault.vault import Vault

NOTHING_NEW = "nothing new on either side"
_MOST_KEYS = 8


class Traffic(NamedTuple):
    """The traffic of one direction: commits, and entries new, changed or gone."""

    commits: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0

    def as_dict(self) -> dict[str, int]:
        """For JSON."""
        entries = self.added + self.changed + self.removed
        return {**self._asdict(), "entries": entries}


def traffic_of(
    commits: int, differences: Iterable[tuple[str, object, object]]
) -> Traffic:
    """Count entries by what became of their paths: (path, before, after).

    The archive is left out: an entry that was evolved counts once.
    """
    rows = list(differences)
    archived = {
        layout.before_archive(path)
        for path, before, _ in rows
        if before is None and layout.is_archived(path)
    }
    added = changed = removed = 0
    for path, before, after in rows:
        if not layout.is_entry(path) or layout.is_archived(path):
            continue
        if after is None and path in archived:
            continue  # its new version has another name
        if before is None:
            added += 1
        elif after is None:
            removed += 1
        else:
            changed += 1
    return Traffic(commits, added, changed, removed)


def changed_config(repository: Repository, coming: list[Difference]) -> list[str]:
    """The settings of the vault that came with another value, by name."""
    texts = ["", ""]
    for each in coming:
        if each.path == layout.CONFIG:
            for place, side in enumerate((each.before, each.after)):
                if side:
                    (data,) = tree.read_blobs(repository, [side.oid])
                    texts[place] = data.decode("utf-8", "replace")
    return settings.changed(*texts)


class Synced(NamedTuple):
    """The outcome of a sync, or of a dry run.

    Attributes:
        vault: its name, or its path.
        remote, address, branch: with what it was synced; the address holds no password.
        dry_run: whether nothing was done.
        committed: files that were committed first.
        forgotten: files whose deletion by hand was committed first.
        left: files that were not, and why.
        came, went: what the remote gave and got.
        force, config: of what came, the entries that act unasked, and the settings of
            the vault that have another value, by name.
        merged: how many entries both sides had changed.
        notes: what the merge decided.
        pushed: whether the remote was given anything.
        moved: whether the vault has another commit than before.
        read_only: whether it only takes what comes.
        others: branches of the remote that hold another vault, which this one does not
            meet.
    """

    vault: str
    remote: str
    address: str
    branch: str
    dry_run: bool = False
    committed: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    came: Traffic = Traffic()
    force: Force = Force()
    config: tuple[str, ...] = ()
    went: Traffic = Traffic()
    merged: int = 0
    notes: tuple[MergeNote, ...] = ()
    pushed: bool = False
    moved: bool = False
    read_only: bool = False
    others: tuple[str, ...] = ()

    @property
    def eyes(self) -> list[MergeNote]:
        """The decisions that a person should look at."""
        return [note for note in self.notes if note.eyes]

    @property
    def line(self) -> str:
        """All of it in one line."""
        would = "would sync" if self.dry_run else "synced"
        came = _moved("came", "removed by it", self.came)
        came += "".join(f" ({about})" for about in self.force.said)
        said = [came, _moved("went", "removed there", self.went)]
        if self.forgotten:
            said.insert(0, f"{counted(len(self.forgotten), 'file')} forgotten")
        if self.committed:
            said.insert(0, f"{counted(len(self.committed), 'file')} committed")
        if self.merged:
            said.append(f"{self.merged:,} merged")
        if self.eyes:
            said.append(f"{len(self.eyes):,} to look at")
        if self.others:
            said.append(f"another vault, which is not synced, is on {self.others[0]}")
        facts = ", ".join(each for each in said if each) or NOTHING_NEW
        return f"{would} with {self.remote} ({self.address}): {facts}"

    @property
    def changed_config(self) -> str:
        """The settings that came changed, in one line; empty for none."""
        names = ", ".join(self.config[:_MOST_KEYS])
        if len(self.config) > _MOST_KEYS:
            names += f" and {len(self.config) - _MOST_KEYS} more"
        return f"the remote changed the vault's config: {names}" if names else ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields, force = self._asdict(), self.force._asdict()
        del fields["force"], force["paths"]
        return {
            **fields,
            "came": self.came.as_dict() | force,
            "went": self.went.as_dict(),
            "eyes": self.eyes,
            "line": self.line,
        }


def _moved(verb: str, gone: str, traffic: Traffic) -> str:
    moved = traffic.added + traffic.changed
    said = [f"{counted(moved, 'entry')} {verb}"] if moved else []
    if traffic.removed:
        said.append(f"{counted(traffic.removed, 'entry')} {gone}")
    if traffic.commits and not said:
        said.append(f"{counted(traffic.commits, 'commit')} {verb}")
    return ", ".join(said)


# --- what is committed first --------------------------------------------------------


class Left(NamedTuple):
    """A file that is not committed, and why."""

    path: str
    why: str


class Uncommitted(NamedTuple):
    """The result of `plan`: the files to commit, those that git's index has lost, those
    that are left as they are, and those that a person has deleted."""

    paths: Sequence[str] = ()
    lost: Sequence[str] = ()
    left: Sequence[Left] = ()
    forgotten: Sequence[str] = ()


def plan(vault: Vault, repository: Repository) -> Uncommitted:
    """Look at what no commit holds; nothing is changed.

    Raises:
        HistoryError: git refused.
    """
    paths: list[str] = []
    left: list[Left] = []
    moves = []
    by_state: dict[str, list[str]] = {}
    for row in working_tree(vault, repository, repository.status()):
        by_state.setdefault(row.state, []).append(row.path)
        if row.state in ("new", "edited"):
            why = why_left(vault, repository, row.path)
            paths += () if why else (row.path,)
            left += (Left(row.path, why),) if why else ()
        elif row.state == "moved":
            moves.append(row)
        elif row.state.startswith("staged"):
            left.append(Left(row.path, "you have staged it: git commit"))
        elif row.finding and row.state != "lost":
            found = row.finding
            left.append(Left(row.path, f"{found.message}; {found.hint}"))
    for path, _, place in moves:
        if any(each.path == place for each in left):
            left.append(Left(path, f"moved to {place}, which is left"))
        else:
            paths.append(path)
    lost, forgotten = (by_state.get(state, ()) for state in ("lost", "forgotten"))
    return Uncommitted(paths, lost, sorted(left), forgotten)


def commit(vault: Vault, repository: Repository, found: Uncommitted) -> None:
    """Commit what can be committed.

    Raises:
        LockBusy, WriteFailed, HistoryError: nothing was committed.
    """
    if found.forgotten:
        with vault.transaction() as change:
            for path in found.forgotten:
                change.include(path)
            change.message = f"forget: {_called(found.forgotten)}, deleted by hand"
    if found.paths or found.lost:
        with vault.transaction() as change:
            commits.unstage(repository, found.lost)
            for path in found.paths:
                change.include(path)
            change.message = f"keep: {_called(found.paths)}"


def _called(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{len(paths)} files"


def tell_unpushed(vault: Vault, done: Synced, *, by_itself: bool) -> None:
    """Tell what came; it is merged, and the next sync finds nothing new in it."""
    if done.moved:
        told = "; ".join(filter(None, (done.line, done.changed_config)))
        vault.tell(f"merged here, not pushed: {told}")
    sync_rules.tell_news(vault, done.force, done.config, by_itself=by_itself)
