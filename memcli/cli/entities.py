"""`memcli entities`: what the vault knows by name, and the decisions on names.

Invariant: what changes the entries of others shows its plan first, and acts when a
person confirms it or with --yes.
"""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, check_words, draw_more, said
from memcli.cli.rows import facts, listed, table
from memcli.curation.entities import decide, listing
from memcli.entries.entry import one_line
from memcli.entries.ids import shortened
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal


# So many names are shown; JSON has all.
_MOST_SHOWN = 50
# The names that an action takes.
_TAKES = {"show": "NAME", "register": "NAME", "merge": "NAME INTO"}


def entities(
    context: Context,
    action: Literal["list", "show", "register", "merge"] | None = None,
    names: list[str] | None = None,
    *,
    project: str | None = None,
    type_: str | None = None,
    aliases: list[str] | None = None,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """List the entities, or decide on names

    `show` tells what is known about one. `register` makes an entity of a name. `merge A
    B` makes one entity of two names: it is called B, and A is an alias; where one of
    them is new, an entity gets another name, or one more. It shows its plan first.

    \b
    Example:
      memcli entities
      memcli entities register "Ada Lovelace" --type person --alias Ada
      memcli entities merge "Redis DB" Redis --dry-run

    Options:
        action: `[ACTION]` list, show, register or merge
        names: `[NAME]...` Names of entities
        project: `--project -p NAME, with list` Only of this project; or here, none
            (everywhere) or any
        yes: `--yes, with merge` Act without asking
        dry_run: `--dry-run, with register or merge` Show what would happen, and change
            nothing
        type_: `--type TYPE, with register` person, project, ...
        aliases: `--alias NAME, with register` Another name of it; repeatable
    """
    action, names = action or "list", names or []
    check_words(f"memcli entities {action}", _TAKES.get(action, ""), names)
    if action == "list":
        return _listed(context, project)
    if action == "show":
        return _shown(context, names[0])
    vault = context.open_vault("reading", writes=True)
    about, also = type_ or "unknown", tuple(aliases or ())
    name, other = [*names, ""][:2]
    request = decide.EntityRequest(action, name, other, about, also)
    yes = yes or action == "register"
    plan, _ = decide.apply(vault, request, dry_run=True)
    lines = _lines(plan)
    if not context.agrees(lines, "Do it?", yes=yes, dry_run=dry_run):
        data = {"applied": False, **plan._asdict(), "commit": None}
        return said(data, f"would {action}:", *lines, dry_run=dry_run)
    done, commit = decide.apply(vault, request)
    number = counted(len(done.entries), "entry")
    verb = "registered" if action == "register" else "merged into"
    data = {"applied": True, **done._asdict(), "commit": commit}
    return said(data, f"{verb} {done.name}: {number} changed")


def _lines(plan: decide.EntityPlan) -> list[str]:
    lines = ["{path}: {what}".format(**each) for each in plan.files]
    lines += [
        f"{entry.path}: {', '.join(entry.before) or 'none'} -> {', '.join(entry.after)}"
        for entry in plan.entries
    ]
    return lines


def _listed(context: Context, project: str | None) -> Result:
    """The names that are registered or mentioned, and how often."""
    vault = context.open_vault("reading")
    known = listing.listed(vault, project or "")
    registered = sum(row.registered for row in known)
    rows = known if context.json else known[:_MOST_SHOWN]

    return listed(
        "entities",
        rows,
        "name type now=current past note aliases",
        {
            "type": lambda row: row.type if row.registered else "-",
            "note": lambda row: "hub" if row.hub else "",
        },
        empty="No entities.",
        data={"count": len(known), "registered": registered},
        below=lambda canvas: draw_more(canvas, len(known) - len(rows), "--json"),
    )


# Characters of a claim that are shown in its line.
_CLAIM = 100


def _shown(context: Context, name: str) -> Result:
    """The claims about an entity, by aspect, and those that hold no longer."""
    vault = context.open_vault("reading")
    about = listing.page(vault, name)

    def text(canvas: Canvas) -> None:
        state = about.type if about.registered else "mentioned, not registered"
        canvas.line(f"{about.name} ({state})", style="title")
        facts(canvas, {"also": about.aliases, "about": about.description}, "  ")
        aspects = [*listing.by_aspect(about.current).values(), about.past]
        for claims in aspects:
            table(canvas, claims, "kind id text no_longer=reason", _OF_CLAIMS)

    return Result(data=about.as_dict(), text=text)


_OF_CLAIMS: dict[str, Callable[[Any], object]] = {
    "text": lambda claim: (
        "".join(f"({mark}) " for mark in claim.marks)
        + shortened(one_line(claim.text), _CLAIM, " ")
    )
}
