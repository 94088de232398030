"""Forget: an entry is removed, from git's history as well.

Invariant: the file goes in one commit, the entries that link to it are named, and the
answer says that git's history still holds the text until the printed commands are run.
Besides this only an `undo` of what made an entry, and a sync with a clone in which it
is gone, take an entry out of the vault; the history keeps it then.
"""

from __future__ import annotations

import re
import shlex

from memcli.curation.changing import Changing, resting_on
from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.entries.identity import claim
from memcli.entries.ids import is_adopted, is_id
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import state_dirs
from memcli.storage.git import history
from memcli.vault import lineage, session_records
from memcli.vault.lookup import Brief, brief

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.curation.changing import Resting
    from memcli.entries.entry import Entry
    from memcli.search.reader import Reader
    from memcli.storage.git.repository import Blob, Repository
    from memcli.vault.vault import Stored, Vault


class Forgotten(NamedTuple):
    """A removal, or the plan of one.

    `commits` is how many commits hold the text; `purge` are the shell commands that
    remove it from the history, in order, each to be run only if the one before
    succeeded; they hold no character that a terminal hides or changes. `linked_from`
    are entries that link to it, `versions` other versions of it, which stay;
    `stale_models` are the observations and models that rest on it, and `reopened` the
    entries that were hidden because it says that their claim is resolved; `uncommitted`
    are the paths whose text no commit holds.
    """

    id: str
    title: str
    paths: list[str]
    commits: int
    purge: list[str]
    linked_from: list[Brief]
    versions: list[str]
    stale_models: list[Resting]
    reopened: list[Brief]
    uncommitted: list[str]
    applied: bool


def forget(
    vault: Vault, entry_id: str, *, versions: bool = False, dry_run: bool = False
) -> Forgotten:
    """Remove an entry from the vault.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        versions: also every other version of it.
        dry_run: only say what would be removed.

    Raises:
        NotAllowed: an agent asks: git's history, which has to be purged as well, names
            the memories of others.
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        Conflict, LockBusy, HistoryError: nothing was changed.
        WriteFailed: nothing was changed, or a session's record still holds the words.
    """
    import shutil

    with Changing(vault) as at:
        gone, stay = _named(vault, entry_id, versions=versions)
        plan = _planned(vault, gone, stay)
        if dry_run:
            return plan
        for item in gone:
            at.change.put(item.path, None, expected=item.data, keep=False)
        _relink(at, gone[0].entry, stay)
        # The id and not the title, which the commit would keep.
        at.say("forget", [plan.id])
    # The index keeps the words of removed entries in pages that are free.
    shutil.rmtree(state_dirs.path(vault.root, layout.INDEX), True)
    session_records.forget(
        vault.root, {item.entry.id for item in gone}, {item.path for item in gone}
    )
    return plan._replace(applied=True)


def _named(
    vault: Vault, entry_id: str, *, versions: bool
) -> tuple[list[Stored], list[Stored]]:
    """The entry, with all its versions or alone; and the versions that stay."""
    vault.owner_only("forgetting")
    stored = vault.stored(vault.path_of(entry_id))
    rows = vault.read(lambda reader: lineage.versions(reader, stored.entry.id))
    others = [vault.stored(row.path) for row in rows if row.path != stored.path]
    return ([stored, *others], []) if versions else ([stored], others)


def _planned(vault: Vault, gone: Sequence[Stored], stay: Sequence[Stored]) -> Forgotten:
    entry, paths = gone[0].entry, [item.path for item in gone]
    ids, now = {item.entry.id for item in gone}, vault.now_ms() // 1000
    repository = vault.repository()
    blobs = _history(repository, gone, {item.path for item in (*gone, *stay)})
    return Forgotten(
        id=entry.id,
        title=entry.display_title,
        paths=paths,
        commits=len({held.blob.commit for held in blobs}),
        purge=purge_commands(repository, blobs) if blobs else [],
        linked_from=vault.read(lambda reader: _linked(reader, entry, ids)),
        versions=[item.entry.id for item in stay],
        stale_models=vault.index.again(
            lambda reader: resting_on(reader, filter(is_id, sorted(ids)), now)
        ),
        reopened=vault.read(lambda reader: _reopened(reader, gone, ids)),
        uncommitted=repository.unlike_head({item.path: item.data for item in gone}),
        applied=False,
    )


def _reopened(reader: Reader, gone: Sequence[Stored], ids: set[str]) -> list[Brief]:
    """The entries that are told again when these are gone."""
    found = []
    for said in dict.fromkeys(claim(item.entry.body) for item in gone):
        docs = reader.exact("claim", said) if said else ()
        facts = [(reader.facts(doc, access=False), reader.row(doc)) for doc in docs]
        stay = [(each, row) for each, row in facts if row.id not in ids]
        if len(stay) < len(facts) and all(
            each.status is Status.ACTIVE for each, _ in stay
        ):
            ended = any(
                each.status is Status.RESOLVED for each, row in facts if row.id in ids
            )
            found += [brief(row) for _, row in stay if ended]
    return found


class HeldBlob(NamedTuple):
    """A blob of git that holds an entry, with the entry's id and title in it."""

    blob: Blob
    id: str
    title: str


