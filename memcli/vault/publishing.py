"""Publishing a vault: the database holds what HEAD holds, entry by entry.

Invariant: reads git's objects alone, so what is published is one commit, and nothing
of the work tree. Only files whose content changed are analysed; publishing a commit
twice changes nothing, and a publish that was killed goes on where it was.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial

from memcli.entries import layout
from memcli.entries.entry import Visibility
from memcli.errors import HistoryError, InvalidEntry, InvalidValue, VaultNotFound
from memcli.named_tuple import NamedTuple
from memcli.search.postgres import initialising
from memcli.search.postgres.connection import Database
from memcli.search.postgres.packing import place_of
from memcli.search.postgres.publisher import Content, Publisher, Standing
from memcli.search.postgres.staging import Reach, bits_for, reach
from memcli.storage import files, known_vaults
from memcli.storage import settings as config
from memcli.storage.engine_url import redacted
from memcli.storage.git import tree
from memcli.storage.git.log import History
from memcli.storage.git.printed import Blob
from memcli.storage.git.remote_address import shown_of
from memcli.vault import publish_order

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memcli.search.reading import Files, Found
    from memcli.vault.vault import Vault

_BATCH = 1_000  # files whose bytes are held at once
# A bucket may hold so many times what it is meant to before all are cut anew.
_CROWDED = 2


class Outcome(NamedTuple):
    """What a publish did, or would do: numbers of files, and of what is there then.

    `newer` is the commit that the database holds when that one follows `commit`, which
    was not published then.
    """

    name: str
    where: str
    commit: str
    added: int
    changed: int
    removed: int
    rebuilt: bool
    entries: int
    broken: int
    newer: str | None = None


def target(name: str, environ: Mapping[str, str]) -> known_vaults.KnownVault:
    """The published vault of a name of the user's config.

    Raises:
        VaultNotFound: there is none of this name.
        InvalidValue: it has no engine.
    """
    place = known_vaults.find(name, environ)
    if place is None:
        raise VaultNotFound(
            f"no vault is named '{name}'",
            hint=f'Name it in your config.toml: [vaults.{name}], engine = "postgresql'
            '://USER@HOST/DATABASE".',
        )
    if place.engine is None:
        raise InvalidValue(
            f"'{name}' is a folder, and no database to publish to",
            hint=f'Give [vaults.{name}] an engine = "postgresql://..." instead.',
            code="no_engine",
        )
    return place


def initialise(place: known_vaults.KnownVault) -> bool:
    """Make the roles and tables in a vault's database; False when they were there."""
    database = Database(place.engine or "", patience=None, read_only=False)
    try:
        return initialising.initialise(database)
    finally:
        database.close()


