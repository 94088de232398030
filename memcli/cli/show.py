"""`memcli show`: entries by their ids."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Annotated

    from memcli.cli import options
    from memcli.cli.declared import Argument


def show(
    context: Context,
    ids: Annotated[
        list[str],
        Argument(
            metavar="ID...", help="Ids, unique prefixes, paths, or names of files"
        ),
    ],
    *,
    vaults: options.Vaults = None,
) -> Result:
    """Show entries in full, by their ids

    Prints what recall prints of an entry, also of one that recall does not show, with
    the reason. memcli inspect ID adds versions, history, links and every field.

    \b
    Example:
      memcli show 1m7xvn68xtqp489w
    """
    from memcli.cli import short_ids
    from memcli.recall import show as use_case
    from memcli.vault.vault import Vault

    sources = context.open_vaults("indexing", vaults)
    asked = (sources,) if isinstance(sources, Vault) else sources.vaults
    entries = use_case.show(asked, ids)

    def text(canvas: Canvas) -> None:
        short = short_ids.of(canvas, sources)
        for entry in entries:
            note = entry.reason and f"not shown: {entry.reason}"
            draw(canvas, entry.row, short, note=note, asked=entry.asked)

    data = {"entries": [entry.as_dict() for entry in entries], "count": len(entries)}
    return Result(data=data, text=text)
