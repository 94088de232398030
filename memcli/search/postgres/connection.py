"""One connection to PostgreSQL: questions in one round trip, limits, and no password.

Invariant: the only module that knows psycopg. Values travel as parameters, never as
part of a statement. Every failure is an `Unavailable` or a `MemcliError` whose text
holds no password; every question ends in time, also when the server hangs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar

from memcli.errors import MemcliError, NotAllowed, Unavailable
from memcli.storage.engine_url import redacted, without_secrets

TYPE_CHECKING = False

if TYPE_CHECKING:
    import psycopg

_SNAPSHOT = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

Rows = list[tuple[Any, ...]]
Question = tuple[str, Sequence[Any] | Mapping[str, Any]]

_Answer = TypeVar("_Answer")

CONNECT = 3.0
"""Seconds for a server to take a connection; libpq counts whole ones, 2 at least."""

PATIENCE = 10.0
"""Seconds for the answer to one round trip of a reader."""

# Seconds: a reader that is stopped between two round trips holds no transaction longer.
_IDLE = 60.0
_FETCHED = 2_000  # rows of a stream that are held at once


class Database:
    """A connection that is opened at the first question.

    Args:
        url: as libpq takes it: `postgresql://user:password@host:port/database`.
        patience: seconds for one round trip; None waits as long as it takes.
        read_only: questions alone, all of a `snapshot` at one moment.

    Attributes:
        round_trips: how often the server was asked.
        moment: a number of what a reader sees: all answers of one number agree.
        failure: the last error that was raised for it or for one of its rows, None
            before the first.
        waited: seconds that the last question which failed took.
    """

    def __init__(
        self, url: str, *, patience: float | None = PATIENCE, read_only: bool = True
    ) -> None:
        self.url = url
        self.round_trips = 0
        self._patience = patience
        self._read_only = read_only
        self._open: psycopg.Connection[Any] | None = None
        self._stale = False
        self._resting = False
        self.moment = 0
        self.failure: MemcliError | None = None
        self.waited = 0.0

    def ask(self, *questions: Question) -> list[Rows]:
        """The rows of each question, all sent at once.

        Raises:
            Unavailable: the server is gone, or does not answer in time.
            NotAllowed: the database refuses it to this user.
            MemcliError: it refuses for another reason.
        """
        return self._guarded(lambda: self._ask(questions))

    def _ask(self, questions: Sequence[Question]) -> list[Rows]:
        connection = self._connected()
        self._collect()
        if not self._read_only:
            self.round_trips += len(questions)
            return [
                _rows(connection.execute(sql.encode(), values, binary=True))
                for sql, values in questions
            ]
        self.round_trips += 1
        from psycopg.pq import TransactionStatus

        idle = connection.info.transaction_status == TransactionStatus.IDLE
        if self._stale or idle:
            self.moment += 1
        with connection.pipeline():
            if self._stale and not idle:
                connection.execute(b"ROLLBACK")
            if self._stale or idle:
                connection.execute(_SNAPSHOT)
                self._stale = False
            asked = [
                connection.cursor(binary=True).execute(sql.encode(), values)
                for sql, values in questions
            ]
        return [_rows(cursor) for cursor in asked]

    def script(self, sql: str) -> None:
        """Run several statements that take no values."""
        self._guarded(lambda: self._connected().execute(sql.encode()))

    def streamed(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """The rows of a question, fetched two thousand at a time.

        To be called within a `transaction`.
        """
        connection = self._guarded(self._connected)
        self.round_trips += 1
        cursor = connection.cursor(f"memcli_{self.round_trips}", binary=True)
        try:
            self._guarded(lambda: cursor.execute(sql.encode(), values))
            while rows := self._guarded(lambda: cursor.fetchmany(_FETCHED)):
                yield from rows
        finally:
            with suppress(Exception):  # the end of the transaction closes it as well
                cursor.close()

    def fresh(self) -> None:
        """Let the next question see what was published since the last one.

        It costs no round trip: the new moment begins together with that question.
        """
        if self._open is None:
            return
        if self._open.closed or self._open.broken:
            self.close()
            return
        self._stale = True

    def renews(self, moment: int) -> bool:
        """Whether the next question is of another moment than this one."""
        return (
            self._stale
            or self._resting
            or self._open is None
            or (self.moment != moment)
        )

    def rest(self) -> None:
        """End the transaction of a reader; the answer to that is not waited for.

        A server cannot clean up behind a transaction that is left open, and a pooler
        cannot give its connection to another reader.
        """
        from psycopg.pq import TransactionStatus

        connection = self._open
        if connection is None or connection.closed or self._resting:
            return
        if connection.info.transaction_status != TransactionStatus.IDLE:
            self._resting = True
            with suppress(Exception):  # the next question finds out
                connection.pgconn.send_query(b"ROLLBACK")
                connection.pgconn.flush()

    def _collect(self) -> None:
        """Take the answer to what `rest` sent."""
        if not self._resting:
            return
        from psycopg import generators

        self._resting = False
        connection = self._connected()
        connection.wait(generators.execute(connection.pgconn))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is done inside is kept as a whole, or not at all."""
        stack = ExitStack()
        connection = self._guarded(self._connected)
        self._guarded(lambda: stack.enter_context(connection.transaction()))
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the connection broke, perhaps for that reason
                self._guarded(lambda: stack.__exit__(*sys.exc_info()))
            raise
        self._guarded(stack.close)

    def copy(
        self, sql: str, types: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> None:
        """Send rows by binary COPY.

        Args:
            sql: `COPY table (columns) FROM STDIN (FORMAT BINARY)`.
            types: of the columns, since binary data is not converted.
            rows: the values.
        """

        def send() -> None:
            with (
                self._connected().cursor() as cursor,
                cursor.copy(sql.encode()) as copy,
            ):
                copy.set_types(types)
                for row in rows:
                    copy.write_row(row)

        self.round_trips += 1
        self._guarded(send)

    def close(self) -> None:
        """Let go of the server."""
        if self._open is not None:
            self._open.close()
            self._open = None
            self._resting = False

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
            self._forget()
        raise named from None

    def _forget(self) -> None:
        """Drop a connection that can no longer be used."""
        if self._open is not None:
            self._open.pgconn.finish()
            self._open = None
            self._resting = False

    def _named(self, error: Exception) -> MemcliError:
        """The refusal of a database in memcli's words."""
        from psycopg import errors

        said = without_secrets(str(error), self.url)
        where = redacted(self.url)
        if isinstance(error, errors.InsufficientPrivilege):
            return NotAllowed(
                f"{where} refuses this to its user: {said}",
                hint="Readers need the role memcli_reader, publishers "
                "memcli_publisher: docs/use/sharing.md.",
            )
        gone = (
            errors.OperationalError,
            errors.QueryCanceled,
            errors.InterfaceError,
            errors._WaitTimeout,  # noqa: SLF001 what `wait(timeout=...)` raises
        )
        if isinstance(error, gone):
            late = isinstance(error, errors.QueryCanceled | errors._WaitTimeout)  # noqa: SLF001
            why = "no answer in time" if late else said
            return Unavailable(f"{where} cannot be asked: {why}")
        if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName):
            return MemcliError(
                f"{where} holds no published vault",
                hint="Prepare it once: memcli publish --init --to NAME",
                code="not_published",
            )
        if isinstance(error, errors.UndefinedFunction):
            return MemcliError(
                f"{where} was prepared by another version of memcli",
                hint="Make its tables anew: memcli publish --init --to NAME says how.",
                code="wrong_format",
            )
        return MemcliError(f"{where}: {said}", code="database_refused")

    def _connected(self) -> psycopg.Connection[Any]:
        if self._open is not None and not self._open.closed:
            return self._open
        self._resting = False
        self._open = _connect(self.url, self._patience)
        return self._open


