"""`memcli evolve`: the next version of a memory."""

from __future__ import annotations  # evaluated only when Typer reads them

from contextlib import AbstractContextManager, nullcontext

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.cli.rows import stale_lines
from memcli.parameters import entry_fields

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, Unpack

    from memcli import parameters
    from memcli.curation.evolve import Evolved
    from memcli.vault.vault import Vault


# Of the text of a similar entry.
_SHOWN = 200


def evolve(
    context: Context,
    entry_id: str,
    text: str | None = None,
    *,
    file: str | None = None,
    edit: bool = False,
    reason: str | None = None,
    untag: list[str] | None = None,
    enforce: Literal["ask", "deny", "none"] | None = None,
    also: list[str] | None = None,
    cite: list[str] | None = None,
    research: str | None = None,
    allow_secret: bool = False,
    dry_run: bool = False,
    **changes: Unpack[parameters.Fields],
) -> Result:
    """Replace a memory by its next version, and keep the old one

    The file is named after the new title, unless something links to it; the old version
    moves to archive/, with the reason. What you do not change is carried over: tags,
    links, fields that memcli does not know. The nearest entries by their words are
    listed as not updated; --also replaces them together. memcli undo ID goes back.

    \b
    Example:
      memcli evolve 1m7xvn68 "We deploy on Mondays" --reason "the freeze moved"
      memcli evolve 1m7xvn68 --edit

    Options:
        text: `[TEXT]` The new text; - reads standard input
        edit: `--edit, without TEXT or --file` Open the text in EDITOR
        reason: `--reason REASON` Why; kept with the old version
        untag: `--untag TAG` A tag to drop; repeatable
        enforce: `--enforce` Before a tool that it is about: let the host ask, or
            refuse; none takes that back
        also: `--also ID` Another entry that the new version replaces; repeatable
        research: `--research NAME` Cite only what this research run retrieved
    """
    from memcli.curation import evolve as use_case
    from memcli.curation.citing import Cites
    from memcli.entries.ids import HERE, NONE

    vault = context.open_vault("evolving", writes=True)
    given: dict[str, Any] = {**changes}
    if given.get("project") == HERE:
        given["project"] = vault.here or NONE
    fields = entry_fields(given, context.now_ms())
    if enforce:
        context.person_only(vault)
    changed = fields or untag or also or cite or research or enforce
    if edit:
        new_text = _edited(context, vault, entry_id)
    elif text is None and not file and changed:
        new_text = nullcontext(None)  # only fields change
    else:
        new_text = nullcontext(context.written_text(text, file, what="evolve ID"))
    with new_text as body:
        if body is not None:
            fields["text"] = body
        how = use_case.Succession(
            reason=(reason or "").strip() or None,
            also=also or (),
            untag=untag or (),
            cites=Cites(cite or (), research),
            enforce=enforce,
        )
        if reason is None and context.interactive and not dry_run:
            # What is refused is refused before the person is asked.
            use_case.evolve(
                vault, entry_id, fields, how, allow_secret=allow_secret, dry_run=True
            )
            why = context.ask_unless_typed("Reason (Enter to skip): ")
            how = how._replace(reason=(why or "").strip() or None)
        done = use_case.evolve(
            vault, entry_id, fields, how, allow_secret=allow_secret, dry_run=dry_run
        )
    result = evolved(done)
    if dry_run:
        return result
    more: Iterable[str] = ()
    if done.of is not None:
        more = done.of.notes()
    elif done.citations_checked is not None:  # a fact rests on nothing
        more = _still_stale(vault, done.id)
    return result._replace(warnings=(*result.warnings, *more))


def _edited(
    context: Context, vault: Vault, entry_id: str
) -> AbstractContextManager[str | None]:
    """The entry's text as a person changes it in their editor."""
    from memcli.cli.edit import edited

    return edited(vault.get(entry_id).body, context.environ)


def _still_stale(vault: Vault, entry_id: str) -> tuple[str, ...]:
    """Warn that the entry stays stale: a new wording is no new evidence."""
    from memcli.curation import models
    from memcli.entries.eligibility import View
    from memcli.vault import staleness

    view = View(vault.now_ms() // 1000)
    return tuple(
        f"{entry_id} is still stale ({staleness.sentence(why)}); "
        "cite what it rests on now: --cite ID"
        for model in models.models(vault, view, stale=True)
        if model.id == entry_id and model.stale
        for why in model.stale_why
    )


def evolved(done: Evolved) -> Result:
    """The result of a new version, or of its dry run."""

    def text(canvas: Canvas) -> None:
        if done.diff is None:
            canvas.line(f"evolved {done.id} {done.path}", style="good")
        else:
            canvas.line(f"would evolve {done.path}", style="good")
            for line in done.diff.split("\n")[2:]:
                canvas.line(f"  {line}")
        now = "now" if done.diff is None else "then"
        for item in done.replaced:
            canvas.line(f"  replaces {item.id}, {now} at {item.path}", style="dim")
        if done.citations_checked is False:
            from memcli.cli.hints import UNCHECKED

            canvas.line(f"  {UNCHECKED}", style="dim")
        if done.siblings:
            from memcli.entries.entry import one_line
            from memcli.entries.text.differences import told

            canvas.line("similar, and not updated:")
            for one in done.siblings:
                how = told(one.likeness, one.differs)
                canvas.line(f"  {one.id} ({how}): {one_line(one.text)[:_SHOWN]}")
            also = [f"--also {one.id}" for one in done.siblings if one.may_replace]
            entry_id = done.id or done.replaced[0].id
            how = " ".join(["memcli evolve", entry_id, *also])
            if also:
                canvas.line(f"  to replace what is over: {how}", style="hint")
        stale_lines(canvas, done.stale, "the old version", then=done.diff is not None)
        if done.diff is not None:
            to_apply(canvas, dry_run=True)

    return Result(data=done.as_dict(), text=text, warnings=done.notes)
