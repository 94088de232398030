"""`memcli resolve`: what is solved stops coming up."""

from __future__ import annotations  # evaluated only when Typer reads them

from typing import TYPE_CHECKING

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.entries.text.counted import agreeing, counted
from memcli.errors import AmbiguousQuery, UsageError

if TYPE_CHECKING:
    from typing import Annotated

    from typer import Argument, Option

    from memcli.cli import options
    from memcli.curation.resolve import ResolvePlan, Standing, Target


def resolve(
    context: Context,
    ids: Annotated[
        list[str] | None, Argument(metavar="[ID]...", help="Ids, or unique prefixes")
    ] = None,
    *,
    query: Annotated[
        str | None,
        Option(
            "--query",
            metavar="QUERY",
            help="Every entry that it clearly matches",
        ),
    ] = None,
    note: Annotated[
        str | None, Option("--note", metavar="NOTE", help="What solved it")
    ] = None,
    by: Annotated[
        str | None, Option("--by", metavar="NAME", help="Who solved it")
    ] = None,
    same_key: Annotated[
        bool,
        Option("--same-key", help="Also entries of the same words (the default)"),
    ] = False,
    only_this: Annotated[
        bool, Option("--only-this", help="Only the entries that are named")
    ] = False,
    undo: Annotated[bool, Option("--undo", help="Bring the entries back")] = False,
    expect: Annotated[
        int | None,
        Option(
            "--expect",
            metavar="N",
            help="Act when the plan of --query has exactly this many entries",
        ),
    ] = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
    list_: Annotated[bool, Option("--list", help="List what is resolved")] = False,
    resolved: Annotated[
        bool, Option("--resolved", help="With --list: resolved entries")
    ] = False,
    unresolved: Annotated[
        bool,
        Option(
            "--unresolved",
            help="With --list: entries in force, reflection items first",
        ),
    ] = False,
    all_: Annotated[bool, Option("--all", help="With --list: both")] = False,
) -> Result:
    """Resolve entries so that recall stops surfacing them

    By id, several at once; or by a query, which first shows its plan and acts when
    you confirm it. Entries of the same words go with it. --undo brings them back.

    \b
    Example:
      memcli resolve 1m7xvn68 --note "the config is fixed"
      memcli resolve --query "rerank misconfigured" --yes
      memcli resolve --list --unresolved
      memcli resolve --undo 1m7xvn68
    """
    from memcli.curation import resolve as use_case

    wanted = {"resolved": resolved, "unresolved": unresolved, "all": all_}
    states = [state for state, given in wanted.items() if given]
    if list_:
        if ids or query or undo:
            raise UsageError("--list changes nothing", hint="Drop the ids and flags.")
        return _list(context, states)
    if states:
        raise UsageError(f"--{states[0]} belongs to --list", hint="Add --list.")
    if bool(ids) == bool(query):
        raise UsageError(
            "name what is solved: ids, or --query",
            hint="To see what there is: memcli resolve --list --unresolved",
        )
    if same_key and only_this:
        raise UsageError("--same-key and --only-this exclude each other")
    if query and undo:
        raise UsageError(
            "--undo takes ids", hint="They are in: memcli resolve --list --resolved"
        )
    if undo and (note or by):
        raise UsageError("--undo removes the note; it takes none")
    if note or by:
        from memcli.entries import no_secrets

        no_secrets.refuse_texts({"--note": note, "--by": by})
    vault = context.open_vault("resolving", writes=True)
    acting = not dry_run
    if query:
        plan = use_case.plan_query(vault, query, same_key=not only_this)
        if acting:
            acting = _approved(context, plan, expect, yes=yes)
    else:
        plan = use_case.plan(vault, ids or [], same_key=not only_this, undo=undo)
    changed: list[Target] = []
    if acting and plan.targets:
        changed = use_case.apply(vault, plan, by=by, note=note)
    return _result(plan, changed, acted=acting, dry_run=dry_run)


