"""The vault: where entries live, how they are found by id, and how files change.

Invariant: every change of its files goes through one `transaction`.
"""

from __future__ import annotations

import os
from functools import partial

from memcli.entries.entry import KINDS, Entry, Source
from memcli.entries.ids import HERE, LAST_MS, new_id
from memcli.errors import MemcliError, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files, journal, known_vaults, projects
from memcli.storage import settings as config
from memcli.storage.vault_paths import inside
from memcli.vault.caller import OWNER, Caller, refuse_unnamed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self, TypeVar

    from memcli.entries.codec import Decoded
    from memcli.search.index import Index
    from memcli.search.postgres.engine import Engine
    from memcli.search.reader import Reader, ResolvedClaims
    from memcli.search.stored_row import StoredRow
    from memcli.storage.git.repository import Repository
    from memcli.storage.projects import Project
    from memcli.storage.transaction import Note, Transaction
    from memcli.vault.code_state import Watch
    from memcli.vault.registry import Registry
    from memcli.vault.signals import Recorder

    _Answer = TypeVar("_Answer")


class Stored(NamedTuple):
    """A file of the vault as it was read."""

    path: str
    data: bytes
    decoded: Decoded

    @property
    def entry(self) -> Entry:
        """The entry that it holds."""
        return self.decoded.entry


