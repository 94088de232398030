"""A published vault as an engine of answers: what a `Vault` asks instead of an index.

Invariant: the tables of one commit never change, and have a schema of their own; an
answer reads those of one commit. Nothing of the vault's files is on this machine but
its settings and the registry of names, in a folder of the user's cache that is written
anew when the database has another commit.
"""

from __future__ import annotations

import contextlib
import os

from memcli.entries import layout
from memcli.errors import MemcliError, NotAllowed, Unavailable
from memcli.named_tuple import NamedTuple
from memcli.search.index import Index, version
from memcli.search.postgres.connection import LONG, PATIENCE, Database, Gone
from memcli.search.reader import Reader
from memcli.search.store import Sums
from memcli.storage import files
from memcli.storage.known_vaults import redacted
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.entries.eligibility import Agent
    from memcli.search.triggers import Told

_STAMP = "published"  # the schema that the folder was written for
_LOOK = (
    "SELECT number, schema, version, commit, remote, size FROM memcli.vault "
    "WHERE name = %s"
)


class Published(NamedTuple):
    """A vault as the database has it; `schema` has the tables of this commit.

    `number` counts its publishes; before the first one there is no commit.
    """

    number: int = 0
    schema: str = ""
    version: str | None = None
    commit: str | None = None
    remote: str | None = None
    size: str = ""

    @property
    def sums(self) -> Sums:
        """The sums over all documents."""
        import json

        return Sums(*json.loads(self.size)) if self.size else Sums()


def published(database: Database, name: str) -> Published:
    """A vault as the database has it now."""
    rows = database.ask(_LOOK, (name,))
    return Published(*rows[0]) if rows else Published()


class Engine(Index):
    """Answers of one published vault, as an index of a folder gives them.

    Args:
        url: of the database.
        name: of the vault in it.
        folder: of this machine, for the vault's settings and registry.
        patience: seconds for one question.

    Attributes:
        agent: the agent that asks, when it is not the owner.
    """

    def __init__(
        self, url: str, name: str, folder: str, patience: float = PATIENCE
    ) -> None:
        super().__init__(folder)
        self._database = Database(url, patience=patience)
        self._url = url
        self._name = name
        self.agent: Agent | None = None
        self._published: Published | None = None

    def published(self) -> Published:
        """The published vault, with its settings and registry on this machine.

        Raises:
            Unavailable: the database is gone or slow.
            MemcliError: it holds no such vault.
        """
        if self._published is None:
            self._published = self._look()
        return self._published

    def again_as(self) -> Engine:
        """The same vault over the same connection, for another caller."""
        other = Engine(self._url, self._name, self.root)
        other._database = self._database
        other._published = self._published
        return other

    def refusal(self, what: str) -> MemcliError:
        """Why a published vault cannot be changed here, and what to do instead."""
        remote = self.published().remote or "the repository that it is published from"
        return NotAllowed(
            f"'{self._name}' is answered by {redacted(self._url)}; it cannot be {what}",
            hint=f"Do that in a clone of {remote}; its CI publishes what you push.",
            code="published_vault",
        )

    def _look(self) -> Published:
        try:
            found = published(self._database, self._name)
        except Gone:
            found = Published()  # the database was never prepared
        if found.commit is None:
            raise MemcliError(
                f"{redacted(self._url)} holds no vault '{self._name}'",
                hint="Publish it: memcli publish --vault FOLDER --to NAME",
                code="not_published",
            )
        if found.version != version():
            raise MemcliError(
                f"{redacted(self._url)}: '{self._name}' was published by another "
                "version of memcli",
                hint="Publish it again with this version, or install that one.",
                code="wrong_format",
            )
        self._settle(found)
        return found

    def _settle(self, published: Published) -> None:
        """Write the settings and the registry, unless they are this commit's."""
        stamp = f"{published.schema} {published.commit}\n".encode()
        path = os.path.join(self.root, ".memcli", _STAMP)
        with contextlib.suppress(MemcliError):
            if files.read(path, limit=10_000) == stamp:
                return
        import shutil

        pages = self._database.ask(f"SELECT path, data FROM {published.schema}.page")  # noqa: S608
        shutil.rmtree(os.path.join(self.root, layout.ENTITIES), ignore_errors=True)
        self._write(layout.CONFIG, b"")
        for name, data in pages:
            where = bytes(name).decode("utf-8", "surrogateescape")
            if where == layout.CONFIG or layout.registered_type(where):
                self._write(where, bytes(data))
        files.write_atomic(path, stamp)

    def _write(self, name: str, data: bytes) -> None:
        files.write_atomic(inside(self.root, name), data)

    # --- as an index ----------------------------------------------------------------

    def current(self, *, most: int | None = None) -> Reader:
        """A reader of what is published now; it lasts until the next is asked for."""
        del most  # nothing is to be indexed
        known, now = self._published, self._published
        if now is None or self._reader is not None:
            now = self._published = self._look()
        if self._reader is None or now != known:
            self._reader = self._read(now)
        self._reader.claims.count_resolved(self.elsewhere())
        return self._reader

    def _read(self, published: Published) -> Reader:
        def ask(sql: str, values: Sequence[Any]) -> Iterable[Sequence[Any]]:
            # Every SELECT of a store is of one table.
            asked = sql.replace(" FROM ", f" FROM {published.schema}.")
            return self._database.ask(asked.replace("?", "%s"), values)

        return Reader(ask, published.sums, {}, self.agent, self.root)

    def _mend(self, error: Exception) -> bool:
        """Whether the answer may succeed now: a connection that broke is opened once
        more."""
        late = self._database.waited >= LONG or self._reader is None
        if late or not isinstance(error, Unavailable):
            return False
        self._forget()
        return True

    def _forget(self) -> None:
        """Ask for everything anew."""
        self._reader = self._published = None

    def _kept(self) -> Reader | None:
        return self._reader

    def told(self, *_: object, **__: object) -> list[Told]:
        """Nothing: what is told at an edit comes from vaults of this machine."""
        return []

    def has_failed(self, error: MemcliError) -> bool:
        """Whether an error that ended an answer of several vaults is this database's.

        The next question gets another reader then.
        """
        if error is not self._database.failure:
            return False
        self._forget()
        return True
