"""`memcli inspect research`: the research runs, search by search."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.curation.research import Run
    from memcli.vault.vault import Vault


def research(context: Context, name: str | None) -> Result:
    """The research runs, or a single one, search by search."""
    from memcli.curation import research as runs

    vault = context.open_vault("reading")
    if name:
        return _run(vault, runs.get(vault, name))
    listed = runs.runs(vault)

    def text(canvas: Canvas) -> None:
        if not listed:
            canvas.line("there is no research run", style="nothing")
            return
        canvas.table(
            ("name", "agent", "budget", "searches", "left", "ids", "saved", "last"),
            [
                (
                    run.name,
                    run.agent or "",
                    run.budget,
                    str(len(run.searches)),
                    str(run.left),
                    str(len(run.sources)),
                    str(len(run.saved)),
                    run.last,
                )
                for run in listed
            ],
        )

    rows = [{**run.brief(), "saved": len(run.saved)} for run in listed]
    return Result(data={"runs": rows, "count": len(rows)}, text=text)


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
                gone = "(gone)" if row["source"] == vault.source else row["source"]
                canvas.line(f"  {row['id']} {row['title'] or gone}")
        for conclusion in saved:
            canvas.line(f"{conclusion['at']} saved {conclusion['id']}", style="good")
            canvas.line(f"  cites {', '.join(conclusion['cited']) or 'nothing'}")
            if conclusion["dropped"]:
                canvas.line(
                    f"  dropped {', '.join(conclusion['dropped'])}", style="bad"
                )

    brief = {**run.brief(), "retrieved": [n for n in run.sources if n in known]}
    return Result({**brief, "searches": searches, "saved": saved}, text=text)
