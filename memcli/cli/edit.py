"""`memcli edit`: an entry's file in the person's editor."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.declared import Argument


def edit(
    context: Context,
    entry_id: Annotated[
        str,
        Argument(
            metavar="ID", help="Its id, a prefix of it, its path, or its file's name"
        ),
    ],
    *,
    allow_secret: options.AllowSecret = False,
) -> Result:
    """Open an entry's file in your editor, check it, and commit it

    The whole file: the fields above, the text below (VISUAL, else EDITOR, else vi). It
    stays the same version; memcli evolve makes a new one. What you wrote is kept in a
    file when it cannot be taken, and the error names that file.

    \b
    Example:
      memcli edit 1m7xvn68
    """
    from memcli.cli.editor import edited
    from memcli.curation import edit as use_case
    from memcli.errors import Unreadable

    vault = context.open_vault("editing", writes=True)
    old = use_case.opened(vault, entry_id)
    try:
        before = old.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{old.path}: not UTF-8 (byte {error.start:,})") from error
    with edited(before, context.environ) as text:
        done = use_case.edit(vault, old, text, allow_secret=allow_secret)

    def draw(canvas: Canvas) -> None:
        verb = "edited" if done.changed else "unchanged:"
        canvas.line(f"{verb} {done.id} {done.path}", style="good")

    from memcli.vault.saved import not_shown

    notes = not_shown(vault, [done.id])
    return Result(data=done.as_dict(), text=draw, warnings=tuple(notes))
