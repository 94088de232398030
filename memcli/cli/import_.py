"""`memcli import`: memories out of files and of other memories."""

from __future__ import annotations  # evaluated only when Typer reads them

import os
from shlex import quote

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.cli.rows import draw_more, table
from memcli.curation import importing
from memcli.entries.entry import check_kind
from memcli.errors import Unreadable, UsageError
from memcli.hosts import memories
from memcli.hosts import table as hosts
from memcli.storage import files, projects
from memcli.vault.saved import why_not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.vault.vault import Vault


# New entries, and lines that failed, that are named.
_NAMED = 20


def import_(
    context: Context,
    source: str | None = None,
    *,
    from_: str | None = None,
    map_: list[str] | None = None,
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
      memcli import notes.jsonl --map fact=note --map semantic=reference
      memcli import ~/obsidian --dry-run
      memcli import CLAUDE.md
      memcli import --from claude-code --dry-run

    Options:
        source: `[SOURCE]` A JSONL file, a folder of notes, a page of rules such as
            CLAUDE.md, or - for stdin
        from_: `--from TOOL` Another tool's memories, in SOURCE or where it keeps them:
            claude-code, codex, gemini, copilot, cursor, agents-md, basic-memory, mem0
        map_: `--map KIND=KIND` Of JSON lines: a kind of theirs, and the kind here that
            it becomes; repeatable
    """
    if from_ is None and source and _is_page(source):
        from_ = "agents-md"
    if from_ is not None:
        if allow_secret or map_:
            raise UsageError(
                "--from goes only with --dry-run",
                hint="Secrets are left out of what other tools remember.",
            )
        return _memories(context, from_, source, dry_run=dry_run)
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
    kinds = _kinds(vault, map_ or [])
    return report(importing.import_lines(vault, data, source, kinds=kinds, **how))


def _is_page(path: str) -> bool:
    """Whether a file has the name of a page that hosts load, such as CLAUDE.md."""
    return os.path.basename(path) in hosts.page_names() and os.path.isfile(path)


def _kinds(vault: Vault, words: list[str]) -> dict[str, str]:
    """By a kind of the lines the kind that it becomes, as --map says."""
    kinds: dict[str, str] = {}
    for word in words:
        theirs, equals, ours = word.partition("=")
        if not (equals and theirs.strip() and ours.strip()):
            raise UsageError(
                f"--map takes KIND=KIND (got {word[:60]!r})", hint="As in: fact=note"
            )
        kinds[theirs.strip().lower()] = check_kind(ours, vault.kinds)
    return kinds


def _memories(
    context: Context, name: str, source: str | None, *, dry_run: bool
) -> Result:
    tool = memories.find(name)
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


def report(done: importing.Imported) -> Result:
    """Turn what an import did into a result."""

    def text(canvas: Canvas) -> None:
        verb = "would import" if done.dry_run else "imported"
        merged = sum(bool(item.merged) for item in done.duplicates)
        added = f" (added to {merged} of them)" if merged else ""
        canvas.line(
            f"{verb} {len(done.created)}, already known {len(done.duplicates)}{added}, "
            f"failed {len(done.failed)}",
            style="bad" if done.failed else "good",
        )
        if done.dry_run and done.became:
            own = {
                "from": lambda item: f"{item.source}:{item.line}",
                "project": lambda item: item.project or "everywhere",
            }
            table(canvas, done.became, "from kind project title outcome", own)
        elif done.dry_run:
            table(canvas, done.created, "title path")
        if done.dry_run:
            to_apply(canvas, dry_run=True)
            return
        for item in done.created[:_NAMED]:
            canvas.line(f"  {item.id} {item.title}")
        draw_more(canvas, len(done.created) - _NAMED, "memcli list --since 1d")

    def brief(saved: Any) -> dict[str, Any]:
        return {"id": saved.id or None, "path": saved.path, "title": saved.title}

    more = ("outcome", "merged", "not_taken")
    data: dict[str, Any] = {
        "created": [brief(item) for item in done.created],
        "duplicates": [
            brief(item) | {name: getattr(item, name) for name in more}
            for item in done.duplicates
        ],
        "failed": done.failed,
        "dry_run": done.dry_run,
    }
    data |= {"became": done.became} if done.became else {}
    return Result(data, text, warnings=tuple(_warnings(done)), ok=not done.failed)


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
        yield "of other kinds; to take them: memcli import FILE --map KIND=note"
