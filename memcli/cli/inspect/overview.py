"""`memcli inspect` alone: the vault at a glance, and its lint."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.inspect.lint import draw_findings, draw_more
from memcli.entries.text.counted import agreeing, counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.vault.health.overview import Overview

# The overview names this many findings and files; `inspect lint` names all.
_MOST_SHOWN = 20


def overview(context: Context) -> Result:
    """Counts, index, inbox, newest entries, findings; not ok when one is an error."""
    from memcli.cli import short_ids
    from memcli.vault.health import overview as use_case

    vault = context.open_vault("reading")
    seen = use_case.overview(vault)
    return Result(
        seen.as_dict(),
        lambda canvas: _draw(canvas, seen, short_ids.of(canvas, vault)),
        ok=seen.ok,
    )


def _draw(canvas: Canvas, seen: Overview, short: Callable[[str], str]) -> None:
    canvas.line(f"{seen.path}: {counted(seen.entries, 'entry')}", style="title")
    canvas.line("  " + _counts(seen.by_status))
    canvas.line("  " + _counts(seen.by_kind))
    index = seen.index_facts
    canvas.line(
        f"  index: {counted(index.bytes, 'byte')}; "
        f"just now added {index.added}, changed {index.changed}, "
        f"removed {index.removed}",
        style="dim",
    )
    problem = f"a problem: {seen.git_problem}" if seen.git_problem else "no commit"
    canvas.line(f"  git: {seen.head or problem}", style="dim")
    if seen.inbox.waiting:
        count, days = seen.inbox.waiting, seen.inbox.oldest_days
        canvas.line(
            f"  {count:,} {agreeing(count, 'waits')} for review"
            + ("" if days is None else f", the oldest for {counted(days, 'day')}")
            + ": memcli review"
        )
    for row in seen.recurred:
        canvas.line(f"  resolved, and recurred: {short(row.id)} {row.title}")
    for path in seen.dirty[:_MOST_SHOWN]:
        canvas.line(f"  not committed: {path}")
    draw_more(canvas, len(seen.dirty) - _MOST_SHOWN, "see git status")
    if seen.dirty:
        canvas.line("  to commit what memcli keeps there: memcli doctor --fix")
    for name, rows in (("pinned", seen.pinned), ("newest", seen.newest)):
        if rows:
            canvas.line(f"{name}:", style="title")
            canvas.table(
                ("id", "kind", "date", "title"),
                [
                    (
                        short(row.id),
                        row.kind
                        if row.status == "active"
                        else f"{row.kind} {row.status}",
                        row.created[:10],
                        row.title,
                    )
                    for row in rows
                ],
            )
    draw_findings(canvas, seen.findings, most=_MOST_SHOWN)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "empty"
