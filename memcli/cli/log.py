"""`memcli log`: what happened in the vault."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli.declared import Option
    from memcli.search.reader import Reader
    from memcli.vault.health.log import Event, Named
    from memcli.vault.vault import Vault

_MOST = 20
# Entries of one commit that are shown; JSON has fifty.
_SHOWN = 3


def log(
    context: Context,
    *,
    limit: Annotated[
        int | None, Option("--limit", "-n", metavar="N", help="Commits at most (20)")
    ] = None,
    since: Annotated[
        str | None,
        Option("--since", metavar="WHEN", help="Only at or after: 2026-05, 7d, ..."),
    ] = None,
) -> Result:
    """Show what happened in the vault, the last change first

    From git: what was saved, evolved, resolved, mined, reviewed, and by whom, with the
    ids of the entries. Commits that are not memcli's are shown as commits.

    \b
    Example:
      memcli log --since 7d
    """
    from memcli.errors import InvalidValue
    from memcli.recall.query import moment_of
    from memcli.vault.health import log as use_case

    if limit is not None and limit < 1:
        raise InvalidValue("--limit must be 1 or more", code="invalid_limit")
    start = moment_of(since, context.now_ms() // 1000)
    vault = context.open_vault("reading")
    events = use_case.log(vault, limit=limit or _MOST, since=start)

    def text(canvas: Canvas) -> None:
        if not events:
            canvas.line("nothing happened", style="nothing")
        header = ("when", "what", "id", "title", "by")
        rows = [row for event in events for row in _rows(event)]
        canvas.table(header, _narrow(rows, vault) if canvas.terminal else rows)

    data = {"events": [event.as_dict() for event in events], "count": len(events)}
    return Result(data=data, text=text)


def _narrow(rows: list[tuple[str, ...]], vault: Vault) -> list[tuple[str, ...]]:
    """The rows as a terminal has room for them: ids are short, and who wrote stands
    there where it is not the same one everywhere."""
    from memcli.vault import lookup

    one_author = len({row[-1] for row in rows}) == 1

    def narrow(reader: Reader) -> list[tuple[str, ...]]:
        # An id that is gone stays whole: its beginning may be that of another one.
        short = {
            row[2]: lookup.shortest(reader, row[2])
            for row in rows
            if row[2] and reader.exact("id", row[2])
        }
        return [
            (when, action, short.get(name, name), title, "" if one_author else author)
            for when, action, name, title, author in rows
        ]

    try:
        return vault.read(narrow)
    except MemcliError:  # the history can be read where the index cannot
        return rows


def _rows(event: Event) -> list[tuple[str, ...]]:
    when = event.when[:16].replace("T", " ")
    shown = [one for one in event.entries if one.id] or event.entries
    if event.action in ("commit", "undone", "kept", "created") or not shown:
        return [(when, event.action, "", event.subject, event.author)]
    if event.action in ("evolved", "reverted"):  # the version before is its history
        shown = [
            one for one in shown if not one.path.startswith(f"{layout.ARCHIVE}/")
        ] or shown
    rows: list[tuple[str, ...]] = [
        (when, event.action, one.id or "", _title(one), event.author)
        for one in shown[:_SHOWN]
    ]
    if event.files > len(rows) and len(shown) > _SHOWN:
        more = counted(event.files - len(rows), "more file")
        rows.append((when, event.action, "", more, event.author))
    return rows


def _title(one: Named) -> str:
    return f"{one.title} (removed)" if one.how == "removed" else one.title
