"""`memcli forget`: the one real removal."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, declined, to_apply
from memcli.cli.stale_lines import stale_lines
from memcli.entries.text.counted import counted
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.declared import Argument, Option
    from memcli.curation.forget import Forgotten


def forget(
    context: Context,
    entry_id: Annotated[
        str,
        Argument(
            metavar="ID", help="Its id, a prefix of it, its path, or its file's name"
        ),
    ],
    *,
    versions: Annotated[
        bool, Option("--versions", help="Every version of it, not only this one")
    ] = False,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Remove an entry from the vault for good

    For text that must not be in the vault at all; resolve what is merely over, and
    evolve what has changed. git's history still holds the text: memcli prints the
    commands that take it out of there. It cannot reach clones and backups.

    \b
    Example:
      memcli forget 1m7xvn68
      memcli forget 1m7xvn68 --versions --yes
    """
    from memcli.curation import forget as use_case

    vault = context.open_vault("forgetting", writes=True)
    plan = use_case.plan(vault, entry_id, versions=versions)
    if dry_run:
        return _result(plan, dry_run=True)
    if not yes:
        if not context.interactive:
            raise UsageError(
                f"forgetting {plan.id} removes {', '.join(plan.paths)} for good",
                hint="Add --yes to remove it for good; memcli resolve only hides it.",
            )
        context.tell(f"{plan.title}\n  {', '.join(plan.paths)}")
        if not context.confirm("Remove this for good?"):
            return declined(plan.as_dict())
    return _result(use_case.forget(vault, entry_id, versions=versions))


def _result(done: Forgotten, *, dry_run: bool = False) -> Result:
    def text(canvas: Canvas) -> None:
        verb = "forgotten" if done.applied else "would forget"
        canvas.line(f"{verb} {done.id} {', '.join(done.paths)}", style="good")
        for other in done.versions:
            canvas.line(f"  another version stays: {other} (--versions takes all)")
        for row in done.linked_from:
            canvas.line(f"  linked from {row.id} {row.title}")
        then = not done.applied
        stale_lines(canvas, done.stale_models, "what is forgotten", then=then)
        commits = counted(done.commits, "commit")
        if done.purge and not done.applied:
            canvas.line(f"git's history will still hold the text ({commits}); memcli")
            canvas.line("prints the commands that take it out when it has forgotten it")
        elif done.purge:
            canvas.line(f"git's history still holds the text ({commits}).")
            canvas.line("To take it out, in the vault and in every clone of it:")
            for command in done.purge[:-1]:
                canvas.line(f"  {command} &&")
            canvas.line(f"  {done.purge[-1]}")
        if not done.applied:
            canvas.line(to_apply(dry_run=dry_run), style="dim")

    return Result(data=done.as_dict(), text=text)
