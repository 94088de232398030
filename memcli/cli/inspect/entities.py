"""`memcli inspect entities`: the names that the vault knows."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted

_MOST_LISTED = 50


def entities(context: Context, *, project: str | None = None) -> Result:
    """What is registered or mentioned, and how often."""
    from memcli.curation.entities.listing import listed
    from memcli.curation.entities.waiting import count_candidates
    from memcli.vault.health import usage

    vault = context.open_vault("reading")
    most = None if context.json else _MOST_LISTED
    rows, total, registered = listed(vault, project or "", most)
    through = usage.channels(vault)
    waiting = count_candidates(vault)

    def text(canvas: Canvas) -> None:
        if not rows:
            canvas.line("no entity is registered or mentioned", style="nothing")
        else:
            canvas.line(f"{registered:,} registered, {total:,} in all")
            canvas.table(
                ("name", "type", "now", "past", "", "aliases"),
                [
                    (
                        row.name,
                        row.type if row.registered else "-",
                        f"{row.current:,}",
                        f"{row.past:,}",
                        "hub" if row.hub else "",
                        ", ".join(row.aliases),
                    )
                    for row in rows
                ],
            )
            if total > len(rows):
                canvas.line(f"  ... and {total - len(rows):,} more (--json)")
        if waiting:
            canvas.line(f"names waiting: {waiting:,} (memcli entities waiting)")
        if through.recalls:
            counts = ", ".join(
                f"{count:,} {channel}" for channel, count in through.rows.items()
            )
            canvas.line(
                f"rows of the last {counted(through.recalls, 'recall')} by channel:"
            )
            canvas.line(f"  {counts}")

    data = {
        "entities": [row._asdict() for row in rows],
        "count": total,
        "registered": registered,
        "hubs": [row.name for row in rows if row.hub],
        "candidates": waiting,
        "channels": through._asdict(),
    }
    return Result(data=data, text=text)
