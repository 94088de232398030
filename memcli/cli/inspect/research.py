"""`memcli inspect research`: the research runs, search by search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.cli.context import Canvas, Context, Result

if TYPE_CHECKING:
    from memcli.curation.research import Run
    from memcli.vault.vault import Vault


def research(context: Context, name: str | None) -> Result:
    """The research runs, or one of them, search by search."""
    from memcli.curation import research as runs

    vault = context.open_vault("reading")
    if name:
        return _run(vault, runs.get(vault, name))
    found = runs.runs(vault)

    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("there is no research run", style="dim")
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
                    str(len(run.retrieved)),
                    str(len(run.saved)),
                    run.last,
                )
                for run in found
            ],
        )

    rows = [{**run.brief(), "saved": len(run.saved)} for run in found]
    return Result(data={"runs": rows, "count": len(rows)}, text=text)


def _run(vault: Vault, run: Run) -> Result:
    from memcli.curation import research as runs

    titles = runs.titles(vault, run)
    # An agent may have lost sight of what it retrieved; then it is not in its vault.
    known = set(titles) if vault.agent else {*titles, *run.retrieved}
    sources = {name: run.elsewhere.get(name, vault.source) for name in run.retrieved}
    searches = [
        {
            **{k: v for k, v in one._asdict().items() if k != "elsewhere"},
            "found": [
                {"id": name, "title": titles.get(name), "source": sources[name]}
                for name in one.found
                if name in known
            ],
        }
        for one in run.searches
    ]
    saved = [
        {
            **one._asdict(),
            "cited": [name for name in one.cited if name in known],
            "dropped": list(one.dropped),
        }
        for one in run.saved
    ]

    def text(canvas: Canvas) -> None:
        canvas.line(
            f"{run.name}: budget {run.budget}, {len(run.searches)} searches, "
            f"{run.left} left",
            style="title",
        )
        for one in searches:
            canvas.line(
                f"{one['at']} {one['command']} ({one['budget']}) {one['query']}"
            )
            for row in one["found"]:
                where = "" if row["source"] == vault.source else f" · {row['source']}"
                canvas.line(f"  {row['id']} {row['title'] or '(gone)'}{where}")
        for done in saved:
            canvas.line(f"{done['at']} saved {done['id']}", style="good")
            canvas.line(f"  cites {', '.join(done['cited']) or 'nothing'}")
            if done["dropped"]:
                canvas.line(f"  dropped {', '.join(done['dropped'])}", style="bad")

    brief = {**run.brief(), "retrieved": [n for n in run.retrieved if n in known]}
    return Result({**brief, "searches": searches, "saved": saved}, text=text)
