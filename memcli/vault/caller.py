"""Who asks a vault and writes to it, and from where: agent, folder, clock, environment;
and the index that answers, opened at the first question and then kept.

Invariant: a vault takes all that says who asks from one value, so that the vaults that
one caller asks agree on the time, the folder and the settings of the user. Before an
answer, what a killed command left in the vault is finished; and what is resolved in the
user's own vault counts in a team's as well.
"""

from __future__ import annotations

import os
import time

from memcli.errors import MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import journal, known_vaults, settings

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol, TypeVar

    from memcli.entries.eligibility import Agent
    from memcli.search.following import Unindexed
    from memcli.search.index import Index
    from memcli.search.postgres.engine import Engine
    from memcli.search.reader import Reader, ResolvedClaims
    from memcli.storage.lock import Audience

    _Answer = TypeVar("_Answer")
    _Own = TypeVar("_Own", bound="_Vault")
else:
    Protocol = object


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def silent(_: object) -> None:
    """Take a message, and tell it to nobody."""


class Caller(NamedTuple):
    """Who asks, from which folder, by which way in, and who is told of progress.

    `environ` is the environment, of git too. `now_ms` is the clock, in milliseconds
    since 1970; `entropy` gives that many random bytes. `tell` takes a message for the
    person who waits, `progress` (done, all) during long work.

    `agent` is the name of the agent; None is the vault's owner. `via` is the way in,
    for the log of signals. `cwd` is the folder that the caller stands in, whose project
    is `here`; None is no folder, and no project. `waits` is whether a database is asked
    that has given no answer a moment ago.
    """

    environ: Mapping[str, str] = os.environ
    now_ms: Callable[[], int] = _now_ms
    entropy: Callable[[int], bytes] = os.urandom
    tell: Callable[[str], None] = silent
    progress: Callable[[int, int], None] | None = None
    agent: str | None = None
    via: str = "python"
    cwd: str | None = None
    waits: bool = True

    @property
    def audience(self) -> Audience:
        """Who gets messages about a change; about an agent's killed one, the owner."""
        from memcli.storage.lock import Audience

        of_killed = self.tell if self.agent is None else silent
        return Audience(self.tell, of_killed)


OWNER = Caller()
"""The vault's owner, in no folder, with the clock and environment of this process."""


def refuse_unnamed(root: str, caller: Caller) -> None:
    """Refuse an MCP client without a name where the vault's config names agents: it
    would see everything, as the owner.

    Raises:
        NotAllowed: the config names agents (code `agent_unnamed`).
    """
    unnamed = caller.via == "mcp" and caller.agent is None
    if unnamed and settings.load(root).agents:
        raise NotAllowed(
            "this vault has agents, and the MCP server was started without the name "
            "of one",
            hint="Start it with MEMCLI_AGENT=NAME, or as: memcli mcp --agent NAME",
            code="agent_unnamed",
        )


# --- the index ---------------------------------------------------------------------


class VaultIndex:
    """The index, or database, that answers one caller's questions to one vault.

    Args:
        root: the vault's folder.
        caller: who asks.
        agent: the agent that the caller is; None is the vault's owner.
        engine: answers instead of an index of the files, for a published vault.

    Attributes:
        elsewhere: gives what is resolved in another vault and counts here as well.
    """

    __slots__ = ("_agent", "_caller", "_engine", "_opened", "_root", "elsewhere")

    def __init__(
        self, root: str, caller: Caller, agent: Agent | None, engine: Engine | None
    ) -> None:
        self._root = root
        self._caller = caller
        self._agent = agent
        self.elsewhere: Callable[[], ResolvedClaims | None] = _nothing
        # It has every method of an index that what asks and reads calls.
        self._engine = engine
        answers: Any = engine
        self._opened: Index | None = answers
        if engine is not None:
            engine.agent = agent

    @property
    def opened(self) -> Index:
        """The index itself, or the database; nothing is finished before it answers."""
        if self._opened is None:
            self._opened = self._open()
        self._opened.elsewhere = self.elsewhere
        return self._opened

    def _open(self) -> Index:
        from memcli.search.index import Index

        caller = self._caller
        return Index(
            self._root,
            tell=caller.tell,
            progress=caller.progress,
            agent=self._agent,
        )

    def read(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """Return `answer(reader)` over the files as they are now."""
        self._finish_killed()
        return self.opened.read(answer)

    def again(self, answer: Callable[[Reader], _Answer]) -> _Answer:
        """As `read`, over the files as the last `read` found them, if there was one.

        For the further questions of one decision: listing 10,000 files takes 20 ms.
        """
        self._finish_killed()
        return self.opened.again(answer)

    def reader(self) -> Reader:
        """A reader of the files as they are now; it lasts until the next is asked for.

        `read` is simpler, and repairs an index that turns out to be damaged.
        """
        self._finish_killed()
        return self.opened.current()

    def glance(self, answer: Callable[[Reader, Unindexed], _Answer]) -> _Answer:
        """As `read`, but over the index as it is, without bringing it up to date.

        `answer` is also given what the index does not hold as it is now.
        """
        self._finish_killed()
        return self.opened.glance(answer)

    def has_failed(self, error: MemcliError) -> bool:
        """Whether an error that ended an answer of several vaults is of this one's
        database; what fails in files is damage, and mended."""
        return self._engine is not None and self._engine.has_failed(error)

    def _finish_killed(self) -> None:
        if not journal.exists(self._root):
            return
        caller = self._caller
        # In a vault that may only be read, its own writers finish what they began.
        if not known_vaults.read_only(self._root, caller.environ):
            from memcli.storage.transaction import finish_killed

            finish_killed(self._root, caller.environ, caller.audience)


def _nothing() -> None:
    return None


class _Vault(Protocol):
    root: str
    source: str

    def read(self, answer: Callable[[Any], Any]) -> Any: ...


def own_beside(root: str, opened: Callable[[], _Own]) -> _Own | None:
    """The own vault of the user who asks a team's at `root`; None without another.

    Args:
        root: the folder of the team's vault.
        opened: opens the own one.
    """
    try:
        own = opened()
    except MemcliError:
        return None
    if os.path.realpath(own.root) == os.path.realpath(root):
        return None
    own.source = known_vaults.PERSONAL
    return own


def resolved_in(vault: _Vault | None) -> ResolvedClaims | None:
    """The resolved claims of a vault; None without one, and where it cannot be read."""
    if vault is None:
        return None
    try:
        claims: ResolvedClaims = vault.read(lambda reader: reader.claims.own)
    except MemcliError:
        return None
    return claims
