"""`memcli export` and `publish`: what a vault gives to other programs; and `memcli
import`: memories out of files and of other tools."""

from __future__ import annotations  # evaluated only when Typer reads them

import os
from shlex import quote

from memcli.cli.context import Canvas, Context, Result, said
from memcli.cli.render import as_json
from memcli.cli.rows import facts
from memcli.entries.entry import LOOK, Visibility
from memcli.entries.ids import HERE
from memcli.entries.text.counted import counted
from memcli.errors import Conflict, Unreadable, UsageError
from memcli.storage import files, projects
from memcli.vault.saved import why_not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from memcli.curation import exporting, importing


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
        everywhere: `--everywhere, with --format` agents-md: also tell what holds in
            every project
    """
    from memcli.curation import exporting

    out = None if out == "-" else out
    if format_ == "agents-md":
        return _page(context, out, everywhere=everywhere, dry_run=dry_run)
    vault = context.open_vault("exporting")
    if out is not None:
        check_out(out, vault.root, b'{"id"')
    found = exporting.entries(vault, current=False)
    count = len(found.entries)
    data: dict[str, Any] = {"format": format_, "entries": count, "out": out}
    objects = [exporting.as_object(entry) for entry in found.entries]
    lines = [as_json(item) for item in objects]
    if out is None:
        data["lines"] = objects
    elif not dry_run:
        files.write_atomic(out, "".join(f"{line}\n" for line in lines).encode())

    if out is not None or dry_run:
        lines = [_done(count, out, dry_run=dry_run)]

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
    from memcli.curation import exporting

    near = os.path.dirname(os.path.abspath(out)) if out else context.cwd
    project = projects.of(near, context.environ)
    if project is None:
        raise UsageError(
            "this folder belongs to no project",
            hint="Run it in a repository, or name a page of one with --out.",
        )
    path = os.path.abspath(out) if out else os.path.join(project.folder, "AGENTS.md")
    vault = context._replace(cwd=near).open_vault("exporting")
    of = HERE if everywhere else project.name
    found = exporting.entries(vault, of, current=True)
    page = exporting.planned(path, found.told())
    if page.changed and not dry_run:
        files.write_atomic(path, page.data)
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

    head = f"{path} is up to date: {counted(page.told, 'memory')}"
    if page.changed:
        head = _done(page.told, path, dry_run=dry_run)
    lines = []
    if page.left_out:
        lines.append(f"left out: {page.left_out} more; a page is read whole")
    if page.in_page:
        lines.append(f"left out: {page.in_page} that the page says by itself")
    private = sum(e.visibility is not Visibility.SHARED for e in found.entries)
    doubts = [f"left out: {counted(private, 'private memory')}"] if private else []
    left_out = dict(page.doubtful)
    left_out |= {name: mark for name, mark in found.marks.items() if mark != LOOK}
    doubts += [
        f"{entry_id} was left out ({why}); look at it: memcli inspect {entry_id}"
        for entry_id, why in left_out.items()
    ]
    style = "good" if page.changed else ""
    return _complete(found, said(data, head, *lines, style=style, warnings=doubts))


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
    from memcli.vault import publishing  # with Whoosh, which writes the index

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
    data = {"outcome": "newer_published" if done.newer else outcome, **done._asdict()}

    def text(canvas: Canvas) -> None:
        facts(canvas, data)
        if done.newer:
            canvas.line("To go back to the older one: memcli publish --force")

    broken = counted(done.broken, "file")
    lint = f"{broken} could not be read as an entry: memcli inspect lint"
    return Result(data, text, (lint,) if done.broken else ())


# --- import ---------------------------------------------------------------------------

# Lines that failed, that are named.
_NAMED = 20


def import_(
    context: Context,
    source: str | None = None,
    *,
    from_: str | None = None,
    dry_run: bool = False,
    allow_secret: bool = False,
) -> Result:
    """Import memories from JSON lines, notes, CLAUDE.md, or another tool

    Each JSON line is one memory: `text`, and any other field of an entry. Notes
    may come from Obsidian or any editor, memories from another tool. Each rule of a
    page such as CLAUDE.md becomes one memory. All are saved in one commit; importing
    them again adds nothing. memcli init FOLDER makes a vault of notes where they are.

    \b
    Example:
      memcli import notes.jsonl
      memcli import ~/obsidian --dry-run
      memcli import CLAUDE.md
      memcli import --from claude-code --dry-run

    Options:
        source: `[SOURCE]` A JSONL file, a folder of notes, a page of rules such as
            CLAUDE.md, or - for stdin
        from_: `--from TOOL, without --allow-secret` Another tool's memories, in SOURCE
            or where it keeps them: claude-code, codex, gemini, copilot, cursor,
            agents-md, basic-memory, mem0
    """
    from memcli.curation import importing
    from memcli.hosts import table as hosts

    # A page that hosts load, such as CLAUDE.md, has a rule a line.
    is_page = os.path.basename(source or "") in hosts.page_names()
    if is_page and not (from_ or allow_secret) and os.path.isfile(source or ""):
        from_ = "agents-md"
    if from_ is not None:
        from memcli.hosts import memories

        tool = memories.find(from_)
        project = projects.of(context.cwd, context.environ)
        folder = project.folder if project else None
        if source is None:
            places = memories.default_places(tool, context.environ, folder)
        else:
            places = [os.path.abspath(source)]
            if not os.path.lexists(source):
                raise Unreadable(f"{source} does not exist")
        vault = context.open_vault("importing", writes=True)
        return report(importing.import_memories(vault, tool, places, dry_run=dry_run))
    if source is None:
        raise UsageError(
            "nothing names what to import",
            hint="Give a file or a folder, or another tool with --from TOOL.",
        )
    vault = context.open_vault("importing", writes=True)
    how = {"dry_run": dry_run, "allow_secret": allow_secret}
    if source != "-" and os.path.isdir(source):
        return report(importing.import_folder(vault, source, **how))
    data = context.read_stdin() if source == "-" else files.read_batch(source)
    if source.endswith(".md"):
        raise UsageError(
            "a single note is saved, not imported",
            hint=f"memcli save --file {quote(source)}; a page of instructions for "
            f"agents, by its rules: memcli import {quote(source)} --from agents-md",
        )
    return report(importing.import_lines(vault, data, source, **how))


def report(done: importing.Imported) -> Result:
    """Turn what an import did into a result."""
    verb = "would import" if done.dry_run else "imported"
    merged = sum(bool(item.merged) for item in done.duplicates)
    added = f" (added to {merged} of them)" if merged else ""
    head = f"{verb} {len(done.created)}, already known {len(done.duplicates)}{added}, "
    lines = [f"{item.id or item.path} {item.title}" for item in done.created]
    if done.dry_run and done.became:
        lines = [
            f"{one.outcome}: {one.title} ({one.kind}, {one.project or 'everywhere'}) "
            f"from {one.source}:{one.line}"
            for one in done.became
        ]

    data = done._asdict()
    del data["notes"]
    if not done.became:
        del data["became"]
    result = said(
        data,
        f"{head}failed {len(done.failed)}",
        *lines,
        style="bad" if done.failed else "good",
        warnings=list(_warnings(done)),
        dry_run=done.dry_run or None,
    )
    return result._replace(ok=not done.failed)


def _warnings(done: importing.Imported) -> Iterator[str]:
    yield from done.notes
    for saved in done.duplicates:
        yield from saved.notes
    for saved in done.created:
        named = saved.id or saved.title
        if saved.settled_by:
            yield f"{named} is not shown: {why_not_shown(saved.settled_by)}"
        if like := saved.like_resolved:
            yield (
                f"{named} says nearly the same as {like.id}, which is resolved; if it "
                f"is solved: memcli resolve {named}"
            )
    for failed in done.failed[:_NAMED]:
        told = failed.reason.startswith(failed.source)
        where = "" if told else f"{failed.source}:{failed.line}: "
        yield f"{where}{failed.reason}"
    if len(done.failed) > _NAMED:
        yield f"{len(done.failed) - _NAMED:,} more failed; --json names them"
    if any(failed.code == "invalid_kind" for failed in done.failed):
        yield "of other kinds; to take them: memcli config set vault.kinds KIND"


# --- what a command writes ----------------------------------------------------------


def check_out(path: str, root: str, begins: bytes) -> None:
    """Refuse to write what a command makes over a memory, a config, or a file that
    memcli did not write.

    Args:
        path: of --out.
        root: of the vault.
        begins: how each file begins that the command has written; one is replaced.

    Raises:
        Conflict: the path lies in the vault, or is a file that begins otherwise.
        Unreadable: it is a link, a folder, a pipe or a device.
        UsageError: it is in no folder.
    """
    place, root = os.path.realpath(path), os.path.realpath(root)
    if place.startswith(os.path.join(root, "")):
        raise Conflict(
            f"{path} lies in the vault, where it would be committed",
            hint="Name a place outside of it, as in: --out ~/memory",
        )
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder}", hint="Make it first.")
    if os.path.lexists(path):
        there = files.read(path, limit=2**62, first=len(begins), follow=False)
        if there and there != begins:
            raise Conflict(
                f"{path} already exists, and memcli did not write it",
                hint="Move it away, or name another file with --out.",
            )
