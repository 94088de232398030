"""How the rows of an answer are drawn, for recall and reflect alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.cli.context import Canvas
    from memcli.recall.results import Row


def draw_constraints(canvas: Canvas, rows: Sequence[Row]) -> None:
    """Draw what is in force whatever was asked."""
    if rows:
        canvas.line("Constraints in force:", style="title")
    for row in rows:
        canvas.line(f"  {row.id} · {row.title}")


def draw(
    canvas: Canvas, row: Row, *, explain: bool = False, note: str | None = None
) -> None:
    """Draw one row: its title, what it is, its text.

    Args:
        canvas: where.
        row: the row.
        explain: also why it was chosen.
        note: a line of its own below what it is.
    """
    date = (row.occurred_at or row.created)[:10]
    state = "" if row.status == "active" else f" {row.status}"
    canvas.line(row.title, style="title")
    what = row.kind if row.layer == "fact" else row.layer
    about = [f"{what}{state}"]
    if row.layer != "fact" and not row.citations_checked:
        about.append("citations not checked")
    if row.stale:
        about.append("may no longer hold")
    facts = [row.id, ", ".join(about), date]
    if row.project:
        facts.append(f"in {row.project}")
    if row.tags:
        facts.append(" ".join(f"#{tag}" for tag in row.tags))
    facts.append(row.path if row.source == "personal" else f"{row.source} {row.path}")
    canvas.line("  " + " · ".join(facts), style="dim")
    if note:
        canvas.line(f"  {note}", style="bad")
    for line in row.text.splitlines():
        if line.strip() and line.strip("# ") != row.title:
            canvas.line(f"  {line}")
    if explain and row.explain:
        parts = ", ".join(
            f"{name} {part}"
            for name, part in row.explain.items()
            if name not in ("matched", "path")
        )
        words = " ".join(row.explain["matched"])
        matched = f"matched: {words}" if words else "no word of the question"
        canvas.line(f"  why: score {row.score} = {parts}; {matched}", style="dim")
        # What holds a word needs no path to be understood; JSON has every one.
        if row.explain["path"] and not row.explain["matched"]:
            steps = (
                name if kind in ("entity", "entry") else f"({name})"
                for step in row.explain["path"]
                for kind, name in step.items()
            )
            canvas.line(f"  path: question → {' → '.join(steps)} → this", style="dim")
    canvas.line()
