"""`memcli tag`: add and drop tags."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli.declared import Argument, Option


def tag(
    context: Context,
    entry_id: Annotated[
        str,
        Argument(
            metavar="ID", help="Its id, a prefix of it, its path, or its file's name"
        ),
    ],
    tags: Annotated[
        list[str] | None,
        Argument(metavar="[+TAG | -TAG]...", help="+TAG adds a tag, -TAG drops one"),
    ] = None,
    *,
    untag: Annotated[
        list[str] | None,
        Option("--untag", metavar="TAG", help="Another way to write -TAG; repeatable"),
    ] = None,
    project: Annotated[
        str | None,
        Option(
            "--project",
            "-p",
            metavar="NAME",
            help="Where it holds: a project; here, or none for everywhere",
        ),
    ] = None,
) -> Result:
    """Add and drop tags of an entry, or say in which project it holds

    The entry stays the same version: its id, its text and its date do not change.

    \b
    Example:
      memcli tag 1m7xvn68 +deploy -draft
    """
    from memcli.curation import tag as use_case

    if not (tags or untag or project):
        raise UsageError(
            "name a tag",
            hint="memcli tag ID +TAG adds one, memcli tag ID -TAG drops it",
        )
    vault = context.open_vault("tagging", writes=True)
    done = use_case.tag(
        vault,
        entry_id,
        add=[word.removeprefix("+") for word in tags or ()],
        untag=untag or (),
        project=project,
    )

    def text(canvas: Canvas) -> None:
        shown = " ".join(f"#{one}" for one in done.tags) or "no tags"
        where = f" in {done.project}" if done.project else ""
        verb = "tagged" if done.changed else "unchanged"
        canvas.line(f"{verb} {done.id} {shown}{where}", style="good")

    return Result(data=done.as_dict(), text=text)
