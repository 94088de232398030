"""`memcli publish`: a vault into the database that answers for it."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import NotAllowed, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.declared import Option
    from memcli.vault.publishing import Outcome


def publish(
    context: Context,
    *,
    to: Annotated[
        str | None,
        Option(
            "--to", metavar="NAME", help="The database: [vaults.NAME] of your config"
        ),
    ] = None,
    init: Annotated[
        bool, Option("--init", help="Make the tables and roles in it, once")
    ] = False,
    unrelated: Annotated[
        bool,
        Option("--unrelated", help="Also over a published vault of another history"),
    ] = False,
    rewritten: Annotated[
        bool,
        Option("--rewritten", help="Also over a commit that this one does not follow"),
    ] = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Publish the vault's last commit into a database

    A vault that is too large to clone or to index can be asked through PostgreSQL: its
    readers name the database in their config, and recall, reflect and list answer as
    they would from the files. Only what is shared is published, in one transaction.
    docs/use/sharing.md leads there in five minutes.

    \b
    Example:
      memcli publish --init --to company
      memcli publish --vault ~/company-memory --to company
    """
    from memcli.vault import publishing

    if context.agent:
        raise NotAllowed(
            f"a vault is published by its owner, not by agent {context.agent}",
            hint="Ask the owner to run it.",
            code="owner_only",
        )
    if to is None:
        raise UsageError(
            "--to is missing: the name of the database in your config",
            hint="[vaults.NAME] with an engine: docs/use/sharing.md",
        )
    if init and dry_run:
        raise UsageError("--init and --dry-run cannot be combined")
    place = publishing.target(to, context.environ)
    made = publishing.initialise(place) if init else False
    if init and not context.vault:
        return _prepared(place.where, made)
    vault = context.open_vault("reading")
    done = publishing.publish(
        vault,
        place,
        dry_run=dry_run,
        unrelated=unrelated,
        rewritten=rewritten,
        progress=context.progress("publishing"),
    )
    return _published(done, dry_run=dry_run)


def _prepared(where: str, made: bool) -> Result:
    said = "prepared" if made else "was prepared before:"

    def text(canvas: Canvas) -> None:
        canvas.line(f"{said} {where}")
        canvas.line("  publish a vault: memcli publish --vault FOLDER --to NAME")

    outcome = "prepared" if made else "exists"
    return Result({"outcome": outcome, "where": where}, text)


def _published(done: Outcome, *, dry_run: bool) -> Result:
    from memcli.entries.text.counted import counted

    same = not (done.added or done.changed or done.removed)
    outcome = "would_publish" if dry_run else "published"
    if done.newer:
        outcome = "newer_published"
    data = {"outcome": outcome, **done._asdict()}

    def text(canvas: Canvas) -> None:
        if done.newer:
            canvas.line(
                f"not published: {done.commit[:12]} is older than what is there"
            )
            canvas.line(f"  {done.where} holds {done.newer[:12]} of '{done.name}'")
            canvas.line("  to go back to the older one: memcli publish --rewritten")
            return
        said = "would publish" if dry_run else "published"
        canvas.line(f"{said} {done.commit[:12]} as '{done.name}' in {done.where}")
        numbers = f"{done.added} added, {done.changed} changed, {done.removed} removed"
        canvas.line("  " + ("nothing changed" if same else numbers))
        canvas.line(f"  {counted(done.entries, 'entry')} there")

    warnings: tuple[str, ...] = ()
    if done.broken:
        files = counted(done.broken, "file")
        warnings = (f"{files} could not be read as an entry: memcli inspect lint",)
    return Result(data, text, warnings)
