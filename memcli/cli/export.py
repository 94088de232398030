"""`memcli export` and `publish`: what a vault gives to other programs."""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Canvas, Context, Result, check_out, refuse, said
from memcli.cli.render import as_json
from memcli.cli.rows import facts
from memcli.curation import exporting
from memcli.entries.entry import Visibility
from memcli.entries.ids import HERE
from memcli.entries.text.counted import counted
from memcli.errors import UsageError
from memcli.recall.query import Filters
from memcli.storage import files, projects
from memcli.vault import publishing

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal


def export(
    context: Context,
    *,
    format_: Literal["jsonl", "agents-md"] = "jsonl",
    out: str | None = None,
    everywhere: bool = False,
    dry_run: bool = False,
) -> Result:
    """Write memories as JSON lines, or as part of an agents' page

    jsonl holds every entry with its history, and `memcli import` takes it back.
    agents-md keeps a marked block of a page up to date, AGENTS.md of the project by
    default, with its constraints, conventions and preferences; nothing outside of the
    block changes.

    \b
    Example:
      memcli export > backup.jsonl
      memcli export --format agents-md --out CLAUDE.md

    Options:
        format_: `--format` JSON lines, or a block in a page
        out: `--out PATH` The file; jsonl without it goes to standard output
        everywhere: `--everywhere` agents-md: also tell what holds in every project
    """
    out = None if out == "-" else out
    page = format_ == "agents-md"
    refuse(
        (everywhere and not page, "--everywhere goes with --format agents-md"),
    )
    if page:
        return _page(context, out, everywhere=everywhere, dry_run=dry_run)
    vault = context.open_vault("exporting")
    if out is not None:
        check_out(out, vault.root, b'{"id"')
    found = exporting.entries(vault, Filters(), current=False)
    data: dict[str, Any] = {"format": format_, "entries": len(found.entries)}
    data["out"] = out
    objects = [exporting.as_object(entry) for entry in found.entries]
    lines = [as_json(item) for item in objects]
    if out is None:
        data["lines"] = objects
    elif not dry_run:
        files.write_atomic(out, "".join(f"{line}\n" for line in lines).encode())

    if out is not None or dry_run:
        lines = [_done(len(lines), out, dry_run=dry_run)]

    def text(canvas: Canvas) -> None:
        for line in lines:
            canvas.line(line)

    return _complete(found, Result(data=data, text=text))


def _complete(found: exporting.Exported, result: Result) -> Result:
    """The result of an export, which is none of success when a file was left out."""
    warnings = list(found.unread)
    if warnings:
        warnings.append(f"{counted(len(warnings), 'file')} left out of the export")
    result.data["unread"] = len(found.unread)
    return result._replace(
        warnings=(*warnings, *result.warnings), ok=result.ok and not found.unread
    )


def _page(
    context: Context, out: str | None, *, everywhere: bool, dry_run: bool
) -> Result:
    near = os.path.dirname(os.path.abspath(out)) if out else context.cwd
    project = projects.of(near, context.environ)
    if project is None:
        raise UsageError(
            "this folder belongs to no project",
            hint="Run it in a repository, or name a page of one with --out.",
        )
    path = os.path.abspath(out) if out else os.path.join(project.folder, "AGENTS.md")
    filters = Filters(project=HERE if everywhere else project.name)
    vault = context._replace(cwd=near).open_vault("exporting")
    found = exporting.entries(vault, filters, current=True)
    page = exporting.planned(path, found.told())
    if not dry_run:
        exporting.put(page)
    data = {
        "format": "agents-md",
        "out": path,
        "project": project.name,
        "entries": page.told,
        "left_out": page.left_out,
        "in_page": page.in_page,
        "changed": page.changed,
        "dry_run": dry_run,
    }

    def text(canvas: Canvas) -> None:
        if not page.changed:
            canvas.line(f"{path} is up to date: {counted(page.told, 'memory')}")
        else:
            canvas.line(_done(page.told, path, dry_run=dry_run), style="good")
        if page.left_out:
            canvas.line(f"  left out: {page.left_out} more; a page is read whole")
        if page.in_page:
            canvas.line(f"  left out: {page.in_page} that the page says by itself")

    private = sum(e.visibility is not Visibility.SHARED for e in found.entries)
    doubts = [f"left out: {counted(private, 'private memory')}"] if private else []
    doubts += [
        f"{entry_id} was left out: it {why}; look at it: memcli inspect {entry_id}"
        for entry_id, why in (
            *page.doubtful,
            *((entry_id, "may no longer hold") for entry_id in sorted(found.stale)),
            *((one, "is unconfirmed") for one in sorted(found.unconfirmed)),
        )
    ]
    return _complete(found, Result(data=data, text=text, warnings=tuple(doubts)))


def _done(count: int, out: str | None, *, dry_run: bool) -> str:
    verb = "would write" if dry_run else "wrote"
    return f"{verb} {counted(count, 'memory')}" + (f" to {out}" if out else "")


def publish(
    context: Context,
    *,
    to: str | None = None,
    init: bool = False,
    force: bool = False,
    dry_run: bool = False,
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

    Options:
        to: `--to NAME` The database: [vaults.NAME] of your config
        init: `--init, without --dry-run` Make the tables and roles in it, once
        force: `--force` Even if the published commit is no ancestor
    """
    context.owner_only("to publish a vault is for its owner")
    if to is None:
        raise UsageError(
            "--to is missing: the name of the database in your config",
            hint="[vaults.NAME] with an engine: docs/use/sharing.md",
        )
    place = publishing.target(to, context.environ)
    made = publishing.initialise(place) if init else False
    if init and not context.vault:
        outcome = "prepared" if made else "exists"
        data: dict[str, Any] = {"outcome": outcome, "where": place.where}
        how = "prepared" if made else "was prepared before:"
        return said(data, f"{how} {place.where}")
    vault = context.open_vault("reading")
    done = publishing.publish(
        vault,
        place,
        dry_run=dry_run,
        force=force,
        progress=context.progress("publishing"),
    )
    outcome = "would_publish" if dry_run else "published"
    outcome = "newer_published" if done.newer else outcome
    data = {"outcome": outcome, **done._asdict()}

    def text(canvas: Canvas) -> None:
        facts(canvas, data)
        if done.newer:
            canvas.line("To go back to the older one: memcli publish --force")

    warnings: tuple[str, ...] = ()
    if done.broken:
        broken = counted(done.broken, "file")
        warnings = (f"{broken} could not be read as an entry: memcli inspect lint",)
    return Result(data, text, warnings)
