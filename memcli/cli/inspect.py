"""`memcli inspect`: everything memcli knows, and why.

Door: `inspect`; each topic is the function of its own name.
Not in here: changes. What mends or decides is a command of its own.
"""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result, draw_more
from memcli.cli.hints import UNCHECKED, nearest
from memcli.cli.rows import (
    draw_code,
    draw_stale,
    facts,
    finding_line,
    listed,
    short_ids,
    table,
)
from memcli.entries.eligibility import View
from memcli.entries.entry import FIELDS, one_line
from memcli.entries.ids import number
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound, UsageError
from memcli.named_tuple import encoded
from memcli.vault import agents as agents_of
from memcli.vault import staleness
from memcli.vault.health import inspect as use_case
from memcli.vault.health.lint import lint as check
from memcli.vault.vaults import VaultState, states

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.curation.research import Run
    from memcli.entries.file_checks import Finding
    from memcli.vault.vault import Vault


# Each topic with the parameters that it takes. A topic wins over an id that starts
# with it. Most hold a letter that no id has (i, l, o, u); "agents" and "research" do
# not, and no id starts so before the year 2318.
TOPICS = {
    "reflections": (),
    "models": ("stale", "project"),
    "research": ("name",),
    "mining": ("name",),
    "sessions": (),
    "entity": ("name",),
    "agents": (),
    "vaults": (),
    "lint": (),
}


def inspect(
    context: Context,
    what: str | None = None,
    name: str | None = None,
    *,
    stale: bool = False,
    project: str | None = None,
) -> Result:
    """Show what the vault holds, one entry in full, or what is wrong

    Without a word: an overview and the lint of the whole vault; exits with 1 when
    something is broken. With an id: its fields, versions, history, links, and whether
    recall may show it. memcli doctor --fix mends what needs no guess.

    \b
    Example:
      memcli inspect
      memcli inspect 1m7xvn68xtqp
      memcli inspect reflections
      memcli inspect models --stale
      memcli inspect entity checkout
      memcli inspect mining
      memcli inspect sessions
      memcli inspect lint --json

    Options:
        what: `[WHAT]` An id (or a prefix of it, a path, a file's name), reflections,
            models, research, mining, sessions, entity, agents, vaults, or lint
        name: `[NAME], with mining or research or entity` With mining: one session; with
            research: one run; with entity: its name
        stale: `--stale, with models` With models: only stale ones
        project: `--project -p NAME, with models` Only of this project; or here, none
            (everywhere) or any
    """
    what = (what or "").strip()
    if not what:
        return overview(context)
    if what == "entity":
        from memcli.cli.entities import entities  # with all that decides on names

        return entities(context, "show", [name] if name else [])
    if what not in TOPICS:
        return entry(context, what)
    given = {"stale": stale, "name": name, "project": project}
    topic: Callable[..., Result] | None = globals().get(what)
    if topic is None:
        from memcli.cli import signals  # with the rules of mining: 60 ms

        topic = getattr(signals, what)
    return topic(context, **{each: given[each] for each in TOPICS[what]})


# The overview names this many findings and files; `inspect lint` names all.
_MOST_SHOWN = 20


def overview(context: Context) -> Result:
    """Counts, index, inbox, newest entries, findings; not ok when one is an error."""
    vault = context.open_vault("reading")
    seen = use_case.overview(vault)

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, vault)
        canvas.line(
            f"{seen['path']}: {counted(seen['entries'], 'entry')}", style="title"
        )
        shown = {"by_status": seen["by_status"], "by_kind": seen["by_kind"]}
        facts(canvas, shown | {"git": seen["head"] or seen["git_problem"]}, "  ")
        inbox = seen["inbox"]
        if inbox["count"]:
            oldest = counted(inbox["oldest_days"] or 0, "day")
            waiting = counted(inbox["count"], "candidate")
            canvas.line(
                f"  {waiting} for review, the oldest for {oldest}: memcli review"
            )
        for row in seen["recurred"]:
            canvas.line(f"  resolved, and recurred: {short(row['id'])} {row['title']}")
        for path in seen["dirty"][:_MOST_SHOWN]:
            canvas.line(f"  not committed: {path}")
        draw_more(canvas, len(seen["dirty"]) - _MOST_SHOWN, "see git status")
        if seen["dirty"]:
            canvas.line("  to commit what memcli keeps there: memcli doctor --fix")
        for name in ("pinned", "enforced", "newest"):
            if seen[name]:
                canvas.line(f"{name}:", style="title")
                table(canvas, seen[name], "id kind date title", _OF_ROWS, short)
        draw_findings(canvas, seen["findings"], most=_MOST_SHOWN)

    return Result(seen, text, ok=_ok(seen["findings"]))


