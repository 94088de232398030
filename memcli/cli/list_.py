"""`memcli list` and `show`: the newest entries, and entries by their ids."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw, listed, project_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, Unpack

    from memcli import parameters
    from memcli.recall.listing import Listed
    from memcli.recall.results import Row
    from memcli.vault.counts import Count
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
      memcli list --by tag --kind fix

    Options:
        since: `--since WHEN` Only written at or after: 2026-05, 7d, ...
        by: `--by` How many there are of each; with filters or -n, in groups
        all_: `--all` Every entry that passes
        long: `--long` With each entry's path
    """
    from memcli.errors import UsageError
    from memcli.recall import listing
    from memcli.recall.query import from_words, moment_of

    limited = asked.get("limit") is not None
    if all_ and limited:
        raise UsageError("--all and --limit cannot be combined")
    now = context.now_ms() // 1000
    query = from_words("", now, **asked)
    if all_:
        query = query._replace(limit=2**31)
    one = len(vaults or ()) < 2
    plain = query == from_words("", now) and since is None and one
    if by == "status" and not plain:
        raise UsageError("--by status takes no filter, and one vault")
    if by and plain and not all_:
        if vaults:
            context = context._replace(vault=vaults[0])
        return _COUNTS[by](context)
    wish = listing.Wish(query, moment_of(since, now), by or "")
    sources = context.open_vaults("indexing", vaults, personal_only=personal_only)
    answer = listing.listed(sources, wish)
    return _result(sources, answer, limited=limited, long=long)


def _result(
    sources: Vault | Vaults, answer: Listed, *, limited: bool, long: bool
) -> Result:
    from memcli.cli.rows import short_ids

    def text(canvas: Canvas) -> None:
        short = short_ids(canvas, sources)
        if not answer.total:
            canvas.line("No matching entries.", style="nothing")
        elif answer.groups is None:
            _table(canvas, answer.rows, short, long=long)
        for group in answer.groups or ():
            canvas.line(f"{group.label} ({group.total:,})", style="title")
            _table(canvas, group.rows, short, long=long)

    warnings = list(answer.warnings)
    if answer.is_cut and not limited:
        shown = len(answer.rows) or sum(len(one.rows) for one in answer.groups or ())
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
    canvas.table(
        ("id", "written", "kind", "title", "project", "status", "vault")
        + ("path",) * long,
        [
            (
                short(row.id),
                row.created[:10],
                row.kind if row.layer == "fact" else row.layer,
                row.title,
                row.project or "",
                "" if row.status == "active" else row.status,
                "" if row.source == "personal" else row.source,
                *[row.path] * long,
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
    return listed(
        name,
        counts,
        (name.removesuffix("s"), "now", "past", "waiting"),
        lambda one, _: (one.name or "", *_numbers(one)),
        empty=f"No {name}.",
    )


def _numbers(one: Count) -> tuple[str, str, str]:
    return f"{one.current:,}", f"{one.past:,}", f"{one.waiting:,}"


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
                *_numbers(each),
                "here" if each.name and each.name == here else "",
            )
            for each in counted
        ]
        canvas.table(("project", "now", "past", "waiting", "note"), rows)
        canvas.line(f"this folder: {here or 'no project'}", style="dim")

    data = {
        "projects": counted,
        "count": sum(each.name is not None for each in counted),
        "here": here,
    }
    return Result(data=data, text=text)


def _statuses(context: Context) -> Result:
    """The entries that are open, resolved, or have come back."""
    from memcli.curation import resolve_query

    vault = context.open_vault("reading")
    return listed(
        "entries",
        resolve_query.standings(vault),
        ("id", "state", "since", "by", "seen", "title", "note"),
        lambda row, short: (
            short(row.id),
            row.state,
            (row.resolved_at or "")[:10],
            row.resolved_by or "",
            str(row.seen),
            row.title,
            row.resolution_note or "",
        ),
        empty="No matching entries.",
        vault=vault,
    )


_COUNTS = {"tag": _tags, "kind": _kinds, "project": _projects, "status": _statuses}


def show(
    context: Context,
    ids: list[str],
    *,
    vaults: list[str] | None = None,
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
