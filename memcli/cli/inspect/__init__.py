"""`memcli inspect`: everything memcli knows, and why.

Door: `inspect`; each topic is the function of its own name.
Not in here: changes. What mends or decides is a command of its own.
"""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import listed, short_ids, table
from memcli.entries.entry import one_line
from memcli.entries.text.counted import counted
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.curation.research import Run
    from memcli.entries.file_checks import Finding
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import VaultState


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
    "index": (),
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
            models, research, mining, sessions, entity, agents, vaults, index, or lint
        name: `[NAME]` With mining: one session; with research: one run; with entity:
            its name
        stale: `--stale` With models: only stale ones
    """
    what = (what or "").strip()
    given = {"stale": stale, "name": name, "project": project}
    takes = TOPICS.get(what, ())
    for parameter, value in given.items():
        if value and parameter not in takes:
            topics = [topic for topic, known in TOPICS.items() if parameter in known]
            said = f"'{value}'" if parameter == "name" else f"--{parameter}"
            raise UsageError(f"{said} belongs to: memcli inspect {' or '.join(topics)}")
    if not what:
        return overview(context)
    if what == "entity":
        if not name:
            raise UsageError(
                "inspect entity takes the name of an entity",
                hint="What there is: memcli entities",
            )
        from memcli.cli.entities import entities

        return entities(context, "show", [name])
    from memcli.cli.inspect import details

    if what not in TOPICS:
        return details.entry(context, what, TOPICS)
    topic: Callable[..., Result] = globals().get(what) or getattr(details, what)
    return topic(context, **{each: given[each] for each in takes})


# The overview names this many findings and files; `inspect lint` names all.
_MOST_SHOWN = 20


def overview(context: Context) -> Result:
    """Counts, index, inbox, newest entries, findings; not ok when one is an error."""
    from memcli.vault.health import overview as use_case

    vault = context.open_vault("reading")
    seen = use_case.overview(vault)
    return Result(
        seen,
        lambda canvas: _draw_overview(canvas, seen, short_ids(canvas, vault)),
        ok=_ok(seen["findings"]),
    )


def _ok(findings: list[Finding]) -> bool:
    """Whether memcli can use everything in the vault."""
    return not any(finding.level == "error" for finding in findings)


def _draw_overview(
    canvas: Canvas, seen: dict[str, Any], short: Callable[[str], str]
) -> None:
    canvas.line(f"{seen['path']}: {counted(seen['entries'], 'entry')}", style="title")
    for counts in (seen["by_status"], seen["by_kind"]):
        parts = [f"{number:,} {name}" for name, number in counts.items()]
        canvas.line("  " + (", ".join(parts) or "empty"))
    canvas.line(f"  git: {seen['head'] or seen['git_problem']}", style="dim")
    inbox = seen["inbox"]
    if inbox["count"]:
        oldest = counted(inbox["oldest_days"] or 0, "day")
        waiting = counted(inbox["count"], "candidate")
        canvas.line(f"  {waiting} for review, the oldest for {oldest}: memcli review")
    for row in seen["recurred"]:
        canvas.line(f"  resolved, and recurred: {short(row.id)} {row.title}")
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


_OF_ROWS: dict[str, Callable[[Any], object]] = {
    "kind": lambda row: f"{row.kind} {row.status}".removesuffix(" active"),
    "date": lambda row: row.created[:10],
}


def lint(context: Context) -> Result:
    """The findings, file by file; not ok when one of the findings is an error."""
    from memcli.vault.health.lint import lint as check

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
        hint = f" ({finding.hint})" if finding.hint else ""
        said = f"{finding.level}: {finding.message}{hint}"
        canvas.line(one_line(f"{finding.path}:{finding.line}: {said}"), style=style)
    if most is not None:
        draw_more(canvas, len(findings) - most, "memcli inspect lint")


def draw_more(canvas: Canvas, number: int, where: str) -> None:
    """Say how many more there are, if any, and which command shows them."""
    if number > 0:
        canvas.line(f"  ... and {number:,} more: {where}", style="dim")


def index(context: Context) -> Result:
    """The contents of the index; not ok when it could not read a file."""
    from memcli.vault.health import overview

    facts = overview.index_facts(context.open_vault("reading"))

    def text(canvas: Canvas) -> None:
        for name, value in facts.items():
            if name != "broken":
                shown = f"{value:,}" if isinstance(value, int) else value or "-"
                canvas.line(f"{name}: {shown}")
        for file in facts["broken"]:
            canvas.line(f"{file.path}:{file.line}: {file.reason}", style="bad")

    return Result(facts, text, ok=not facts["broken"])


def agents(context: Context) -> Result:
    """Who reads and writes here, and how much of it each may see."""
    from memcli.vault import agents as use_case

    return listed(
        "agents",
        use_case.agents(context.open_vault("reading")),
        "agent=name policy groups wrote sees note",
        {"note": lambda one: "" if one.configured else "not in the config: isolated"},
        empty="No agent is configured or has written.",
    )


def vaults(context: Context) -> Result:
    """The user's vaults: where they are, what is allowed in them, what is wrong."""
    from memcli.vault.vaults import states

    context.owner_only("the list of vaults is for their owner")
    if context.vault:
        raise UsageError("memcli inspect vaults shows all of them: drop --vault")
    return listed(
        "vaults",
        states(context.caller("reading")),
        "vault=name role asked entries path sync problem",
        {
            "asked": _asked,
            "entries": lambda state: "-" if state.entries is None else state.entries,
            "path": lambda state: state.path or "-",
            "sync": _synced,
        },
        empty="No vaults.",
    )


def _synced(state: VaultState) -> str:
    if state.sync is None:
        return "-"
    if state.sync.ahead is None:
        return "never"
    return f"{state.sync.ahead:,} ahead, {state.sync.behind:,} behind"


def _asked(state: VaultState) -> str:
    if not state.recall:
        return "when named"
    return "yes" if state.hooks else "not by hooks"


# --- what was inferred ----------------------------------------------------------------


def models(context: Context, *, stale: bool, project: str | None) -> Result:
    """The models and observations, and which may no longer hold."""
    from memcli.curation import models as use_case
    from memcli.entries.eligibility import View
    from memcli.vault import staleness

    vault = context.open_vault("reading")
    view = View(vault.now_ms() // 1000)
    drawn = use_case.models(vault, view, stale=stale, project=project or "")

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
            "state": lambda model: (
                "stale" if model.stale else "look" * bool(model.stale_why)
            ),
        },
        empty=f"there is no {which}",
        vault=vault,
        data={"stale": sum(model.stale for model in drawn)},
        below=reasons,
    )


def reflections(context: Context) -> Result:
    """The reflection items, and whether each would go into a session."""
    from memcli.entries.eligibility import View
    from memcli.entries.ids import number
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
            columns = "id title source"
            table(canvas, search["found"], columns, _OF_FOUND)

    brief = {**run.brief(), "retrieved": [n for n in run.sources if n in known]}
    return Result({**brief, "searches": searches}, text=text)


# Of what lies in another vault, or is gone, only the id is known.
_OF_FOUND: dict[str, Callable[[Any], object]] = {
    "title": lambda row: row["title"] or "",
}
