"""Publishing a vault: the database holds what HEAD holds and all may see.

Invariant: reads git's objects alone, so what is published is one commit, and nothing
of the work tree. An entry that is private or a group's is not published, and no id of
one stands in what is. Publishing a commit twice changes nothing.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial

from memcli.entries import layout
from memcli.entries.entry import Visibility
from memcli.errors import HistoryError, InvalidEntry, InvalidValue
from memcli.named_tuple import NamedTuple
from memcli.search.postgres import engine
from memcli.search.postgres import publisher as publishers
from memcli.search.postgres.connection import Database
from memcli.search.postgres.publisher import Content, Publisher
from memcli.search.reader import without
from memcli.search.updating import Files
from memcli.storage import known_vaults, settings
from memcli.storage.git import tree
from memcli.storage.git.on_disk import shown_of
from memcli.storage.known_vaults import redacted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memcli.entries.entry import Entry
    from memcli.search.postgres.engine import Published
    from memcli.search.writing import Tables
    from memcli.storage.git.repository import Blob, Repository
    from memcli.vault.vault import Vault

_BATCH = 1_000  # files whose bytes are held at once


class Outcome(NamedTuple):
    """The outcome of a publish, done or tried.

    `entries` is how many entries are published then, `broken` how many files are none.

    `newer` is the commit that the database holds when that one follows `commit`, which
    was not published then.
    """

    name: str
    where: str
    commit: str
    entries: int
    broken: int
    newer: str | None = None


def target(name: str, environ: Mapping[str, str]) -> known_vaults.KnownVault:
    """The published vault of a name of the user's config.

    Raises:
        InvalidValue: there is none of this name, or it has no engine (`no_engine`).
    """
    place = known_vaults.find(name, environ)
    if place is None or place.engine is None:
        raise InvalidValue(
            f"'{name}' is no name of a database to publish to",
            hint=f'Name it in your config.toml: [vaults.{name}], engine = "postgresql'
            '://USER@HOST/DATABASE".',
            code="no_engine",
        )
    return place


def initialise(place: known_vaults.KnownVault) -> bool:
    """Make the roles and tables in a vault's database; False when they were there."""
    with closing(Database(place.engine or "", patience=None)) as database:
        return publishers.initialise(database)


def publish(
    vault: Vault,
    place: known_vaults.KnownVault,
    *,
    dry_run: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Bring the database up to the vault's HEAD, unless what it holds follows HEAD.

    Args:
        vault: whose history is read.
        place: where it is published.
        dry_run: say what would change, and write nothing to the database.
        force: also over another vault, or a commit that HEAD does not follow.
        progress: called with (files done, files to do).

    Raises:
        HistoryError: there is no commit, or git refused.
        LockBusy: another process publishes this vault.
        NotAllowed: the database refuses it to its user, or holds a commit that HEAD
            does not follow.
        Unavailable: the database is gone.
    """
    vault.refuse_published("the source of a publish")
    repository = vault.repository()
    commit = repository.head()
    if commit is None:
        raise HistoryError(
            f"{vault.root} has no commit to publish", hint="Save something first."
        )
    blobs = list(tree.files_of(repository, commit))
    with closing(Database(place.engine or "", patience=None)) as database:
        content = _content(repository, blobs, place.name, commit)
        publisher = Publisher(database, content)
        decide = partial(is_due, repository, publisher, force=force)
        standing = engine.published(database, place.name)
        entries, broken = standing.sums.documents, 0
        due = decide(standing)
        if due and not publisher.is_current(standing):
            reading = Files("", _settings_at(repository, blobs))
            tables, broken = _tables(repository, reading, blobs, progress)
            entries = tables.sums.documents
            if not dry_run:
                with publisher.turn():
                    # Another one may just have ended.
                    standing = engine.published(database, place.name)
                    due = decide(standing)
                    if due:
                        publisher.publish(standing, tables)
                    else:
                        entries = standing.sums.documents
    return Outcome(
        content.name,
        redacted(place.engine or ""),
        commit,
        entries,
        broken,
        newer=None if due else standing.commit,
    )


def _tables(
    repository: Repository,
    reading: Files,
    blobs: Sequence[Blob],
    progress: Callable[[int, int], None] | None,
) -> tuple[Tables, int]:
    """The tables of the entries that all may see, and how many files are no entries."""
    wanted = [blob for blob in blobs if _is_listed(blob.path)]
    writer, broken = publishers.writer(), 0
    hidden: set[str] = set()
    naming: list[tuple[Blob, bytes]] = []

    def shared(entry: Entry) -> Entry | None:
        if entry.visibility is Visibility.SHARED:
            return entry
        hidden.add(entry.id)
        return None

    def published(entry: Entry) -> Entry:
        return without(entry, hidden.__contains__)

    for start in range(0, len(wanted), _BATCH):
        some = wanted[start : start + _BATCH]
        for blob, data in zip(some, repository.contents(some), strict=True):
            found = reading.held(blob.path, data, shared)
            broken += found.broken is not None
            if found.document is None:
                continue
            row = found.document.row
            if row.supersedes or row.superseded_by or row.evidence:
                naming.append((blob, data))
            else:
                writer.add(found.document)
        if progress is not None:
            progress(start + len(some), len(wanted))
    # Once it is known which entries are not published.
    for blob, data in naming:
        document = reading.held(blob.path, data, published).document
        if document is not None:
            writer.add(document)
    writer.commit()
    return writer.tables, broken


def _is_listed(path: str) -> bool:
    """Whether a path is that of an entry which `storage.listing` would list."""
    is_hidden = any(name.startswith(".") for name in path.split("/"))
    return layout.is_entry(path) and not is_hidden


def _settings_at(repository: Repository, blobs: Sequence[Blob]) -> settings.Config:
    """The settings of a commit."""
    named = [blob for blob in blobs if blob.path == layout.CONFIG]
    data = b"".join(repository.contents(named))
    return settings.parsed(settings.decoded(data, layout.CONFIG), layout.CONFIG)


def _content(
    repository: Repository, blobs: Sequence[Blob], name: str, commit: str
) -> Content:
    """The part of a commit that is published besides its entries."""
    from memcli.vault.registry import read_entity

    places = [
        blob
        for blob in blobs
        if blob.path == layout.CONFIG or layout.registered_type(blob.path)
    ]
    pages: list[tuple[str, bytes]] = []
    for blob, data in zip(places, repository.contents(places), strict=True):
        if blob.path != layout.CONFIG:
            try:
                entity = read_entity(data, blob.path)
            except InvalidEntry:  # counts as no entity, as in the vault
                continue
            if Visibility(entity.visibility) is not Visibility.SHARED:
                continue
        pages.append((blob.path, data))
    address = repository.settings().get("remote.origin.url")
    return Content(name, commit, address and shown_of(address), pages)


def is_due(
    repository: Repository, publisher: Publisher, standing: Published, *, force: bool
) -> bool:
    """Whether a commit is to be published; False where the database holds a newer one.

    Raises:
        NotAllowed: the history of this clone does not say which of the two is newer,
            and nothing forces it.
    """
    published, commit = standing.commit, publisher.content.commit
    if force or published in (None, commit):
        return True
    known = bool(published) and repository.commit_of(published) is not None
    both = tree.bases(repository, published, commit) if known else []
    if published in both:
        return True
    if commit in both:
        return False
    raise publisher.not_following(standing)
