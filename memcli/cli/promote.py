"""`memcli promote`: a memory for all who work in the repository."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.declared import Argument


def promote(
    context: Context,
    entry_id: Annotated[
        str,
        Argument(
            metavar="ID", help="Its id, a prefix of it, its path, or its file's name"
        ),
    ],
    *,
    dry_run: options.DryRun = False,
) -> Result:
    """Move a memory into the vault that this repository carries

    It is committed in the repository, and archived where it was; each side names the
    other. What it says goes along, with its kind, tags, entities and dates; the
    session and agent that it came from do not.

    \b
    Example:
      memcli promote 1m7xvn68
    """
    from memcli.curation import promote as use_case
    from memcli.storage import known_vaults, repo_vault
    from memcli.vault.vault import Vault

    caller = context.caller("promoting")
    repo = Vault.open(known_vaults.REPO, caller, writes=not dry_run)
    vault = context.open_vault("promoting", writes=not dry_run)
    if vault.source == known_vaults.REPO:
        raise UsageError(
            "it is in the repository's vault already",
            hint="Leave --vault out, or name the vault that the entry is in.",
        )
    found = repo_vault.needed(context.cwd, context.environ)
    done = use_case.promote(
        vault, repo, entry_id, name=found.remote or found.top, dry_run=dry_run
    )

    def text(canvas: Canvas) -> None:
        verb = "would move" if dry_run else "moved"
        where = f"{repo_vault.FOLDER}/{done.path}"
        canvas.line(f"{verb} {done.moved} to {done.id or 'a new id'} {where}")
        if done.outcome == "duplicate":
            canvas.line("  the repository's vault has this text already", style="dim")
        canvas.line(f"  archived: {done.archived}", style="dim")
        if dry_run:
            canvas.line(to_apply(dry_run=True), style="dim")

    data = {
        "id": done.id or None,
        "path": done.path,
        "outcome": done.outcome,
        "title": done.title,
        "moved": done.moved,
        "archived": done.archived,
        "vault": repo.root,
        "dry_run": dry_run,
    }
    return Result(data=data, text=text)
