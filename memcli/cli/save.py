"""`memcli save`: a memory in one's own words."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw_pair
from memcli.curation import citing
from memcli.errors import UsageError
from memcli.parameters import entry_fields

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, Unpack

    from memcli import parameters
    from memcli.entries.entry import Entry
    from memcli.vault.likeness import Similar
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault


def save(
    context: Context,
    text: str | None = None,
    *,
    file: str | None = None,
    inbox: bool = False,
    enforce: Literal["ask", "deny"] | None = None,
    cite: list[str] | None = None,
    research: str | None = None,
    allow_secret: bool = False,
    **draft: Unpack[parameters.Draft],
) -> Result:
    """Save a memory, committed to the vault's history

    The text comes from the argument, from --file, or from standard input. The same
    text again returns the entry that holds it, with new tags and entities added to
    it; entries that say nearly the same are named. Entities of --entity that are new
    are registered. It holds in the project of the folder that you stand in; where
    that is none, everywhere.

    \b
    Example:
      memcli save "Never deploy on Fridays" --kind convention --tag deploy

    Options:
        text: `[TEXT]` The text; - or nothing reads standard input
        inbox: `--inbox` Put it in the inbox for review
        enforce: `--enforce` Before a tool that it is about: let the host ask, or refuse
        research: `--research NAME` Cite only what this research run retrieved
    """
    vault = context.open_vault("saving", writes=True)
    seen_by = _visibility(vault, draft.get("visibility"), draft.get("groups"))
    if enforce:
        context.person_only("--enforce")
    given: dict[str, Any] = {**draft, "visibility": seen_by}
    if inbox:
        given["status"] = "pending"
    fields = entry_fields(given, context.now_ms())
    body = context.written_text(text, file, what="save")
    entry = vault.draft({"text": body, **fields})
    if enforce:
        from memcli.entries.entry import Enforce

        entry = entry.replace(enforce=Enforce(enforce))
    saved = citing.save(
        vault,
        entry,
        citing.Cites(cite or (), research),
        allow_secret=allow_secret,
        register=bool(entry.entities),
    )
    notes = _as_it_was(vault, saved, seen_by)
    if enforce:
        from memcli.cli import hints

        notes += hints.of_enforce(vault.get(saved.id))
    return _result(saved, entry, notes)


def _visibility(
    vault: Vault, visibility: str | None, groups: Sequence[str] | None
) -> str | None:
    """Who may see the entry; to name groups is enough to mean them."""
    own = vault.agent.groups if vault.agent else ()
    if groups and visibility not in (None, "group"):
        why = f"--group goes with --visibility group, not with {visibility}"
        raise UsageError(why, hint="Drop one of them.")
    if visibility == "group" and not (own or groups):
        raise UsageError(
            "there is no group to share it with",
            hint="Name it: --group NAME. (An agent that is in groups means those.)",
        )
    return "group" if groups else visibility


def _as_it_was(vault: Vault, saved: Saved, wanted: str | None) -> list[str]:
    """The warning when the entry has another visibility than the one asked for."""
    if wanted is None or "visibility" in saved.not_taken:
        return []
    entry = vault.get(saved.id)
    if str(entry.visibility) == wanted:
        return []
    groups = f" with {', '.join(entry.groups)}" if entry.groups else ""
    why = "it was before"
    if saved.outcome == "created":
        why = "no more agents may see its evidence"
    return [f"{saved.id} is {entry.visibility}{groups}, not {wanted}: {why}"]


_SAID = {
    "created": "saved",
    "duplicate": "already known",
    "merged": "already known, and added to",
    "seen": "seen again",
    "recurred": "resolved, and recurred",
    "rejected": "rejected before",
}


def _draw_similar(
    canvas: Canvas, new_id: str, body: str, item: Similar, *, waits: bool
) -> None:
    """Draw a similar entry beside the text that was saved, the older first.

    What `waits` for review can only be reviewed.
    """
    from memcli.entries.text.differences import told

    both = [(item.id, item.text), (new_id, body)]
    old, new = reversed(both) if item.newer else both
    canvas.line(f"  similar ({told(item.likeness, item.differs)}); both may hold:")
    draw_pair(canvas, old, new, "    ")
    if item.may_replace and not (waits and item.newer):
        command = f"memcli evolve {new[0]} --also {old[0]}"
        if waits:
            command = f"memcli review {new[0]} --supersede {old[0]}"
        canvas.line(f"    to replace the older: {command}", style="hint")


def _result(saved: Saved, entry: Entry, notes: Sequence[str]) -> Result:
    def text(canvas: Canvas) -> None:
        style = "good" if saved.outcome in ("created", "merged", "seen") else "dim"
        canvas.line(f"{_SAID[saved.outcome]} {saved.id} {saved.path}", style=style)
        notes = {
            "added": ", ".join(saved.merged),
            "anchored in": ", ".join(map(str, saved.code)),
            "mentions": ", ".join(saved.entities),
        }
        if saved.registered:
            notes["mentions"] += f" (registered: {', '.join(saved.registered)})"
        if saved.project:
            where = f"  holds in {saved.project} (everywhere: --project none)"
            canvas.line(where, style="hint")
        for what, said in notes.items():
            if said:
                canvas.line(f"  {what} {said}", style="dim")
        if saved.outcome == "created" and saved.cited and not saved.research:
            from memcli.cli.hints import UNCHECKED

            canvas.line(f"  {UNCHECKED}", style="dim")
        waits = entry.status == "pending"
        for item in saved.similar:
            _draw_similar(canvas, saved.id, entry.body, item, waits=waits)

    warnings = [*saved.notes, *notes]
    if saved.like_resolved is not None:
        warnings.append(saved.like_resolved.solved)
    data = saved.as_dict(drawn=entry.layer != "fact")
    return Result(data=data, text=text, warnings=tuple(warnings))
