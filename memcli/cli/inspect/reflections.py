"""`memcli inspect reflections`: the rules and deltas that sessions start with."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result


def reflections(context: Context) -> Result:
    """The reflection items, and whether each would go into a session."""
    from memcli.cli import short_ids
    from memcli.entries.eligibility import View
    from memcli.entries.projects import number
    from memcli.sessions.briefing import select

    vault = context.open_vault("reading")
    view = View(now=vault.now_ms() // 1000, here=number(vault.here))
    items = select.reflections(vault, view)

    def text(canvas: Canvas) -> None:
        short = short_ids.of(canvas, vault)
        if not items:
            canvas.line("there are no reflection items", style="nothing")
            return
        rows: list[tuple[str, ...]] = [
            (
                short(item.id),
                item.item or "",
                f"{item.score:.2f}",
                "" if item.days_left is None else f"{item.days_left:g}",
                str(item.sightings),
                "in" if item.injected else "out",
                item.title,
                item.reason,
            )
            for item in items
        ]
        header = ("id", "item", "weight", "days left", "seen", "", "title", "why")
        canvas.table(header, rows)

    data = {"items": [item._asdict() for item in items], "count": len(items)}
    return Result(data=data, text=text)
