"""`memcli list`: the newest entries."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Annotated, Literal

    from typer import Option

    from memcli.cli import options
    from memcli.recall.listing import Listed, Wish
    from memcli.recall.results import Row
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
        Literal["kind", "tag", "project"] | None,
        Option("--by", help="In groups, the largest first"),
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
    and --before when it happened. Filters work as in recall.

    \b
    Example:
      memcli list --since 7d
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
            canvas.line("no entry passes", style="nothing")
        elif answer.groups is None:
            _table(canvas, answer.rows, short)
        for group in answer.groups or ():
            canvas.line(f"{group.label} ({group.total:,})", style="title")
            _table(canvas, group.rows, short)

    warnings = list(answer.warnings)
    if answer.is_cut and not limited:
        of_all = counted(answer.total, "entry")
        warnings.append(f"not all of {of_all} are listed: --limit N, or --all")
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
