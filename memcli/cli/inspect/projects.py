"""`memcli inspect projects`: where memories hold."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result


def projects(context: Context) -> Result:
    """The projects of the vault with their entries, and the one of this folder."""
    from memcli.vault import counts

    vault = context.open_vault("reading")
    counted = counts.projects(vault)
    here = vault.here

    def text(canvas: Canvas) -> None:
        rows: list[tuple[str, ...]] = [
            (
                each.name or "(everywhere)",
                f"{each.current:,}",
                f"{each.past:,}",
                f"{each.waiting:,}",
                "here" if each.name and each.name == here else "",
            )
            for each in counted
        ]
        canvas.table(("project", "now", "past", "waiting", ""), rows)
        canvas.line(f"this folder: {here or 'no project'}", style="dim")

    data = {
        "projects": [each.as_dict() for each in counted],
        "count": sum(each.name is not None for each in counted),
        "here": here,
    }
    return Result(data=data, text=text)
