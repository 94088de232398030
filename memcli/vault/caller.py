"""Who asks a vault and writes to it, and from where: agent, folder, clock, environment.

Invariant: a vault takes all that says who asks from one value, so that the vaults that
one caller asks agree on the time, the folder and the settings of the user.
"""

from __future__ import annotations

import os
import time

from memcli.errors import NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import settings

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memcli.storage.lock import Audience


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
    is `here`; None is no folder, and no project. `waits` is whether a database has all
    the time that it may need; else the others answer without it after two seconds.
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
    def is_agent(self) -> bool:
        """Whether an agent asks: one with a name, or any over MCP."""
        return self.agent is not None or self.via == "mcp"

    @property
    def audience(self) -> Audience:
        """Who gets messages about a change; about an agent's killed one, the owner."""
        from memcli.storage.lock import Audience

        return Audience(self.tell, self.tell if self.agent is None else silent)


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
