"""`memcli resolve`, `review`, `ideas`: what is solved, what waits for a decision."""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Canvas, Context, Result, refuse, to_apply
from memcli.cli.rows import listed, stale_lines
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.curation.changing import Resting
    from memcli.curation.inbox import PendingEntry
    from memcli.curation.resolve import ResolvePlan, Target
    from memcli.curation.review import EntryDecisions
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
      memcli list --by status
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
    from memcli.curation import resolve as use_case

    if not (ids or query or undo):
        raise UsageError(
            "name what is solved: ids, or --query",
            hint="To see what there is: memcli list --by status",
        )
    if note or by:
        from memcli.entries import no_secrets

        no_secrets.refuse_texts({"--note": note, "--by": by})
    vault = context.open_vault("resolving", writes=True)
    acting = not dry_run
    agreed = False
    if query:
        from memcli.curation.resolve_query import plan_query

        plan = plan_query(vault, query, kinds=kinds or (), same_key=not only_this)
        if acting:
            acting, agreed = _approved(context, plan, yes=yes)
    elif ids:
        plan = use_case.plan(vault, ids, same_key=not only_this, undo=undo)
    else:
        vault, plan = _last(context, vault)
    changed: list[Target] = []
    if acting and (plan.targets or agreed):
        changed = use_case.apply(vault, plan, by=by, note=note, agreed=agreed)
    stale = use_case.stale_by(
        vault, changed if acting else plan.targets, undo=plan.undo
    )
    # An MCP client confirms by ids alone.
    person = "" if context.via == "mcp" else ", or add --yes"
    how = None if dry_run else f"Nothing changed. Give the ids to apply{person}."
    done = _result(plan, changed, stale, acted=acting, how=how)
    if changed and not plan.undo and vault.project:
        from memcli.curation.exporting import old_pages

        notes = [
            f"{page.name} still says: {page.lines[0]}; to write it anew: {page.command}"
            for page in old_pages(vault, context.cwd or os.curdir)
        ]
        done = done._replace(warnings=(*done.warnings, *notes))
    if undo and not ids and vault.source != "personal" and not context.vault:
        where = f"it was resolved in the vault {vault.source.removeprefix('team:')}"
        done = done._replace(warnings=(where, *done.warnings))
    return done


def _last(context: Context, own: Vault) -> tuple[Vault, ResolvePlan]:
    """The last resolve, in the own vault or where the command line named another.

    Raises:
        EntryNotFound, NotAllowed: as `plan_last_undo`, of the own vault.
    """
    from memcli.curation.resolve import plan_last_undo
    from memcli.storage import known_vaults

    named = [] if context.vault else known_vaults.configured(context.environ)
    found: list[tuple[str, Vault, ResolvePlan]] = []
    refusal: MemcliError | None = None
    for word in (None, *named):
        try:
            vault = own
            if word is not None:
                other = context._replace(vault=word)
                vault = other.open_vault("resolving", writes=True)
            plan = plan_last_undo(vault)
            at = max(vault.get(one.id).resolved_at or "" for one in plan.targets)
            found.append((at, vault, plan))
        except MemcliError as error:
            refusal = refusal or error
    if not found and refusal:
        raise refusal
    _, vault, plan = max(found, key=lambda one: one[0])
    return vault, plan


