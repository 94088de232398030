"""What is particular to the hosts of agents: transcripts, payloads, replies.

Invariant: this is the only way in, and it loads what is asked for: a hook that reads
one payload must not pay for five formats of transcripts.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memcli.hosts.door import (
        HOSTS,
        Transcript,
        current,
        discover,
        named,
        open_transcript,
        running,
    )

__all__ = [
    "HOSTS",
    "Transcript",
    "current",
    "discover",
    "named",
    "open_transcript",
    "running",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memcli.hosts import door

    return getattr(door, name)
