"""`memcli sync`: a vault and its remote brought together."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, refuse, to_apply
from memcli.cli.rows import draw_more
from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.curation.sync import Terms
    from memcli.curation.sync_report import Synced
    from memcli.vault.vault import Vault

_MOST_NAMED = 20
# Why a vault of the config is passed over by --all.
_NOT_SYNCED = ("no_remote", "not_own_repository", "published_vault")
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
      memcli sync --all --dry-run

    Options:
        setup: `--setup URL` Name the remote first: a folder, ssh or https; a new folder
            is made
        all_: `--all` Sync your vault and every vault of your config
        auto: `--auto` Wait for a turn, ask nothing: as memcli calls it by itself
    """
    refuse(
        (
            setup is not None and (all_ or auto or dry_run),
            "--setup takes one vault, and neither --all, --auto nor --dry-run",
        ),
        (all_ and context.vault, "--vault and --all cannot be combined"),
    )
    if auto:
        return _by_itself(context, all_=all_)
    from memcli.curation.sync import Terms

    terms = Terms(
        asks=context.interactive,
        silence=_SILENCE[context.interactive],
        progress=context.progress("syncing"),
    )
    if all_:
        return _all(context, terms, dry_run=dry_run)
    vault = context.open_vault("syncing")
    named = None
    if setup is not None:
        from memcli.curation import sync_setup

        named = sync_setup.setup(vault, setup, terms)
        if named.made:
            context.tell(f"made a bare repository at {named.remote.shown}")
        if named.added:
            context.tell(f"the remote {named.remote.name} is {named.remote.shown}")
    done = _synced(context, vault, terms, dry_run=dry_run)
    data = {**done.as_dict(), "setup": named is not None and named.added}
    return Result(data=data, text=lambda canvas: _draw(canvas, done, vault))


def _synced(context: Context, vault: Vault, terms: Terms, *, dry_run: bool) -> Synced:
    """Sync one vault; from then on a plain `git pull` merges as a sync does."""
    from memcli.curation import sync as use_case

    done = use_case.sync(vault, terms, dry_run=dry_run)
    if not (dry_run or vault.read_only):
        context.merges_for_git(vault.root)
    return done


def _draw(canvas: Canvas, done: Synced, vault: Vault, name: str = "") -> None:
    """The one line, what was left, and what needs a person's eyes.

    Args:
        canvas: where to.
        done: what was synced.
        vault: which vault; of those of --all also its `name`.
    """
    prefix = f"{name}: " if name else ""
    canvas.line(f"{prefix}{done.line}", style="good")
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
            where = f" --vault {name}" if name else ""
            line = f"A merge chose between two texts; check: memcli review{where}"
            canvas.line(line, style="hint")
    if done.dry_run:
        to_apply(canvas, dry_run=True)


def _all(context: Context, terms: Terms, *, dry_run: bool) -> Result:
    """Sync every vault that has a remote; one that fails does not stop the others."""
    rows: list[dict[str, Any]] = []
    done: list[tuple[str, Vault, Synced]] = []
    failures: dict[str, MemcliError] = {}
    for name, vault in _vaults(context):
        try:
            if isinstance(vault, MemcliError):
                raise vault
            done.append((name, vault, _synced(context, vault, terms, dry_run=dry_run)))
            rows.append({"skipped": None, "error": None, **done[-1][2].as_dict()})
        except MemcliError as error:
            if error.error_code in _NOT_SYNCED:
                rows.append({"vault": name, "skipped": error.error_code})
                context.tell(f"{name}: {error.message}")
                continue
            failures[name] = error
            said = {"message": error.message, "hint": error.hint}
            rows.append({"vault": name, "error": {"code": error.error_code, **said}})

    def text(canvas: Canvas) -> None:
        for name, vault, one in done:
            _draw(canvas, one, vault, name)
        for name, error in failures.items():
            canvas.line(f"{name}: {error.message}", style="bad")

    if failures and not done and all(e.exit_code == 75 for e in failures.values()):
        raise next(iter(failures.values()))
    return Result(data={"vaults": rows}, text=text, ok=not failures)


def _vaults(context: Context) -> list[tuple[str, Vault | MemcliError]]:
    """The user's vault and those of the config, each once; one that cannot be opened
    as the error that says why."""
    from memcli.storage import known_vaults

    words: list[tuple[str, str | None]] = []
    if known_vaults.named_personal(context.environ):
        words.append((known_vaults.PERSONAL, None))
    words += [(name, name) for name in known_vaults.configured(context.environ)]
    found: list[tuple[str, Vault | MemcliError]] = []
    seen = set()
    for name, word in words:
        try:
            vault = context._replace(vault=word).open_vault("syncing")
        except MemcliError as error:
            found.append((name, error))
            continue
        if vault.root not in seen:
            found.append((name, vault))
        seen.add(vault.root)
    return found


def _by_itself(context: Context, *, all_: bool) -> Result:
    """Sync without a person: each vault when its turn comes, and only where its last
    write is not on its way already."""
    from memcli.curation import sync_setup as use_case
    from memcli.curation.sync_report import NOTHING_NEW
    from memcli.sessions import hook_log

    use_case.be_nice()
    found = [vault for _, vault in _vaults(context)] if all_ else []
    vaults = [vault for vault in found if not isinstance(vault, MemcliError)]
    if not all_:
        vaults.append(context.open_vault("syncing"))
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