def _approved(context: Context, plan: ResolvePlan, *, yes: bool) -> tuple[bool, bool]:
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
    plan: ResolvePlan,
    changed: list[Target],
    stale: list[Resting],
    *,
    acted: bool,
    how: str | None,
) -> Result:
    verb = "reopened" if plan.undo else "resolved"

    def text(canvas: Canvas) -> None:
        if not acted and plan.targets:
            what = "matches" if plan.ambiguous else f"would be {verb}"
            canvas.line(f"{what} (with the score of each match):")
            for target in plan.targets:
                score = "" if target.score is None else f" {target.score}"
                canvas.line(f"  {target.id}{score} {target.title}{_why(target)}")
            for target in plan.near:
                line = f"  not: {target.id} {target.score} {target.title}"
                canvas.line(line, style="dim")
            stale_lines(canvas, stale, "what is resolved", then=True)
            if plan.ambiguous:
                canvas.line(f"Nothing changed. {plan.by_ids}", style="hint")
            elif how is None:
                to_apply(canvas, dry_run=True)
            else:
                canvas.line(how, style="hint")
            return
        items = "item" if len(changed) == 1 else "items"
        done = f"{verb} {len(changed)} {items}"
        if how is None and not plan.targets:
            done = f"nothing would be {verb}"
        canvas.line(done, style="good" if changed else "dim")
        for target in changed:
            canvas.line(f"  {target.id} {target.title}{_why(target)}")
        for target in plan.already:
            canvas.line(f"  {target.id} is {target.status} already", style="dim")
        stale_lines(canvas, stale, "what is resolved", then=False)

    warnings = [f"no entry contains '{word}'" for word in plan.missing_terms]
    if plan.ambiguous and not acted:
        warnings.append(f"it is not clear what is meant: {plan.ambiguous}")
    if plan.other_kinds and not plan.ambiguous:
        from memcli.curation.resolve_query import named_others

        warnings.append(named_others(plan.other_kinds))
    warnings += [
        f"{name} hides it: same text, also resolved. Reopen it as well: "
        f"memcli resolve --undo {name}"
        for name in plan.still_resolved_by
    ]
    data = {
        "applied": acted and bool(changed),
        "count": len(changed),
        "items": changed,
        "plan": plan,
        "stale_models": stale,
    }
    return Result(data=data, text=text, warnings=tuple(warnings))


def _why(target: Target) -> str:
    return f" (the same words as {target.same_key_as})" if target.same_key_as else ""


# --- review ---------------------------------------------------------------------------


