"""`memcli resolve`: what is solved stops coming up."""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result, to_do_it
from memcli.errors import AmbiguousQuery, UsageError

if TYPE_CHECKING:
    from memcli.curation.resolve import Plan, Standing, Target

_HELP = """Mark what is solved, so that nothing shows it any more

    By id, several at once; or by a question, which first shows its plan and acts
    when it is confirmed. Entries of the same words go with it. --undo brings it back.

    \b
    Example:
      memcli resolve 1m7xvn68 --note "the config is fixed"
      memcli resolve --query "rerank misconfigured" --yes
      memcli resolve --list --unresolved
      memcli resolve --undo 1m7xvn68
    """

_PARAMETERS = (
    Argument("ids", "Ids, or unique prefixes", repeat=True, metavar="[ID]..."),
    Option("query", ("--query",), str, "Everything that this means; plans first"),
    Option("note", ("--note",), str, "What solved it"),
    Option("by", ("--by",), str, "Who solved it", metavar="NAME"),
    Option(
        "same_key",
        ("--same-key",),
        bool,
        "Also entries of the same words (the default)",
        default=False,
    ),
    Option("only_this", ("--only-this",), bool, "Only what is named", default=False),
    Option("undo", ("--undo",), bool, "Bring it back", default=False),
    Option(
        "expect",
        ("--expect",),
        int,
        "Act when the plan holds exactly this many",
        metavar="N",
    ),
    Option("yes", ("--yes",), bool, "Act without asking", default=False),
    Option("dry_run", ("--dry-run",), bool, "Only show the plan", default=False),
    Option("list", ("--list",), bool, "List what is resolved", default=False),
    Option("resolved", ("--resolved",), bool, "With --list: resolved", default=False),
    Option(
        "unresolved",
        ("--unresolved",),
        bool,
        "With --list: in force, reflection items first",
        default=False,
    ),
    Option("all", ("--all",), bool, "With --list: both", default=False),
)


def run(context: Context, **values: Any) -> Result:
    """Resolve, reopen or list."""
    from memcli.curation import resolve

    states = [name for name in ("resolved", "unresolved", "all") if values[name]]
    if values["list"]:
        if values["ids"] or values["query"] or values["undo"]:
            raise UsageError("--list changes nothing", hint="Drop the ids and flags.")
        return _list(context, states)
    if states:
        raise UsageError(f"--{states[0]} belongs to --list", hint="Add --list.")
    _check(values)
    vault = context.open_vault("resolving", writes=True)
    same_key = not values["only_this"]
    if values["query"]:
        found = resolve.plan_query(vault, values["query"], same_key=same_key)
        acting = _decided(context, found, values)
    else:
        found = resolve.plan(
            vault, values["ids"], same_key=same_key, undo=values["undo"]
        )
        acting = not values["dry_run"]
    changed: list[Target] = []
    if acting and found.targets:
        by, note = values["by"], values["note"]
        changed = resolve.apply(vault, found, by=by, note=note)
    return _result(found, changed, values, acted=acting)


def _check(values: dict[str, Any]) -> None:
    if bool(values["ids"]) == bool(values["query"]):
        raise UsageError(
            "name what is solved: ids, or --query",
            hint="See what there is: memcli resolve --list --unresolved",
        )
    if values["same_key"] and values["only_this"]:
        raise UsageError("--same-key and --only-this exclude each other")
    if values["query"] and values["undo"]:
        raise UsageError(
            "--undo takes ids", hint="They are in: memcli resolve --list --resolved"
        )
    if values["undo"] and (values["note"] or values["by"]):
        raise UsageError("--undo removes the note; it takes none")


def _decided(context: Context, found: "Plan", values: dict[str, Any]) -> bool:
    """Whether to act on the plan of a question."""
    count = len(found.targets)
    if values["dry_run"] or not count:
        return False
    if values["expect"] is not None:
        if values["expect"] != count:
            raise AmbiguousQuery(
                f"{count} entries match, not {values['expect']}; nothing was changed: "
                + _named(found.targets),
                hint="Give the ids that are meant.",
            )
        return True
    if values["yes"]:
        if found.unclear:
            raise AmbiguousQuery(
                f"{found.unclear}; nothing was changed. Matches: "
                f"{_named(found.targets)}"
                + (f"; near: {_named(found.near)}" if found.near else ""),
                hint=f"Give the ids that are meant, or --expect {count}.",
            )
        return True
    if not context.interactive:
        return False
    for target in found.targets:
        context.tell(f"  {target.id} {target.title}")
    return context.confirm("Resolve it?" if count == 1 else f"Resolve these {count}?")


def _named(targets: "list[Target]") -> str:
    shown = ", ".join(f"{target.id} ({target.title})" for target in targets[:10])
    rest = len(targets) - 10
    return f"{shown}, and {rest} more" if rest > 0 else shown


def _result(
    found: "Plan", changed: "list[Target]", values: dict[str, Any], *, acted: bool
) -> Result:
    verb = "reopened" if found.undo else "resolved"

    def text(canvas: Canvas) -> None:
        if not acted and found.targets:
            canvas.line(f"would be {verb} (with the score of each match):")
            for target in found.targets:
                score = "" if target.score is None else f" {target.score}"
                canvas.line(f"  {target.id}{score} {target.title}{_why(target)}")
            for target in found.near:
                line = f"  not: {target.id} {target.score} {target.title}"
                canvas.line(line, style="dim")
            canvas.line(
                to_do_it(values) + ("" if values["dry_run"] else ", or give the ids")
            )
            return
        items = "item" if len(changed) == 1 else "items"
        style = "good" if changed else "dim"
        canvas.line(f"{verb} {len(changed)} {items}", style=style)
        for target in changed:
            canvas.line(f"  {target.id} {target.title}{_why(target)}")
        for target in found.done:
            canvas.line(f"  {target.id} is {target.status} already", style="dim")

    warnings = [f"'{word}' stands in no entry" for word in found.missing]
    if found.unclear and not acted:
        warnings.append(f"it is not clear what is meant: {found.unclear}")
    data = {
        "applied": acted and bool(changed),
        "count": len(changed),
        "items": [target._asdict() for target in changed],
        "plan": found.as_dict(),
    }
    return Result(data=data, text=text, warnings=tuple(warnings))


def _why(target: "Target") -> str:
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


def _cells(row: "Standing") -> tuple[str, ...]:
    return (
        row.id,
        row.state,
        (row.resolved_at or "")[:10],
        row.resolved_by or "",
        str(row.seen),
        row.title,
        row.resolution_note or "",
    )


COMMAND = Command("resolve", _HELP, _PARAMETERS, run)
