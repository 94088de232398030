"""Making the tables of a database, once, before a vault is published into it.

Invariant: all roles, tables and policies are made, or none is.
"""

from __future__ import annotations

from memcli.errors import MemcliError, NotAllowed
from memcli.search.postgres import schema
from memcli.storage.engine_url import redacted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.postgres.connection import Database


def initialise(database: Database) -> bool:
    """Make roles, tables and policies; False when they were there.

    Raises:
        NotAllowed: the user may not make roles or a schema; the hint has what an
            administrator runs.
    """
    ((here,),) = database.ask(("SELECT to_regclass('memcli.format') IS NOT NULL", ()))[
        0
    ]
    if here:
        check_format(database)
        return False
    try:
        with database.transaction():
            database.ask((schema.roles(), ()))
            database.script(schema.tables())
    except NotAllowed as error:
        names = ", ".join(schema.ROLES)
        raise NotAllowed(
            error.message,
            hint=f"An administrator makes the roles {names} (CREATE ROLE ... NOLOGIN) "
            "and lets you create a schema in this database; then repeat this.",
        ) from None
    return True


def check_format(database: Database) -> None:
    """Raise MemcliError where the tables are of another format than this memcli's."""
    (row,) = database.ask(("SELECT max(version) FROM memcli.format", ()))[0]
    if row[0] != schema.FORMAT:
        raise MemcliError(
            f"{redacted(database.url)}: its tables are of format {row[0]}, and this "
            f"memcli writes {schema.FORMAT}",
            hint="DROP SCHEMA memcli CASCADE, then publish --init: it holds nothing "
            "that the vaults do not.",
            code="wrong_format",
        )
