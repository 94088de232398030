"""`memcli undo`, `log`, `forget`, `verify`: what was, and what still holds."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result, said, to_apply
from memcli.cli.rows import stale_lines
from memcli.curation import forget as forgetting
from memcli.curation import undo as undoing
from memcli.curation import verify as code
from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.errors import InvalidValue, UsageError
from memcli.recall.query import moment_of
from memcli.vault.health import log as events

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.vault.vault import Vault


def undo(
    context: Context,
    commit: str | None = None,
    *,
    reason: str | None = None,
    dry_run: bool = False,
) -> Result:
    """Take the last change back, of any kind

    A save as well. Its files are as they were before it, by a commit of their own, so
    that the history keeps both. Again goes further back. A file that was changed since
    is not overwritten. What others have committed, and what you have done on another
    machine, and an undo, is taken back only when you name its commit; what you wrote by
    hand never. With the id of an entry, that entry alone goes back to its version
    before, as a new version.

    \b
    Example:
      memcli undo --dry-run
      memcli undo
      memcli undo 4592773e1f
      memcli undo 1m7xvn68

    Options:
        commit: `[COMMIT|ID]` Another change, by its commit; or an entry: to its version
            before
    """
    vault = context.open_vault("undoing", writes=True)
    # No id of an entry is hexadecimal: it begins with 1m until 2039.
    if commit and set(commit.lower()) - set("0123456789abcdef"):
        from memcli.cli.evolve import evolved
        from memcli.curation import evolve

        return evolved(evolve.revert(vault, commit, reason=reason, dry_run=dry_run))
    if reason:
        raise UsageError("--reason goes with the id of an entry")
    found = undoing.undo(vault, commit, dry_run=dry_run)
    data = {"applied": not dry_run, "action": "undo", **found._asdict()}
    about = [f"{path} (deleted)" for path in found.deleted]
    about += [path for path in found.paths if path not in found.deleted]
    verb = "would undo" if dry_run else "undone"
    return said(data, f"{verb}: {found.subject}", *about, dry_run=dry_run or None)


_MOST_COMMITS = 20
# Entries of one commit that are shown; JSON has fifty.
_MOST_ENTRIES = 3


def log(
    context: Context, *, limit: int | None = None, since: str | None = None
) -> Result:
    """Show what happened in the vault, the last change first

    From git: what was saved, evolved, resolved, mined, reviewed, and by whom, with the
    ids of the entries. Commits that are not memcli's are shown as commits.

    \b
    Example:
      memcli log --since 7d

    Options:
        limit: `--limit -n N` Commits at most (20)
        since: `--since WHEN` Only at or after: 2026-05, 7d, ...
    """
    if limit is not None and limit < 1:
        raise InvalidValue("--limit must be 1 or more", code="invalid_limit")
    start = moment_of(since, context.now_ms() // 1000)
    vault = context.open_vault("reading")
    found = events.log(vault, limit=limit or _MOST_COMMITS, since=start)

    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("nothing happened", style="nothing")
        header = ("when", "what", "id", "title", "by")
        canvas.table(header, [row for event in found for row in _rows(event)])

    data = {"events": found, "count": len(found)}
    return Result(data=data, text=text)


def _rows(event: events.Event) -> list[tuple[str, ...]]:
    when = event.when[:16].replace("T", " ")
    shown = [one for one in event.entries if one.id] or event.entries
    if event.action in ("commit", "undone", "kept", "created") or not shown:
        return [(when, event.action, "", event.subject, event.author)]
    if event.action in ("evolved", "reverted"):  # the version before is its history
        new = [each for each in shown if not layout.is_archived(each.path)]
        shown = new or shown
    rows: list[tuple[str, ...]] = []
    for one in shown[:_MOST_ENTRIES]:
        title = one.title + " (removed)" * (one.how == "removed")
        rows.append((when, event.action, one.id or "", title, event.author))
    if len(shown) > _MOST_ENTRIES:
        more = counted(event.files - len(rows), "more file")
        rows.append((when, event.action, "", more, event.author))
    return rows


def forget(
    context: Context,
    entry_id: str,
    *,
    versions: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Remove an entry from the vault for good

    For text that must not be in the vault at all; resolve what is merely over, and
    evolve what has changed. git's history still holds the text: memcli prints the
    commands that take it out of there. It cannot reach clones and backups.

    \b
    Example:
      memcli forget 1m7xvn68
      memcli forget 1m7xvn68 --versions --yes

    Options:
        versions: `--versions` Every version of it, not only this one
    """
    vault = context.open_vault("forgetting", writes=True)
    plan = forgetting.forget(vault, entry_id, versions=versions, dry_run=True)
    if not (yes or dry_run or context.interactive):
        raise UsageError(
            f"forgetting {plan.id} removes {', '.join(plan.paths)} for good",
            hint="Add --yes to remove it for good; memcli resolve only hides it.",
        )
    lines = [plan.title, *plan.paths, *_lost(plan)]
    if not context.agrees(lines, "Remove this for good?", yes=yes, dry_run=dry_run):
        return _forgotten(plan, dry_run=dry_run)
    return _forgotten(forgetting.forget(vault, entry_id, versions=versions))


