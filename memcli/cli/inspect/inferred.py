"""`memcli inspect models`, `reflections` and `research`: what was inferred."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import listed, short_ids
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.curation.research import Run
    from memcli.vault.vault import Vault


def models(context: Context, *, stale: bool, project: str | None) -> Result:
    """The models and observations, and which may no longer hold."""
    from memcli.curation import models as use_case
    from memcli.entries.eligibility import View
    from memcli.vault import staleness

    vault = context.open_vault("reading")
    view = View(vault.now_ms() // 1000)
    drawn = use_case.models(vault, view, stale=stale, project=project or "")

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, vault)
        if not drawn:
            which = "stale model or observation" if stale else "model or observation"
            canvas.line(f"there is no {which}", style="dim")
            return
        canvas.table(
            ("id", "layer", "subtype", "looked", "cites", "checked", "state", "title"),
            [
                (
                    short(model.id),
                    model.layer,
                    model.subtype or "",
                    (model.refreshed_at or model.created)[:10],
                    str(len(model.evidence)),
                    "yes" if model.citations_checked else "no",
                    "stale" if model.stale else "look" if model.stale_why else "",
                    model.title,
                )
                for model in drawn
            ],
        )
        for model in drawn:
            for why in model.stale_why:
                canvas.line(f"{short(model.id)}: {staleness.sentence(why)}")

    data = {
        "models": drawn,
        "count": len(drawn),
        "stale": sum(model.stale for model in drawn),
    }
    return Result(data=data, text=text)


def reflections(context: Context) -> Result:
    """The reflection items, and whether each would go into a session."""
    from memcli.entries.eligibility import View
    from memcli.entries.projects import number
    from memcli.sessions.briefing import select

    vault = context.open_vault("reading")
    view = View(now=vault.now_ms() // 1000, here=number(vault.here))
    return listed(
        "items",
        select.reflections(vault, view),
        ("id", "item", "weight", "days left", "seen", "told", "title", "why"),
        lambda item, short: (
            short(item.id),
            item.item or "",
            f"{item.score:.2f}",
            "" if item.days_left is None else f"{item.days_left:.3g}",
            str(item.sightings),
            "in" if item.injected else "out",
            item.title,
            item.reason,
        ),
        empty="No reflection items.",
        vault=vault,
    )


def research(context: Context, name: str | None) -> Result:
    """The research runs, or a single one, search by search."""
    from memcli.curation import research as runs

    vault = context.open_vault("reading")
    if name:
        return _run(vault, runs.get(vault, name))
    result = listed(
        "runs",
        runs.runs(vault),
        ("name", "agent", "budget", "searches", "left", "ids", "saved", "last"),
        lambda run, _: (
            run.name,
            run.agent or "",
            run.budget,
            str(len(run.searches)),
            str(run.left),
            str(len(run.sources)),
            str(len(run.saved)),
            run.last,
        ),
        empty="No research runs.",
    )
    rows = [{**run.brief(), "saved": len(run.saved)} for run in runs.runs(vault)]
    return result._replace(data={"runs": rows, "count": len(rows)})


def _run(vault: Vault, run: Run) -> Result:
    from contextlib import suppress

    from memcli.curation import research as runs
    from memcli.errors import MemcliError
    from memcli.vault.vault import Vault

    titles = runs.still_there(vault, run.sources)
    for source in set(run.sources.values()) - {vault.source}:
        ids = [name for name, at in run.sources.items() if at == source]
        with suppress(MemcliError):  # a vault that cannot be asked has no titles
            other = Vault.open(source.removeprefix("team:"), vault.caller)
            titles |= runs.still_there(other, ids)
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
    saved = [
        {
            **conclusion._asdict(),
            "cited": [name for name in conclusion.cited if name in known],
            "dropped": list(conclusion.dropped),
        }
        for conclusion in run.saved
    ]

    def text(canvas: Canvas) -> None:
        canvas.line(
            f"{run.name}: budget {run.budget}, {counted(len(run.searches), 'search')}, "
            f"{run.left} left",
            style="title",
        )
        for search in searches:
            about = f"{search['command']} ({search['budget']})"
            canvas.line(f"{search['at']} {about} {search['query']}")
            for row in search["found"]:
                where = "" if row["source"] == vault.source else f" · {row['source']}"
                canvas.line(f"  {row['id']} {row['title'] or '(gone)'}{where}")
        for conclusion in saved:
            canvas.line(f"{conclusion['at']} saved {conclusion['id']}", style="good")
            canvas.line(f"  cites {', '.join(conclusion['cited']) or 'nothing'}")
            if conclusion["dropped"]:
                canvas.line(
                    f"  dropped {', '.join(conclusion['dropped'])}", style="bad"
                )

    brief = {**run.brief(), "retrieved": [n for n in run.sources if n in known]}
    return Result({**brief, "searches": searches, "saved": saved}, text=text)