class Vault:
    """One vault on disk.

    Args:
        root: the vault's folder, absolute.
        caller: who asks and writes.
        named: the user's name for the vault, for a refusal; None is its path.
        source: the `source` of its rows: personal, repo, or team:NAME.
        engine: answers instead of an index of the files, for a published vault.

    Attributes:
        agent: the agent that asks and writes; None is the vault's owner.
        agent_name: its name.
        environ: the environment of the caller, and of git.
        cwd: the folder that the caller stands in.
        is_published: whether a database answers for it, so that it has no files here.
        own: the user's own vault, when this is a team's: what is resolved there is not
            shown here either.
        starts_sync: whether a write starts a sync, where the user's config says so.
    """

    def __init__(
        self,
        root: str,
        caller: Caller = OWNER,
        *,
        named: str | None = None,
        source: str = known_vaults.PERSONAL,
        engine: Engine | None = None,
    ) -> None:
        if caller.agent is not None and not caller.agent.strip():
            raise UsageError(
                "the name of the agent is empty, which must not stand for the owner",
                hint="Give None to ask as the owner.",
            )
        self.agent = config.agent(root, caller.agent) if caller.agent else None
        if source == known_vaults.PERSONAL and engine is None:
            refuse_unnamed(root, caller)
        if self.agent is not None:
            # How many files there are is for the owner to know.
            caller = caller._replace(progress=None)
        self.root = root
        self.caller = caller
        self.environ, self.cwd = caller.environ, caller.cwd
        self.agent_name = caller.agent
        self.named = named or root
        self.source = source
        self.own: Vault | None = None
        self.starts_sync = True
        self._project: tuple[Project | None] | None = None
        self._engine = engine
        self.is_published = engine is not None
        if engine is not None:
            engine.agent = self.agent
        self._opened: Index | None = engine

    @property
    def tell(self) -> Callable[[str], None]:
        """Takes a message for the person who waits."""
        return self.caller.tell

    def now_ms(self) -> int:
        """The clock, in milliseconds since 1970; the nearest time that ids can hold."""
        return min(max(self.caller.now_ms(), 0), LAST_MS)

    @classmethod
    def open(
        cls, root: str | None = None, caller: Caller = OWNER, *, writes: bool = False
    ) -> Self:
        """Open a vault; without a path or name, the one that the user's settings name.

        Args:
            root: a path, or the name of a vault of the user's config.
            caller: who asks and writes.
            writes: refuse a vault that may only be read, before any other error.

        Raises:
            VaultNotFound: there is no vault.
            NotAVault: the folder is not one that `memcli init` prepared.
            NotAllowed: it is the repository's, which the user has not allowed, or may
                not be written to.
        """
        place = known_vaults.place_of(root, caller.environ, caller.cwd)
        vault = cls.at(place, caller, named=root)
        if place.source != known_vaults.PERSONAL:
            try:
                own = cls.open(None, caller)
            except MemcliError:
                own = vault
            if os.path.realpath(own.root) != os.path.realpath(vault.root):
                own.source = known_vaults.PERSONAL
                vault.stand_beside(own)
        if writes:
            vault.refuse_read_only()
        return vault

    @classmethod
    def at(
        cls,
        place: known_vaults.KnownVault,
        caller: Caller = OWNER,
        *,
        named: str | None = None,
    ) -> Self:
        """The vault at a known place: the one line that tells an engine from an index.

        Raises:
            Unavailable: its database is gone or slow.
        """
        engine = None
        if place.engine:
            from memcli.search.postgres.connection import BRIEF, PATIENCE
            from memcli.search.postgres.engine import Engine

            where = (place.engine, place.name, place.path)
            engine = Engine(*where, PATIENCE if caller.waits else BRIEF)
            engine.published()
        return cls(place.path, caller, named=named, source=place.source, engine=engine)

    def refuse_read_only(self) -> None:
        """Refuse to write where the user's config gives the role ro.

        Raises:
            NotAllowed: it does (code `read_only`).
        """
        self.refuse_published("written to")
        known_vaults.refuse_read_only(self.root, self.environ)

    def refuse_published(self, what: str) -> None:
        """Refuse what takes the files of a vault, where a database answers for it.

        Args:
            what: the end of "it cannot be ...".

        Raises:
            NotAllowed: it is published (code `published_vault`).
        """
        if self._engine is not None:
            raise self._engine.refusal(what)

    @property
    def vaults(self) -> tuple[Vault, ...]:
        """The vaults that a question to it goes to, as `Vaults` has them."""
        return (self,)

    @property
    def read_only(self) -> bool:
        """Whether the user's config gives this vault the role ro."""
        return known_vaults.read_only(self.root, self.environ) is not None

    def acting_as(self, agent: str | None) -> Self:
        """The same vault for this agent; None is the owner."""
        engine = self._engine.again_as() if self._engine else None
        caller = self.caller._replace(agent=agent)
        vault = type(self)(
            self.root, caller, named=self.named, source=self.source, engine=engine
        )
        if self.own:
            vault.stand_beside(self.own.acting_as(agent))
        return vault

    def stand_beside(self, own: Vault) -> None:
        """Let what is resolved in the user's own vault count in this one, a team's."""
        self.own = own
        # Of the other vault alone: a circle would keep the files of both open.
        self.opened.elsewhere = partial(_resolved_in, own)

    @property
    def here(self) -> str | None:
        """The project of the folder that the caller stands in; None: everywhere.

        Raises:
            InvalidConfig: `[projects]` of the user's config cannot be understood.
        """
        return self.project.name if self.project else None

    @property
    def project(self) -> Project | None:
        """As `here`, with the project's folder; raises what that raises."""
        if self._project is None:
            self._project = (projects.of(self.cwd, self.environ),)
        return self._project[0]

    # --- reading ------------------------------------------------------------------

    @property
    def opened(self) -> Index:
        """The index of the files, or the database, as it is; see `index`."""
        if self._opened is None:
            from memcli.search.index import Index

            self._opened = Index(
                self.root,
                tell=self.caller.tell,
                progress=self.caller.progress,
                agent=self.agent,
            )
        return self._opened

    @property
    def index(self) -> Index:
        """The index that answers, once what a killed command left is finished."""
        # In a vault that may only be read, its own writers finish what they began.
        if journal.exists(self.root) and not self.read_only:
            from memcli.storage.transaction import finish_killed

            finish_killed(self.root, self.environ, self.caller.audience)
        return self.opened

    def read(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """Return `answer(reader)` over the files as they are now."""

        def with_code(reader: Reader) -> _Answer:
            reader.code_changed = self.code_look(self.source)
            return answer(reader)

        return self.index.read(with_code)

    def code_look(self, source: str) -> Callable[[StoredRow], bool]:
        """A function that says of a row of a vault of this name whether the code that
        it speaks of has changed in the caller's checkout, as far as there is time."""
        watch: Watch | None = None

        def changed(row: StoredRow) -> bool:
            nonlocal watch
            if not row.code:
                return False
            from memcli.vault import code_state

            limits = code_state.OF_A_HOOK if self.caller.via == "hook" else ()
            try:
                watch = watch or code_state.Watch(self.project, *limits)
            except MemcliError:  # a config that names no project; hooks go on
                return False
            return code_state.is_stale(watch.states(row, source))

        return changed

    def has_failed(self, error: MemcliError) -> bool:
        """Whether an error that ended an answer of several vaults is of this one's
        database; what fails in files is damage, and mended."""
        return self._engine is not None and self._engine.has_failed(error)

    def path_of(self, entry_id: str) -> str:
        """The path of the entry that an id, its beginning, a path or a file name means.

        Raises:
            EntryNotFound: it means no entry.
            AmbiguousId: it means several.
        """
        from memcli.vault import lookup

        return self.read(lambda reader: lookup.path_of(reader, entry_id))

    def get(self, entry_id: str) -> Entry:
        """The entry that a word means, as `path_of`.

        Raises:
            EntryNotFound, AmbiguousId: as `path_of`.
            InvalidEntry: its file was broken in the meantime.
        """
        return self.as_seen(self.stored(self.path_of(entry_id)).entry)

    def as_seen(self, entry: Entry) -> Entry:
        """An entry without the ids of entries that the asking agent may not see."""
        if self.agent is None:
            return entry
        return self.read(lambda reader: reader.censored(entry))

    def stored(self, path: str) -> Stored:
        """Read one file of the vault: its bytes and its entry."""
        from memcli.entries import codec

        self.refuse_published("read file by file")
        data = files.read(inside(self.root, path), follow=False)
        return Stored(path, data, codec.decode(data, path, kinds=self.kinds))

    @property
    def registry(self) -> Registry:
        """The registered entities that the asking agent may know of."""
        from memcli.vault import registry as store

        return store.load(self.root, self.agent)

    @property
    def settings(self) -> config.Config:
        """The settings in the vault's config."""
        return config.load(self.root)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The built-in kinds and those of the vault's config."""
        return (*KINDS, *config.load(self.root).kinds)

    @property
    def recorder(self) -> Recorder:
        """The recorder of this vault's use, for the log of signals."""
        from memcli.vault.signals import Recorder

        return Recorder(self.root, self.caller)

    def repository(self) -> Repository:
        """The git repository around it; NotAVault where there is none."""
        from memcli.storage.git.repository import Repository

        return Repository.open(self.root, environ=self.environ)

    # --- writing ------------------------------------------------------------------

    def transaction(self) -> Transaction:
        """A transaction; nothing is written before its end.

        Raises:
            NotAllowed: the user's config gives this vault the role ro, or the clock
                shows a time that no id can hold.
        """
        from memcli.storage.transaction import Transaction

        self.refuse_read_only()
        if not 0 <= self.caller.now_ms() <= LAST_MS:
            raise NotAllowed(
                "the clock of this machine shows a time before 1970 or after 3083",
                hint="Set the clock, then repeat the command.",
                code="clock",
            )
        return Transaction(self.root, self.environ, self.caller.audience, self._wrote)

    def _wrote(self, notes: list[Note]) -> bool:
        """Note a commit, and sync it; whether the log of signals has it."""
        if self.starts_sync:
            from memcli.storage import detached

            detached.after_write(self.root, self.environ)
        return self.recorder.wrote(notes)

    def draft(self, values: Mapping[str, Any]) -> Entry:
        """Check the fields of a new entry; see `memcli.entries.fields.draft`.

        Without the field `project`, or with `here` in it, it holds where the caller
        stands; in the vault of that very repository from every folder, also in a
        fork.
        """
        from memcli.entries import fields as draft

        if values.get("project", HERE) == HERE:
            is_repos = self.source == known_vaults.REPO
            values = {**values, "project": None if is_repos else self.here}
        try:
            entry = draft.draft(values, kinds=KINDS, body_limit=config.Limits().body)
        except MemcliError:
            # Only a refusal makes the vault's own settings worth reading.
            limits = self.settings.limits
            entry = draft.draft(values, kinds=self.kinds, body_limit=limits.body)
        self.refuse_pinned(entry)
        return entry

    def refuse_pinned(self, entry: Entry) -> None:
        """Refuse a pinned model that no person writes.

        Raises:
            NotAllowed: it is one, and an agent asks, or its source says so.
        """
        if entry.subtype == "pinned" and not self.by_person(entry.source):
            raise NotAllowed("a pinned model is kept by people, not by agents")

    def by_person(self, source: Source) -> bool:
        """Whether a person writes: no agent asks, and no source says so."""
        by_agent = source.writer not in (None, "manual", "import")
        return not (by_agent or self.caller.is_agent)

    def new_id(self) -> str:
        """A fresh id, of this moment."""
        return new_id(self.now_ms(), self.caller.entropy)

    def owner_only(self, what: str) -> None:
        """Refuse to an agent what shows or changes more than single entries.

        Raises:
            NotAllowed: an agent asks.
        """
        from memcli.entries.eligibility import Action, may

        if self.agent is not None and not may(Action.OVERSEE, None, self.agent):
            raise NotAllowed(
                f"{what} is for the owner of the vault, not for agent "
                f"{self.agent.name}",
                hint="Ask the owner to run it.",
                code="owner_only",
            )


def _resolved_in(vault: Vault) -> ResolvedClaims | None:
    """The resolved claims of a vault; None where it cannot be read."""
    try:
        return vault.read(lambda reader: reader.claims.own)
    except MemcliError:
        return None
