"""`memcli resolve`: marks what is over."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import stale_lines
from memcli.curation import resolve as use_case
from memcli.curation.resolve_query import named_others, plan_query
from memcli.entries import no_secrets
from memcli.errors import EntryNotFound, MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.curation.changing import Resting
    from memcli.vault.vault import Vault


def resolve(
    context: Context,
    ids: list[str] | None = None,
    *,
    query: str | None = None,
    kinds: list[str] | None = None,
    note: str | None = None,
    by: str | None = None,
    only_this: bool = False,
    undo: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Resolve entries so that recall stops surfacing them

    By id, several at once; or by a query, which first shows its plan and acts when
    you confirm it. One that may mean several things is refused, with its plan. Entries
    of the same words go with it, of every kind. --undo brings them back.

    \b
    Example:
      memcli resolve 1m7xvn68 --note "the config is fixed"
      memcli resolve --query "rerank misconfigured" --yes
      memcli list --status resolved
      memcli resolve --undo

    Options:
        ids: `[ID]...` Ids, prefixes, paths, or names of files
        query: `--query QUERY, without ID or --undo` The reflection item, blocker,
            action or fix that it clearly means
        kinds: `--kind -k KIND, with --query` Entries of this kind
        note: `--note NOTE, without --undo` What solved it
        by: `--by NAME, without --undo` Who solved it, if not you or your agent
        only_this: `--only-this` Only the entries that are named
        undo: `--undo` Bring the entries back; without ids, those of the last
    """
    if not (ids or query or undo):
        raise UsageError(
            "name what is solved: ids, or --query",
            hint="To see what there is: memcli list",
        )
    if note or by:
        no_secrets.refuse_texts({"--note": note, "--by": by})
    vault = context.open_vault("resolving", writes=True)
    acting = not dry_run
    agreed = False
    if query:
        plan = plan_query(vault, query, kinds=kinds or (), same_key=not only_this)
        if acting:
            acting, agreed = _approved(context, plan, yes=yes)
    elif ids:
        plan = use_case.plan(vault, ids, same_key=not only_this, undo=undo)
    else:
        vault, plan = _last(context)
    changed: list[use_case.Target] = []
    if acting and (plan.targets or agreed):
        changed = use_case.apply(vault, plan, by=by, note=note, agreed=agreed)
    targets = changed if acting else plan.targets
    # To reopen makes nothing stale.
    stale = [] if plan.undo else use_case.stale_by(vault, targets)
    # An MCP client confirms by ids alone.
    person = "" if context.via == "mcp" else ", or add --yes"
    how = f"Give the ids to apply{person}."
    if dry_run or plan.ambiguous:
        how = plan.by_ids if plan.ambiguous else "Run without --dry-run to apply."
    planned = not acting and bool(plan.targets)
    done = _result(plan, changed, stale, how if planned else "")
    if undo and not ids and vault.source != "personal" and not context.vault:
        where = f"it was resolved in the vault {vault.source.removeprefix('team:')}"
        done = done._replace(warnings=(where, *done.warnings))
    return done


def _last(context: Context) -> tuple[Vault, use_case.ResolvePlan]:
    """The last resolve, in the own vault or where the command line named another.

    Raises:
        EntryNotFound, NotAllowed: as `plan_last_undo`, of the own vault.
    """
    found: list[tuple[str, Vault, use_case.ResolvePlan]] = []
    refusals: list[MemcliError] = []
    for vault in context.own_vaults("resolving", every=not context.vault, writes=True):
        try:
            plan = use_case.plan_last_undo(vault)
        except MemcliError as error:
            refusals.append(error)
            continue
        at = max(vault.get(one.id).resolved_at or "" for one in plan.targets)
        found.append((at, vault, plan))
    if not found:
        raise next(iter(refusals), EntryNotFound("nothing is resolved"))
    return max(found, key=lambda one: one[0])[1:]


def _approved(
    context: Context, plan: use_case.ResolvePlan, *, yes: bool
) -> tuple[bool, bool]:
    """Whether to act on the plan of a query, and whether a person has seen it.

    A person sees the plan and decides; nobody else carries out one that is not clear.

    Raises:
        AmbiguousQuery: the plan is not clear, and no person is there.
    """
    if plan.ambiguous and not (context.interactive and plan.targets and not yes):
        raise plan.refusal(plan.ambiguous)
    if plan.ambiguous:
        context.tell(f"it is not clear what is meant: {plan.ambiguous}")
    lines = (f"{target.id} {target.title}" for target in plan.targets)
    agreed = context.agrees(
        lines, "Resolve these?", yes=yes, dry_run=not (plan.targets or yes)
    )
    return bool(agreed), agreed is not None and not yes


def _result(
    plan: use_case.ResolvePlan,
    changed: list[use_case.Target],
    stale: list[Resting],
    planned: str,
) -> Result:
    """The result of a resolve; of a plan alone `planned` says how to carry it out."""
    verb = "reopened" if plan.undo else "resolved"
    if planned:
        what = "matches" if plan.ambiguous else f"would be {verb}"
        head = f"{what} (with the score of each match):"
    else:
        head = f"{verb} {len(changed)} {'item' if len(changed) == 1 else 'items'}"

    def text(canvas: Canvas) -> None:
        style = "good" if changed else "dim"
        canvas.line(head, style="" if planned else style)
        for target in plan.targets if planned else changed:
            score = f" {target.score}" if planned and target.score is not None else ""
            twin = target.same_key_as
            why = f" (the same words as {twin})" if twin else ""
            canvas.line(f"  {target.id}{score} {target.title}{why}")
        for target in plan.near if planned else ():
            line = f"  not: {target.id} {target.score} {target.title}"
            canvas.line(line, style="dim")
        for target in () if planned else plan.already:
            canvas.line(f"  {target.id} is {target.status} already", style="dim")
        stale_lines(canvas, stale, "what is resolved", then=bool(planned))
        if planned:
            canvas.line(f"Nothing changed. {planned}", style="hint")

    warnings = [f"no entry contains '{word}'" for word in plan.missing_terms]
    if plan.ambiguous and not changed:
        warnings.append(f"it is not clear what is meant: {plan.ambiguous}")
    if plan.other_kinds and not plan.ambiguous:
        warnings.append(named_others(plan.other_kinds))
    warnings += [
        f"{one.id} says nearly the same, and stays: {one.title}; if it is solved, too: "
        f"memcli resolve {one.id}"
        for one in plan.left
    ]
    warnings += [
        f"{one.id} says the same and is hidden by it, too: {one.title}; to keep it: "
        f"memcli resolve --undo {one.same_key_as}"
        for one in plan.hides
    ]
    warnings += [
        f"{name} hides it: same text, also resolved. Reopen it as well: "
        f"memcli resolve --undo {name}"
        for name in plan.still_resolved_by
    ]
    data = {
        "applied": bool(changed),
        "count": len(changed),
        "items": changed,
        "plan": plan,
        "stale_models": stale,
    }
    return Result(data=data, text=text, warnings=tuple(warnings))
