"""`memcli inspect index`: the search index, and what it could not read."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.health.overview import IndexFacts


def index(context: Context) -> Result:
    """What the index holds; not ok when it could not read a file."""
    from memcli.vault.health import overview

    facts = overview.index_facts(context.open_vault("reading"))
    return Result(
        facts.as_dict(), lambda canvas: _draw(canvas, facts), ok=not facts.broken
    )


def _draw(canvas: Canvas, facts: IndexFacts) -> None:
    for name, value in facts._asdict().items():
        if name != "broken":
            shown = f"{value:,}" if isinstance(value, int) else value or "-"
            canvas.line(f"{name}: {shown}")
    for file in facts.broken:
        canvas.line(f"{file.path}:{file.line}: {file.reason}", style="bad")
