"""`memcli tags`: the tags of a vault."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.vault.counts import Count


def tags(context: Context) -> Result:
    """List the tags, with how many entries each has

    In force (now), over (past), and waiting for review. memcli list --tag TAG shows the
    entries.

    \b
    Example:
      memcli tags
      memcli tags --json
    """
    from memcli.vault import counts

    return counted("tags", counts.tags(context.open_vault("reading")))


def counted(name: str, counts: Sequence[Count]) -> Result:
    """The result of a list of names with their counts."""

    def text(canvas: Canvas) -> None:
        if not counts:
            canvas.line(f"there are no {name}", style="nothing")
            return
        canvas.table(
            (name.removesuffix("s"), "now", "past", "waiting"),
            [
                (
                    one.name or "",
                    f"{one.current:,}",
                    f"{one.past:,}",
                    f"{one.waiting:,}",
                )
                for one in counts
            ],
        )

    data = {name: [one.as_dict() for one in counts], "count": len(counts)}
    return Result(data=data, text=text)
