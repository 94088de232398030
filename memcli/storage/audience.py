"""Who gets messages about a change while it is made.

Invariant: what a killed command left may be another agent's, so it is told to another
listener than the change itself.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable


class Audience(NamedTuple):
    """The functions that a change tells how far it is.

    `tell` takes a sentence for the person who waits, `tell_of_killed` one about what a
    killed command has left. `progress` is called with (done, all) while many files are
    written. `fault` is for tests: it is called with the name of each step.
    """

    tell: Callable[[str], None]
    tell_of_killed: Callable[[str], None]
    progress: Callable[[int, int], None] | None
    fault: Callable[[str], None]
