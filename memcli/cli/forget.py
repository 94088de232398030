"""`memcli forget`: the one real removal."""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.curation.forget import Forgotten

_HELP = """Remove an entry from the vault for good

    For what must not be there at all; what is merely over is resolved, what changed
    is evolved. git's history still holds the text: the commands that take it out of
    there are printed. Copies in clones and backups are beyond memcli.

    \b
    Example:
      memcli forget 1m7xvn68
      memcli forget 1m7xvn68 --versions --yes
    """

_PARAMETERS = (
    Argument("id", "The entry's id, or a unique prefix", required=True, metavar="ID"),
    Option(
        "versions",
        ("--versions",),
        bool,
        "Every version of it, not only this one",
        default=False,
    ),
    Option("yes", ("--yes",), bool, "Remove without asking", default=False),
    Option("dry_run", ("--dry-run",), bool, "Only say what would go", default=False),
)


def run(context: Context, **values: Any) -> Result:
    """Remove the entry that the id names, when somebody confirms it."""
    from memcli.curation import forget

    vault = context.open_vault("forgetting", writes=True)
    name, versions = values["id"], values["versions"]
    found = forget.plan(vault, name, versions=versions)
    if values["dry_run"]:
        return _result(found)
    if not values["yes"]:
        if not context.interactive:
            raise UsageError(
                f"forgetting {found.id} removes {', '.join(found.paths)} for good",
                hint="Say --yes if that is meant; memcli resolve only hides it.",
            )
        context.tell(f"{found.title}\n  {', '.join(found.paths)}")
        if not context.confirm("Remove this for good?"):
            return _result(found)
    return _result(forget.forget(vault, name, versions=versions))


def _result(found: "Forgotten") -> Result:
    def text(canvas: Canvas) -> None:
        verb = "forgotten" if found.applied else "would forget"
        canvas.line(f"{verb} {found.id} {', '.join(found.paths)}", style="good")
        for other in found.versions:
            canvas.line(f"  another version stays: {other} (--versions takes all)")
        for row in found.linked_from:
            canvas.line(f"  linked from {row['id']} {row['title']}")
        if found.purge:
            commits = "1 commit" if found.commits == 1 else f"{found.commits} commits"
            canvas.line(f"git's history still holds the text ({commits}).")
            canvas.line("To take it out, in the vault and in every clone of it:")
            for command in found.purge[:-1]:
                canvas.line(f"  {command} &&")
            canvas.line(f"  {found.purge[-1]}")

    return Result(data=found.as_dict(), text=text)


COMMAND = Command("forget", _HELP, _PARAMETERS, run)
