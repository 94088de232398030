"""Publishing: the tables of one commit into the database, in one transaction.

Invariant: what is shared is published and nothing else: a private entry, or one of a
group, is in no table, no count and no row. Readers see one commit or the next; a
publisher that dies has changed nothing. The tables of a commit have a schema of their
own, and the last two stay, so that an answer that has begun can end.
"""

from __future__ import annotations

from contextlib import contextmanager

from memcli.errors import LockBusy, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.search import database as local
from memcli.search.documents import numbered
from memcli.search.index import version
from memcli.search.store import TABLES, Sums
from memcli.search.whoosh_codec import Index
from memcli.storage.known_vaults import redacted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.search.postgres.connection import Database
    from memcli.search.postgres.engine import Published
    from memcli.search.whoosh_codec import Writer
    from memcli.search.writing import Tables

ROLE = "memcli_reader"
"""The role of readers: it may look at the tables, and nothing else."""

_PREPARE = (
    "CREATE SCHEMA memcli",
    "CREATE TABLE memcli.vault (name TEXT PRIMARY KEY, number INTEGER NOT NULL, "
    "schema TEXT NOT NULL, version TEXT NOT NULL, commit TEXT NOT NULL, remote TEXT, "
    "size TEXT NOT NULL)",
    f"GRANT USAGE ON SCHEMA memcli TO {ROLE}",
    f"GRANT SELECT ON memcli.vault TO {ROLE}",
)
# The tables that are read; the types of their columns, as binary COPY takes them.
_TYPES = {
    "posting": ("int4", "bytea", "int4", "bytea", "int8"),
    "fact": ("text", "bytea", "int8"),
    "doc": ("int4", "bytea", "bytea"),
    "page": ("bytea", "bytea"),
}
_PAGE = "path {bytes} PRIMARY KEY, data {bytes} NOT NULL"


class Content(NamedTuple):
    """The part of a published vault that is no entry.

    `name` is its name in the database, `commit` the one that is published; `remote`
    is where its repository is pushed to; `pages` are its settings and the files of its
    registry.
    """

    name: str
    commit: str
    remote: str | None = None
    pages: Sequence[tuple[str, bytes]] = ()


def initialise(database: Database) -> bool:
    """Make the role of readers and the list of vaults; False when they were there.

    Raises:
        NotAllowed: the user may not make a role or a schema.
    """
    ((here,),) = database.ask("SELECT to_regclass('memcli.vault') IS NOT NULL")
    if here:
        return False
    roles = database.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,))
    with database.transaction():
        if not roles:
            database.ask(f"CREATE ROLE {ROLE} NOLOGIN")
        for statement in _PREPARE:
            database.ask(statement)
    return True


def writer() -> Writer:
    """Whoosh's writer of the index of what is published, made in memory."""
    db = local.in_memory(None)
    db.execute("BEGIN")
    return Index(db, Sums()).writer()


class Publisher:
    """Publishes one vault.

    Args:
        database: one that may be written to.
        content: what is published besides the entries.
    """

    def __init__(self, database: Database, content: Content) -> None:
        self._database = database
        self.content = content

    def not_following(self, standing: Published) -> NotAllowed:
        """Why a commit is not published over one that it does not follow."""
        held, commit = (standing.commit or "")[:12], self.content.commit[:12]
        return NotAllowed(
            f"{redacted(self._database.url)} holds {held} of '{self.content.name}', "
            f"and {commit} does not follow it in the history of this clone",
            hint="Publish the newest commit, from a clone with its whole history. If "
            "it is meant (a rewritten history): memcli publish --force. Another vault "
            "needs another name in your config.",
            code="not_following",
        )

    def is_current(self, standing: Published) -> bool:
        """Whether this commit is published, by this version of memcli."""
        here = (standing.commit, standing.version)
        return here == (self.content.commit, version())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A transaction in which nobody else publishes this vault.

        Raises:
            LockBusy: another process is at work.
        """
        key = numbered(self.content.name) - (1 << 63)
        with self._database.transaction():
            taken = self._database.ask("SELECT pg_try_advisory_xact_lock(%s)", (key,))
            if not taken[0][0]:
                raise LockBusy(
                    f"'{self.content.name}' is being published by another process",
                    hint="Repeat this when it has ended.",
                )
            yield

    def publish(self, standing: Published, tables: Tables) -> None:
        """Put the tables of a commit in the place of another's, within `turn`."""
        content, number = self.content, standing.number + 1
        prefix = f"memcli_{numbered(content.name):016x}_"
        schema, ask = f"{prefix}{number}", self._database.ask
        ask(f"CREATE SCHEMA {schema}")
        pages = [
            (path.encode("utf-8", "surrogateescape"), data)
            for path, data in content.pages
        ]
        for name, types in _TYPES.items():
            columns = TABLES.get(name, _PAGE).format(bytes="BYTEA")
            ask(f"CREATE TABLE {schema}.{name} ({columns})")
            known = name in TABLES
            rows = tables.db.execute(f"SELECT * FROM {name}") if known else pages
            self._database.copy(f"{schema}.{name}", types, rows)
            # Without it a question reads every list.
            ask(f"ANALYZE {schema}.{name}")
        ask(f"GRANT USAGE ON SCHEMA {schema} TO {ROLE}")
        ask(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {ROLE}")
        import json

        values = (number, schema, version(), content.commit, content.remote)
        ask(
            "INSERT INTO memcli.vault "
            "(number, schema, version, commit, remote, size, name) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (name) DO "
            "UPDATE SET number = excluded.number, schema = excluded.schema, "
            "version = excluded.version, commit = excluded.commit, "
            "remote = excluded.remote, size = excluded.size",
            (*values, json.dumps(tables.sums), content.name),
        )
        like = "SELECT nspname FROM pg_namespace WHERE nspname LIKE %s"
        for (old,) in ask(like, (prefix.replace("_", r"\_") + "%",)):
            if int(old.removeprefix(prefix)) < standing.number:
                ask(f"DROP SCHEMA {old} CASCADE")
