"""`memcli undo`: the last change is taken back."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, to_apply

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli import options
    from memcli.curation.undo import Undone

_MOST_PATHS = 10


def undo(context: Context, *, dry_run: options.DryRun = False) -> Result:
    """Take the last change back, whatever it was

    A save as well. Its files are as they were before it, by a commit of their own, so
    that the history keeps both. Again goes further back. A file that was changed since
    is not overwritten, and what others have committed is not taken back.

    \b
    Example:
      memcli undo --dry-run
      memcli undo
    """
    from memcli.curation import undo as use_case

    vault = context.open_vault("undoing", writes=True)
    found = use_case.last(vault)
    if dry_run:
        use_case.check(vault, found)
    else:
        found = use_case.undo(vault, found.commit, found.subject)
    return answer(found, applied=not dry_run)


def answer(done: Undone, *, applied: bool, paths: bool = True) -> Result:
    """The result of an undo, or of its dry run; `paths` shows its files."""

    def text(canvas: Canvas) -> None:
        verb = "undone" if applied else "would undo"
        canvas.line(f"{verb}: {done.subject}", style="good")
        for path in done.paths[: _MOST_PATHS if paths else 0]:
            canvas.line(f"  {path}", style="dim")
        if paths and len(done.paths) > _MOST_PATHS:
            canvas.line(f"  and {len(done.paths) - _MOST_PATHS:,} more", style="dim")
        if not applied:
            canvas.line(to_apply(dry_run=True), style="dim")

    data = {"applied": applied, "action": "undo", **done._asdict()}
    return Result(data=data, text=text)
