"""`memcli import`: memories from JSON lines or a folder of notes."""

from __future__ import annotations  # evaluated only when Typer reads them

import os
from typing import TYPE_CHECKING, Any

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import Unreadable, UsageError

if TYPE_CHECKING:
    from typing import Annotated

    from typer import Argument, Option

    from memcli.cli import options
    from memcli.curation.importing import Imported


def import_(
    context: Context,
    source: Annotated[
        str | None,
        Argument(
            metavar="[SOURCE]", help="A JSONL file, a folder of notes, or - for stdin"
        ),
    ] = None,
    *,
    from_: Annotated[
        str | None,
        Option(
            "--from",
            metavar="TOOL",
            help="What another tool remembers, in SOURCE or where it keeps it: "
            "claude-code, codex, gemini, copilot, cursor, agents-md, basic-memory, "
            "mem0, letta, claude-mem, agent-memory-git, memory-server",
        ),
    ] = None,
    in_place: Annotated[
        bool,
        Option(
            "--in-place",
            help="Make the folder itself a vault; no byte of its notes changes",
        ),
    ] = False,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
    allow_secret: options.AllowSecret = False,
) -> Result:
    """Import memories from JSON lines, or a folder of markdown notes

    Each JSON line is one memory: `text`, and any other field of an entry. Notes
    may come from Obsidian or any editor, memories from another tool. All are saved
    in one commit; importing them again adds nothing.

    \b
    Example:
      memcli import notes.jsonl
      memcli import ~/obsidian --dry-run
      memcli import ~/obsidian --in-place
      memcli import --from claude-code --dry-run
    """
    if from_ is not None:
        if in_place or yes or allow_secret:
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
    if in_place:
        return _in_place(context, source, yes=yes, dry_run=dry_run)
    if yes:
        raise UsageError("--yes goes with --in-place", hint="An import asks nothing.")
    from memcli.curation import importing
    from memcli.storage import jsonl

    vault = context.open_vault("importing", writes=True)
    if source != "-" and os.path.isdir(source):
        return report(
            importing.import_folder(
                vault, source, dry_run=dry_run, allow_secret=allow_secret
            )
        )
    data = context.read_stdin() if source == "-" else jsonl.read_file(source)
    if source.endswith(".md"):
        from shlex import quote

        raise UsageError(
            "a single note is saved, not imported",
            hint=f"memcli save --file {quote(source)}; a page of instructions for "
            f"agents, by its sections: memcli import {quote(source)} --from agents-md",
        )
    done = importing.import_lines(
        vault, data, source, dry_run=dry_run, allow_secret=allow_secret
    )
    result = report(done)
    if done.failed and not (done.created or done.duplicates) and source != "-":
        result = _of_a_session(result, source)
    return result


def _of_a_session(result: Result, source: str) -> Result:
    """The result of a file without a memory, which may be a session's transcript."""
    from shlex import quote

    from memcli.errors import MemcliError
    from memcli.hosts import transcripts

    try:
        host = transcripts.open_transcript(source).session.host
    except MemcliError:
        return result
    hint = (
        f"{source} is a session's transcript ({host}); to mine it: "
        f"memcli reflect --session {quote(source)}"
    )
    return result._replace(warnings=(hint, *result.warnings))


def _memories(
    context: Context, name: str, source: str | None, *, dry_run: bool
) -> Result:
    from memcli.curation import importing
    from memcli.curation.foreign import At
    from memcli.hosts.memories import tools
    from memcli.storage import projects

    tool = tools.find(name)
    project = projects.of(context.cwd, context.environ)
    folder = project.folder if project else None
    if source is None:
        places = tools.default_places(tool, context.environ, folder)
    else:
        places = [os.path.abspath(source)]
        if not os.path.lexists(source):
            raise Unreadable(f"{source} does not exist")
    vault = context.open_vault("importing", writes=True)
    return report(
        importing.import_memories(
            vault, tool, places, At(context.environ, project), dry_run=dry_run
        )
    )


def _in_place(context: Context, source: str, *, yes: bool, dry_run: bool) -> Result:
    if not os.path.isdir(source):
        raise Unreadable(f"{source} is not a folder", hint="--in-place takes a folder.")
    from memcli.cli import init

    return init.prepare(context, source, yes=yes, dry_run=dry_run)


def report(done: Imported, words: tuple[str, str] = ("import", "imported")) -> Result:
    """Turn what an import did into a result; `words` say that it would, and that it
    did."""

    from memcli.vault import not_shown

    def text(canvas: Canvas) -> None:
        verb = f"would {words[0]}" if done.dry_run else words[1]
        merged = sum(bool(item.merged) for item in done.duplicates)
        added = f" (added to {merged} of them)" if merged else ""
        canvas.line(
            f"{verb} {len(done.created)}, already known {len(done.duplicates)}{added}, "
            f"failed {len(done.failed)}",
            style="bad" if done.failed else "good",
        )
        if done.dry_run and done.became:
            canvas.table(
                ("from", "kind", "project", "title", "outcome"),
                [
                    (
                        f"{item.source}:{item.line}",
                        item.kind,
                        item.project or "everywhere",
                        item.title,
                        item.outcome,
                    )
                    for item in done.became
                ],
            )
        elif done.dry_run:
            rows: list[tuple[str, ...]] = [
                (item.title, item.path) for item in done.created
            ]
            canvas.table(("title", "path"), rows)

    warnings = list(done.notes)
    warnings += [note for saved in done.duplicates for note in saved.notes]
    warnings += [
        f"{saved.id or saved.title} is not shown: {not_shown.note(saved.settled_by)}"
        for saved in done.created
        if saved.settled_by
    ]
    for item in done.failed:
        where = (
            ""
            if item.reason.startswith(item.source)
            else f"{item.source}:{item.line}: "
        )
        warnings.append(f"{where}{item.reason}")
    data = {
        "created": [_brief(item) for item in done.created],
        "duplicates": [
            {
                **_brief(item),
                "outcome": item.outcome,
                "merged": list(item.merged),
                "not_taken": [left._asdict() for left in item.not_taken],
            }
            for item in done.duplicates
        ],
        "failed": [item._asdict() for item in done.failed],
        "dry_run": done.dry_run,
    }
    if done.became:
        data["became"] = [item._asdict() for item in done.became]
    return Result(data=data, text=text, warnings=tuple(warnings), ok=not done.failed)


def _brief(saved: Any) -> dict[str, str | None]:
    return {"id": saved.id or None, "path": saved.path, "title": saved.title}
