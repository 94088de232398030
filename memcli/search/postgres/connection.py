"""One connection to PostgreSQL: limits, refusals in words, and no password.

Invariant: the only module that knows psycopg. Values travel as parameters, never as
part of a statement. Every failure is an `Unavailable` or a `MemcliError` whose text
holds no password; every question of a reader ends in time, also when the server hangs.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Any, TypeVar

from memcli.errors import MemcliError, NotAllowed, Unavailable
from memcli.storage.known_vaults import redacted, without_secrets

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_Answer = TypeVar("_Answer")
Rows = list[tuple[Any, ...]]

CONNECT = 3
"""Seconds for a server to take a connection; libpq counts whole ones, 2 at least."""

PATIENCE = 10.0
"""Seconds for the answer to one question of a reader."""

BRIEF = 2.0
"""The same where nobody has named the vault, and the others can answer."""

LONG = 1.0
"""Seconds: a question that failed sooner kept nobody waiting, and is asked again."""


class Gone(Unavailable):
    """A table is gone: other commits were published since the answer began."""


class Database:
    """A connection that is opened at the first question.

    Each question is a transaction of its own, and nothing is prepared: a pooler may
    give every one to another server process.

    Args:
        url: as libpq takes it: `postgresql://user:password@host:port/database`.
        patience: seconds for one question; None waits as long as it takes.

    Attributes:
        failure: the last error that was raised, None before the first.
        waited: seconds that the last question which failed took.
    """

    def __init__(self, url: str, *, patience: float | None = PATIENCE) -> None:
        self.url = url
        self.failure: MemcliError | None = None
        self.waited = 0.0
        self._patience = patience
        self._open: Any = None

    def ask(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """The rows of a question, none for other statements.

        Raises:
            Unavailable: the server is gone, or does not answer in time.
            NotAllowed: the database refuses it to this user.
            MemcliError: it refuses for another reason.
        """
        return self._guarded(lambda: self._ask(sql, values))

    def _ask(self, sql: str, values: Sequence[Any]) -> Rows:
        cursor = self._connected().execute(sql.encode(), values or None, binary=True)
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction: its changes are kept as a whole, or not at all."""
        self.ask("BEGIN")
        try:
            yield
        except BaseException:
            self.close()
            raise
        self.ask("COMMIT")

    def copy(
        self, table: str, types: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None:
        """Send rows by binary COPY.

        Args:
            table: with its schema.
            types: of the columns, since binary data is not converted.
            rows: the values.
        """

        def send() -> None:
            sql = f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()
            with self._connected().cursor() as cursor, cursor.copy(sql) as copy:
                copy.set_types(types)
                for row in rows:
                    copy.write_row(row)

        self._guarded(send)

    def close(self) -> None:
        """Let go of the server; what was not committed is dropped."""
        if self._open is not None:
            self._open.pgconn.finish()
            self._open = None

    def _connected(self) -> Any:
        if self._open is None or self._open.closed:
            self._open = _connect(self.url, self._patience)
        return self._open

    def _guarded(self, act: Callable[[], _Answer]) -> _Answer:
        began = time.monotonic()
        try:
            return act()
        except MemcliError:
            raise
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "psycopg":
                raise
            named = self._named(error)
        self.failure, self.waited = named, time.monotonic() - began
        if isinstance(named, Unavailable):
            self.close()
        raise named from None

    def _named(self, error: Exception) -> MemcliError:
        """The refusal of a database in memcli's words."""
        from psycopg import errors

        said = without_secrets(str(error), self.url)
        where = redacted(self.url)
        if isinstance(error, errors.InsufficientPrivilege):
            return NotAllowed(
                f"{where} refuses this to its user: {said}",
                hint="Readers need the role memcli_reader; publishers the right to "
                "create a schema, and once that role (CREATE ROLE memcli_reader "
                "NOLOGIN): docs/use/sharing.md",
            )
        if isinstance(error, (errors.UndefinedTable, errors.InvalidSchemaName)):
            return Gone(
                f"{where}: another commit was published while an answer was made",
                hint="Ask again: the next answer is of that commit.",
            )
        late = isinstance(error, (errors.QueryCanceled, errors._WaitTimeout))  # noqa: SLF001 what `wait(timeout=...)` raises
        if late or isinstance(error, (errors.OperationalError, errors.InterfaceError)):
            why = "no answer in time" if late else said
            return Unavailable(
                f"{where} cannot be asked: {why}",
                hint="Try again later, or tell the administrator of the database.",
            )
        return MemcliError(f"{where} cannot answer: {said}", code="database_failed")


def _connect(url: str, patience: float | None) -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MemcliError(
            f"a vault with an engine needs psycopg, which is not installed ({error})",
            hint="Install it: pip install 'memcli[postgres]'",
            code="not_installed",
        ) from error

    class Impatient(psycopg.Connection[Any]):
        """A connection that waits no longer for a server that hangs."""

        def wait(self, gen: Any, interval: float = 0.1, timeout: Any = None) -> Any:
            return super().wait(gen, interval, patience if timeout is None else timeout)

        def __del__(self, *_: object) -> None:
            # A vault has no end at which it would close, and nothing is left undone.
            if not self.closed:
                self.pgconn.finish()

    limit = "" if patience is None else f" -c statement_timeout={int(patience * 1000)}"
    connection: Any = Impatient.connect(
        url,
        connect_timeout=max(2, min(CONNECT, int(patience or CONNECT))),  # libpq's least
        application_name="memcli",
        client_encoding="UTF8",
        # Compiling a query takes longer than the queries of a recall.
        options=f"-c jit=off -c search_path=pg_catalog{limit}",
        autocommit=True,
    )
    connection.prepare_threshold = None
    return connection
