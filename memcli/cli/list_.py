"""`memcli list` and `show`: the newest entries, and entries by their ids."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw, listed, project_shown, table

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal, Unpack

    from memcli import parameters
    from memcli.recall.listing import Listed
    from memcli.recall.results import Row
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def list_(
    context: Context,
    *,
    since: str | None = None,
    by: Literal["kind", "tag", "project", "status"] | None = None,
    all_: bool = False,
    long: bool = False,
    vaults: list[str] | None = None,
    personal_only: bool = False,
    **asked: Unpack[parameters.StatusFilters],
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

    Options:
        since: `--since WHEN` Only written at or after: 2026-05, 7d, ...
        by: `--by` How many there are of each; takes no filter
        all_: `--all, without --limit` Every entry that passes
        long: `--long` With each entry's path
    """
    from memcli.errors import UsageError
    from memcli.recall import listing
    from memcli.recall.query import from_words, moment_of

    limited = asked.get("limit") is not None
    now = context.now_ms() // 1000
    query = from_words("", now, **asked)
    if all_:
        query = query._replace(limit=2**31)
    if by:
        if query != from_words("", now) or since or len(vaults or ()) > 1:
            raise UsageError(f"--by {by} takes no filter, and one vault")
        if vaults:
            context = context._replace(vault=vaults[0])
        return _counted(context, by)
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    answer = listing.listed(sources, query, moment_of(since, now))
    return _result(sources, answer, limited=limited, long=long)


def _result(
    sources: Vault | Vaults, answer: Listed, *, limited: bool, long: bool
) -> Result:
    from memcli.cli.rows import short_ids

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        if not answer.total:
            canvas.line("No matching entries.", style="nothing")
        else:
            _table(canvas, answer.rows, short, long=long)

    warnings = list(answer.warnings)
    shown = len(answer.rows)
    if shown < answer.total and not limited:
        warnings.append(f"Showing {shown:,} of {answer.total:,}: --limit N, or --all")
    return Result(data=answer.as_dict(), text=text, warnings=tuple(warnings))


def _table(
    canvas: Canvas, rows: Sequence[Row], short: Callable[[str], str], *, long: bool
) -> None:
    """A table on a pipe; on a terminal each title, and below it what it is."""
    if canvas.terminal:
        for row in rows:
            what = [short(row.id), row.kind if row.layer == "fact" else row.layer]
            what.append(row.created[:10])
            what += [project_shown(canvas, row.project)] if row.project else []
            what += [row.status] if row.status != "active" else []
            what += [row.source] if row.source != "personal" else []
            what += [row.path] if long else []
            canvas.line(row.title, style="title")
            canvas.line("  " + " · ".join(filter(None, what)), style="dim")
        return
    own: dict[str, Callable[[Any], object]] = {
        "written": lambda row: row.created[:10],
        "kind": lambda row: row.kind if row.layer == "fact" else row.layer,
        "status": lambda row: "" if row.status == "active" else row.status,
        "vault": lambda row: "" if row.source == "personal" else row.source,
    }
    columns = "id written kind title project status vault" + " path" * long
    table(canvas, rows, columns, own, short)


def _counted(context: Context, by: str) -> Result:
    """How many entries there are of each kind, tag or project; or those that are open,
    resolved, or have come back."""
    from memcli.vault import agents as counts

    vault = context.open_vault("reading")
    if by == "status":
        from memcli.curation import resolve_query

        return listed(
            "entries",
            resolve_query.standings(vault),
            "id state since by=resolved_by seen title note=resolution_note",
            {"since": lambda row: (row.resolved_at or "")[:10]},
            empty="No matching entries.",
            vault=vault,
        )
    columns = f"{by}=name now=current past waiting"
    if by != "project":
        rows = counts.tags(vault) if by == "tag" else counts.kinds(vault)
        return listed(f"{by}s", rows, columns, empty=f"No {by}s.")
    rows, here = counts.projects(vault), vault.here
    return listed(
        "projects",
        rows,
        f"{columns} note",
        {
            "project": lambda one: one.name or "(everywhere)",
            "note": lambda one: "here" if one.name and one.name == here else "",
        },
        empty="No projects.",
        data={"count": sum(one.name is not None for one in rows), "here": here},
        below=lambda canvas: canvas.line(
            f"this folder: {here or 'no project'}", style="dim"
        ),
    )


def show(
    context: Context, ids: list[str], *, vaults: list[str] | None = None
) -> Result:
    """Show entries in full, by their ids

    Prints what recall prints of an entry, also of one that recall does not show, with
    the reason. memcli inspect ID adds versions, history, links and every field.

    \b
    Example:
      memcli show 1m7xvn68xtqp489w
    """
    from memcli.cli.rows import short_ids
    from memcli.recall import listing

    sources = context.open_vaults("indexing", vaults)
    entries = listing.show(sources.vaults, ids)

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        for entry in entries:
            why = entry.reason
            note = f"recall does not show it: {why}" if why else ""
            draw(canvas, entry.row, short, note=note, asked=entry.asked)

    data = {"entries": [entry.as_dict() for entry in entries], "count": len(entries)}
    return Result(data=data, text=text)
