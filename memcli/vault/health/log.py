"""Log: what happened in a vault, from the commits of its git.

Invariant: reads only. memcli's commits are told by the first word of their subjects;
the entries of a commit are read from the files that it changed.
"""

from __future__ import annotations

from memcli.entries.entry import one_line
from memcli.errors import HistoryError, MemcliError, NotAVault
from memcli.named_tuple import NamedTuple
from memcli.vault.health.git_state import repository_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.storage.git.history import Step
    from memcli.storage.git.repository import Blob, Repository
    from memcli.vault.vault import Vault

CHANGES = {
    "save": "saved",
    "import": "imported",
    "evolve": "evolved",
    "edit": "edited",
    "resolve": "resolved",
    "tag": "tagged",
    "pin": "pinned",
    "unpin": "unpinned",
    "review": "reviewed",
    "ideas": "ideas",
    "reflect": "mined",
    "promote": "promoted",
    "verify": "confirmed",
    "forget": "forgotten",
    "repair": "repaired",
    "config": "configured",
}
"""First word of memcli's commits -> what was done; each of them can be undone."""

_OTHERS = {"undo": "undone", "keep": "kept", "init": "created", "sync": "synced"}
_PARTS = {
    "resolve: undo": "reopened",
    "evolve: revert": "reverted",
    "save: merged": "merged",
    "save: sighted": "seen again",
}
# Entries of one commit that are read and named; an import may have thousands.
_MOST_NAMED = 50
# Files larger than this, in bytes, are named by their path alone.
_LARGEST = 1_000_000


class Named(NamedTuple):
    """An entry that a commit changed: `how` is added, changed or removed.

    `id` is None for a file that is no entry.
    """

    id: str | None
    title: str
    path: str
    how: str


class Event(NamedTuple):
    """One commit: what it did, and to which entries; `files` is how many files."""

    commit: str
    when: str
    author: str
    action: str
    subject: str
    files: int
    entries: list[Named]


def verb_of(subject: str) -> str:
    """The first word of a commit of memcli's; "" of any other commit.

    >>> verb_of("save: We deploy on Tuesdays"), verb_of("Merge branch 'main'")
    ('save', '')
    """
    verb, colon, _ = subject.partition(": ")
    return verb if colon and (verb in CHANGES or verb in _OTHERS) else ""


def action_of(subject: str) -> str:
    """The action of a commit in a word; "commit" of one that is not memcli's."""
    for start, action in _PARTS.items():
        if subject.startswith(f"{start}: "):
            return action
    verb = verb_of(subject)
    return CHANGES.get(verb) or _OTHERS.get(verb, "commit")


def log(vault: Vault, *, limit: int = 20, since: int | None = None) -> list[Event]:
    """The events of the vault, the last commit first.

    Args:
        vault: which one.
        limit: how many commits at most.
        since: only what was committed at this moment or later, epoch seconds.

    Raises:
        NotAllowed: an agent asks: the history names the memories of others.
        NotAVault: the vault is not under git.
        HistoryError: git refused.
    """
    from memcli.storage.git.history import steps

    vault.owner_only("the log")
    vault.refuse_published("asked for its history")
    repository = repository_of(vault)
    if repository is None:
        raise NotAVault(f"{vault.root} is not under git")
    return [_event(repository, step) for step in steps(repository, limit, since)]


def _event(repository: Repository, step: Step) -> Event:
    groups = {"added": step.added, "changed": step.changed, "removed": step.removed}
    blobs = [(how, blob) for how, group in groups.items() for blob in group]
    # Notes before the pages and settings that go with them.
    blobs.sort(key=lambda pair: not pair[1].path.endswith(".md"))
    named = blobs[:_MOST_NAMED]
    entries = [
        _named(how, blob, data)
        for (how, blob), data in zip(
            named, _contents(repository, [blob for _, blob in named]), strict=True
        )
    ]
    commit = step.commit
    return Event(
        commit=commit.id,
        when=commit.when,
        author=one_line(commit.author),
        action=action_of(commit.subject),
        subject=one_line(commit.subject),
        files=len(blobs),
        entries=_moved(entries),
    )


def _moved(entries: list[Named]) -> list[Named]:
    """The entries with one that has another path now as changed, and named once."""
    ids = {
        how: {entry.id for entry in entries if entry.id and entry.how == how}
        for how in ("added", "removed")
    }
    moved = ids["added"] & ids["removed"]
    return [
        entry._replace(how="changed") if entry.id in moved else entry
        for entry in entries
        if entry.id not in moved or entry.how != "removed"
    ]


def _contents(repository: Repository, blobs: Sequence[Blob]) -> list[bytes]:
    try:
        return repository.contents(blobs, largest=_LARGEST)
    except HistoryError:  # a blob that a partial clone does not have
        return [b""] * len(blobs)


def _named(how: str, blob: Blob, data: bytes) -> Named:
    from memcli.entries import codec

    path = blob.path
    if path.endswith(".md") and 0 < len(data) <= _LARGEST:
        try:
            entry = codec.decode(data, path).entry
            return Named(entry.id, entry.display_title, path, how)
        except MemcliError:
            pass
    return Named(None, path.rpartition("/")[2], path, how)
