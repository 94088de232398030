"""`memcli verify`: whether the code that memories speak of is still what it was."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.entries.projects import HERE
from memcli.entries.text.counted import counted
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Annotated

    from memcli.cli.declared import Option
    from memcli.curation.verify import Verified
    from memcli.vault.vault import Vault


def verify(
    context: Context,
    *,
    project: Annotated[
        str,
        Option("--project", metavar="NAME", help="The project; here if not given"),
    ] = HERE,
    confirm: Annotated[
        list[str] | None,
        Option(
            "--confirm",
            metavar="ID",
            help="This entry still holds: note its code as it is now; repeatable",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        Option("--dry-run", help="With --confirm: show what would be noted"),
    ] = False,
) -> Result:
    """Check the code that a project's memories speak of

    Goes through all entries of the project that name code (save --code), and lists
    those whose code moved, changed or is gone: to evolve, to resolve, or to confirm.
    To confirm an entry makes no new version of it. The exit code is 1 when an entry is
    stale.

    \b
    Example:
      memcli verify
      memcli verify --confirm 1m7xvn68
    """
    from memcli.curation import verify as use_case

    if dry_run and not confirm:
        raise UsageError("--dry-run belongs to --confirm")
    if confirm:
        vault = context.open_vault("confirming", writes=not dry_run)
        return _confirmed(vault, confirm, dry_run=dry_run)
    vault = context.open_vault("verifying")
    return _result(vault, project, use_case.verify(vault, project))


def _confirmed(vault: Vault, ids: Sequence[str], *, dry_run: bool) -> Result:
    from memcli.curation import verify as use_case

    done = use_case.confirm(vault, ids, dry_run=dry_run)

    def text(canvas: Canvas) -> None:
        verb = "would confirm" if dry_run else "confirmed"
        for each in done:
            canvas.line(f"{verb} {each.id} {each.title}", style="good")
            for place in (*each.code, *each.code_names):
                canvas.line(f"  {place}", style="dim")
            for place in each.dropped:
                canvas.line(f"  no longer named, since it is gone: {place}")
        if dry_run:
            canvas.line(to_apply(dry_run=True), style="dim")

    data = {"confirmed": [each.as_dict() for each in done], "dry_run": dry_run}
    return Result(data=data, text=text)


def _result(vault: Vault, project: str, found: Sequence[Verified]) -> Result:
    from memcli.curation.verify import AS_IT_WAS, MOVED_ENTRY, STALE_ENTRY, UNKNOWN

    states = [each.state for each in found]
    number = {
        state: states.count(state)
        for state in (STALE_ENTRY, MOVED_ENTRY, UNKNOWN, AS_IT_WAS)
    }

    def text(canvas: Canvas) -> None:
        for each in found:
            if each.state != AS_IT_WAS:
                _draw(canvas, each)
        if not found:
            canvas.line("no entry of this project names code", style="nothing")
            return
        parts = [
            f"{number[AS_IT_WAS]:,} as it was",
            f"{number[MOVED_ENTRY]:,} moved",
            f"{number[STALE_ENTRY]:,} stale",
            f"{number[UNKNOWN]:,} not checked",
        ]
        canvas.line(f"{counted(len(found), 'entry')}: {', '.join(parts)}")

    data = {
        "project": vault.here if project == HERE else project,
        "entries": [each.as_dict() for each in found],
        "count": len(found),
        **number,
    }
    return Result(data=data, text=text, ok=not number[STALE_ENTRY])


def _draw(canvas: Canvas, each: Verified) -> None:
    from memcli.curation.verify import MOVED_ENTRY, STALE_ENTRY

    canvas.line(f"{each.id} {each.title}", style="title")
    for look in each.looks:
        if look.state.why:
            style = "bad" if look.state.state in ("changed", "gone") else "dim"
            canvas.line(f"  {look.state.why}", style=style)
    confirm = f"memcli verify --confirm {each.id}"
    if each.state == STALE_ENTRY:
        canvas.line(f"  still true: {confirm}", style="dim")
        canvas.line(f"  changed: memcli evolve {each.id}", style="dim")
        canvas.line(f"  over: memcli resolve {each.id}", style="dim")
    elif each.state == MOVED_ENTRY:
        canvas.line(f"  to note where it is now: {confirm}", style="dim")
