"""`memcli inspect inbox`: what waits for review."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import agreeing, counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.curation.inbox import PendingEntry
    from memcli.vault.vault import Vault


def draw(canvas: Canvas, vault: Vault, waiting: Sequence[PendingEntry]) -> None:
    """Draw candidates as a table, for a person who decides on them."""
    from memcli.cli import short_ids

    short = short_ids.of(canvas, vault)
    canvas.table(
        ("id", "days", "confidence", "kind", "title"),
        [
            (
                short(candidate.id),
                f"{candidate.age_days:g}",
                candidate.confidence or "",
                candidate.kind,
                candidate.title,
            )
            for candidate in waiting
        ],
    )


def inbox(context: Context) -> Result:
    """What waits for review, with its age."""
    from memcli.curation import inbox

    vault = context.open_vault("reading")
    waiting = inbox.pending(vault)
    oldest = max((candidate.age_days for candidate in waiting), default=None)

    def text(canvas: Canvas) -> None:
        if not waiting:
            canvas.line("nothing waits for review", style="nothing")
            return
        count = len(waiting)
        wait = f"{count:,} {agreeing(count, 'waits')}"
        canvas.line(f"{wait}, the oldest for {counted(oldest or 0, 'day')}")
        draw(canvas, vault, waiting)

    rows = [candidate._asdict() for candidate in waiting]
    data = {"candidates": rows, "count": len(rows), "oldest_days": oldest}
    return Result(data=data, text=text)
