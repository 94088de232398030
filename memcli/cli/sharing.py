"""`memcli sync`, `export` and `publish`: what a vault gives to others, and takes."""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Canvas, Context, Result, check_out, refuse, to_apply
from memcli.cli.rows import draw_more, facts
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from memcli.curation.exporting import Exported
    from memcli.curation.sync_report import Synced
    from memcli.vault.vault import Vault

_MOST_NAMED = 20
# Seconds without a word from the remote, when a person may be typing a password.
_SILENCE = {True: 300.0, False: 60.0}


def sync(
    context: Context,
    *,
    setup: str | None = None,
    all_: bool = False,
    auto: bool = False,
    dry_run: bool = False,
) -> Result:
    """Sync the vault with its git remote

    Commits what you have written by hand, fetches, merges and pushes. Where both sides
    changed an entry, nothing is lost: what needs your eyes is listed. Offline ends with
    the exit code 75, and your memory stays as it is.

    With [sync] auto = "sessions" or "writes" in your config.toml memcli does it by
    itself, in a process of its own.

    \b
    Example:
      memcli sync --setup git@github.com:me/memory.git
      memcli sync

    Options:
        setup: `--setup URL, without --auto or --dry-run` Name the remote first: a
            folder, ssh or https; a new folder is made
        all_: `--all, with --auto` Your vault and every vault of your config
        auto: `--auto` Wait for a turn, ask nothing: as memcli calls it by itself
    """
    if auto:
        return _by_itself(context, all_=all_)
    from memcli.curation import sync as use_case

    terms = use_case.Terms(
        asks=context.interactive,
        silence=_SILENCE[context.interactive],
        progress=context.progress("syncing"),
    )
    vault = context.open_vault("syncing")
    named = None
    if setup is not None:
        from memcli.curation import sync_setup

        named = sync_setup.setup(vault, setup, terms)
        if named.made:
            context.tell(f"made a bare repository at {named.remote.shown}")
        if named.added:
            context.tell(f"the remote {named.remote.name} is {named.remote.shown}")
    done = use_case.sync(vault, terms, dry_run=dry_run)
    if not (
        dry_run or vault.read_only
    ):  # then a plain `git pull` merges as a sync does
        context.merges_for_git(vault.root)
    data = {**done.as_dict(), "setup": named is not None and named.added}
    return Result(data=data, text=lambda canvas: _draw(canvas, done, vault))


def _draw(canvas: Canvas, done: Synced, vault: Vault) -> None:
    """The one line, what was left, and what needs a person's eyes."""
    canvas.line(done.line, style="good")
    would = ("would commit", "would forget")
    commit, forget = would if done.dry_run else ("committed", "forgot")
    if done.changed_config:
        canvas.line(f"  {done.changed_config}", style="bad")
    lines = [f"left {left.path}: {left.why}" for left in done.left]
    lines += [f"{forget} {path}, deleted by hand" for path in done.forgotten]
    lines += [f"{commit} {path}" for path in done.committed]
    for line in lines[:_MOST_NAMED]:
        canvas.line(f"  {line}", style="dim")
    draw_more(canvas, len(lines) - _MOST_NAMED, "--json")
    for note in done.eyes:
        canvas.line(f"  {note.id or note.path}  {note.title}: {note.what}", style="bad")
        if note.kept:
            canvas.line(f"    the other text: {note.kept}", style="dim")
    if done.eyes and not done.dry_run:
        from memcli.curation import review

        # Of a deletion, or of a file that is no entry, the line above says all.
        if review.merged_versions(vault):
            line = "A merge chose between two texts; check: memcli review"
            canvas.line(line, style="hint")
    if done.dry_run:
        to_apply(canvas, dry_run=True)


def _vaults(context: Context) -> Iterator[Vault]:
    """The user's vault and those of the config that can be opened, each once."""
    from memcli.storage import known_vaults

    words: list[str | None] = [*known_vaults.configured(context.environ)]
    if known_vaults.named_personal(context.environ):
        words.insert(0, None)
    seen = set()
    for word in words:
        try:
            vault = context._replace(vault=word).open_vault("syncing")
        except MemcliError:
            continue
        if vault.root not in seen:
            yield vault
        seen.add(vault.root)


def _by_itself(context: Context, *, all_: bool) -> Result:
    """Sync without a person: each vault when its turn comes, and only where its last
    write is not on its way already."""
    from memcli.curation import sync_setup as use_case
    from memcli.curation.sync_report import NOTHING_NEW
    from memcli.sessions import hook_log

    use_case.be_nice()
    vaults = [*_vaults(context)] if all_ else [context.open_vault("syncing")]
    rows = []
    for vault in vaults:
        done = use_case.run_by_itself(vault)
        rows.append(done._asdict())
        if done.outcome == "synced" and not done.line.endswith(NOTHING_NEW):
            # Nobody reads what is printed here; `inspect sessions` shows this.
            hook_log.note(
                vault.root,
                {"at": vault.now_ms() // 1000, "event": "sync", "did": done.line},
            )

    def text(canvas: Canvas) -> None:
        for row in rows:
            canvas.line(f"{row['vault']}: {row['line']}")

    return Result(data={"vaults": rows}, text=text)


# --- export and publish ---------------------------------------------------------------


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
    from memcli.cli.render import as_json
    from memcli.curation import exporting
    from memcli.recall.query import EVERYTHING
    from memcli.storage import files

    found = exporting.entries(vault, EVERYTHING, current=False)
    data: dict[str, Any] = {"format": format_, "entries": len(found.entries)}
    data["out"] = out
    objects = [exporting.as_object(entry) for entry in found.entries]
    lines = [as_json(item) for item in objects]
    if out is None:
        data["lines"] = objects
    elif not dry_run:
        files.write_atomic(out, "".join(f"{line}\n" for line in lines).encode())

    def text(canvas: Canvas) -> None:
        if out is not None or dry_run:
            said = _done(len(found.entries), out, dry_run=dry_run)
            canvas.line(said, style="good")
            return
        for line in lines:
            canvas.line(line)

    return _complete(found, Result(data=data, text=text))


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
    from memcli.curation import exporting
    from memcli.entries.entry import Visibility
    from memcli.entries.ids import HERE
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
    from memcli.vault import publishing

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
        said = "prepared" if made else "was prepared before:"
        return Result(data, lambda canvas: canvas.line(f"{said} {place.where}"))
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
