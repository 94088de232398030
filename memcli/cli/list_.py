"""`memcli list`: the newest entries."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Annotated, Literal

    from memcli.cli import options
    from memcli.cli.declared import Option
    from memcli.curation.standings import Standing
    from memcli.recall.listing import Listed, Wish
    from memcli.recall.results import Row
    from memcli.vault.counts import Count
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def list_(
    context: Context,
    *,
    since: Annotated[
        str | None,
        Option(
            "--since", metavar="WHEN", help="Only written at or after: 2026-05, 7d, ..."
        ),
    ] = None,
    by: Annotated[
        Literal["kind", "tag", "project", "status"] | None,
        Option(
            "--by", help="How many there are of each; with filters or -n, in groups"
        ),
    ] = None,
    limit: Annotated[
        int | None,
        Option(
            "--limit", "-n", metavar="N", help="Rows at most (20; with --by 5 a group)"
        ),
    ] = None,
    all_: Annotated[bool, Option("--all", help="Every entry that passes")] = False,
    kinds: options.Kinds = None,
    types: options.Types = None,
    layers: options.Layers = None,
    tags: options.Tags = None,
    tags_match: options.TagsMatch = "any_strict",
    entities: options.Entities = None,
    project: options.OfProject = None,
    after: options.After = None,
    before: options.Before = None,
    statuses: options.Statuses = None,
    history: options.History = False,
    vaults: options.Vaults = None,
    personal_only: options.PersonalOnly = False,
) -> Result:
    """List the newest entries

    By the time they were written, the last one first. --since counts that time, --after
    and --before when it happened. Filters work as in recall. --by counts what is in
    force (now), over (past), and waiting for review; --by status lists what is
    resolved, has come back, or is open.

    \b
    Example:
      memcli list --since 7d
      memcli list --by tag
      memcli list --by tag --kind fix
    """
    from memcli.errors import UsageError
    from memcli.recall import listing
    from memcli.recall.query import from_words, moment_of

    if all_ and limit is not None:
        raise UsageError("--all and --limit cannot be combined")
    now = context.now_ms() // 1000
    query = from_words(
        "",
        now,
        kind=kinds or (),
        type=types or (),
        layer=layers or (),
        tag=tags or (),
        tags_match=tags_match,
        entity=entities or (),
        project=project,
        after=after,
        before=before,
        status=statuses or (),
        history=history,
        limit=limit,
    )
    if all_:
        query = query._replace(limit=2**31)
    plain = query == from_words("", now) and since is None and not vaults
    if by == "status" and not plain:
        raise UsageError("--by status takes no filter")
    if by and plain and not all_:
        return _COUNTS[by](context)
    wish = listing.Wish(query, moment_of(since, now), by or "")
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    return _result(sources, _listed(sources, wish), limited=limit is not None)


def _listed(sources: Vault | Vaults, wish: Wish) -> Listed:
    from memcli.vault.vault import Vault

    # One vault is the usual case, and loads nothing of what several need.
    if isinstance(sources, Vault):
        from memcli.recall import listing

        return listing.listed(sources, wish)
    from memcli.recall import federated

    return federated.listed(sources, wish)


def _result(sources: Vault | Vaults, answer: Listed, *, limited: bool) -> Result:
    from memcli.cli import short_ids

    def text(canvas: Canvas) -> None:
        short = short_ids.of(canvas, sources)
        if not answer.total:
            canvas.line("No matching entries.", style="nothing")
        elif answer.groups is None:
            _table(canvas, answer.rows, short)
        for group in answer.groups or ():
            canvas.line(f"{group.label} ({group.total:,})", style="title")
            _table(canvas, group.rows, short)

    warnings = list(answer.warnings)
    if answer.is_cut and not limited:
        shown = len(answer.rows) or sum(len(one.rows) for one in answer.groups or ())
        warnings.append(f"Showing {shown:,} of {answer.total:,}: --limit N, or --all")
    return Result(data=answer.as_dict(), text=text, warnings=tuple(warnings))


def _table(canvas: Canvas, rows: Sequence[Row], short: Callable[[str], str]) -> None:
    canvas.table(
        ("id", "written", "kind", "title", "project", "status", "vault"),
        [
            (
                short(row.id),
                row.created[:10],
                row.kind if row.layer == "fact" else row.layer,
                row.title,
                row.project or "",
                "" if row.status == "active" else row.status,
                "" if row.source == "personal" else row.source,
            )
            for row in rows
        ],
    )


def _tags(context: Context) -> Result:
    from memcli.vault import counts

    return _counts("tags", counts.tags(context.open_vault("reading")))


def _kinds(context: Context) -> Result:
    """The built-in kinds, those of the config, and those of notes by hand."""
    from memcli.vault import counts

    return _counts("kinds", counts.kinds(context.open_vault("reading")))


def _counts(name: str, counts: Sequence[Count]) -> Result:
    """The names with their counts."""

    def text(canvas: Canvas) -> None:
        if not counts:
            canvas.line(f"No {name}.", style="nothing")
            return
        canvas.table(
            (name.removesuffix("s"), "now", "past", "waiting"),
            [
                (
                    one.name or "",
                    f"{one.current:,}",
                    f"{one.past:,}",
                    f"{one.waiting:,}",
                )
                for one in counts
            ],
        )

    data = {name: [one.as_dict() for one in counts], "count": len(counts)}
    return Result(data=data, text=text)


def _projects(context: Context) -> Result:
    """The projects of the vault with their entries, and the one of this folder."""
    from memcli.vault import counts

    vault = context.open_vault("reading")
    counted = counts.projects(vault)
    here = vault.here

    def text(canvas: Canvas) -> None:
        rows: list[tuple[str, ...]] = [
            (
                each.name or "(everywhere)",
                f"{each.current:,}",
                f"{each.past:,}",
                f"{each.waiting:,}",
                "here" if each.name and each.name == here else "",
            )
            for each in counted
        ]
        canvas.table(("project", "now", "past", "waiting", ""), rows)
        canvas.line(f"this folder: {here or 'no project'}", style="dim")

    data = {
        "projects": [each.as_dict() for each in counted],
        "count": sum(each.name is not None for each in counted),
        "here": here,
    }
    return Result(data=data, text=text)


def _statuses(context: Context) -> Result:
    """What is open, resolved, or has come back."""
    from memcli.cli import short_ids
    from memcli.curation import standings

    vault = context.open_vault("reading")
    rows = standings.standings(vault)

    def text(canvas: Canvas) -> None:
        if not rows:
            canvas.line("No matching entries.", style="nothing")
            return
        header = ("id", "state", "since", "by", "seen", "title", "note")
        short = short_ids.of(canvas, vault)
        canvas.table(header, [_cells(row, short(row.id)) for row in rows])

    data = {"entries": [row._asdict() for row in rows], "count": len(rows)}
    return Result(data=data, text=text)


def _cells(row: Standing, shown: str) -> tuple[str, ...]:
    return (
        shown,
        row.state,
        (row.resolved_at or "")[:10],
        row.resolved_by or "",
        str(row.seen),
        row.title,
        row.resolution_note or "",
    )


_COUNTS = {"tag": _tags, "kind": _kinds, "project": _projects, "status": _statuses}
