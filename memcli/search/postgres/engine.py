"""A published vault as an engine of answers: what a `Vault` asks instead of an index.

Invariant: nothing of the vault's files is on this machine but its settings and the
registry of names, in a folder of the user's cache that is written anew when the
database has another commit. No answer mixes two commits.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import NoReturn, TypeVar

from memcli.entries import layout
from memcli.errors import MemcliError, NotAllowed, Unavailable
from memcli.named_tuple import NamedTuple
from memcli.search.postgres import functions
from memcli.search.postgres.connection import Database, Rows
from memcli.search.postgres.silence import LONG
from memcli.search.postgres.tables import Tables
from memcli.search.reader import Reader
from memcli.search.state import UpdateCounts
from memcli.search.unindexed import Unindexed
from memcli.storage import files
from memcli.storage.engine_url import redacted
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.entries.eligibility import Agent
    from memcli.search.postgres.fetching import Asked
    from memcli.search.postgres.silence import Silence
    from memcli.search.resolved_claims import ResolvedClaims
    from memcli.search.triggers import Told

_Answer = TypeVar("_Answer")

_WRITTEN = "written to"
_STAMP = "published"  # the commit and the role that the folder was written for
_MOST_PAGE = 1_000_000  # bytes of a page of the registry


class Published(NamedTuple):
    """A vault as the database has it.

    `role` is the name of the user that asks, `is_owner` whether it reads everything;
    `broken` says that there are files which are no entries.
    """

    vault: int
    commit: str
    remote: str | None
    role: str
    is_owner: bool
    broken: bool


class _ChangedError(Unavailable):
    """Another commit was published, or the vault as another one, since the last look.

    Args:
        engine: the one whose reader found it.
        rows: what the look found.
    """

    def __init__(self, engine: Engine, rows: Rows) -> None:
        super().__init__(
            "another commit was published while an answer was made",
            hint="Ask again: the next answer is of that commit.",
        )
        self.engine = engine
        self.rows = rows


class Engine:
    """Answers of one published vault (what `index.Index` is for a folder).

    Args:
        url: of the database.
        name: of the vault in it.
        folder: of this machine, for the vault's settings and registry.
        silence: the note about a database that kept a call waiting.
        waits: whether it is asked in spite of such a note.

    Attributes:
        elsewhere: gives what is resolved in another vault and counts here as well.
        agent: the agent that asks, when it is not the owner.
        patience: has no meaning here; the database has time limits of its own.
    """

    def __init__(
        self,
        url: str,
        name: str,
        folder: str,
        silence: Silence,
        *,
        waits: bool = True,
    ) -> None:
        self._database = Database(url)
        self._silence = silence
        self._waits = waits
        self._url = url
        self._name = name
        self._folder = folder
        self.elsewhere: Callable[[], ResolvedClaims | None] = lambda: None
        self.agent: Agent | None = None
        self.patience = 0.0
        self.change = UpdateCounts()
        self.stale = False
        self.unreadable: list[str] = []
        self._reader: Reader | None = None
        self._published: Published | None = None

    @property
    def round_trips(self) -> int:
        """How often the database was asked."""
        return self._database.round_trips

    def published(self) -> Published:
        """What is published, with the settings and the registry on this machine.

        Raises:
            Unavailable: the database is gone or slow.
            MemcliError: it holds no such vault for this role.
        """
        if self._published is None:
            self._published = self._look()
            self._database.rest()
        return self._published

    def acts_as(self, agent: str | None) -> str | None:
        """The agent that a caller is: a role that is no owner is one itself.

        Raises:
            NotAllowed: the role is one agent, and the caller wants to be another.
        """
        published = self.published()
        if published.is_owner or agent == published.role:
            return agent
        if agent is not None:
            raise NotAllowed(
                f"{redacted(self._url)} knows its user as the agent "
                f"'{published.role}', not as '{agent}'",
                hint="Leave the agent out, or connect as that role.",
            )
        return published.role

    def again_as(self, agent: str | None) -> Engine:
        """The same vault over the same connection, for another caller."""
        where = (self._url, self._name, self._folder, self._silence)
        other = Engine(*where, waits=self._waits)
        other._database = self._database
        other._published = self._published
        other.acts_as(agent)
        return other

    def refusal(self, what: str) -> MemcliError:
        """Why a published vault cannot be changed here, and what to do instead."""
        remote = self.published().remote or "the repository that it is published from"
        return NotAllowed(
            f"'{self._name}' is answered by {redacted(self._url)}; it cannot be {what}",
            hint=f"Do that in a clone of {remote}"
            + (", and push: its CI publishes what came." if what == _WRITTEN else "."),
            code="published_vault",
        )

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what only an index of files has, instead of failing as a bug."""
        if name.startswith("_"):
            raise AttributeError(name)
        raise self.refusal("inspected")

    def _look(self) -> Published:
        if not self._waits:
            self._silence.refuse(redacted(self._url))
        began = time.monotonic()
        try:
            self._database.fresh()
            rows = self._database.ask((functions.LOOKED, (self._name,)))[0]
        except Unavailable:
            self._was_long(began)
            raise
        self._silence.forget()
        return self._found(rows)

    def _was_long(self, began: float) -> bool:
        """Whether a call that failed has waited since then; it is noted.

        Args:
            began: by the monotonic clock.
        """
        if time.monotonic() - began < LONG:
            return False
        self._silence.note()
        return True

    def _found(self, rows: Rows) -> Published:
        """What a look found, with its settings on this machine."""
        if not rows or rows[0][1] is None:
            raise MemcliError(
                f"{redacted(self._url)} holds no vault '{self._name}' that its user "
                "may read",
                hint="Publish it: memcli publish --vault FOLDER --to NAME. A reader is "
                "an agent that the vault's config names: docs/use/sharing.md.",
                code="not_published",
            )
        published = Published(*rows[0])
        self._settle(published)
        return published

    def _settle(self, published: Published) -> None:
        """Write the settings and the registry, unless they are this commit's."""
        stamp = f"{published.commit} {published.vault} {published.role}\n".encode()
        path = os.path.join(self._folder, ".memcli", _STAMP)
        with contextlib.suppress(MemcliError):
            if files.read(path, limit=10_000) == stamp:
                return
        import shutil

        values = {"vault": published.vault, "agent": None, "most": _MOST_PAGE}
        ((config, ignored),), pages = self._database.ask(
            (functions.SETTINGS.call, values), (functions.PAGES.call, values)
        )
        shutil.rmtree(os.path.join(self._folder, layout.ENTITIES), ignore_errors=True)
        self._write(layout.CONFIG, config or b"")
        if ignored:
            self._write(layout.IGNORED_NAMES, ignored)
        for name, data in pages:
            where = name.decode("utf-8", "surrogateescape")
            if layout.registered_type(where) and where.endswith(".md"):
                self._write(where, data)
        files.write_atomic(path, stamp)

    def _write(self, name: str, data: bytes) -> None:
        path = inside(self._folder, name)
        files.make_folder(os.path.dirname(path))
        files.write_atomic(path, data)

    # --- as an index ----------------------------------------------------------------

    def current(self) -> Reader:
        """A reader of what is published now; it lasts until the next is asked for."""
        if self._published is None or self._reader is not None:
            self._published = self._look()
        return self._opened(self._published, seen=True)

    def _likely(self) -> Reader:
        """As `current`, but a look is taken together with the reader's first question.

        That raises `_ChangedError` when something else is published by now.
        """
        if self._published is None or self._reader is None:
            return self.current()
        self._database.fresh()
        return self._opened(self._published, seen=False)

    def _opened(self, published: Published, *, seen: bool) -> Reader:
        """A reader of what is published, which was `seen` at this moment."""

        def compare(rows: Rows) -> None:
            if [Published(*row) for row in rows] != [published]:
                raise _ChangedError(self, rows)

        look: Asked = ((functions.LOOKED, (self._name,)), compare)
        tables = Tables(self._database, published.vault, look, seen=seen)
        broken = self._broken() if published.broken else {}
        self._reader = Reader(tables, broken, self.agent, self._folder)
        self._reader.count_resolved(self.elsewhere())
        return self._reader

    def _broken(self) -> dict[str, tuple[int, str]]:
        """The files that are no entries; only an owner is told."""
        published = self.published()
        if not published.is_owner or self.agent is not None:
            return {}
        values = {"vault": published.vault, "agent": None}
        rows = self._database.ask((functions.BROKEN.call, values))[0]
        return {
            path.decode("utf-8", "surrogatepass"): (
                line,
                reason.decode("utf-8", "surrogatepass"),
            )
            for path, line, reason in rows
        }

    def read(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """Return `answer(reader)`; a connection that broke is opened once more."""
        began = time.monotonic()
        try:
            return self._answered(answer, self._likely)
        except Unavailable:
            if self._was_long(began) or self._reader is None:
                raise
            self._reader = None
            return self._answered(answer, self.current)
        finally:
            self._database.rest()

    def again(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """As `read`, of what the last `read` found, if that is still published."""
        try:
            return self._answered(answer, lambda: self._reader or self.current())
        finally:
            self._database.rest()

    def _answered(
        self, answer: Callable[[Reader], _Answer], reader: Callable[[], Reader]
    ) -> _Answer:
        """An answer of one reader, or of another where something else is published."""
        try:
            return answer(reader())
        except _ChangedError as changed:
            if changed.engine is not self:
                raise
            self._published = None  # which the next line may not find
            self._published = self._found(changed.rows)
            return answer(self._opened(self._published, seen=True))

    def glance(self, answer: Callable[[Reader, Unindexed], _Answer]) -> _Answer:
        """As `read`; nothing has changed since it was published."""
        return self.read(lambda reader: answer(reader, Unindexed("")))

    def at_once(
        self,
        answer: Callable[[Reader, list[str], list[str]], _Answer],
        *,
        as_it_was: bool = False,  # noqa: ARG002 as an index has it
    ) -> _Answer:
        """As `glance`: nothing is to be indexed first."""
        return self.read(lambda reader: answer(reader, [], []))

    def told(self, *_: object, **__: object) -> list[Told] | None:
        """Nothing: what is told at an edit comes from vaults of this machine."""
        return []

    def mend(self, error: Exception) -> bool:  # noqa: ARG002 as an index has it
        """Nothing is to be mended here."""
        return False

    def has_failed(self, error: MemcliError) -> bool:
        """Whether an error that ended an answer of several vaults is this database's.

        The next question gets another reader then, and a database that kept the answer
        waiting is noted, as `read` does.
        """
        changed = isinstance(error, _ChangedError) and error.engine is self
        if not changed and error is not self._database.failure:
            return False
        self._reader = None
        if changed:
            self._published = None
        elif isinstance(error, Unavailable) and self._database.waited >= LONG:
            self._silence.note()
        return True
