"""`memcli save`: one memory, or a batch of them."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.dated import dated
from memcli.cli.person_only import person_only
from memcli.cli.written_text import written_text
from memcli.errors import InvalidValue, UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Annotated, Any, Literal

    from memcli.cli import options
    from memcli.cli.declared import Argument, Option
    from memcli.entries.entry import Entry
    from memcli.vault.likeness import Similar
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault

_WRITERS = ("manual", "skill", "hook", "pipeline", "import")


def save(
    context: Context,
    text: Annotated[
        str | None,
        Argument(metavar="[TEXT]", help="The text; - or nothing reads standard input"),
    ] = None,
    *,
    file: options.File = None,
    title: options.Title = None,
    kind: options.Kind = None,
    type_: options.Type = None,
    tags: options.NewTags = None,
    asked: options.Asked = None,
    entities: options.NewEntities = None,
    project: options.Project = None,
    code: options.Code = None,
    occurred_at: options.OccurredAt = None,
    occurred_until: Annotated[
        str | None,
        Option("--occurred-until", metavar="DATE", help="The end, if it lasted"),
    ] = None,
    expires_at: options.ExpiresAt = None,
    layer: Annotated[
        str | None,
        Option("--layer", metavar="LAYER", help="fact, observation or model"),
    ] = None,
    subtype: options.Subtype = None,
    cite: options.Cite = None,
    research: options.CiteResearch = None,
    item: Annotated[
        str | None,
        Option(
            "--item",
            metavar="ITEM",
            help="A reflection item: invariant (a rule) or derived (fades in days)",
        ),
    ] = None,
    inbox: Annotated[bool, Option("--inbox", help="Let a review decide on it")] = False,
    confidence: Annotated[
        str | None,
        Option(
            "--confidence",
            metavar="CONFIDENCE",
            help="Of a mined entry: HIGH, MEDIUM, LOW",
        ),
    ] = None,
    rationale: Annotated[
        str | None, Option("--rationale", metavar="RATIONALE", help="Why it was mined")
    ] = None,
    evidence: Annotated[
        list[str] | None,
        Option(
            "--evidence",
            metavar="ID",
            help="An id, as --cite, or a session that it rests on; repeatable",
        ),
    ] = None,
    review_after: Annotated[
        str | None,
        Option(
            "--review-after",
            metavar="DATE",
            help="When to check whether it still holds",
        ),
    ] = None,
    pinned: Annotated[bool, Option("--pinned", help="Goes into every session")] = False,
    enforce: options.Enforce = None,
    visibility: Annotated[
        Literal["private", "shared", "group"] | None,
        Option(
            "--visibility",
            help="Who may see it: private (its writer), shared (default), or group",
        ),
    ] = None,
    groups: Annotated[
        list[str] | None,
        Option(
            "--group",
            metavar="GROUP",
            help="A group of agents that may see it; repeatable",
        ),
    ] = None,
    source_writer: Annotated[
        str | None,
        Option(
            "--source",
            metavar="WRITER",
            help="Who writes: manual, skill, hook, pipeline or import",
        ),
    ] = None,
    source_host: Annotated[
        str | None,
        Option("--source-host", metavar="HOST", help="The agent host it came from"),
    ] = None,
    source_session: Annotated[
        str | None,
        Option("--source-session", metavar="ID", help="The session it came from"),
    ] = None,
    source_transcript: Annotated[
        str | None,
        Option("--source-transcript", metavar="PATH", help="The transcript's path"),
    ] = None,
    source_record: Annotated[
        str | None,
        Option("--source-record", metavar="ID", help="The record in the transcript"),
    ] = None,
    source_seq: Annotated[
        int | None,
        Option("--source-seq", metavar="N", help="Its place in the session, from 0"),
    ] = None,
    source_excerpt: Annotated[
        str | None,
        Option("--source-excerpt", metavar="TEXT", help="The words it rests on"),
    ] = None,
    batch: Annotated[
        str | None,
        Option(
            "--batch", metavar="FILE", help="Entries from a JSONL file, - for stdin"
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        Option("--dry-run", help="With --batch: show what would come, change nothing"),
    ] = False,
    allow_secret: options.AllowSecret = False,
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
    """
    if dry_run and not batch:
        raise UsageError("--dry-run belongs to --batch")
    vault = context.open_vault("saving", writes=True)
    seen_by = _visibility(vault, visibility, groups)
    if enforce:
        person_only(context, vault)
    source = {
        "writer": _writer(source_writer),
        "host": source_host,
        "session": source_session,
        "transcript": source_transcript,
        "record": source_record,
        "seq": source_seq,
        "excerpt": source_excerpt,
    }
    fields = {
        "status": "pending" if inbox else None,
        "tags": tags,
        "asked": asked,
        "entities": entities,
        "source": {name: value for name, value in source.items() if value is not None},
        "title": title,
        "kind": kind,
        "type": type_,
        "project": project,
        "code": code,
        "occurred_at": occurred_at,
        "occurred_until": occurred_until,
        "expires_at": expires_at,
        "layer": layer,
        "subtype": subtype,
        "item": item,
        "confidence": confidence,
        "rationale": rationale,
        "evidence": evidence,
        "review_after": review_after,
        "pinned": pinned,
        "visibility": seen_by,
        "groups": groups,
    }
    fields = {name: value for name, value in fields.items() if value}
    fields = dated(fields, context.now_ms())
    if batch:
        if cite or research:
            raise UsageError(
                "--cite and --research go with one entry, not with --batch",
                hint="A line may carry `evidence`: a list of ids.",
            )
        if enforce:
            raise UsageError(
                "--enforce goes with one entry, not with --batch",
                hint="Set it afterwards: memcli evolve ID --enforce deny",
            )
        if text or file:
            raise UsageError("--batch brings its own texts", hint="Drop the TEXT.")
        return _batch(
            context, vault, batch, fields, dry_run=dry_run, allow_secret=allow_secret
        )
    body = written_text(context, text, file, what="save")
    draft = vault.draft({"text": body, **fields})
    if enforce:
        from memcli.entries.entry import Enforce

        draft = draft.replace(enforce=Enforce(enforce))
    register = bool(draft.entities)
    if cite or research or draft.evidence:
        from memcli.curation import citing

        saved = citing.save(
            vault,
            draft,
            citing.Cites(cite or (), research),
            allow_secret=allow_secret,
            register=register,
        )
    else:
        from memcli.vault import saving

        saved = saving.save(vault, draft, allow_secret=allow_secret, register=register)
    notes = _as_it_was(vault, saved, seen_by)
    if project and saved.outcome == "created":
        from memcli.cli import elsewhere

        notes += elsewhere.for_project(vault, saved, project)
    return _result(saved, draft, notes)