def _rows(cursor: Any) -> Rows:
    return cursor.fetchall() if cursor.description else []


def _connect(url: str, patience: float | None) -> Any:
    """A connection of psycopg's."""
    psycopg = _library()

    base: Any = psycopg.Connection

    class Impatient(base):  # type: ignore[misc]
        """A connection whose round trips end, also when the server is stopped."""

        def wait(self, gen: Any, interval: float = 0.1, timeout: Any = None) -> Any:
            return super().wait(gen, interval, patience if timeout is None else timeout)

        def __del__(self) -> None:
            # A vault has no end at which it would close, and nothing is left undone.
            if not self.closed:
                self.pgconn.finish()

    connection: Any = Impatient.connect(
        url,
        connect_timeout=max(2, int(CONNECT)),
        application_name="memcli",
        client_encoding="UTF8",
        options=_options(patience),
    )
    # A reader begins its transactions itself, together with its first question. It
    # prepares nothing: a pooler gives its connection to others, which know the names.
    connection.autocommit = True
    if patience is not None:
        connection.prepare_threshold = None
    return connection


def _options(patience: float | None) -> str:
    limit = ""
    if patience is not None:
        limit = f" -c statement_timeout={int(patience * 1000)}"
        limit += f" -c idle_in_transaction_session_timeout={int(_IDLE * 1000)}"
    # Compiling a query takes longer than the queries of a recall.
    return f"-c jit=off -c search_path=pg_catalog{limit}"


def _library() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MemcliError(
            f"a vault with an engine needs psycopg, which is not installed ({error})",
            hint="Install it: pip install 'memcli[postgres]'",
            code="not_installed",
        ) from error
    return psycopg