def _lost(plan: forgetting.Forgotten) -> list[str]:
    """A line for each file with text that goes for good."""
    return [
        f"{path} has text that no commit holds: undo cannot bring it back"
        for path in plan.uncommitted
    ]


def _forgotten(done: forgetting.Forgotten, *, dry_run: bool = False) -> Result:
    def text(canvas: Canvas) -> None:
        verb = "forgotten" if done.applied else "would forget"
        canvas.line(f"{verb} {done.id} {', '.join(done.paths)}", style="good")
        for line in _lost(done):
            canvas.line(f"  {line}", style="bad")
        for other in done.versions:
            canvas.line(f"  another version stays: {other} (--versions takes all)")
        for row in done.linked_from:
            canvas.line(f"  linked from {row.id} {row.title}")
        for row in done.reopened:
            again = f"memcli resolve {row.id}"
            canvas.line(f"  told again from now on: {row.id} {row.title} ({again})")
        then = not done.applied
        stale_lines(canvas, done.stale_models, "what is forgotten", then=then)
        if done.purge:
            holds = "will still hold" if then else "still holds"
            commits = counted(done.commits, "commit")
            canvas.line(f"git's history {holds} the text ({commits}).")
        if done.purge and done.applied:
            canvas.line("To take it out, in the vault and in every clone of it:")
            canvas.line("  " + " &&\n  ".join(done.purge))
        if then:
            to_apply(canvas, dry_run=dry_run)

    return Result(data=done._asdict(), text=text)


def verify(context: Context, *, confirm: list[str] | None = None) -> Result:
    """Find memories whose code has changed

    Goes through all entries of this project that name code (save --code), and lists
    those whose code moved, changed or is gone: to evolve, to resolve, or to confirm.
    To confirm an entry makes no new version of it. The exit code is 1 when an entry is
    stale.

    \b
    Example:
      memcli verify
      memcli verify --confirm 1m7xvn68

    Options:
        confirm: `--confirm ID` This entry still holds: note its code as it is now;
            repeatable
    """
    vault = context.open_vault("verifying", writes=bool(confirm))
    if confirm:
        return _confirmed(vault, confirm)
    found = code.verify(vault)
    states = [each.state for each in found]
    named = {code.AS_IT_WAS: "as it was", code.MOVED_ENTRY: "moved"}
    named |= {code.STALE_ENTRY: "stale", code.UNKNOWN: "not checked"}
    number = {state: states.count(state) for state in named}

    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("no entry of this project names code", style="nothing")
            return
        for each in found:
            if each.state == code.AS_IT_WAS:
                continue
            canvas.line(f"{each.id} {each.title}", style="title")
            for why in filter(None, (state.why for state in each.code_state)):
                canvas.line(f"  {why}", style="bad")
            confirm = f"memcli verify --confirm {each.id}"
            if each.state == code.STALE_ENTRY:
                canvas.line(f"  still true: {confirm}", style="hint")
                canvas.line(f"  changed: memcli evolve {each.id} TEXT", style="hint")
                canvas.line(f"  over: memcli resolve {each.id}", style="hint")
            elif each.state == code.MOVED_ENTRY:
                canvas.line(f"  to note where it is now: {confirm}", style="hint")
        parts = [f"{number[state]:,} {name}" for state, name in named.items()]
        canvas.line(f"{counted(len(found), 'entry')}: {', '.join(parts)}")

    data = {"project": vault.here, "entries": found, "count": len(found), **number}
    return Result(data=data, text=text, ok=not number[code.STALE_ENTRY])


def _confirmed(vault: Vault, ids: Sequence[str]) -> Result:
    done, lines = code.confirm(vault, *ids), []
    for each in done:
        lines.append(f"confirmed {each.id} {each.title}")
        gone = (f"no longer named, since it is gone: {at}" for at in each.dropped)
        lines += [f"  {place}" for place in (*each.code, *gone)]
    return said({"confirmed": done}, "\n".join(lines))
