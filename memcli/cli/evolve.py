"""`memcli evolve`, `edit`, `tag`, `pin`: changes of an entry, the first by a version of
its own; and a text in the person's editor.

Invariant: a text that a person wrote is never lost: when the editor fails, or the
command after it, the text stays in its file and the error names it. An editor that is
left without saving (`:q!`) is an error, too: nothing is done with a text that nobody
confirmed.
"""

from __future__ import annotations  # evaluated only when Typer reads them

import contextlib
import os

from memcli.cli import hints
from memcli.cli.context import Canvas, Context, Result, said, to_apply
from memcli.cli.rows import stale_lines
from memcli.curation import changing
from memcli.entries.entry import one_line
from memcli.entries.ids import HERE, NONE
from memcli.entries.text.differences import told
from memcli.errors import MemcliError
from memcli.parameters import entry_fields
from memcli.storage import files
from memcli.vault.saved import not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal, Unpack

    from memcli import parameters
    from memcli.curation.evolve import Evolved


# Of the text of a similar entry.
_SHOWN = 200


def evolve(
    context: Context,
    entry_id: str,
    text: str | None = None,
    *,
    file: str | None = None,
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

    It takes the place of the file; the old version moves to archive/, with the reason.
    What you do not change is carried over: tags, links, fields that memcli does not
    know. The nearest entries by their words are listed as not updated; --also replaces
    them together. memcli undo ID goes back.

    \b
    Example:
      memcli evolve 1m7xvn68 "We deploy on Mondays" --reason "the freeze moved"

    Options:
        text: `[TEXT]` The new text; - reads standard input
        reason: `--reason REASON` Why; kept with the old version
        untag: `--untag TAG` A tag to drop; repeatable
        enforce: `--enforce` Before a tool that it is about: let the host ask, or
            refuse; none takes that back
        also: `--also ID` Another entry that the new version replaces; repeatable
        research: `--research NAME` Cite only what this research run retrieved
    """
    vault = context.open_vault("evolving", writes=True)
    given: dict[str, Any] = {**changes}
    if given.get("project") == HERE:
        given["project"] = vault.here or NONE
    fields = entry_fields(given, context.now_ms())
    if enforce:
        context.person_only("--enforce")
    changed = fields or untag or also or cite or research or enforce
    from memcli.curation import evolve as use_case  # 20 ms, and `pin` needs none of it
    from memcli.curation.citing import Cites

    if text is not None or file or not changed:
        fields["text"] = context.written_text(text, file, what="evolve ID")
    how = use_case.Succession(
        reason=(reason or "").strip() or None,
        also=also or (),
        untag=untag or (),
        cites=Cites(cite or (), research),
        enforce=enforce,
    )
    done = use_case.evolve(
        vault, entry_id, fields, how, allow_secret=allow_secret, dry_run=dry_run
    )
    result = evolved(done)
    if enforce and not dry_run:
        more = hints.of_enforce(vault.get(done.id))
        result = result._replace(warnings=(*result.warnings, *more))
    return result


def evolved(done: Evolved) -> Result:
    """The result of a new version, or of its dry run."""
    tried = done.dry_run

    def text(canvas: Canvas) -> None:
        verb = "would evolve" if tried else f"evolved {done.id}"
        canvas.line(f"{verb} {done.path}", style="good")
        for item in done.replaced:
            now = "then" if tried else "now"
            canvas.line(f"  replaces {item.id}, {now} at {item.path}", style="dim")
        if done.citations_checked is False:
            canvas.line(f"  {hints.UNCHECKED}", style="dim")
        if done.not_updated:
            canvas.line("similar, and not updated:")
            for one in done.not_updated:
                how = told(one.likeness, one.differs)
                canvas.line(f"  {one.id} ({how}): {one_line(one.text)[:_SHOWN]}")
            also = [f"--also {one.id}" for one in done.not_updated if one.may_replace]
            entry_id = done.id or done.replaced[0].id
            how = " ".join(["memcli evolve", entry_id, *also])
            if also:
                canvas.line(f"  to replace what is over: {how}", style="hint")
        stale_lines(canvas, done.stale_models, "the old version", then=tried)
        if tried:
            to_apply(canvas, dry_run=True)

    return Result(data=done.as_dict(), text=text, warnings=done.notes)


# --- changes in place -----------------------------------------------------------------


def edit(context: Context, entry_id: str, *, allow_secret: bool = False) -> Result:
    """Open an entry's file in your editor, check it, and commit it

    The whole file: the fields above, the text below (VISUAL, else EDITOR, else vi). It
    stays the same version; memcli evolve makes a new one. What you wrote is kept in a
    file when it cannot be taken, and the error names that file.

    \b
    Example:
      memcli edit 1m7xvn68
    """
    vault = context.open_vault("editing", writes=True)
    old = changing.opened(vault, entry_id)
    with edited(files.decoded(old.data, old.path), context.environ) as text:
        done = changing.edit(vault, old, text, allow_secret=allow_secret)
    verb = "edited" if done.changed else "unchanged:"
    notes = not_shown(vault, [done.id])
    return said(done._asdict(), f"{verb} {done.id} {done.path}", warnings=notes)


def tag(
    context: Context,
    entry_id: str,
    tags: list[str] | None = None,
    *,
    untag: list[str] | None = None,
    project: str | None = None,
) -> Result:
    """Add and drop tags of an entry, or say in which project it holds

    The entry stays the same version: its id, its text and its date do not change.

    \b
    Example:
      memcli tag 1m7xvn68 deploy --untag draft

    Options:
        tags: `[TAG]...` Tags to add; +TAG as well
        untag: `--untag TAG` A tag to drop; repeatable
        project: `--project -p NAME` Where it holds: a project; here, or none for
            everywhere
    """
    vault = context.open_vault("tagging", writes=True)
    done = changing.tag(
        vault,
        entry_id,
        *(word.removeprefix("+") for word in tags or ()),
        untag=untag or (),
        project=project,
    )
    shown = " ".join(f"#{one}" for one in done.tags) or "no tags"
    where = f" in {done.project}" if done.project else ""
    verb = "tagged" if done.changed else "unchanged"
    return said(done._asdict(), f"{verb} {done.id} {shown}{where}")


def pin(context: Context, ids: list[str], *, off: bool = False) -> Result:
    """Put entries into every session

    With hooks installed, a session starts with what is pinned. The entry stays the same
    version. With --off, recall still finds it.

    \b
    Example:
      memcli pin 1m7xvn68
      memcli pin --off 1m7xvn68

    Options:
        off: `--off` Take them out again
    """
    pinned = not off
    vault = context.open_vault("pinning", writes=True)
    if pinned:
        context.person_confirms(vault, ids)
    done = changing.pin(vault, *ids, off=off)
    verb = "pinned" if pinned else "unpinned"
    was = "is pinned already" if pinned else "is not pinned"
    lines = [
        f"{verb} {one.id} {one.title}"
        if one.changed
        else f"unchanged: {one.id} {was}: {one.title}"
        for one in done
    ]
    data = {"entries": done, "count": len(done), "pinned": pinned}
    return said(data, "\n".join(lines))


# --- a text in an editor --------------------------------------------------------------

_DEFAULT = "notepad" if os.name == "nt" else "vi"
_EDITORS = "VISUAL or EDITOR names a program that waits: vi, or 'code --wait'."


@contextlib.contextmanager
def edited(text: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Let a person change a text; the result is kept until the block is done.

    Args:
        text: what the editor opens with.
        environ: names the editor: VISUAL, then EDITOR, then vi.

    Yields:
        The text as it was saved. An error in the block leaves it in its file, and
        its hint names that.

    Raises:
        MemcliError: no such program, or it exited with an error (`editor_failed`); it
            wrote nothing, not even the same text (`not_saved`).
        Unreadable: what was saved is not UTF-8.
    """
    import shlex
    import subprocess
    import tempfile

    command = environ.get("VISUAL") or environ.get("EDITOR") or _DEFAULT
    handle, path = tempfile.mkstemp(prefix="memcli-", suffix=".md")
    with open(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    # Old, so that a save is told from none, also within one tick of the clock.
    os.utime(path, (0, 0))
    try:
        words = shlex.split(command, posix=os.name != "nt")
        code = subprocess.call([*words, path], env=dict(environ))
        failed = f"exited with {code}" if code else ""
    except KeyboardInterrupt:  # of an editor that leaves Ctrl-C to the terminal
        failed = "was interrupted"
    except (OSError, ValueError) as error:
        failed = f"cannot be started: {getattr(error, 'strerror', None) or error}"
    saved = os.path.exists(path) and os.stat(path).st_mtime_ns > 0
    if not saved:
        files.remove_quietly(path)
    if failed or not saved:
        how = "Save, also a text that is as it was. " + _EDITORS
        raise MemcliError(
            f"the editor '{command}' {failed or 'saved nothing'}; nothing was changed",
            hint=f"What it saved is in {path}" if saved else how,
            code="editor_failed" if failed else "not_saved",
        )
    written = files.decoded(files.read(path), path)
    try:
        yield written
    except MemcliError as error:
        if written != text:
            error.hint = f"{error.hint or ''} What you wrote is in {path}".strip()
        else:
            os.unlink(path)
        raise
    os.unlink(path)
