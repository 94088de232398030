"""`memcli export`: JSON lines, a folder of notes, or a block in a page."""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated, Any, Literal

    from memcli.cli import options
    from memcli.cli.declared import Option
    from memcli.curation.exporting import Exported


def export(
    context: Context,
    *,
    format_: Annotated[
        Literal["jsonl", "markdown", "agents-md"],
        Option("--format", help="JSON lines, a folder of notes, or a block in a page"),
    ] = "jsonl",
    out: Annotated[
        str | None,
        Option(
            "--out",
            metavar="PATH",
            help="The file or new folder; jsonl without it goes to standard output",
        ),
    ] = None,
    kinds: options.Kinds = None,
    tags: options.Tags = None,
    project: options.OfProject = None,
    everywhere: Annotated[
        bool,
        Option(
            "--everywhere",
            help="agents-md: also tell what holds in every project",
        ),
    ] = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Write memories as JSON lines, notes, or part of an agents' page

    jsonl holds every entry with its history, and `memcli import` takes it back.
    markdown is a folder of plain notes. agents-md keeps a marked block of a page up
    to date, AGENTS.md of the project by default, with its constraints, conventions
    and preferences; nothing outside of the block changes.

    \b
    Example:
      memcli export > backup.jsonl
      memcli export --format markdown --out notes
      memcli export --format agents-md --out CLAUDE.md
    """
    if everywhere and format_ != "agents-md":
        raise UsageError("--everywhere goes with --format agents-md")
    if format_ == "agents-md":
        if kinds or tags or project:
            raise UsageError(
                "agents-md exports what holds in the project of its page",
                hint="Leave --kind, --tag and --project out.",
            )
        return _page(context, out, everywhere=everywhere, dry_run=dry_run)
    vault = context.open_vault("exporting")
    from memcli.curation import exporting
    from memcli.recall.query import Filters

    filters = Filters(
        kinds=tuple(kinds or ()), tags=tuple(tags or ()), project=project or ""
    )
    found = exporting.entries(vault, filters, current=format_ == "markdown")
    if format_ == "markdown":
        return _notes(found, out, dry_run=dry_run)
    return _lines(found, out, dry_run=dry_run)


def _lines(found: Exported, out: str | None, *, dry_run: bool) -> Result:
    from memcli.cli.safe_text import as_json
    from memcli.curation import exporting
    from memcli.storage import files

    objects = [exporting.as_object(entry) for entry in found.entries]
    data: dict[str, Any] = {"format": "jsonl", "entries": len(objects), "out": out}
    lines = [as_json(item) for item in objects]
    if out is not None and not dry_run:
        files.write_atomic(out, "".join(f"{line}\n" for line in lines).encode())
    elif out is None:
        data["lines"] = objects

    def text(canvas: Canvas) -> None:
        if out is not None or dry_run:
            canvas.line(_done(len(lines), out, dry_run=dry_run), style="good")
            return
        for line in lines:
            canvas.line(line)

    return _complete(found, Result(data=data, text=text))


def _notes(found: Exported, out: str | None, *, dry_run: bool) -> Result:
    from memcli.curation import exporting

    if out is None:
        raise UsageError(
            "a folder of notes needs a place", hint="Name a new folder: --out notes"
        )
    if not dry_run:
        exporting.write_notes(os.path.abspath(out), found.entries)
    data = {"format": "markdown", "entries": len(found.entries), "out": out}
    result = Result(
        data=data,
        text=lambda canvas: canvas.line(
            _done(len(found.entries), out, dry_run=dry_run), style="good"
        ),
    )
    return _complete(found, result)


def _complete(found: Exported, result: Result) -> Result:
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
    from memcli.curation import exporting, instruction_block
    from memcli.entries.projects import HERE
    from memcli.recall.query import Filters
    from memcli.storage import projects

    near = os.path.dirname(os.path.abspath(out)) if out else context.cwd
    project = projects.of(near, context.environ)
    if project is None:
        raise UsageError(
            "this folder belongs to no project",
            hint="Run it in a repository, or name a page of one with --out.",
        )
    path = os.path.abspath(out) if out else os.path.join(project.folder, "AGENTS.md")
    # What is private to a person stays out of a file that others read, unless asked.
    filters = Filters(project=HERE if everywhere else project.name)
    vault = context._replace(cwd=near).open_vault("exporting")
    found = exporting.entries(vault, filters, current=True)
    page = instruction_block.planned(path, found.entries)
    if not dry_run:
        instruction_block.put(page)
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

    doubts = [
        f"{entry_id} was left out: it {why}; look at it: memcli show {entry_id}"
        for entry_id, why in page.doubtful
    ]
    return _complete(found, Result(data=data, text=text, warnings=tuple(doubts)))


def _done(count: int, out: str | None, *, dry_run: bool) -> str:
    verb = "would write" if dry_run else "wrote"
    return f"{verb} {counted(count, 'memory')}" + (f" to {out}" if out else "")
