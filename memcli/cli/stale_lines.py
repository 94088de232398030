"""The lines below a change that name the observations and models stale by it."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.cli.context import Canvas
    from memcli.curation.resting import Resting

HEAD, LAST = "stale, since they rest on ", "  why, and what they cite: "


def stale_lines(
    canvas: Canvas, stale: Sequence[Resting], what: str, *, then: bool
) -> None:
    """Show the observations and models that are stale; no line where there are none.

    Args:
        canvas: where they are shown.
        stale: the observations and models, in the order to show.
        what: what they rest on, for the end of "since they rest on ...".
        then: whether the change is still to be made.
    """
    if not stale:
        return
    canvas.line(f"{'then ' if then else ''}{HEAD}{what}:")
    for each in stale:
        canvas.line(f"  {each.id} ({each.layer}) {each.title}")
    canvas.line(f"{LAST}memcli inspect models --stale")
