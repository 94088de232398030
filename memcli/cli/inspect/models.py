"""`memcli inspect models`: models and observations, and which may no longer hold."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result


def models(context: Context, *, stale: bool, project: str | None) -> Result:
    """The models and observations, and which may no longer hold."""
    from memcli.cli import short_ids
    from memcli.curation import models as use_case
    from memcli.entries.eligibility import View
    from memcli.vault import staleness

    vault = context.open_vault("reading")
    view = View(vault.now_ms() // 1000)
    drawn = use_case.models(vault, view, stale=stale, project=project or "")

    def text(canvas: Canvas) -> None:
        short = short_ids.of(canvas, vault)
        if not drawn:
            which = "stale model or observation" if stale else "model or observation"
            canvas.line(f"there is no {which}", style="dim")
            return
        canvas.table(
            ("id", "layer", "subtype", "looked", "cites", "checked", "", "title"),
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
        "models": [model.as_dict() for model in drawn],
        "count": len(drawn),
        "stale": sum(model.stale for model in drawn),
    }
    return Result(data=data, text=text)
