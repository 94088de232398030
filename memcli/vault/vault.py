"""The vault: where entries live, how they are found by id, and how files change.

Invariant: every change of its files goes through one `transaction`.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from memcli.entries.entry import KINDS, Entry
from memcli.entries.ids import LAST_MS, new_id
from memcli.entries.projects import HERE
from memcli.errors import MemcliError, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple
from memcli.storage import files, journal, known_vaults
from memcli.storage import settings as config
from memcli.vault import own_vault

if TYPE_CHECKING:
    from memcli.entries.codec import Decoded
    from memcli.search.index import Index
    from memcli.search.kept import Lent
    from memcli.search.postgres.engine import Engine
    from memcli.search.reader import Reader
    from memcli.search.resolved_claims import ResolvedClaims
    from memcli.storage.projects import Project
    from memcli.storage.transaction import Note, Transaction
    from memcli.vault.registry.store import Registry
    from memcli.vault.signals.recorder import Recorder

_Answer = TypeVar("_Answer")


class Stored(NamedTuple):
    """A file of the vault as it was read."""

    path: str
    data: bytes
    decoded: "Decoded"

    @property
    def entry(self) -> Entry:
        """The entry that it holds."""
        return self.decoded.entry


class Vault:
    """One vault on disk.

    Args:
        root: the vault's folder, absolute.
        environ: the environment of git; None is this process's own.
        now_ms: the clock, in milliseconds since 1970.
        entropy: gives that many random bytes.
        tell: takes a message for the person who waits.
        progress: called with (done, all) during long work.
        fault: for tests: called with the name of each step of a transaction.
        agent: the name of the agent that asks and writes; None is the vault's owner.
        named: the user's name for the vault, for a refusal; None is its path.
        source: the `source` of its rows: personal, repo, or team:NAME.
        via: the way in, for the log of signals.
        cwd: the folder that the caller stands in, whose project is `here`; None is
            no folder, and no project.
        own: the user's own vault, when this is a team's: what is resolved there is not
            shown here either.
        processes: how many may read files at once when there are thousands.
        kept: gives an index that is already open, in a process that stays.
        engine: answers instead of an index of the files, for a published vault.

    Attributes:
        resolved_elsewhere: gives what is resolved there; None asks `own`.
        starts_sync: whether a write starts a sync, where the user's config says so.
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
        agent: str | None = None,
        named: str | None = None,
        source: str = known_vaults.PERSONAL,
        via: str = "python",
        cwd: str | None = None,
        own: "Vault | None" = None,
        processes: int = 1,
        kept: "Lent | None" = None,
        engine: "Engine | None" = None,
    ) -> None:
        self.root = root
        self.named = named or root
        self.source = source
        if agent is not None and not agent.strip():
            raise UsageError(
                "the agent has no name, which must not stand for the owner",
                hint="Give None to ask as the owner.",
            )
        self.agent = config.agent(root, agent) if agent else None
        self.environ = environ
        self._clock = now_ms or _now_ms
        self.entropy = entropy
        self.tell = tell or _silent
        # How many files there are is for the owner, and so is what others began.
        self.progress = progress if agent is None else None
        self.fault = fault or _silent
        self.via = via
        self.cwd = cwd
        self._project: tuple[Project | None] | None = None
        self.own = own
        self.processes = processes
        self.kept = kept
        self.resolved_elsewhere: Callable[[], ResolvedClaims | None] | None = None
        self.starts_sync = True
        self._engine = engine
        # It has every method of an index that what asks and reads calls.
        self._index: Index | None = cast("Index | None", engine)
        if engine is not None:
            engine.agent = self.agent

    def now_ms(self) -> int:
        """The clock, in milliseconds since 1970; the nearest time that ids can hold."""
        return min(max(self._clock(), 0), LAST_MS)

    @classmethod
    def open(
        cls, root: str | None = None, *, writes: bool = False, **options: Any
    ) -> Self:
        """Open a vault; without a path or name, the one that the user's settings name.

        Args:
            root: a path, or the name of a vault of the user's config.
            writes: refuse a vault that may only be read, before any other error.
            options: the arguments of the class.

        Raises:
            VaultNotFound: there is no vault, or it may not be written to.
            NotAVault: the folder is not one that `memcli init` prepared.
            NotAllowed: it is the repository's, which the user has not allowed.
        """
        environ = options.get("environ")
        place = known_vaults.place_of(
            root, os.environ if environ is None else environ, options.get("cwd")
        )
        vault = cls.at(place, **{"named": root, **options})
        if place.source != known_vaults.PERSONAL and "own" not in options:
            words = {**options, "named": None}
            vault.own = own_vault.beside(vault.root, lambda: cls.open(None, **words))
        if writes:
            vault.refuse_read_only()
        return vault

    @classmethod
    def at(cls, place: known_vaults.KnownVault, **options: Any) -> Self:
        """The vault at a known place: the one line that tells an engine from an index.

        Raises:
            Unavailable: its database is gone or slow.
        """
        options = {"source": place.source, **options}
        if place.engine:
            from memcli.search.postgres.engine import Engine

            engine = Engine(place.engine, place.published_as, place.path)
            options["agent"] = engine.acts_as(options.get("agent"))
            options["engine"] = engine
        return cls(place.path, **options)

    def refuse_read_only(self) -> None:
        """Refuse to write where the user's config gives the role ro.

        Raises:
            VaultNotFound: as for a name that is not configured.
        """
        if self._engine is not None:
            raise self._engine.refusal("written to")
        if self.read_only:
            raise known_vaults.refused(self.named)

    @property
    def read_only(self) -> bool:
        """Whether the user's config gives this vault the role ro."""
        return known_vaults.read_only(
            self.root, os.environ if self.environ is None else self.environ
        )

    def acting_as(self, agent: str | None) -> Self:
        """The same vault for this agent; None is the owner."""
        return self._again(self.root, agent, self.tell)

    def copied_to(self, root: str) -> Self:
        """A copy of this vault at `root` for the same caller, who is told nothing."""
        return self._again(root, self.agent_name, _silent)

    def _again(self, root: str, agent: str | None, tell: Callable[[str], None]) -> Self:
        return type(self)(
            root,
            environ=self.environ,
            now_ms=self._clock,
            entropy=self.entropy,
            tell=tell,
            progress=self.progress,
            fault=self.fault,
            agent=agent,
            named=self.named,
            source=self.source,
            via=self.via,
            cwd=self.cwd,
            own=self.own.acting_as(agent) if self.own else None,
            processes=self.processes,
            kept=self.kept if root == self.root else None,
            engine=self._engine.again_as(agent) if self._engine else None,
        )

    @property
    def here(self) -> str | None:
        """The project of the folder that the caller stands in; None: everywhere.

        Raises:
            InvalidConfig: `[projects]` of the user's config cannot be understood.
        """
        return self.project.name if self.project else None

    @property
    def project(self) -> "Project | None":
        """As `here`, with the project's folder; raises as that does."""
        if self._project is None:
            project = None
            if self.cwd:
                from memcli.storage import projects

                environ = os.environ if self.environ is None else self.environ
                project = projects.of(self.cwd, environ)
            self._project = (project,)
        return self._project[0]

    @property
    def agent_name(self) -> str | None:
        """The name of the agent that asks and writes; None is the owner."""
        return self.agent.name if self.agent else None

    # --- reading ------------------------------------------------------------------

    @property
    def index(self) -> "Index":
        """The vault's index, or the database that answers for it."""
        if self._index is None:
            self._index = self._opened_index()
        # Of the other vault alone: a circle would keep the files of both open.
        counted = partial(own_vault.resolved_in, self.own)
        self._index.elsewhere = self.resolved_elsewhere or counted
        return self._index

    def _opened_index(self) -> "Index":
        from memcli.search.index import Index

        def made() -> Index:
            return Index(
                self.root,
                tell=self.tell,
                progress=self.progress,
                agent=self.agent,
                processes=self.processes,
            )

        if self.kept is None:
            return made()
        from memcli.search.kept import Wanted

        return self.kept.index(Wanted(self.root, self.agent, self.tell), made)

    def read(self, answer: "Callable[[Reader], _Answer]") -> _Answer:
        """Return `answer(reader)` over the files as they are now."""
        self._finish_killed()
        return self.index.read(answer)

    def again(self, answer: "Callable[[Reader], _Answer]") -> _Answer:
        """As `read`, over the files as the last `read` found them, if there was one.

        For the further questions of one decision: listing 10,000 files takes 20 ms.
        """
        self._finish_killed()
        return self.index.again(answer)

    def reader(self) -> "Reader":
        """A reader of the files as they are now; it lasts until the next is asked for.

        `read` is simpler, and repairs an index that turns out to be damaged.
        """
        self._finish_killed()
        return self.index.current()

    def glance(
        self, answer: "Callable[[Reader, list[str], list[str]], _Answer]"
    ) -> _Answer:
        """As `read`, but over the index as it is, without bringing it up to date.

        `answer` is also given the paths that have changed and that are gone since.
        """
        self._finish_killed()
        return self.index.glance(answer)

    def _finish_killed(self) -> None:
        # In a vault that may only be read, its own writers finish what they began.
        if journal.exists(self.root) and not self.read_only:
            from memcli.storage.finishing import finish_killed

            finish_killed(
                self.root,
                environ=self.environ,
                tell=self._tell_killed,
                fault=self.fault,
            )

    @property
    def _tell_killed(self) -> Callable[[str], None]:
        """Who is told of what a killed command left; it may be another agent's."""
        return self.tell if self.agent is None else _silent

    def path_of(self, entry_id: str) -> str:
        """The path of the entry that an id, its beginning, a path or a file name means.

        Raises:
            EntryNotFound: it means no entry.
            AmbiguousId: it means several.
        """
        return self.paths_of((entry_id,))[0]

    def paths_of(self, entry_ids: Iterable[str]) -> list[str]:
        """As `path_of` for each of these, over the files as they are at one moment."""
        from memcli.vault import lookup

        words = tuple(entry_ids)
        return self.read(lambda reader: [lookup.path_of(reader, w) for w in words])

    def get(self, entry_id: str) -> Entry:
        """The entry that a word means, as `path_of`.

        Raises:
            EntryNotFound, AmbiguousId: as `path_of`.
            InvalidEntry: its file was broken in the meantime.
        """
        return self.as_seen(self.load(self.path_of(entry_id)).entry)

    def as_seen(self, entry: Entry) -> Entry:
        """An entry without the ids of entries that the asking agent may not see."""
        if self.agent is None:
            return entry
        return self.read(lambda reader: reader.censored(entry))

    def load(self, path: str) -> "Decoded":
        """Read one file of the vault as an entry."""
        return self.stored(path).decoded

    def stored(self, path: str) -> "Stored":
        """Read one file of the vault, to change it: its bytes and its entry."""
        from memcli.entries import codec

        if self._engine is not None:
            raise self._engine.refusal("read file by file")
        data = files.read(files.inside(self.root, path), follow=False)
        return Stored(path, data, codec.decode(data, path, kinds=self.kinds))

    @property
    def registry(self) -> "Registry":
        """The registered entities that the asking agent may know of."""
        from memcli.vault.registry import store

        return store.load(self.root, self.agent)

    def link(self, entry: Entry) -> Entry:
        """The entry with what it mentions among its entities (docs/use/entities.md)."""
        from memcli.entries.text import mentions

        return mentions.linked(entry, self.registry.names)[0]

    @property
    def settings(self) -> config.Config:
        """The settings in the vault's config."""
        return config.load(self.root)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The built-in kinds and those of the vault's config."""
        return (*KINDS, *config.load(self.root).kinds)

    @property
    def recorder(self) -> "Recorder":
        """The recorder of this vault's use, for the log of signals."""
        from memcli.vault.signals.recorder import Recorder

        return Recorder(
            self.root,
            environ=self.environ,
            now_ms=self._clock,
            entropy=self.entropy,
            agent=self.agent_name,
            via=self.via,
        )

    # --- writing ------------------------------------------------------------------

    def transaction(self) -> "Transaction":
        """A transaction; nothing is written before its end.

        Raises:
            VaultNotFound: the user's config gives this vault the role ro.
            NotAllowed: the clock shows a time that no id can hold.
        """
        from memcli.storage.transaction import Transaction

        self.refuse_read_only()
        if not 0 <= self._clock() <= LAST_MS:
            raise NotAllowed(
                "the clock of this machine shows a time before 1970 or after 3083",
                hint="Set the clock, then repeat the command.",
                code="clock",
            )
        return Transaction(
            self.root,
            environ=self.environ,
            tell=self.tell,
            tell_killed=self._tell_killed,
            progress=self.progress,
            fault=self.fault,
            wrote=self._wrote,
        )

    def _wrote(self, notes: "list[Note]") -> bool:
        """What follows a commit; whether the log of signals has it."""
        if self.starts_sync:
            from memcli.vault import background_sync

            background_sync.after_write(self.root, self.environ)
        return self.recorder.wrote(notes)

    def draft(self, values: Mapping[str, Any]) -> Entry:
        """Check the fields of a new entry; see `memcli.entries.validate.draft`.

        Without the field `project`, or with `here` in it, it holds where the caller
        stands; in the vault of that very repository wherever it is asked, also in a
        fork.
        """
        from memcli.entries import validate as draft

        if values.get("project", HERE) == HERE:
            is_repos = self.source == known_vaults.REPO
            values = {**values, "project": None if is_repos else self.here}
        try:
            return draft.draft(values, kinds=KINDS, body_limit=config.Limits().body)
        except MemcliError as refusal:
            # Only a refusal makes the vault's own settings worth reading.
            settings = config.load(self.root)
            if settings == config.Config():
                raise refusal from None
        kinds = (*KINDS, *settings.kinds)
        return draft.draft(values, kinds=kinds, body_limit=settings.limits.body)

    def new_id(self) -> str:
        """A fresh id, of this moment."""
        return new_id(self.now_ms(), self.entropy)

    def owner_only(self, what: str) -> None:
        """Refuse to an agent what shows or changes more than single entries.

        Raises:
            NotAllowed: an agent asks.
        """
        from memcli.entries.rights import Action, may

        if self.agent is not None and not may(Action.OVERSEE, None, self.agent):
            raise NotAllowed(
                f"{what} is for the owner of the vault, not for agent "
                f"{self.agent.name}",
                hint="Ask without --agent and MEMCLI_AGENT.",
                code="owner_only",
            )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _silent(_: object) -> None:
    pass
