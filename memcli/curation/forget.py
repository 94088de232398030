"""Forget: the one real removal of an entry.

Invariant: nothing else in memcli takes an entry out of the vault. The file goes in
one commit, what pointed at it is told, and nobody is left to believe that the text
is gone: git's history still holds it until the commands are run that are printed.
"""

import os
import re
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import layout
from memcli.entries.entry import Entry
from memcli.errors import MemcliError
from memcli.vault import lineage, session_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.storage.git.log import Blob
    from memcli.storage.git.repository import Repository
    from memcli.storage.transaction import Transaction
    from memcli.vault.vault import Stored, Vault


class Linking(NamedTuple):
    """An entry that links to the one that goes."""

    id: str
    title: str
    path: str


class Forgotten(NamedTuple):
    """What was removed, or would be.

    `commits` is how many commits hold the text, `purge` the shell commands that take
    it out of the history, in order; each only if the one before succeeded.
    `linked_from` are entries that link to it, `versions` other versions, which stay.
    """

    id: str
    title: str
    paths: list[str]
    commits: int
    purge: list[str]
    linked_from: list[Linking]
    versions: list[str]
    applied: bool

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        linked = [entry._asdict() for entry in self.linked_from]
        return self._asdict() | {"linked_from": linked}


def plan(vault: "Vault", entry_id: str, *, versions: bool = False) -> Forgotten:
    """What forgetting an entry would remove.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        versions: also every other version of it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
    """
    stored, others = _named(vault, entry_id)
    return _planned(vault, stored, others, versions=versions)


def forget(vault: "Vault", entry_id: str, *, versions: bool = False) -> Forgotten:
    """Remove an entry from the vault; see `plan`.

    Raises:
        Conflict, LockBusy, HistoryError: nothing was changed.
        WriteFailed: the same, or the record of a session still holds the words.
    """
    import shutil

    from memcli.storage.transaction import subject

    with vault.transaction() as change:
        stored, others = _named(vault, entry_id)
        found = _planned(vault, stored, others, versions=versions)
        gone = [stored, *(others if versions else [])]
        for item in gone:
            change.give_up(item.path, expected=item.data)
        if not versions:
            _relink(vault, change, stored.entry, others)
        # The title may be what is to be forgotten: a commit outlives it.
        change.message = subject("forget", stored.entry.id)
    # The index keeps the words of removed entries until it is merged.
    shutil.rmtree(os.path.join(vault.root, *layout.INDEX.split("/")), True)
    session_records.forget(
        vault.root, {item.entry.id for item in gone}, {item.path for item in gone}
    )
    return found._replace(applied=True)


def _named(vault: "Vault", entry_id: str) -> "tuple[Stored, list[Stored]]":
    """The entry, and the other versions of it."""
    stored = vault.stored(vault.path_of(entry_id))
    rows = vault.read(lambda reader: lineage.versions(reader, stored.entry.id))
    return stored, [vault.stored(row.path) for row in rows if row.path != stored.path]


def _planned(
    vault: "Vault", stored: "Stored", others: "list[Stored]", *, versions: bool
) -> Forgotten:
    gone = [stored, *(others if versions else [])]
    from memcli.storage.git.repository import Repository

    paths = [item.path for item in gone]
    ids = {item.entry.id for item in gone}
    repository = Repository.open(vault.root, environ=vault.environ)
    known = _history(repository, gone, {item.path for item in (*gone, *others)})
    return Forgotten(
        id=stored.entry.id,
        title=stored.entry.display_title,
        paths=paths,
        commits=len({one.blob.commit for one in known}),
        purge=purge_commands(repository, known) if known else [],
        linked_from=vault.read(lambda reader: _linked(reader, stored.entry, ids)),
        versions=[] if versions else [item.entry.id for item in others],
        applied=False,
    )


class HeldBlob(NamedTuple):
    """What git holds of an entry: a blob, and the entry's id and title in it."""

    blob: "Blob"
    id: str
    title: str


def _history(
    repository: "Repository", gone: "Sequence[Stored]", places: set[str]
) -> list[HeldBlob]:
    """Everything that git holds of these entries, wherever it has been.

    By content and not by path: the path of an old version is that of the current one.
    """
    from memcli.entries import codec
    from memcli.entries.ids import is_adopted

    found: list[HeldBlob] = []
    for item in gone:
        name = item.entry.id
        paths = {*places, item.path, layout.before_archive(item.path)}
        blobs = repository.blobs(paths, None if is_adopted(name) else name)
        for blob, data in zip(blobs, repository.contents(blobs), strict=True):
            try:
                entry = codec.decode(data, blob.path).entry
                held, title = entry.id, entry.display_title
            except MemcliError:
                held, title = name if blob.path == item.path else "", ""
            if held == name:
                found.append(HeldBlob(blob, name, title))
    return found