def _history(
    repository: Repository, gone: Sequence[Stored], places: set[str]
) -> list[HeldBlob]:
    """Every blob that holds one of these entries, at any path.

    Blobs are told by content and not by path: an old version had the path of the
    current one.
    """
    held: list[HeldBlob] = []
    for item in gone:
        name = item.entry.id
        paths = {*places, item.path, layout.before_archive(item.path)}
        blobs = history.blobs(repository, paths, None if is_adopted(name) else name)
        for blob, data in zip(blobs, repository.contents(blobs), strict=True):
            try:
                entry = codec.decode(data, blob.path).entry
                entry_id, title = entry.id, entry.display_title
            except MemcliError:
                entry_id, title = name if blob.path == item.path else "", ""
            if entry_id == name:
                held.append(HeldBlob(blob, name, title))
    return held


def purge_commands(repository: Repository, blobs: Sequence[HeldBlob]) -> list[str]:
    """Shell commands that remove these blobs from every commit, with plain git.

    They remove them only at the paths where the entry was, since another file may hold
    the same bytes.
    """
    git = f"git -C {shlex.quote(repository.top)}"
    ids = sorted({held.blob.id for held in blobs})
    either = " || ".join(f'$2 == "{name}"' for name in ids)
    # A mode of 0 removes a line of the index; the path is what stands after the tab.
    awk = f'{either} {{ sub(/^[^\\t]*\\t/, "0 " $2 "\\t"); print }}'
    paths = {repository.prefix + held.blob.path for held in blobs}
    # A star for what a terminal would not show or not take as it is.
    globs = {re.sub(r"[^\w/.-]+", "*", path) for path in paths}
    places = " ".join(shlex.quote(f":(top,glob){glob}") for glob in sorted(globs))
    remove = (
        f"git ls-files --stage -- {places} | awk {shlex.quote(awk)} "
        "| git update-index --index-info"
    )
    filters = f"--index-filter {shlex.quote(remove)}"
    messages = _messages(repository, blobs)
    if messages:
        cases = " ".join(
            f"{commit}) printf -- {text};;" for commit, text in messages.items()
        )
        script = f"case $GIT_COMMIT in {cases} *) cat;; esac"
        filters = f"--msg-filter {shlex.quote(script)} {filters}"
    commands = [
        f"FILTER_BRANCH_SQUELCH_WARNING=1 {git} filter-branch --force --prune-empty "
        f"--tag-name-filter cat {filters} -- --all",
        f"{git} for-each-ref --format='delete %(refname)' refs/original "
        f"| {git} update-ref --stdin",
        f"{git} reflog expire --expire=now --all",
        f"{git} gc --prune=now --quiet",
    ]
    if any(repository.contents([blobs[0].blob._replace(id="refs/stash")])):
        # Stashes are based on the old commits, and all but the newest are in a reflog.
        warning = "stashes would be lost: apply or drop them first (git stash list)"
        commands.insert(
            0,
            f"if {git} rev-parse --quiet --verify refs/stash; "
            f"then echo {shlex.quote(warning)} >&2; false; fi",
        )
    return commands


def _messages(repository: Repository, blobs: Sequence[HeldBlob]) -> Mapping[str, str]:
    """Commit -> its message without the titles, quoted as a format of printf.

    The first line of memcli's commits names the entry, and outlives the file.
    """
    titles: dict[str, dict[str, str]] = {}
    for held in blobs:
        if held.title:
            titles.setdefault(held.blob.commit, {})[held.title] = held.id
    blob = blobs[0].blob
    objects = repository.contents([blob._replace(id=commit) for commit in titles])
    messages: dict[str, str] = {}
    for commit, data in zip(titles, objects, strict=True):
        before = data.partition(b"\n\n")[2].decode("utf-8", "replace")
        message = before
        for title, name in titles[commit].items():
            words = re.escape(title if len(title) <= 60 else title[:59])
            message = re.sub(rf"(?<!\w){words}(?!\w)", name, message)
        if message != before:
            text = message.replace("\\", "\\\\").replace("%", "%%")
            text = "".join(c if c.isprintable() else _octal(c) for c in text)
            messages[commit] = shlex.quote(text)
    return messages


def _octal(character: str) -> str:
    data = character.encode("utf-8", "surrogateescape")
    return "".join(f"\\{byte:03o}" for byte in data)


def _linked(reader: Reader, entry: Entry, gone: set[str]) -> list[Brief]:
    from memcli.entries.text.links import link_keys

    names = link_keys(entry.id, entry.path, entry.display_title)
    docs = {doc for name in names for doc in reader.exact("link", name)}
    rows = [reader.row(doc) for doc in docs]
    rows.sort(key=lambda row: row.id)
    return [brief(row) for row in rows if row.id not in gone]


def _relink(at: Changing, entry: Entry, others: Sequence[Stored]) -> None:
    """Link the version before a removed one with the version after it."""
    for other in others:
        fresh = other.entry
        if fresh.superseded_by == entry.id:
            fresh = fresh.replace(superseded_by=entry.superseded_by)
        if fresh.supersedes == entry.id:
            fresh = fresh.replace(supersedes=entry.supersedes)
        at.write(other, fresh)
