"""The outcome of a sync, as a value, and in words.

Invariant: pure. The words and the JSON say the same.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memcli.curation.uncommitted import Left
    from memcli.entries.merging.trees import MergeNote

_ARCHIVE = layout.ARCHIVE + "/"


class Traffic(NamedTuple):
    """The traffic of one direction: commits, and entries new, changed or gone."""

    commits: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def entries(self) -> int:
        """How many entries are concerned."""
        return self.added + self.changed + self.removed

    def plus(self, other: Traffic) -> Traffic:
        """Both together."""
        return Traffic(*(a + b for a, b in zip(self, other, strict=True)))


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
        if before is None and path.startswith(_ARCHIVE)
    }
    added = changed = removed = 0
    for path, before, after in rows:
        if not layout.is_entry(path) or path.startswith(_ARCHIVE):
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
        said = [_moved("came", self.came), _moved("went", self.went)]
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
        facts = ", ".join(each for each in said if each) or "nothing new on either side"
        return f"{would} with {self.remote} ({self.address}): {facts}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self._asdict(),
            "came": {**self.came._asdict(), "entries": self.came.entries},
            "went": {**self.went._asdict(), "entries": self.went.entries},
            "eyes": self.eyes,
            "line": self.line,
        }


def _moved(verb: str, traffic: Traffic) -> str:
    if traffic.entries:
        return f"{counted(traffic.entries, 'entry')} {verb}"
    if traffic.commits:
        return f"{counted(traffic.commits, 'commit')} {verb}"
    return ""
