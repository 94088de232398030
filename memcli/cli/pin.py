"""`memcli pin`: what goes into every session."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli.declared import Argument, Option


def pin(
    context: Context,
    ids: Annotated[
        list[str],
        Argument(metavar="ID...", help="Ids, prefixes, paths, or names of files"),
    ],
    *,
    off: Annotated[bool, Option("--off", help="Take them out again")] = False,
) -> Result:
    """Put entries into every session

    With hooks installed, a session starts with what is pinned. The entry stays the same
    version. With --off, recall still finds it.

    \b
    Example:
      memcli pin 1m7xvn68
      memcli pin --off 1m7xvn68
    """
    from memcli.curation import pin as use_case

    pinned = not off
    done = use_case.pin(context.open_vault("pinning", writes=True), ids, pinned=pinned)
    verb = "pinned" if pinned else "unpinned"

    def text(canvas: Canvas) -> None:
        for one in done:
            said = f"{verb} {one.id} {one.title}"
            if not one.changed:
                was = "is pinned already" if pinned else "is not pinned"
                said = f"unchanged: {one.id} {was}: {one.title}"
            canvas.line(said, style="good")

    return Result(data=use_case.as_dict(done, pinned=pinned), text=text)
