"""`memcli inspect ID`: one entry in full."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.entry import one_line
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from memcli.entries.entry import Entry
    from memcli.vault.health.inspect import Inspected


def entry(context: Context, word: str, topics: Collection[str]) -> Result:
    """Its fields, versions, history and links, and whether recall may show it.

    Args:
        context: the world outside.
        word: its id, or a unique prefix.
        topics: what the word may have been meant to be.

    Raises:
        EntryNotFound: no entry has this id; the hint names the nearest topic or id.
    """
    from memcli.cli.rows import short_ids
    from memcli.vault.health import inspect

    vault = context.open_vault("reading")
    try:
        seen = inspect.inspect(vault, word)
    except EntryNotFound as error:
        raise _not_a_topic(word, topics, error) from error
    return Result(
        seen.as_dict(), lambda canvas: _draw(canvas, seen, short_ids(canvas, vault))
    )


def _not_a_topic(
    word: str, topics: Collection[str], error: EntryNotFound
) -> EntryNotFound:
    """The error for a word that is no id and no topic."""
    from memcli.cli.suggest import nearest

    topic = nearest(word, topics)
    hint = f"Topics: {', '.join(topics)}. Ids: memcli list"
    if topic:
        hint = f"Did you mean: memcli inspect {topic}?"
    elif error.hint and error.hint.startswith("Did you mean"):
        hint = error.hint
    return EntryNotFound(error.message, hint=hint, entry_id=word)


def _draw_trust(canvas: Canvas, seen: Inspected) -> None:
    """Draw what speaks against an observation or model."""
    from memcli.cli.hints import UNCHECKED
    from memcli.vault import staleness

    if not seen.entry.research:
        canvas.line(f"  {UNCHECKED}")
    label = "stale" if seen.around.stale else "pinned, look at it"
    for why in seen.around.stale_why:
        canvas.line(f"  {label}: {staleness.sentence(why)}", style="bad")


def _draw_code(canvas: Canvas, seen: Inspected) -> None:
    """Draw the state of each place in the code that it names, and what changed."""
    from memcli.entries.code_lines import NOT_CHECKED, STALE

    for look in seen.code:
        state = look.state
        if not state.why:
            canvas.line(f"  {state.state}: {state.place}", style="dim")
            continue
        bad = state.state in STALE
        label = "stale: " if bad else "" if state.state == NOT_CHECKED else "moved: "
        canvas.line(f"  {label}{state.why}", style="bad" if bad else "dim")
        for line in (*look.diff, *filter(None, [look.note])):
            canvas.line(f"    {line}", style="dim")
    if any(look.state.state in STALE for look in seen.code):
        confirm = f"memcli verify --confirm {seen.entry.id}"
        canvas.line(f"  still true: {confirm}", style="hint")


def _draw(canvas: Canvas, seen: Inspected, short: Callable[[str], str]) -> None:
    from memcli.entries.entry import FIELDS

    entry = seen.entry
    canvas.line(entry.display_title, style="title")
    canvas.line(f"  {entry.path} ({counted(seen.file.bytes, 'byte')})", style="dim")
    default = type(entry)(id="")
    for name in FIELDS:
        value = getattr(entry, name)
        if value and value != getattr(default, name) and name != "title":
            canvas.line(f"  {name}: {_shown(value)}")
    _draw_marks(canvas, entry)
    for _, lines in entry.extra:
        for line in lines.rstrip("\n").split("\n"):
            canvas.line(f"  {line}", style="dim")
    for problem in seen.problems:
        canvas.line(f"  line {problem.line}: {problem.message}", style="bad")
    state = "yes" if seen.eligible else f"no: {seen.reason}"
    canvas.line(f"  shown by recall: {state}", style="good" if seen.eligible else "bad")
    if entry.layer != "fact":
        _draw_trust(canvas, seen)
    _draw_code(canvas, seen)
    if seen.recurred_at:
        reopen = f"memcli resolve --undo {entry.id}"
        line = f"  recurred on {seen.recurred_at}; to reopen it: {reopen}"
        canvas.line(line, style="hint")
    if seen.item:
        left = seen.item.days_left
        canvas.line(
            f"  weight {seen.item.score}, seen {counted(seen.item.sightings, 'time')}, "
            + ("no end" if left is None else f"{counted(left, 'day')} left")
        )
    if seen.uses is not None:
        canvas.line(f"  stored or recalled {counted(seen.uses, 'time')}")
    canvas.line()
    for line in entry.body.strip().split("\n"):
        canvas.line(f"  {line}")
    canvas.line()
    _surroundings(canvas, seen, short)


def _draw_marks(canvas: Canvas, entry: Entry) -> None:
    """Draw what a note by hand says outside of its frontmatter."""
    from memcli.entries.text import links

    read = links.as_read(entry)
    if read.tags != entry.tags:
        new = [tag for tag in read.tags if tag not in entry.tags]
        canvas.line(f"  tags in its text: {', '.join(new)}")
    if read.occurred_at != entry.occurred_at:
        canvas.line(f"  the date in its file's name: {read.occurred_at}")


def _surroundings(canvas: Canvas, seen: Inspected, short: Callable[[str], str]) -> None:
    around = seen.around
    if len(seen.versions) > 1:
        canvas.line("versions:", style="title")
        for version in seen.versions:
            notes = ["current" if version.current else version.status]
            notes += ["shown above"] if version.id == seen.entry.id else []
            why = f" ({one_line(version.reason)})" if version.reason else ""
            canvas.line(
                f"  {version.created[:10]} {short(version.id)} {', '.join(notes)}: "
                f"{version.title}{why}"
            )
            canvas.line(f"     {version.path}", style="dim")
    for name, row in (("before", around.before), ("after", around.after)):
        if row:
            canvas.line(f"{name} in its session: {short(row.id)} {row.title}")
    for link in seen.links:
        target, file = link.entry, link.file
        shown = f"{short(target.id)} {target.title}" if target else file or "nothing"
        canvas.line(
            one_line(f"links to {link.target}: {shown}"), style="" if file else "bad"
        )
    for row in around.backlinks:
        canvas.line(f"linked from: {short(row.id)} {row.title}")
    for row in around.related:
        canvas.line(f"shares entities with: {short(row.id)} {row.title}", style="dim")
    if seen.history_note:
        canvas.line(f"history: {seen.history_note}")
    for commit in seen.history:
        canvas.line(
            f"{commit.id[:10]} {commit.when} {commit.author}: {commit.subject}",
            style="dim",
        )


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        parts = value._asdict().items()
        shown = ", ".join(f"{k} {v}" for k, v in parts if v is not None)
    else:
        shown = ", ".join(value) if isinstance(value, tuple) else str(value)
    return one_line(shown)