def _visibility(
    vault: Vault, visibility: str | None, groups: list[str] | None
) -> str | None:
    """Who may see the entry; to name groups is enough to mean them."""
    own = vault.agent.groups if vault.agent else ()
    if groups:
        if visibility not in (None, "group"):
            raise UsageError(
                f"--group goes with --visibility group, not with {visibility}",
                hint="Drop one of them.",
            )
        return "group"
    if visibility == "group" and not own:
        raise UsageError(
            "there is no group to share it with",
            hint="Name it: --group NAME. (An agent that is in groups means those.)",
        )
    return visibility


def _writer(writer: str | None) -> str | None:
    if writer and writer not in _WRITERS:
        raise InvalidValue(
            f"source must be one of {', '.join(_WRITERS)} (got {writer!r})",
            code="invalid_source",
        )
    return writer


def _as_it_was(vault: Vault, saved: Saved, wanted: str | None) -> list[str]:
    """The warning when the entry has another visibility than the one asked for.

    The same text again returns the entry that holds it, and evidence narrows.
    """
    if wanted is None or any(item.field == "visibility" for item in saved.not_taken):
        return []
    entry = vault.get(saved.id)
    if str(entry.visibility) == wanted:
        return []
    groups = f" with {', '.join(entry.groups)}" if entry.groups else ""
    if saved.outcome == "created":
        return [
            f"it is {entry.visibility}{groups}, not {wanted}: no more agents may see "
            "its evidence"
        ]
    return [
        f"{saved.id} is {entry.visibility}{groups}, and stays so: to make it {wanted}, "
        f"edit `visibility` in {entry.path}"
    ]