def publish(
    vault: Vault,
    place: known_vaults.KnownVault,
    *,
    dry_run: bool = False,
    unrelated: bool = False,
    rewritten: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Bring the database up to the vault's HEAD, unless what it holds follows HEAD.

    Args:
        vault: whose history is read.
        place: where it is published.
        dry_run: say what would change, and write nothing to the database.
        unrelated: also where a vault of another history is published under the name.
        rewritten: also where HEAD does not follow what is published.
        progress: called with (files done, files to do).

    Raises:
        HistoryError: there is no commit, or git refused.
        LockBusy: another process publishes this vault.
        NotAllowed: the database refuses it to its user, or holds another vault of the
            name, or a commit that HEAD does not follow.
        Unavailable: the database is gone.
    """
    vault.refuse_published("the source of a publish")
    repository = History.open(vault.root, environ=vault.environ)
    commit = repository.head()
    if commit is None:
        raise HistoryError(
            f"{vault.root} has no commit to publish", hint="Save something first."
        )
    blobs = list(tree.files_of(repository, commit))
    database = Database(place.engine or "", patience=None, read_only=False)
    try:
        with _settings_at(repository, blobs) as (reading, settings, data):
            name = place.published_as
            content = _content(repository, blobs, settings, name, commit)
            publisher = Publisher(database, content._replace(config=data))
            run = _Run(repository, publisher, commit, blobs, reading)
            is_due = partial(
                publish_order.is_due,
                repository,
                publisher,
                unrelated=unrelated,
                rewritten=rewritten,
            )
            standing = publisher.standing(claim=not dry_run)
            done = None
            if is_due(standing):
                if dry_run:
                    done = run.changes(standing)
                else:
                    with publisher.turn(standing):
                        # Another one may just have ended.
                        standing = publisher.standing()
                        if is_due(standing):
                            done = run.publish(standing, progress)
            entries, broken = publisher.totals(standing)
    finally:
        database.close()
    newer = standing.commit if done is None else None
    done = done or _Changes([], [], False, 0, 0)
    return Outcome(
        name=name,
        where=redacted(place.engine or ""),
        commit=commit,
        added=done.added,
        changed=done.changed,
        removed=done.removed,
        rebuilt=done.rebuilt and standing.commit is not None,
        entries=entries,
        broken=broken,
        newer=newer,
    )


class _Changes(NamedTuple):
    """What differs from what is published.

    `fresh` are the files to analyse, `gone` the digests of the paths whose published
    content goes.
    """

    fresh: list[Blob]
    gone: list[bytes]
    rebuilt: bool
    added: int
    changed: int

    @property
    def removed(self) -> int:
        """How many files are published and no longer there."""
        return len(self.gone) - self.changed


class _Run:
    """One publish: what changed, and bringing it there."""

    def __init__(
        self,
        repository: History,
        publisher: Publisher,
        commit: str,
        blobs: Sequence[Blob],
        files: Files,
    ) -> None:
        self._repository = repository
        self._commit = commit
        self._publisher = publisher
        self._entries = [
            blob
            for blob in blobs
            if layout.is_entry(blob.path) and _is_listed(blob.path)
        ]
        self._files = files

    def changes(self, standing: Standing) -> _Changes:
        """What a publish would bring and take."""
        publisher, bits = self._publisher, bits_for(len(self._entries))
        # Few entries more do not cut the buckets anew; a first publish has none.
        rebuilt = standing.version != publisher.version
        rebuilt = rebuilt or bits > standing.bits + _CROWDED
        entries: Iterable[Blob] = self._entries
        known: Mapping[bytes, str] = {}
        if not rebuilt:
            since = self._since(standing.commit)
            known = publisher.known(standing) if since is None else since[0]
            entries = entries if since is None else since[1]
        wanted = {place_of(blob.path): blob for blob in entries}
        fresh = [blob for place, blob in wanted.items() if known.get(place) != blob.id]
        added = sum(place_of(blob.path) not in known for blob in fresh)
        gone = [
            place
            for place, blob in known.items()
            if place not in wanted or wanted[place].id != blob
        ]
        return _Changes(fresh, gone, rebuilt, added, len(fresh) - added)

    def _since(
        self, published: str | None
    ) -> tuple[dict[bytes, str], list[Blob]] | None:
        """What differs from a published commit: what was there, and what is there now.

        None where that commit is not in this clone; all names are compared then.
        """
        if published is None:
            return None
        changed = tree.changed(self._repository, published, self._commit)
        if changed is None:
            return None
        some = [
            each
            for each in changed
            if layout.is_entry(each.path) and _is_listed(each.path)
        ]
        known = {place_of(each.path): each.before for each in some if each.before}
        now = [Blob(e.after, e.path, self._commit) for e in some if e.after]
        return known, now

    def publish(
        self, standing: Standing, progress: Callable[[int, int], None] | None
    ) -> _Changes:
        """Bring what changed, and say what that was."""
        changes, publisher = self.changes(standing), self._publisher
        if publisher.is_current(standing) and not changes.rebuilt:
            return changes
        bits = standing.bits
        if changes.rebuilt:
            bits = bits_for(len(self._entries))
        wanted = {place_of(blob.path): blob.id for blob in changes.fresh}
        staged = publisher.staged(standing, bits, wanted)
        missing = [b for b in changes.fresh if place_of(b.path) not in staged]
        publisher.stage(standing, bits, self._found(missing, progress))
        publisher.apply(standing, bits, changes.gone, rebuild=changes.rebuilt)
        return changes

    def _found(
        self, blobs: Sequence[Blob], progress: Callable[[int, int], None] | None
    ) -> Iterator[tuple[Found, str]]:
        """What each file holds, and git's name of its content."""
        for start in range(0, len(blobs), _BATCH):
            some = blobs[start : start + _BATCH]
            contents = self._repository.contents(some)
            for blob, data in zip(some, contents, strict=True):
                yield self._files.held(blob.path, data), blob.id
            if progress:
                progress(start + len(some), len(blobs))


def _is_listed(path: str) -> bool:
    """Whether a listing of the vault would hold a path: as `storage.listing` does."""
    return not any(name.startswith(".") for name in path.split("/"))


@contextmanager
def _settings_at(
    repository: History, blobs: Sequence[Blob]
) -> Iterator[tuple[Files, config.Config, bytes]]:
    """What reads files by the settings of a commit; those, and their file's bytes."""
    import tempfile

    from memcli.search.reading import Files

    named = [blob for blob in blobs if blob.path == layout.CONFIG]
    data = repository.contents(named)[0] if named else b""
    with tempfile.TemporaryDirectory(prefix="memcli-") as folder:
        path = os.path.join(folder, *layout.CONFIG.split("/"))
        os.makedirs(os.path.dirname(path))
        files.write_atomic(path, data)
        yield Files(folder), config.load(folder), data


def _content(
    repository: History,
    blobs: Sequence[Blob],
    settings: config.Config,
    name: str,
    commit: str,
) -> Content:
    """What is published of a commit besides its entries; its config is not set yet."""
    from memcli.vault.registry.page import read_entity

    ignored = [blob for blob in blobs if blob.path == layout.IGNORED_NAMES]
    places = [
        blob
        for blob in blobs
        if layout.registered_type(blob.path) and blob.path.endswith(".md")
    ]
    pages: list[tuple[str, Reach, bytes]] = []
    for blob, data in zip(places, repository.contents(places), strict=True):
        try:
            entity = read_entity(data, blob.path)
        except InvalidEntry:  # counts as no entity, as in the vault
            continue
        who = entity.agent, Visibility(entity.visibility), entity.groups
        pages.append((blob.path, reach(settings.agents, *who), data))
    return Content(
        name=name,
        origin=tree.origin(repository, commit),
        commit=commit,
        remote=remote_of(repository),
        config=b"",
        ignored=repository.contents(ignored)[0] if ignored else b"",
        agents=settings.agents,
        pages=pages,
    )


def remote_of(repository: History) -> str | None:
    """Where the vault is pushed to, without a password or token; None if unset."""
    address = repository.setting("remote.origin.url")
    return None if address is None else shown_of(address)
