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
    """Show them; nothing is shown of none.

    Args:
        canvas: where.
        stale: they.
        what: the end of "they rest on ...".
        then: the change is not made yet.
    """
    if not stale:
        return
    canvas.line(f"{'then ' if then else ''}{HEAD}{what}:")
    for each in stale:
        canvas.line(f"  {each.id} ({each.layer}) {each.title}")
    canvas.line(f"{LAST}memcli inspect models --stale")