def _batch(
    context: Context,
    vault: Vault,
    path: str,
    fields: dict[str, Any],
    *,
    dry_run: bool,
    allow_secret: bool,
) -> Result:
    from memcli.cli.import_ import report
    from memcli.curation import importing
    from memcli.storage import jsonl

    data = context.read_stdin() if path == "-" else jsonl.read_file(path)
    done = importing.save_lines(
        vault,
        data,
        path,
        fields=fields,
        dry_run=dry_run,
        allow_secret=allow_secret,
    )
    return report(done, ("save", "saved"))


_SAID = {
    "created": "saved",
    "duplicate": "already known",
    "merged": "already known, and added to",
    "seen": "seen again",
    "recurred": "resolved, and recurred",
    "rejected": "rejected before",
}


# Of each text: both stand beside each other.
_SHOWN = 200


def _draw_similar(canvas: Canvas, new_id: str, body: str, item: Similar) -> None:
    """Draw a similar entry beside the text that was saved, the older first."""
    from memcli.entries.entry import one_line
    from memcli.entries.text.differences import told

    both = [(item.id, item.text), (new_id, body)]
    old, new = reversed(both) if item.newer else both
    canvas.line(f"  similar ({told(item.likeness, item.differs)}); both may hold:")
    for age, (name, text) in (("older", old), ("newer", new)):
        canvas.line(f"    {age} {name}: {one_line(text)[:_SHOWN]}")
    command = f"memcli evolve {new[0]} --also {old[0]}"
    canvas.line(f"    to replace the older: {command}", style="dim")


def _result(saved: Saved, draft: Entry, notes: Sequence[str]) -> Result:
    layer, body = draft.layer, draft.body

    def text(canvas: Canvas) -> None:
        style = "good" if saved.outcome in ("created", "merged", "seen") else "dim"
        canvas.line(f"{_SAID[saved.outcome]} {saved.id} {saved.path}", style=style)
        if saved.merged:
            canvas.line(f"  added {', '.join(saved.merged)}", style="dim")
        if saved.project:
            canvas.line(
                f"  holds in {saved.project} (everywhere: --project none)", style="dim"
            )
        for anchor in saved.code:
            canvas.line(f"  anchored in {anchor}", style="dim")
        if saved.code_names:
            names = ", ".join(saved.code_names)
            canvas.line(f"  names in the code: {names}", style="dim")
        if saved.entities:
            new = ", ".join(saved.registered)
            line = f"  mentions {', '.join(saved.entities)}"
            canvas.line(line + (f" (registered: {new})" if new else ""), style="dim")
        if saved.outcome == "created" and layer != "fact" and not saved.research:
            from memcli.cli.research import UNCHECKED

            canvas.line(f"  {UNCHECKED}", style="dim")
        for item in saved.similar:
            _draw_similar(canvas, saved.id, body, item)

    warnings = [*saved.notes, *notes]
    like = saved.like_resolved
    if like is not None:
        warnings.append(
            f"{like.id} says nearly the same ({like.likeness:.0%}) and is resolved; if "
            f"it is back: memcli resolve --undo {like.id}"
        )
    data = saved.as_dict(drawn=layer != "fact")
    return Result(data=data, text=text, warnings=tuple(warnings))
