"""`memcli repair`: mend what needs no guess."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, declined, to_apply

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli import options
    from memcli.vault.health.mending import RepairPlan


def repair(
    context: Context,
    *,
    accept_deletions: options.AcceptDeletions = False,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Mend what memcli can mend in the vault without guessing

    Shows a plan first: halves of killed writes, links of versions that are missing on
    one side, files that no commit holds. Entries that HEAD holds and the folder lacks,
    or has in an earlier version, are brought back; --accept-deletions commits that they
    are gone. What takes a decision is listed as left for you. memcli inspect lint names
    everything that is wrong.

    \b
    Example:
      memcli repair
      memcli repair --yes
    """
    from memcli.vault.health import repair as mending

    vault = context.open_vault("reading", writes=True)
    plan = mending.plan(vault, accept_deletions=accept_deletions)
    acting = bool(plan.steps) and not dry_run
    if acting and not yes:
        acting = False
        if context.interactive:
            for step in plan.steps:
                context.tell(f"  {step.path}: {step.action}")
            if not context.confirm("Do this?"):
                return declined(plan.as_dict())
            acting = True
    done = mending.apply(vault, plan) if acting else plan
    if (acting or yes) and not dry_run:
        from memcli.cli import own_program

        own_program.merges_for_git(context, vault.root)
    skipped = [step for step in plan.steps if step not in done.steps]
    for step in skipped:
        context.tell(f"{step.path} has changed since the plan, and is left as it is")
    return Result(data=done.as_dict(), text=_text(done, dry_run=dry_run), ok=done.ok)


def _text(done: RepairPlan, *, dry_run: bool) -> Callable[[Canvas], None]:
    """What a person is shown of a plan, or of what was done."""

    def text(canvas: Canvas) -> None:
        if not done.steps:
            was = "was" if done.applied else "can be"
            canvas.line(f"nothing {was} mended", style="dim")
        elif done.applied:
            canvas.line(f"mended {len(done.steps)}:", style="good")
        else:
            steps = f"would mend {len(done.steps)}"
            canvas.line(f"{steps}; {to_apply(dry_run=dry_run)}:")
        for step in done.steps:
            canvas.line(f"  {step.path}: {step.action}")
        if done.left:
            canvas.line(f"left for you: {len(done.left)}")
        for finding in done.left:
            hint = f" ({finding.hint})" if finding.hint else ""
            canvas.line(f"  {finding.path}:{finding.line}: {finding.message}{hint}")

    return text
