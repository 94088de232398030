"""`memcli import`: memories from JSON lines or a folder of notes."""

import os
from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result
from memcli.errors import Unreadable, UsageError

if TYPE_CHECKING:
    from memcli.curation.importing import Imported

_HELP = """Import memories from JSON lines, or a folder of markdown notes

    JSON lines hold one memory each: `text`, and any other field of an entry. Notes
    may come from Obsidian, basic-memory or any editor. All is saved in one commit;
    the same import again adds nothing.

    \b
    Example:
      memcli import notes.jsonl
      memcli import ~/obsidian --dry-run
      memcli import ~/obsidian --in-place
    """

_PARAMETERS = (
    Argument(
        "source",
        "A JSONL file, a folder of notes, or - for JSONL on stdin",
        required=True,
        metavar="SOURCE",
    ),
    Option(
        "in_place",
        ("--in-place",),
        bool,
        "Make the folder itself a vault; no byte of its notes changes",
        default=False,
    ),
    Option(
        "dry_run",
        ("--dry-run",),
        bool,
        "Say what would happen, and change nothing",
        default=False,
    ),
    Option(
        "allow_secret",
        ("--allow-secret",),
        bool,
        "Import what looks like a secret, too",
        default=False,
    ),
)


def run(context: Context, **values: Any) -> Result:
    """Import a file or a folder."""
    source = values["source"]
    if values["in_place"]:
        return _in_place(context, source, dry_run=values["dry_run"])
    from memcli.curation import importing
    from memcli.storage import jsonl

    vault = context.open_vault("importing", writes=True)
    options = {"dry_run": values["dry_run"], "allow_secret": values["allow_secret"]}
    if source != "-" and os.path.isdir(source):
        return report(importing.import_folder(vault, source, **options))
    data = context.read_stdin() if source == "-" else jsonl.read_file(source)
    if source.endswith(".md"):
        raise UsageError(
            "a single note is saved, not imported", hint=f"memcli save --file {source}"
        )
    return report(importing.import_lines(vault, data, source, **options))


def _in_place(context: Context, source: str, *, dry_run: bool) -> Result:
    if not os.path.isdir(source):
        raise Unreadable(f"{source} is not a folder", hint="--in-place takes a folder.")
    from memcli.cli import init

    return init.prepare(context, source, dry_run=dry_run, adopt=True)


def report(done: "Imported") -> Result:
    """What an import did, as a result."""

    def text(canvas: Canvas) -> None:
        verb = "would import" if done.dry_run else "imported"
        canvas.line(
            f"{verb} {len(done.created)}, already known {len(done.duplicates)}, "
            f"failed {len(done.failed)}",
            style="bad" if done.failed else "good",
        )
        if done.dry_run:
            rows: list[tuple[str, ...]] = [
                (item.title, item.path) for item in done.created
            ]
            canvas.table(("title", "path"), rows)

    warnings = [note for saved in done.duplicates for note in saved.notes]
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
            {**_brief(item), "outcome": item.outcome} for item in done.duplicates
        ],
        "failed": [item._asdict() for item in done.failed],
        "dry_run": done.dry_run,
    }
    return Result(data=data, text=text, warnings=tuple(warnings), ok=not done.failed)


def _brief(saved: Any) -> dict[str, str | None]:
    return {"id": saved.id or None, "path": saved.path, "title": saved.title}


COMMAND = Command("import", _HELP, _PARAMETERS, run)