def _ok(findings: list[Finding]) -> bool:
    """Whether memcli can use everything in the vault."""
    return not any(finding.level == "error" for finding in findings)


_OF_ROWS: dict[str, Callable[[Any], object]] = {
    "kind": lambda row: ", ".join(
        (f"{row['kind']} {row['status']}".removesuffix(" active"), *row["marks"])
    ),
    "date": lambda row: row["created"][:10],
}


def lint(context: Context) -> Result:
    """The findings, file by file; not ok when one of the findings is an error."""
    found = check(context.open_vault("reading"))
    data = {"findings": found}
    return Result(data, lambda canvas: draw_findings(canvas, found), ok=_ok(found))


def draw_findings(
    canvas: Canvas, findings: list[Finding], *, most: int | None = None
) -> None:
    """Draw findings a line each; with `most` only so many, errors first."""
    if not findings:
        canvas.line("lint: nothing is wrong", style="good")
        return
    errors = sum(finding.level == "error" for finding in findings)
    canvas.line(f"lint: errors {errors:,}, warnings {len(findings) - errors:,}")
    # What makes the exit code is seen first where not everything is.
    if most is not None and len(findings) > most:
        findings = sorted(findings, key=lambda finding: finding.level != "error")
    for finding in findings[:most]:
        style = "bad" if finding.level == "error" else ""
        canvas.line(finding_line(finding, f"{finding.level}: "), style=style)
    if most is not None:
        draw_more(canvas, len(findings) - most, "memcli inspect lint")


def agents(context: Context) -> Result:
    """Who reads and writes here, and how much of it each may see."""
    return listed(
        "agents",
        agents_of.agents(context.open_vault("reading")),
        "agent=name policy groups wrote sees note",
        {"note": lambda one: "" if one.configured else "not in the config: isolated"},
        empty="No agent is configured or has written.",
    )


def vaults(context: Context) -> Result:
    """The user's vaults: where they are, what is allowed in them, what is wrong."""
    context.owner_only("the list of vaults is for their owner")
    if context.vault:
        raise UsageError("memcli inspect vaults shows all of them: drop --vault")

    def synced(state: VaultState) -> str:
        sync = state.sync
        if sync is None or sync.ahead is None:
            return "" if sync is None else "never"
        failed = f": {sync.line}" if sync.error else ""
        return f"{sync.ahead:,} ahead, {sync.behind:,} behind{failed}"

    return listed(
        "vaults",
        states(context.caller("reading")),
        "vault=name role recall hooks entries path sync problem",
        {"sync": synced},
        empty="No vaults.",
    )


# --- one entry ------------------------------------------------------------------------


def entry(context: Context, word: str) -> Result:
    """Its fields, versions, history and links, and whether recall may show it.

    Raises:
        EntryNotFound: no entry has this id; the hint names the nearest topic or id.
    """
    vault = context.open_vault("reading")
    try:
        seen = use_case.inspect(vault, word)
    except EntryNotFound as error:
        hint = error.hint or ""
        if topic := nearest(word, TOPICS):
            hint = f"Did you mean: memcli inspect {topic}?"
        elif not hint.startswith("Did you mean"):
            hint = f"Topics: {', '.join(TOPICS)}. Ids: memcli list"
        raise EntryNotFound(error.message, hint=hint, entry_id=word) from error
    return Result(
        seen.as_dict(), lambda canvas: _draw(canvas, seen, short_ids(canvas, vault))
    )


def _draw(
    canvas: Canvas, seen: use_case.Inspected, short: Callable[[str], str]
) -> None:
    entry = seen.entry
    canvas.line(entry.display_title, style="title")
    canvas.line(f"  {entry.path} ({counted(seen.file['bytes'], 'byte')})", style="dim")
    default = type(entry)(id="")
    given = (name for name in FIELDS if getattr(entry, name) != getattr(default, name))
    fields = {name: getattr(entry, name) for name in given if name != "title"}
    facts(canvas, encoded(fields), "  ")
    for _, lines in entry.extra:
        for line in lines.rstrip("\n").split("\n"):
            canvas.line(f"  {line}", style="dim")
    for problem in seen.problems:
        canvas.line(f"  line {problem.line}: {problem.message}", style="bad")
    state = "yes" if seen.eligible else f"no: {seen.reason_not_eligible}"
    canvas.line(f"  shown by recall: {state}", style="good" if seen.eligible else "bad")
    if entry.layer != "fact" and not entry.research:
        canvas.line(f"  {UNCHECKED}")
    if seen.unconfirmed:
        canvas.line("  unconfirmed: heard in one session alone", style="bad")
    draw_stale(canvas, seen)
    draw_code(canvas, seen.entry.id, [look.state for look in seen.code], whole=True)
    for look in seen.code:
        for line in filter(None, (*look.diff, look.note)):
            canvas.line(f"    {line}", style="dim")
    if seen.recurred_at:
        line = f"  recurred on {seen.recurred_at}; to reopen it: memcli resolve --undo "
        canvas.line(line + entry.id, style="hint")
    facts(canvas, {"stored or recalled": seen.uses}, "  ")
    for line in ("", *entry.body.strip().split("\n"), ""):
        canvas.line(line and f"  {line}")
    _draw_around(canvas, seen, short)