def purge_commands(repository: "Repository", known: "Sequence[HeldBlob]") -> list[str]:
    """Shell commands that take this out of every commit, with plain git.

    Only at the paths where it was: another file may hold the same bytes.
    """
    there = f"git -C {shlex.quote(repository.top)}"
    blobs = sorted({one.blob.id for one in known})
    either = " || ".join(f'$2 == "{name}"' for name in blobs)
    # A mode of 0 removes a line of the index; the path is what stands after the tab.
    awk = f'{either} {{ sub(/^[^\t]*\t/, "0 " $2 "\t"); print }}'
    paths = sorted({repository.prefix + one.blob.path for one in known})
    places = " ".join(shlex.quote(f":(top,literal){path}") for path in paths)
    remove = (
        f"git ls-files --stage -- {places} | awk {shlex.quote(awk)} "
        "| git update-index --index-info"
    )
    filters = f"--index-filter {shlex.quote(remove)}"
    told = _messages(repository, known)
    if told:
        cases = " ".join(f"{commit}) printf {text};;" for commit, text in told.items())
        script = f"case $GIT_COMMIT in {cases} *) cat;; esac"
        filters = f"--msg-filter {shlex.quote(script)} {filters}"
    commands = [
        f"FILTER_BRANCH_SQUELCH_WARNING=1 {there} filter-branch --force --prune-empty "
        f"--tag-name-filter cat {filters} -- --all",
        f"{there} for-each-ref --format='delete %(refname)' refs/original "
        f"| {there} update-ref --stdin",
        f"{there} reflog expire --expire=now --all",
        f"{there} gc --prune=now --quiet",
    ]
    if any(repository.contents([known[0].blob._replace(id="refs/stash")])):
        # Stashes stand on the old commits, and but for the newest in a reflog only.
        said = "stashes would be lost: apply or drop them first (git stash list)"
        commands.insert(
            0,
            f"if {there} rev-parse --quiet --verify refs/stash; "
            f"then echo {shlex.quote(said)} >&2; false; fi",
        )
    return commands


def _messages(
    repository: "Repository", known: "Sequence[HeldBlob]"
) -> "Mapping[str, str]":
    """Commit -> its message without the titles, quoted as a format of printf.

    memcli names what it changes in the first line; that line outlives the file.
    """
    titles: dict[str, dict[str, str]] = {}
    for one in known:
        if one.title:
            titles.setdefault(one.blob.commit, {})[one.title] = one.id
    blob = known[0].blob
    objects = repository.contents([blob._replace(id=commit) for commit in titles])
    told: dict[str, str] = {}
    for commit, data in zip(titles, objects, strict=True):
        before = data.partition(b"\n\n")[2].decode("utf-8", "replace")
        message = before
        for title, name in titles[commit].items():
            words = re.escape(title if len(title) <= 60 else title[:59])
            message = re.sub(rf"(?<!\w){words}(?!\w)", name, message)
        if message != before:
            text = message.replace("\\", "\\\\").replace("%", "%%")
            text = re.sub(r"[\x00-\x1f\x7f]", lambda c: f"\\{ord(c[0]):03o}", text)
            told[commit] = shlex.quote(text)
    return told


def _linked(reader: "Reader", entry: Entry, gone: set[str]) -> list[Linking]:
    from memcli.entries.text.links import link_keys

    names = link_keys(entry.id, entry.path, entry.display_title)
    docs = {doc for name in names for doc in reader.exact("link", name)}
    rows = [reader.row(doc) for doc in docs]
    rows.sort(key=lambda row: row.id)
    return [Linking(row.id, row.title, row.path) for row in rows if row.id not in gone]


def _relink(
    vault: "Vault", change: "Transaction", entry: Entry, others: "list[Stored]"
) -> None:
    """Let the versions on both sides of a removed one point at each other."""
    from memcli.entries import codec

    for other in others:
        fresh = other.entry
        if fresh.superseded_by == entry.id:
            fresh = fresh.replace(superseded_by=entry.superseded_by)
        if fresh.supersedes == entry.id:
            fresh = fresh.replace(supersedes=entry.supersedes)
        if fresh != other.entry:
            data = codec.rewrite(other.data, fresh, kinds=vault.kinds)
            change.put(other.path, data, expected=other.data)
