"""The vault: where entries live, and the only writer of its files.

Invariant: every change is one transaction. The lock is taken, what it depends on is
read again, files are replaced one by one, exactly those paths are committed to git,
the lock is let go. When anything fails before the commit, the old bytes are put back
and the error says that nothing changed; a kill at any instant leaves files that are
each old or new, which the next read sees like an edit by hand.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from memcli import config, duplicates, files, layout
from memcli.duplicates import Similar
from memcli.entry import ID_LENGTH, KINDS, Entry, fingerprint, new_id, slug
from memcli.errors import (
    AmbiguousId,
    EntryNotFound,
    MemcliError,
    NotAVault,
    SecretFound,
    VaultNotFound,
)
from memcli.lock import Lock

if TYPE_CHECKING:
    from memcli.codec import Decoded
    from memcli.index import Index
    from memcli.reader import Reader

_Answer = TypeVar("_Answer")

# From this many new files on, syncing them together is faster than one by one.
_MANY = 8


class Saved(NamedTuple):
    """What became of one draft; `outcome` is `created` or `duplicate`."""

    id: str
    path: str
    outcome: str
    title: str
    similar: tuple[Similar, ...] = ()
    notes: tuple[str, ...] = ()


class Vault:
    """One vault on disk.

    Args:
        root: the vault's folder, absolute.
        environ: the environment of git; None is this process's own.
        now_ms: the clock, in milliseconds since 1970.
        entropy: gives that many random bytes.
        tell: takes a sentence for the person who waits.
        progress: called with (done, all) during long work.
        fault: for tests: called with the name of each step of a transaction.
    """

    def __init__(
        self,
        root: str,
        *,
        environ: Mapping[str, str] | None = None,
        now_ms: Callable[[], int] | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
        tell: Callable[[str], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
        fault: Callable[[str], None] | None = None,
    ) -> None:
        self.root = root
        self.environ = environ
        self.now_ms = now_ms or _now_ms
        self.entropy = entropy
        self.tell = tell or _silent
        self.progress = progress
        self.fault = fault or _silent
        self._index: Index | None = None

    @classmethod
    def open(cls, root: str | None = None, **options: Any) -> Self:
        """Open a vault; without a path, the one that the user's settings name.

        Raises:
            VaultNotFound: nothing is there.
            NotAVault: it is not a folder that `memcli init` prepared.
        """
        environ = options.get("environ")
        root = config.find_vault(root, os.environ if environ is None else environ)
        if not os.path.isdir(root):
            if os.path.exists(root):
                raise NotAVault(f"{root} is not a folder")
            raise VaultNotFound(
                f"there is no vault at {root}",
                hint=f"Create it with: memcli init {root}",
            )
        if not os.path.isdir(os.path.join(root, ".memcli")):
            raise NotAVault(
                f"{root} is not a memcli vault",
                hint=f"Make it one (no file in it changes): memcli init {root}",
            )
        return cls(root, **options)

    # --- reading ------------------------------------------------------------------

    @property
    def index(self) -> "Index":
        """The vault's index."""
        if self._index is None:
            from memcli.index import Index

            self._index = Index(self.root, tell=self.tell, progress=self.progress)
        return self._index

    def read(self, answer: "Callable[[Reader], _Answer]") -> _Answer:
        """Return `answer(reader)` over the files as they are now."""
        return self.index.read(answer)

    def path_of(self, entry_id: str) -> str:
        """The path of the entry that an id, or a unique prefix of one, addresses.

        Raises:
            EntryNotFound: no entry has such an id.
            AmbiguousId: several have.
        """
        prefix = entry_id.strip().lower()
        return self.read(lambda reader: _addressed(reader, prefix))

    def get(self, entry_id: str) -> Entry:
        """The entry that an id, or a unique prefix of one, addresses.

        Raises:
            EntryNotFound, AmbiguousId: as `path_of`.
            InvalidEntry: its file was broken in the meantime.
        """
        return self.load(self.path_of(entry_id)).entry

    def load(self, path: str) -> "Decoded":
        """Read one file of the vault as an entry."""
        from memcli import codec

        data = files.read(files.inside(self.root, path))
        return codec.decode(data, path, kinds=self.kinds)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The built-in kinds and those of the vault's config."""
        return (*KINDS, *config.load(self.root).kinds)

    # --- writing ------------------------------------------------------------------

    def transaction(self) -> "Transaction":
        """A transaction; nothing is written before its end."""
        return Transaction(self)

    def draft(self, values: Mapping[str, Any]) -> Entry:
        """Check the fields of an entry to be; see `memcli.draft.draft`."""
        from memcli import draft

        try:
            return draft.draft(values, kinds=KINDS, body_limit=config.BODY_LIMIT)
        except MemcliError as refusal:
            # Only a refusal makes the vault's own settings worth reading.
            settings = config.load(self.root)
            if settings == config.Config():
                raise refusal from None
        kinds = (*KINDS, *settings.kinds)
        return draft.draft(values, kinds=kinds, body_limit=settings.body_limit)

    def save(self, entry: Entry, *, allow_secret: bool = False) -> Saved:
        """Save one draft; the same content again returns the entry that holds it.

        Raises:
            SecretFound: the text looks as if it held a secret.
            LockBusy, WriteFailed, HistoryError: nothing was changed.
        """
        (saved,) = self.save_all(
            [entry], allow_secret=allow_secret, similar=True, verb="save"
        )
        return saved

    def save_all(
        self,
        drafts: Sequence[Entry],
        *,
        allow_secret: bool = False,
        similar: bool = False,
        verb: str = "save",
        origin: str = "",
    ) -> list[Saved]:
        """Save drafts in one transaction and one commit, in their order."""
        if not allow_secret:
            for entry in drafts:
                refuse_secrets(entry)
        with self.transaction() as change:
            known, alike = self._held(drafts, similar=similar)
            saved = self._place(change, drafts, known)
            created = [item for item in saved if item.outcome == "created"]
            change.message = _message(verb, created, origin)
        if created and alike:
            saved[0] = saved[0]._replace(similar=tuple(alike))
        return saved

    def plan(self, drafts: Sequence[Entry]) -> list[Saved]:
        """What `save_all` would do with these drafts; ids are empty, paths likely."""
        known, _ = self._held(drafts, similar=False)
        return self._place(None, drafts, known)

    def _held(
        self, drafts: Sequence[Entry], *, similar: bool
    ) -> "tuple[duplicates.Known, list[Similar]]":
        """What the vault holds of these drafts, and what is like the first."""

        def look(
            reader: "Reader", changed: list[str], removed: list[str]
        ) -> "tuple[duplicates.Known, list[Similar]]":
            later = duplicates.Later(self.root, changed, removed)
            found = duplicates.known(reader, later, drafts)
            if not similar or found.twin(drafts[0]):
                return found, []
            return found, duplicates.similar(reader, later, drafts[0])

        return self.index.glance(look)

    def _place(
        self,
        change: "Transaction | None",
        drafts: Sequence[Entry],
        known: "duplicates.Known",
    ) -> list[Saved]:
        """Give each draft an id and a path, and put it into the transaction."""
        from memcli import codec, temporal

        now_ms = self.now_ms()
        created = temporal.iso(now_ms // 1000)
        folders: dict[str, set[str]] = {}
        saved = []
        for number, draft in enumerate(drafts):
            twin = known.twin(draft)
            if twin is not None:
                saved.append(Saved(twin.id, twin.path, "duplicate", twin.title))
                continue
            folder = layout.folder_for(draft.kind, draft.layer)
            path = self._free_path(folder, slug(draft.display_title), folders)
            entry = draft.replace(created=draft.created or created, path=path)
            if change is not None:
                fresh = entry.id or new_id(now_ms + number, self.entropy)
                entry = entry.replace(id=fresh)
                change.put(path, codec.encode(entry))
            notes = tuple(
                f"an entry with the same text is {held.status}: {held.id}"
                for held in known.earlier(draft)
            )
            title = entry.display_title
            saved.append(Saved(entry.id, path, "created", title, notes=notes))
            known.add(fingerprint(entry.body), duplicates.held(entry))
        return saved

    def _free_path(self, folder: str, name: str, folders: dict[str, set[str]]) -> str:
        """A path that nothing holds yet; collisions get a number."""
        taken = folders.get(folder)
        if taken is None:
            try:
                names = os.listdir(files.inside(self.root, folder))
            except FileNotFoundError:
                names = []
            taken = folders[folder] = {item.casefold() for item in names}
        file, number = f"{name}.md", 1
        while file in taken:
            number += 1
            file = f"{name}-{number}.md"
        taken.add(file)
        return f"{folder}/{file}"


class Transaction:
    """Changes of files that happen together or not at all; a context manager.

    Inside the `with` block the lock is held and nothing is written; at its end
    everything is written and committed. An exception in the block writes nothing.
    """

    def __init__(self, vault: Vault) -> None:
        self.message = "memcli"
        self._vault = vault
        self._puts: dict[str, bytes] = {}
        path = os.path.join(vault.root, *layout.LOCK.split("/"))
        self._lock = Lock(path, config.LOCK_WAIT)

    def put(self, path: str, data: bytes) -> None:
        """Write these bytes at this vault-relative path, at the end."""
        self._puts[path] = data

    def __enter__(self) -> Self:
        from memcli.history import Repository

        self._repository = Repository.open(
            self._vault.root, environ=self._vault.environ
        )
        self._lock.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None and self._puts:
                self._commit()
        finally:
            self._lock.__exit__(kind, error, trace)

    def _commit(self) -> None:
        fault = self._vault.fault
        items = [
            (files.inside(self._vault.root, path), data)
            for path, data in self._puts.items()
        ]
        before = {path: _bytes_or_none(path) for path, _ in items}
        fault("locked")
        try:
            if len(items) > _MANY and not any(before.values()):
                files.write_new(items, fault=fault, progress=self._vault.progress)
            else:
                for path, data in items:
                    files.write_atomic(path, data, fault=fault)
            fault("wrote")
            self._repository.commit(list(self._puts), self.message)
        except BaseException:
            _restore(before)
            raise
        fault("committed")


def refuse_secrets(entry: Entry) -> None:
    """Raise SecretFound when a draft looks as if it held a secret."""
    from memcli import credentials

    texts = {"text": entry.body, "title": entry.title, "tags": " ".join(entry.tags)}
    texts["source.excerpt"] = entry.source.excerpt or ""
    for name, text in texts.items():
        for finding in credentials.find(text):
            raise SecretFound(
                f"{name}, line {finding.line}: looks like a secret ({finding.kind})",
                hint="A vault's git history keeps it for good. Take it out, or insist "
                "with --allow-secret.",
            )


def _addressed(reader: "Reader", prefix: str) -> str:
    ids = [prefix] if len(prefix) == ID_LENGTH else reader.starting("id", prefix)
    docs = [doc for value in ids for doc in reader.exact("id", value)] if prefix else []
    if not docs:
        raise EntryNotFound(
            f"no entry has the id '{prefix}'",
            hint="List what there is with: memcli recall --all",
        )
    if len(docs) > 1:
        rows = [reader.row(doc) for doc in docs[:5]]
        shown = ", ".join(f"{row['id']} ({row['path']})" for row in rows)
        raise AmbiguousId(
            f"'{prefix}' addresses {len(docs)} entries: {shown}",
            hint="Give more characters of the id.",
        )
    path: str = reader.row(docs[0])["path"]
    return path


def _message(verb: str, created: Sequence[Saved], origin: str) -> str:
    if len(created) == 1 and not origin:
        title = created[0].title
        return f"{verb}: {title if len(title) <= 60 else title[:59] + '…'}"
    source = f" from {origin}" if origin else ""
    return f"{verb}: {len(created)} entries{source}"


def _bytes_or_none(path: str) -> bytes | None:
    try:
        return files.read(path)
    except MemcliError:
        if os.path.lexists(path):
            raise
        return None


def _restore(before: Mapping[str, bytes | None]) -> None:
    """Put old bytes back; goes on to the next file when one cannot be."""
    for path, data in before.items():
        try:
            if data is None:
                os.unlink(path)
            else:
                files.write_atomic(path, data)
        except (OSError, MemcliError):
            continue


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _silent(_: object) -> None:
    pass