def _draw_around(
    canvas: Canvas, seen: use_case.Inspected, short: Callable[[str], str]
) -> None:
    if len(seen.versions) > 1:
        canvas.line("versions:", style="title")
        own: dict[str, Callable[[Any], object]] = {
            "written": lambda version: version.created[:10],
            "state": lambda each: "current" if each.current else each.status,
        }
        table(canvas, seen.versions, "written id state title reason path", own, short)
    for link in seen.links:
        target, file = link.entry, link.file
        shown = f"{short(target.id)} {target.marked}" if target else file or "nothing"
        canvas.line(
            one_line(f"links to {link.target}: {shown}"), style="" if file else "bad"
        )
    for row in seen.backlinks:
        canvas.line(f"linked from: {short(row.id)} {row.marked}")
    if seen.history_note:
        canvas.line(f"history: {seen.history_note}")
    short_id = {"commit": lambda one: one.id[:10]}
    table(canvas, seen.history, "commit when author subject", short_id)


# --- what was inferred ----------------------------------------------------------------


def models(context: Context, *, stale: bool, project: str | None) -> Result:
    """The models and observations, and which may no longer hold."""
    from memcli.curation import citing

    vault = context.open_vault("reading")
    view = View(vault.now_ms() // 1000)
    drawn = citing.models(vault, view, stale=stale, project=project or "")

    def reasons(canvas: Canvas) -> None:
        short = short_ids(canvas, vault)
        for model in drawn:
            for why in model.stale_why:
                canvas.line(f"{short(model.id)}: {staleness.sentence(why)}")

    which = "stale model or observation" if stale else "model or observation"
    return listed(
        "models",
        drawn,
        "id layer subtype looked cites checked=citations_checked state title",
        {
            "looked": lambda model: (model.refreshed_at or model.created)[:10],
            "cites": lambda model: len(model.evidence),
            "state": lambda one: "stale" if one.stale else "look" * bool(one.stale_why),
        },
        empty=f"there is no {which}",
        vault=vault,
        data={"stale": sum(model.stale for model in drawn)},
        below=reasons,
    )


def reflections(context: Context) -> Result:
    """The reflection items, and whether each would go into a session."""
    from memcli.sessions.briefing import select

    vault = context.open_vault("reading")
    view = View(now=vault.now_ms() // 1000, here=number(vault.here))
    return listed(
        "items",
        select.reflections(vault, view),
        "id item weight days_left seen=sightings told title why=reason",
        {
            "weight": lambda one: f"{one.score:.2f}",
            "days_left": lambda one: one.days_left and f"{one.days_left:.3g}",
            "told": lambda one: "in" if one.injected else "out",
        },
        empty="No reflection items.",
        vault=vault,
    )


def research(context: Context, name: str | None) -> Result:
    """The research runs, or a single one, search by search."""
    from memcli.curation import research as runs

    vault = context.open_vault("reading")
    if name:
        return _run(vault, runs.get(vault, name))
    return listed(
        "runs",
        [run.brief() for run in runs.runs(vault)],
        "name agent budget searches left ids=retrieved last",
        empty="No research runs.",
    )


def _run(vault: Vault, run: Run) -> Result:
    from memcli.curation import research as runs

    titles = runs.still_there(vault, run.sources)
    # An agent may have lost sight of what it retrieved; then it is not in its vault.
    known = set(titles) if vault.agent else {*titles, *run.sources}
    searches = [
        {
            **search._asdict(),
            "found": [
                {"id": name, "title": titles.get(name), "source": source}
                for name, source, _ in search.found
                if name in known
            ],
        }
        for search in run.searches
    ]

    def text(canvas: Canvas) -> None:
        done = counted(len(run.searches), "search")
        canvas.line(f"{run.name}: budget {run.budget}, {done}, {run.left} left")
        for search in searches:
            about = f"{search['at']} {search['command']} ({search['budget']})"
            canvas.line(f"{about} {search['query']}", style="title")
            table(canvas, search["found"], "id title source")

    brief = {**run.brief(), "retrieved": [n for n in run.sources if n in known]}
    return Result({**brief, "searches": searches}, text=text)
