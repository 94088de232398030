"""`memcli init`: a new vault, or a folder of notes made one."""

from __future__ import annotations  # evaluated only when Typer reads them

import os
from typing import TYPE_CHECKING

from memcli.cli.context import Canvas, Context, Result

if TYPE_CHECKING:
    from typing import Annotated

    from typer import Argument, Option

    from memcli.cli import options


def init(
    context: Context,
    path: Annotated[
        str | None,
        Argument(
            metavar="[PATH]",
            help="The folder; --vault or MEMCLI_VAULT when it is left out",
        ),
    ] = None,
    *,
    default: Annotated[
        bool,
        Option("--default", help="Make it the default vault, instead of another"),
    ] = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Make a folder a vault: a new one, or your notes as they are

    A new folder gets the vault's template and a git repository. In a folder of
    notes no byte of them changes. The first vault becomes the default, so that
    later commands need no --vault.

    \b
    Example:
      memcli init ~/memory
    """
    from memcli.storage import known_vaults

    folder = path or known_vaults.find_vault(context.vault, context.environ)
    return prepare(context, folder, dry_run=dry_run, make_default=default)


def prepare(
    context: Context,
    path: str,
    *,
    dry_run: bool = False,
    make_default: bool = False,
    adopt: bool = False,
) -> Result:
    """Make a folder a vault, and the default if there is none."""
    from memcli.storage import known_vaults
    from memcli.vault import create

    done = create.prepare(path, environ=context.environ, dry_run=dry_run)
    default = known_vaults.default_vault(context.environ)
    becomes_default = make_default or default is None
    if becomes_default and not dry_run and default != done.path:
        known_vaults.set_default_vault(done.path, context.environ)

    def text(canvas: Canvas) -> None:
        verb = {"created": "created a vault at", "exists": "already a vault:"}.get(
            done.outcome, f"{done.outcome} the vault"
        )
        would = "dry run: " if dry_run else ""
        canvas.line(f"{would}{verb} {done.path}", style="good")
        if done.notes:
            canvas.line(f"  notes in it, unchanged: {done.notes:,}")
        if becomes_default and default != done.path:
            canvas.line("  it is your default now", style="dim")
        elif default != done.path:
            canvas.line(f"  your default is still {default}", style="dim")

    warnings = []
    if os.path.exists(os.path.join(done.path, "README.md")) and adopt:
        warnings.append("README.md is the vault's own page, not an entry")
    data = {
        "path": done.path,
        "outcome": done.outcome,
        "notes": done.notes,
        "added": done.added,
        "commit": done.commit,
        "default": becomes_default or default == done.path,
        "dry_run": dry_run,
    }
    return Result(data=data, text=text, warnings=tuple(warnings))
