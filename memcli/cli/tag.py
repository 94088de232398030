"""`memcli tag` and `pin`: marks of an entry that make no new version of it."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.errors import UsageError

TYPE_CHECKING = False


def tag(
    context: Context,
    entry_id: str,
    tags: list[str] | None = None,
    *,
    untag: list[str] | None = None,
    project: str | None = None,
) -> Result:
    """Add and drop tags of an entry, or say in which project it holds

    The entry stays the same version: its id, its text and its date do not change.

    \b
    Example:
      memcli tag 1m7xvn68 +deploy -draft

    Options:
        tags: `[+TAG | -TAG]...` +TAG adds a tag, -TAG drops one
        untag: `--untag TAG` Another way to write -TAG; repeatable
        project: `--project -p NAME` Where it holds: a project; here, or none for
            everywhere
    """
    from memcli.curation import in_place as use_case

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

    return Result(data=done._asdict(), text=text)


def pin(
    context: Context,
    ids: list[str],
    *,
    off: bool = False,
) -> Result:
    """Put entries into every session

    With hooks installed, a session starts with what is pinned. The entry stays the same
    version. With --off, recall still finds it.

    \b
    Example:
      memcli pin 1m7xvn68
      memcli pin --off 1m7xvn68

    Options:
        off: `--off` Take them out again
    """
    from memcli.curation import in_place as use_case

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

    return Result(data=use_case.pinned_as_dict(done, pinned=pinned), text=text)