def _approved(
    context: Context, plan: ResolvePlan, expect: int | None, *, yes: bool
) -> bool:
    """Whether to act on the plan of a query.

    Raises:
        AmbiguousQuery: the plan is not what `--expect` says, or `--yes` meets a plan
            that is not clear.
    """
    count = len(plan.targets)
    if not count:
        return False
    if expect is not None:
        if expect != count:
            raise AmbiguousQuery(
                f"{counted(count, 'entry')} {agreeing(count, 'matches')}, "
                f"not {expect}; nothing was changed: " + _named(plan.targets),
                hint="Give the ids that are meant.",
            )
        return True
    if yes:
        if plan.unclear:
            raise AmbiguousQuery(
                f"{plan.unclear}; nothing was changed. Matches: {_named(plan.targets)}"
                + (f"; near: {_named(plan.near)}" if plan.near else ""),
                hint=f"Give the ids that are meant, or --expect {count}.",
            )
        return True
    if not context.interactive:
        return False
    for target in plan.targets:
        context.tell(f"  {target.id} {target.title}")
    return context.confirm("Resolve it?" if count == 1 else f"Resolve these {count}?")


def _named(targets: list[Target]) -> str:
    shown = ", ".join(f"{target.id} ({target.title})" for target in targets[:10])
    rest = len(targets) - 10
    return f"{shown}, and {rest} more" if rest > 0 else shown


def _result(
    plan: ResolvePlan, changed: list[Target], *, acted: bool, dry_run: bool
) -> Result:
    verb = "reopened" if plan.undo else "resolved"

    def text(canvas: Canvas) -> None:
        if not acted and plan.targets:
            canvas.line(f"would be {verb} (with the score of each match):")
            for target in plan.targets:
                score = "" if target.score is None else f" {target.score}"
                canvas.line(f"  {target.id}{score} {target.title}{_why(target)}")
            for target in plan.near:
                line = f"  not: {target.id} {target.score} {target.title}"
                canvas.line(line, style="dim")
            canvas.line(
                to_apply(dry_run=dry_run) + ("" if dry_run else ", or give the ids")
            )
            return
        items = "item" if len(changed) == 1 else "items"
        style = "good" if changed else "dim"
        canvas.line(f"{verb} {len(changed)} {items}", style=style)
        for target in changed:
            canvas.line(f"  {target.id} {target.title}{_why(target)}")
        for target in plan.done:
            canvas.line(f"  {target.id} is {target.status} already", style="dim")

    warnings = [f"no entry contains '{word}'" for word in plan.missing]
    if plan.unclear and not acted:
        warnings.append(f"it is not clear what is meant: {plan.unclear}")
    data = {
        "applied": acted and bool(changed),
        "count": len(changed),
        "items": [target._asdict() for target in changed],
        "plan": plan.as_dict(),
    }
    return Result(data=data, text=text, warnings=tuple(warnings))


def _why(target: Target) -> str:
    return f" (the same words as {target.same_key_as})" if target.same_key_as else ""


def _list(context: Context, states: list[str]) -> Result:
    from memcli.curation import resolve

    wanted: list[str] = []
    if "all" not in states:
        for state in states or ["resolved"]:
            wanted += [state, "recurred"] if state == "resolved" else [state]
    rows = resolve.standings(context.open_vault("reading"), wanted)

    def text(canvas: Canvas) -> None:
        if not rows:
            canvas.line("nothing to list", style="dim")
            return
        header = ("id", "state", "since", "by", "seen", "title", "note")
        canvas.table(header, [_cells(row) for row in rows])

    data = {"entries": [row._asdict() for row in rows], "count": len(rows)}
    return Result(data=data, text=text)


def _cells(row: Standing) -> tuple[str, ...]:
    return (
        row.id,
        row.state,
        (row.resolved_at or "")[:10],
        row.resolved_by or "",
        str(row.seen),
        row.title,
        row.resolution_note or "",
    )
