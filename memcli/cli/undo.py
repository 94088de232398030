"""`memcli undo`: the last change is taken back."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.declared import Argument
    from memcli.curation.undo import Undone

_MOST_PATHS = 10


def undo(
    context: Context,
    commit: Annotated[
        str | None,
        Argument(
            metavar="[COMMIT|ID]",
            help="Another change, by its commit; or an entry: to its version before",
        ),
    ] = None,
    *,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
) -> Result:
    """Take the last change back, of any kind

    A save as well. Its files are as they were before it, by a commit of their own, so
    that the history keeps both. Again goes further back. A file that was changed since
    is not overwritten. What others have committed, and what you have done on another
    machine, is taken back only when you name its commit. With the id of an entry, that
    entry alone goes back to its version before, as a new version.

    \b
    Example:
      memcli undo --dry-run
      memcli undo
      memcli undo 4592773e1f
      memcli undo 1m7xvn68
    """
    from memcli.curation import undo as use_case

    vault = context.open_vault("undoing", writes=True)
    # No id of an entry is hexadecimal: it begins with 1m until 2039.
    if commit and set(commit.lower()) - set("0123456789abcdef"):
        from memcli.cli.evolve import evolved
        from memcli.curation.evolve import revert

        return evolved(revert(vault, commit, reason=reason, dry_run=dry_run))
    if reason:
        raise UsageError("--reason goes with the id of an entry")
    found = use_case.last(vault) if commit is None else use_case.named(vault, commit)
    if dry_run:
        use_case.check(vault, found)
    else:
        use_case.undo(vault, found.commit, found.subject)
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
        if done.passed:
            from memcli.curation.undo import came

            canvas.line(came(done.passed))
        if not applied:
            canvas.line(to_apply(dry_run=True), style="dim")

    data = {"applied": applied, "action": "undo", **done.as_dict()}
    return Result(data=data, text=text)
