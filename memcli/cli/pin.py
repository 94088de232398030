"""`memcli pin`, `memcli unpin`: what goes into every session."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from typer import Argument


def pin(
    context: Context,
    ids: Annotated[
        list[str],
        Argument(metavar="ID...", help="Ids, prefixes, paths, or names of files"),
    ],
) -> Result:
    """Put entries into every session

    With hooks installed, a session starts with what is pinned. The entry stays the same
    version. memcli unpin takes it out again.

    \b
    Example:
      memcli pin 1m7xvn68
    """
    return _pinned(context, ids, pinned=True)


def unpin(
    context: Context,
    ids: Annotated[
        list[str],
        Argument(metavar="ID...", help="Ids, prefixes, paths, or names of files"),
    ],
) -> Result:
    """Take pinned entries out of the start of sessions

    Recall still finds them. The entry stays the same version.

    \b
    Example:
      memcli unpin 1m7xvn68
    """
    return _pinned(context, ids, pinned=False)


def _pinned(context: Context, ids: list[str], *, pinned: bool) -> Result:
    from memcli.curation import pin as use_case

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
