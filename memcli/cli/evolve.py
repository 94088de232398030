"""`memcli evolve`: the next version of a memory, or the one before."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from memcli.cli.save import written_text
from memcli.cli.spec import Argument, Canvas, Command, Context, Option, Result
from memcli.entries.entry import Layer
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.curation.evolve import Evolved
    from memcli.vault.vault import Vault

_HELP = """Replace a memory by its next version, and keep the old one

    The new version takes the place of the old one, so links keep working; the old
    one moves to archive/, with the reason. What is not changed is carried over:
    tags, links, fields that memcli does not know. Entries that seem to make the same
    claim are listed as not updated; --also replaces them together.

    \b
    Example:
      memcli evolve 1m7xvn68 "We deploy on Mondays" --reason "the freeze moved"
      memcli evolve 1m7xvn68 --edit
      memcli evolve --revert 1m7xvn68
    """

_PARAMETERS = (
    Argument("id", "The entry's id, or a unique prefix", required=True, metavar="ID"),
    Argument("text", "The new text; - reads standard input", metavar="[TEXT]"),
    Option("file", ("--file",), str, "Read the text from a file", metavar="PATH"),
    Option("edit", ("--edit",), bool, "Open the text in EDITOR", default=False),
    Option("reason", ("--reason",), str, "Why; kept with the old version"),
    Option("title", ("--title",), str, "A new title"),
    Option("kind", ("--kind",), str, "A new kind"),
    Option("type", ("--type",), str, "A new type"),
    Option("tag", ("--tag",), str, "A tag to add; repeatable", repeat=True),
    Option("untag", ("--untag",), str, "A tag to drop; repeatable", repeat=True),
    Option("entity", ("--entity",), str, "An entity to add; repeatable", repeat=True),
    Option("occurred_at", ("--occurred-at",), str, "When it happened", metavar="DATE"),
    Option(
        "expires_at",
        ("--expires-at",),
        str,
        "Not shown from this date on",
        metavar="DATE",
    ),
    Option(
        "also",
        ("--also",),
        str,
        "Another entry that the new version replaces; repeatable",
        repeat=True,
        metavar="ID",
    ),
    Option("subtype", ("--subtype",), str, "Of a model: structural, emergent, pinned"),
    Option(
        "cite",
        ("--cite",),
        str,
        "An entry that the new version rests on; repeatable",
        repeat=True,
        metavar="ID",
    ),
    Option(
        "research",
        ("--research",),
        str,
        "Cite only what this research run retrieved",
        metavar="NAME",
    ),
    Option(
        "revert", ("--revert",), bool, "Go back to the version before", default=False
    ),
    Option(
        "allow_secret",
        ("--allow-secret",),
        bool,
        "Save though it looks like a secret",
        default=False,
    ),
)
_FIELDS = ("title", "kind", "type", "subtype", "occurred_at", "expires_at")


def run(context: Context, **values: Any) -> Result:
    """Make the next version of the entry that the id names."""
    from memcli.curation import evolve

    vault = context.open_vault("evolving", writes=True)
    fields = {name: values[name] for name in _FIELDS if values[name]}
    fields |= {"tags": values["tag"], "entities": values["entity"]}
    fields = {name: value for name, value in fields.items() if value}
    if values["revert"]:
        others = ("text", "file", "edit", "also", "cite", "research")
        if fields or any(values[name] for name in others):
            raise UsageError(
                "--revert takes the version before as it was",
                hint="Revert first, then evolve the result.",
            )
        return _result(evolve.revert(vault, values["id"], reason=values["reason"]))
    reason = values["reason"]
    of, research = None, values["research"]
    if values["cite"] or research:
        from memcli.cli import citations

        old = vault.get(values["id"])
        of = citations.citations(vault, old.layer, values["cite"], research)
        # A version that is replaced by this one is its past, not its evidence.
        of = of._replace(cited=[one for one in of.cited if one != old.id])
    with _text(context, vault, values, changes=bool(fields)) as text:
        if text is not None:
            fields["text"] = text
        if reason is None and context.interactive:
            reason = context.ask("Why does it change? (empty: no reason) ")
        done = evolve.evolve(
            vault,
            values["id"],
            fields,
            reason=(reason or "").strip() or None,
            also=values["also"],
            untag=values["untag"],
            cite=of.cited if of else (),
            allow_secret=values["allow_secret"],
        )
    result = _result(done)
    if of is None:
        return result._replace(warnings=_still_stale(vault, done.id))
    return citations.reported(vault, result, of, research)


def _still_stale(vault: "Vault", entry_id: str) -> tuple[str, ...]:
    """A new wording is no new look: say so of what stays stale."""
    if vault.get(entry_id).layer is Layer.FACT:
        return ()
    from memcli.curation import models
    from memcli.recall import recall
    from memcli.vault import staleness

    view = recall.view(vault.now_ms() // 1000)
    return tuple(
        f"{entry_id} is still stale ({staleness.sentence(why)}); "
        "cite what it rests on now: --cite ID"
        for one in models.models(vault, view, stale=True)
        if one.id == entry_id and one.stale
        for why in one.stale_why
    )


def _text(
    context: Context, vault: "Vault", values: dict[str, Any], *, changes: bool
) -> AbstractContextManager[str | None]:
    """The new text, None when only fields change."""
    names = ("untag", "also", "cite", "research")
    changes = changes or any(values[name] for name in names)
    if values["edit"]:
        if values["text"] or values["file"]:
            raise UsageError("--edit brings its own text", hint="Drop TEXT or --file.")
        from memcli.cli.editor import edited

        return edited(vault.get(values["id"]).body, context.environ)
    if changes and values["text"] is None and not values["file"]:
        return nullcontext(None)
    text = written_text(context, values["text"], values["file"], what="evolve ID")
    return nullcontext(text)


def _result(done: "Evolved") -> Result:
    def text(canvas: Canvas) -> None:
        canvas.line(f"evolved {done.id} {done.path}", style="good")
        for item in done.replaced:
            canvas.line(f"  replaces {item.id}, now at {item.path}", style="dim")
        if done.siblings:
            canvas.line("not updated, though they may make the same claim:")
            for sibling in done.siblings:
                canvas.line(f"  {sibling.id} ({sibling.likeness:.0%}) {sibling.title}")
            ids = " ".join(f"--also {sibling.id}" for sibling in done.siblings)
            canvas.line(f"  replace them, too: memcli evolve {done.id} {ids}")

    return Result(data=done.as_dict(), text=text)


COMMAND = Command("evolve", _HELP, _PARAMETERS, run)
