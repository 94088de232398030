"""The only writer of a vault's rows: brings a vault's tables up to a commit.

Invariant: what readers see changes in one transaction, from one commit to another; a
publisher that dies has changed nothing that they see. What it had analysed is staged,
so the next publish goes on where it was. Publishing a commit twice changes nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice

from memcli.entries.eligibility import Agent
from memcli.entries.entry import Visibility
from memcli.entries.text.tokens import ANALYSIS_VERSION
from memcli.errors import LockBusy, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.search.document import numbered
from memcli.search.index import ROW_VERSION
from memcli.search.postgres import applying, schema
from memcli.search.postgres.connection import Database
from memcli.search.postgres.initialising import check_format
from memcli.search.postgres.merging import Merging
from memcli.search.postgres.staging import COLUMNS, Reach, Stage
from memcli.storage.engine_url import redacted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memcli.search.reading import Found

_BATCH = 2_000  # files of a vault that are staged at once


class Content(NamedTuple):
    """What is published of a vault besides its entries.

    `name` is its name in the database, `origin` its first commit, `commit` the one that
    is published; `pages` are the files of its registry, with who may see each.
    """

    name: str
    origin: str
    commit: str
    remote: str | None
    config: bytes
    ignored: bytes
    agents: Mapping[str, Agent]
    pages: Sequence[tuple[str, Reach, bytes]] = ()


class Standing(NamedTuple):
    """What the database holds of a vault: `commit` is None before the first publish.

    `origin` is the first commit of its history, empty where that was not known, and
    `remote` the address that it is pushed to.
    """

    vault: int
    commit: str | None
    version: str | None
    bits: int
    origin: str = ""
    remote: str | None = None


class Publisher:
    """Publishes one vault.

    Args:
        database: one that may be written to.
        content: what is published besides the entries.

    Attributes:
        content: as above.
        version: what else the rows depend on.
    """

    def __init__(self, database: Database, content: Content) -> None:
        self._database = database
        self.content = content
        settings = numbered(content.config.decode("utf-8", "replace"))
        numbers = schema.FORMAT, ANALYSIS_VERSION, ROW_VERSION
        self.version = f"{'.'.join(map(str, numbers))}.{settings:016x}"

    def standing(self, *, claim: bool = True) -> Standing:
        """What the database holds of the vault.

        Args:
            claim: take the name and a number for a vault that the database does not
                know yet; otherwise such a vault has the number 0.
        """
        check_format(self._database)
        content = self.content
        if claim:
            self._database.ask(
                (
                    "INSERT INTO memcli.vaults (name, origin, bits) "
                    "VALUES (%s, %s, 0) ON CONFLICT (name) DO NOTHING",
                    (content.name, content.origin),
                )
            )
        rows = self._database.ask(
            (
                'SELECT vault, "commit", version, bits, origin, remote '
                "FROM memcli.vaults WHERE name = %s",
                (content.name,),
            )
        )[0]
        if not rows:
            return Standing(0, None, None, 0)
        return Standing(*rows[0])

    def another(self) -> NotAllowed:
        """Why a vault is not published under the name of another one."""
        return NotAllowed(
            f"{redacted(self._database.url)} holds another vault of the name "
            f"'{self.content.name}', or one whose history is not in this clone",
            hint="Publish under another name: published_as in [vaults.NAME] of the "
            "user's config. If it is the same vault, publish from a clone with its "
            "whole history, or with --unrelated.",
            code="another_vault",
        )

    def not_following(self, standing: Standing, *, absent: bool) -> NotAllowed:
        """Why a commit is not published over one that it does not follow.

        Args:
            standing: of the vault.
            absent: whether the published commit is not in this clone.
        """
        held, commit = (standing.commit or "")[:12], self.content.commit[:12]
        why = f"and {commit} does not follow it"
        if absent:
            why = f"which is not in this clone and may be newer than {commit}"
        return NotAllowed(
            f"{redacted(self._database.url)} holds {held} of "
            f"'{self.content.name}', {why}",
            hint="Fetch what was pushed, and publish the newest commit. If the history "
            "was rewritten on purpose: memcli publish --rewritten.",
            code="not_following",
        )

    def is_current(self, standing: Standing) -> bool:
        """Whether this commit is published, by this version of memcli."""
        same = standing.commit == self.content.commit
        return same and standing.version == self.version

    def known(self, standing: Standing) -> dict[bytes, str]:
        """Digest of a path -> git's name of its content, of all that is published."""
        rows = self._database.ask(
            (
                "SELECT place, blob FROM memcli.documents WHERE vault = %s UNION ALL "
                "SELECT place, blob FROM memcli.broken WHERE vault = %s",
                (standing.vault, standing.vault),
            )
        )[0]
        return dict(rows)

    def staged(
        self, standing: Standing, bits: int, wanted: Mapping[bytes, str]
    ) -> set[bytes]:
        """The files that a publish which did not end has analysed; the rest goes.

        Args:
            standing: of the vault.
            bits: those that say a document's bucket.
            wanted: digest of a path -> git's name of its content.
        """
        rows = self._database.ask(
            (
                "SELECT place, blob, version FROM memcli.staged WHERE vault = %s",
                (standing.vault,),
            )
        )[0]
        whole = self._staging(bits)
        ready = {
            place
            for place, blob, version in rows
            if version == whole and wanted.get(place) == blob
        }
        stale = [place for place, _, _ in rows if place not in ready]
        self._unstage(standing, stale)
        return ready

    def _staging(self, bits: int) -> str:
        return f"{self.version}/{bits}"

    def _unstage(self, standing: Standing, places: Sequence[bytes]) -> None:
        self._database.ask((_UNSTAGE, (standing.vault, list(places))))

    def stage(
        self, standing: Standing, bits: int, found: Iterable[tuple[Found, str]]
    ) -> None:
        """Analyse files and put them beside what is published.

        Args:
            standing: of the vault.
            bits: those that say a document's bucket.
            found: each file as it was read, and git's name of its content.
        """
        agents = self.content.agents
        stage = Stage(standing.vault, bits, self._staging(bits), agents)
        files = iter(found)
        while batch := list(islice(files, _BATCH)):
            rows = [_row(stage, file, blob) for file, blob in batch]
            places = [row[1] for row in rows]
            with self._database.transaction():
                self._unstage(standing, places)
                self._database.copy(
                    f"COPY memcli.staged ({', '.join(COLUMNS)}) "
                    "FROM STDIN (FORMAT BINARY)",
                    [*COLUMNS.values()],
                    rows,
                )

    @contextmanager
    def turn(self, standing: Standing) -> Iterator[None]:
        """Keep other publishers of this vault out.

        A row is locked over a connection of its own, since staging commits on the way.
        An advisory lock would do it in one, but every reader may take that.

        Raises:
            LockBusy: another one is at work.
        """
        guard = Database(self._database.url, patience=None, read_only=False)
        try:
            guard.ask((_TURN, (standing.vault,)))
            with guard.transaction():
                guard.script("SET LOCAL idle_in_transaction_session_timeout = 0")
                if not guard.ask((_MINE, (standing.vault,)))[0]:
                    raise self._busy()
                yield
        finally:
            guard.close()

    def _busy(self) -> LockBusy:
        return LockBusy(
            f"'{self.content.name}' is being published by another process",
            hint="Wait for it; what it publishes may be this commit already.",
        )

    def _check_unchanged(self, standing: Standing) -> None:
        """Refuse to apply on top of what another publisher applied meanwhile.

        The connection that holds the turn may have been lost.
        """
        values = standing.vault, standing.commit
        if not self._database.ask((_UNCHANGED, values))[0]:
            raise self._busy()

    def apply(
        self, standing: Standing, bits: int, gone: Sequence[bytes], *, rebuild: bool
    ) -> None:
        """Let readers see what is staged, and no longer what is gone.

        Args:
            standing: of the vault.
            bits: those that say a document's bucket.
            gone: digests of the paths that were removed or changed.
            rebuild: everything that was published goes.
        """
        vault = standing.vault
        with self._database.transaction():
            self._check_unchanged(standing)
            if rebuild:
                for table in ("documents", "lists", "counts", "access", "broken"):
                    self._do(f"DELETE FROM memcli.{table} WHERE vault = %s", vault)
                gone = ()
            self._database.script(applying.SCRATCH)
            self._database.copy(
                "COPY gone (place) FROM STDIN (FORMAT BINARY)",
                ["bytea"],
                ([place] for place in gone),
            )
            self._database.script("ANALYZE gone")
            self._do(applying.DOUBLES, vault)
            merging = Merging(self._database, vault, bits, fresh=rebuild)
            for bucket in range(1 << bits):
                merging.merge(bucket)
            merging.count()
            self._do(applying.FEWER, vault)
            self._do(applying.MORE, vault)
            for statement in (*applying.DOCUMENTS, *applying.BROKEN):
                self._do(statement, vault)
            self._settle(vault)
            self._do("DELETE FROM memcli.staged WHERE vault = %s", vault)
            content = self.content
            self._database.ask(
                (
                    'UPDATE memcli.vaults SET "commit" = %s, version = %s, bits = %s, '
                    "origin = coalesce(nullif(%s, ''), origin), "
                    "remote = %s, config = %s, ignored = %s, published = now(), "
                    "broken = (SELECT count(*) FROM memcli.broken b "
                    "WHERE b.vault = vaults.vault) WHERE vault = %s",
                    (
                        content.commit,
                        self.version,
                        bits,
                        content.origin,
                        content.remote,
                        content.config,
                        content.ignored,
                        vault,
                    ),
                )
            )
        # The planner would not know that the tables are no longer empty.
        if rebuild:
            self._database.script(applying.ANALYZE)

    def _settle(self, vault: int) -> None:
        """Write the pages of the registry, and which agent sees what."""
        content = self.content
        self._do("DELETE FROM memcli.pages WHERE vault = %s", vault)
        self._do("DELETE FROM memcli.sees WHERE vault = %s", vault)
        self._do("DELETE FROM memcli.access WHERE vault = %s AND documents = 0", vault)
        rows = self._database.ask(
            ("SELECT reach FROM memcli.access WHERE vault = %s", (vault,))
        )[0]
        reaches = {Reach.from_json(data) for (data,) in rows}
        reaches.update(reach for _, reach, _ in content.pages)
        names = {*content.agents, *(each.agent for each in reaches if each.agent)}
        agents = [content.agents.get(name) or Agent(name) for name in sorted(names)]
        sees = {
            (_name(agent.name), reach.number(vault))
            for agent in agents
            for reach in (*reaches, _own(agent))
            if reach.shown_to(agent)
        }
        self._database.copy(
            "COPY memcli.sees (vault, agent, access) FROM STDIN (FORMAT BINARY)",
            ["int4", "bytea", "int8"],
            ((vault, name, number) for name, number in sorted(sees)),
        )
        self._database.copy(
            "COPY memcli.pages (vault, path, access, data) FROM STDIN (FORMAT BINARY)",
            ["int4", "bytea", "int8", "bytea"],
            (
                (vault, _name(path), reach.number(vault), data)
                for path, reach, data in content.pages
            ),
        )

    def totals(self, standing: Standing) -> tuple[int, int]:
        """How many entries are published, and how many files that are not entries."""
        ((entries,),), ((broken,),) = self._database.ask(
            (
                "SELECT coalesce(sum(documents), 0)::bigint FROM memcli.access "
                "WHERE vault = %s",
                (standing.vault,),
            ),
            (
                "SELECT count(*) FROM memcli.broken WHERE vault = %s",
                (standing.vault,),
            ),
        )
        return entries, broken

    def _do(self, statement: str, vault: int) -> None:
        times = statement.count("%s")
        self._database.ask((statement, (vault,) * times))


def _row(stage: Stage, file: Found, blob: str) -> tuple[Any, ...]:
    if file.document is None:
        return stage.broken(file, blob)
    return stage.document(file, blob)


def _own(agent: Agent) -> Reach:
    """What an agent keeps for itself: so each agent is known to the database."""
    return Reach(agent.name, Visibility.PRIVATE, ())


def _name(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_UNSTAGE = "DELETE FROM memcli.staged WHERE vault = %s AND place = ANY(%s::bytea[])"
_TURN = "INSERT INTO memcli.turns (vault) VALUES (%s) ON CONFLICT DO NOTHING"
_MINE = "SELECT vault FROM memcli.turns WHERE vault = %s FOR UPDATE SKIP LOCKED"
_UNCHANGED = """
SELECT vault FROM memcli.vaults
WHERE vault = %s AND "commit" IS NOT DISTINCT FROM %s FOR UPDATE
"""
