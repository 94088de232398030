"""`memcli sync`: brings this clone and its remote together."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, draw_more, to_apply
from memcli.cli.rows import listed
from memcli.curation import review, sync_rules, sync_setup
from memcli.curation import sync as use_case
from memcli.curation.sync_report import NOTHING_NEW, Synced
from memcli.sessions import hook_log

TYPE_CHECKING = False

if TYPE_CHECKING:
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
        all_: `--all, with --auto` With --auto: your vault and all of your config
        auto: `--auto` Wait for a turn, ask nothing: as memcli calls it by itself
    """
    if auto:
        return _by_itself(context, all_=all_)
    asks = context.interactive
    terms = use_case.Terms(asks=asks, silence=_SILENCE[asks])
    vault = context.open_vault("syncing")
    is_new = setup is not None and sync_setup.setup(vault, setup, terms)
    done = use_case.sync(vault, terms, dry_run=dry_run)
    if not (dry_run or vault.read_only):  # a plain `git pull` merges as a sync does
        context.merges_for_git(vault.root)
    data = {**done.as_dict(), "setup": is_new}
    return Result(
        data=data,
        text=lambda canvas: _draw(canvas, done, vault),
        printed=None if dry_run else lambda: sync_rules.told(vault),
    )


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
    # Of a deletion, or of a file that is no entry, the line above says all.
    if done.eyes and not done.dry_run and review.merged_versions(vault):
        line = "A merge chose between two texts; check: memcli review"
        canvas.line(line, style="hint")
    if done.dry_run:
        to_apply(canvas, dry_run=True)


def _by_itself(context: Context, *, all_: bool) -> Result:
    """Sync without a person: each vault when its turn comes, and only where its last
    write is not on its way already."""
    sync_setup.be_nice()
    rows = []
    for vault in context.own_vaults("syncing", every=all_):
        done = sync_setup.run_by_itself(vault)
        rows.append(done._asdict())
        if done.outcome == "synced" and not done.line.endswith(NOTHING_NEW):
            # Nobody reads what is printed here; `inspect sessions` shows this.
            hook_log.note(
                vault.root,
                {"at": vault.now_ms() // 1000, "event": "sync", "did": done.line},
            )
    return listed("vaults", rows, "vault line", empty="No vaults.")
