"""`memcli view`: what a vault knows, as one page for a browser.

Door: `view` is the command; `page.html` makes the page of a `recall.picture`.

Not in here: what an entry is or may be shown (`recall/picture`).
"""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Canvas, Context, Result, refuse_inside
from memcli.errors import UsageError

_NAME = "memcli.html"


def view(
    context: Context,
    *,
    out: str | None = None,
    open_: bool = False,
    project: str | None = None,
) -> Result:
    """Write what the vault knows as one page, to be opened in a browser

    The page needs no network and loads nothing: a timeline, a search as you type,
    every entry with its history, links and reasons, entities as a graph, the inbox,
    and what was used. It holds the text of every entry that you may see.

    \b
    Example:
      memcli view --open
      memcli view --project here --out shop.html

    Options:
        out: `--out FILE` The page; memcli.html here if not given
        open_: `--open` Show it in the browser
    """
    from memcli.cli.view import page
    from memcli.entries.text.counted import counted
    from memcli.recall import picture
    from memcli.storage import files

    path = os.path.abspath(out or _NAME)
    vault = context.open_vault("drawing")
    refuse_inside(path, vault.root)
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(
            f"there is no folder {os.path.dirname(path)}",
            hint="Make it first, or name a file in another one with --out.",
        )
    if os.path.isdir(path):
        raise UsageError(
            f"{path} is a folder",
            hint="Name a file in it: --out FOLDER/memcli.html",
        )
    seen = picture.picture(vault, project or "")
    name = os.path.basename(vault.root.rstrip(os.sep))
    html = page.html(seen, page.About(name, project or "", vault.now_ms() // 1000))
    data = html.encode("utf-8", "replace")
    files.write_atomic(path, data)
    warnings = []
    if open_:
        import webbrowser

        if not webbrowser.open(_address(path)):
            warnings.append("no browser was found: open the page in one yourself")

    def text(canvas: Canvas) -> None:
        canvas.line(f"wrote {path}", style="good")
        many = counted(len(seen.entries), "entry")
        canvas.line(f"  {many}, {len(data):,} bytes", style="dim")

    return Result(
        data={"path": path, "entries": len(seen.entries), "bytes": len(data)},
        text=text,
        warnings=tuple(warnings),
    )


def _address(path: str) -> str:
    from urllib.request import pathname2url

    return "file:" + pathname2url(path)