def review(
    context: Context,
    ids: list[str] | None = None,
    *,
    list_: bool = False,
    approve: bool = False,
    reject: bool = False,
    supersede: str | None = None,
    reason: str | None = None,
    title: str | None = None,
    kind: str | None = None,
    tags: list[str] | None = None,
    all_: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Decide on the candidates in the inbox

    On a terminal it walks through them, the oldest first, then through ideas, and then
    through texts that were replaced in a merge of two clones; each decision is
    committed at once, so you can leave at any point. Scripts use flags: ids act at
    once, --all, which holds no idea, shows what it would do until --yes is given.
    memcli undo takes the last decision back; memcli ideas lists what waits as an idea.

    \b
    Example:
      memcli review
      memcli review --list --json
      memcli review 1m7xvn68 --approve
      memcli review 1m7xvn68 --supersede 1m7w0c2d
      memcli review --reject --all --dry-run

    Options:
        ids: `[ID]...` Ids, or unique prefixes
        list_: `--list, without --approve or --reject or --supersede` List the
            candidates
        approve: `--approve, without --reject or --supersede` Make it a memory
        reject: `--reject, without --supersede` Archive it, and never propose it again
        supersede: `--supersede ID` Make it the next version of this entry
        title: `--title TITLE, with --approve` Its title
        kind: `--kind -k KIND, with --approve` Its kind
        tags: `--tag -t TAG, with --approve` A tag to add; repeatable
        all_: `--all` Every candidate
    """
    ids = ids or []
    flags = {"approve": approve, "reject": reject, "supersede": supersede}
    action = next((name for name, given in flags.items() if given), "")
    changes = {"title": title, "kind": kind, "tags": tuple(tags or ())}
    changes = {name: value for name, value in changes.items() if value}
    refuse(
        (
            action and bool(ids) == all_,
            f"--{action} needs ids, or --all",
            "What waits: memcli review --list",
        ),
        (action == "supersede" and len(ids) != 1, "--supersede takes one id"),
        (
            ids and not action,
            "no action is given",
            "--approve, --reject, --supersede ID; or memcli inspect ID",
        ),
    )
    vault = context.open_vault("reviewing", writes=True)
    if not action and context.interactive and not list_ and not all_:
        from memcli.cli.review_walk import walk

        return walk(context, vault)
    from memcli.curation import inbox

    if not action:
        return _listed(vault, inbox.pending(vault))
    _refuse_secrets(title, reason, tags)
    if not ids:
        candidates = inbox.pending(vault, to_decide=True)
        agreed = context.agrees(
            (f"{candidate.id} {candidate.title}" for candidate in candidates),
            f"{action.capitalize()} these?",
            yes=yes,
            dry_run=dry_run or not candidates,
        )
        if not agreed:
            return _planned(candidates, action, dry_run=dry_run)
        ids = [candidate.id for candidate in candidates]
    elif dry_run:
        return _planned(inbox.named(vault, ids, supersede), action, dry_run=True)
    from memcli.curation import review as use_case

    if action == "reject":
        done = use_case.reject(vault, ids, reason)
    elif action == "supersede":
        done = use_case.supersede(vault, ids[0], supersede or "", reason)
    else:
        done = use_case.approve(vault, ids, changes)
    return _decided(vault, done)


def _listed(vault: Vault, candidates: list[PendingEntry]) -> Result:
    from memcli.curation import review
    from memcli.vault.saved import not_shown

    merged = review.merged_versions(vault, listed=True)
    result = listed(
        "candidates",
        candidates,
        "id days=age_days confidence kind title",
        empty="Nothing waits for review.",
        vault=vault,
    )

    def text(canvas: Canvas) -> None:
        if merged:
            number = counted(len(merged), "text")
            said = f"{number} replaced in a merge; at a terminal: memcli review"
            canvas.line(said, style="nothing")  # no row: a pipe has ids or nothing
        if candidates or not merged:
            result.text(canvas)

    data = dict(result.data)
    if merged:
        data["merged"] = [version._asdict() for version in merged]
    solved = not_shown(vault, [candidate.id for candidate in candidates])
    return Result(data=data, text=text, warnings=tuple(solved))


def _refuse_secrets(
    title: str | None, reason: str | None, tags: list[str] | None
) -> None:
    from memcli.entries import no_secrets

    if title or reason or tags:
        words = {"--title": title, "--reason": reason, "--tag": "\n".join(tags or ())}
        no_secrets.refuse_texts(words)


def _planned(candidates: list[PendingEntry], action: str, *, dry_run: bool) -> Result:
    """The result of decisions that were not made."""

    def text(canvas: Canvas) -> None:
        if not candidates:
            canvas.line(f"Nothing to {action}.", style="nothing")
            return
        canvas.line(f"would {action} {len(candidates)}:")
        for one in candidates:
            canvas.line(f"  {one.id} {one.title}")
        to_apply(canvas, dry_run=dry_run)

    items = [
        {"id": one.id, "title": one.title, "path": one.path, "outcome": "pending"}
        for one in candidates
    ]
    return Result({"applied": False, "action": action, "items": items}, text)


def _decided(vault: Vault, done: EntryDecisions) -> Result:
    """The result of decisions, each a row with its outcome."""
    from memcli.vault.saved import not_shown

    def text(canvas: Canvas) -> None:
        for one in done.items:
            canvas.line(f"{one.outcome} {one.id} {one.path}", style="good")

    action = done.items[0].outcome if done.items else None
    data = {"applied": bool(done.items), "action": action, **done._asdict()}
    written = [one.id for one in done.items if one.outcome != "rejected"]
    return Result(data, text, warnings=tuple(not_shown(vault, written)))


# --- ideas ----------------------------------------------------------------------------


def ideas(context: Context) -> Result:
    """List the ideas that wait for a decision

    Mining puts aside what is put off ("we should also do X later"), and nothing tells
    it until you decide, with memcli review: --approve makes it a memory, of kind idea
    or of --kind, and --reject archives it, so that it is not proposed again.

    \b
    Example:
      memcli ideas
      memcli review 1m7xvn68 --approve --kind action
      memcli review 1m7xvn68 --reject --reason "too much work"
    """
    from memcli.curation import inbox

    vault = context.open_vault("reading")
    return listed(
        "ideas",
        inbox.pending(vault, ideas=True),
        "id days=age_days title",
        empty="No open ideas.",
        vault=vault,
    )
