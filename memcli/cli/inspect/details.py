"""`memcli inspect ID`, one entry in full; and `inspect sessions` and `mining`: what
memory did by itself, and why."""

from __future__ import annotations

import time

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.hints import UNCHECKED, nearest
from memcli.cli.inspect import draw_more
from memcli.cli.rows import short_ids, table
from memcli.entries.code_lines import STALE
from memcli.entries.entry import FIELDS, one_line
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound
from memcli.vault import staleness

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from memcli.vault.health.inspect import Inspected
    from memcli.vault.vault import Vault


def entry(context: Context, word: str, topics: Collection[str]) -> Result:
    """Its fields, versions, history and links, and whether recall may show it.

    Args:
        context: the world outside.
        word: its id, or a unique prefix.
        topics: what the word may have been meant to be.

    Raises:
        EntryNotFound: no entry has this id; the hint names the nearest topic or id.
    """
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
    topic = nearest(word, topics)
    hint = f"Topics: {', '.join(topics)}. Ids: memcli list"
    if topic:
        hint = f"Did you mean: memcli inspect {topic}?"
    elif error.hint and error.hint.startswith("Did you mean"):
        hint = error.hint
    return EntryNotFound(error.message, hint=hint, entry_id=word)


def _draw(canvas: Canvas, seen: Inspected, short: Callable[[str], str]) -> None:
    entry = seen.entry
    canvas.line(entry.display_title, style="title")
    canvas.line(f"  {entry.path} ({counted(seen.file['bytes'], 'byte')})", style="dim")
    default = type(entry)(id="")
    for name in FIELDS:
        value = getattr(entry, name)
        if value and value != getattr(default, name) and name != "title":
            canvas.line(f"  {name}: {_shown(value)}")
    for _, lines in entry.extra:
        for line in lines.rstrip("\n").split("\n"):
            canvas.line(f"  {line}", style="dim")
    for problem in seen.problems:
        canvas.line(f"  line {problem.line}: {problem.message}", style="bad")
    state = "yes" if seen.eligible else f"no: {seen.reason_not_eligible}"
    canvas.line(f"  shown by recall: {state}", style="good" if seen.eligible else "bad")
    if entry.layer != "fact" and not entry.research:
        canvas.line(f"  {UNCHECKED}")
    for why in seen.stale_why:
        label = "stale" if seen.stale else "pinned, look at it"
        canvas.line(f"  {label}: {staleness.sentence(why)}", style="bad")
    _draw_code(canvas, seen)
    if seen.recurred_at:
        line = f"  recurred on {seen.recurred_at}; to reopen it: memcli resolve --undo "
        canvas.line(line + entry.id, style="hint")
    if seen.item_facts:
        canvas.line(
            "  weight {score}, days left {days_left}, seen ".format(**seen.item_facts)
            + counted(seen.item_facts["sightings"], "time")
        )
    if seen.uses is not None:
        canvas.line(f"  stored or recalled {counted(seen.uses, 'time')}")
    for line in ("", *entry.body.strip().split("\n"), ""):
        canvas.line(line and f"  {line}")
    _draw_around(canvas, seen, short)


def _draw_code(canvas: Canvas, seen: Inspected) -> None:
    """Draw the state of each place in the code that it names, and what changed."""
    for look in seen.code:
        state = look.state
        bad = state.state in STALE
        canvas.line(
            f"  {state.state}: {state.why or state.place}",
            style="bad" if bad else "dim",
        )
        for line in (*look.diff, *filter(None, [look.note])):
            canvas.line(f"    {line}", style="dim")
    if any(look.state.state in STALE for look in seen.code):
        confirm = f"memcli verify --confirm {seen.entry.id}"
        canvas.line(f"  still true: {confirm}", style="hint")


def _draw_around(canvas: Canvas, seen: Inspected, short: Callable[[str], str]) -> None:
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
    for link in seen.links:
        target, file = link.entry, link.file
        shown = f"{short(target.id)} {target.title}" if target else file or "nothing"
        canvas.line(
            one_line(f"links to {link.target}: {shown}"), style="" if file else "bad"
        )
    for row in seen.backlinks:
        canvas.line(f"linked from: {short(row.id)} {row.title}")
    if seen.history_note:
        canvas.line(f"history: {seen.history_note}")
    for commit in seen.history:
        said = f"{commit.id[:10]} {commit.when} {commit.author}: {commit.subject}"
        canvas.line(said, style="dim")


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        parts = value._asdict().items()
        shown = ", ".join(f"{k} {v}" for k, v in parts if v is not None)
    else:
        shown = ", ".join(value) if isinstance(value, tuple) else str(value)
    return one_line(shown)


# --- what memory did by itself --------------------------------------------------------

_MOST_CALLS = 20
_MOST_SESSIONS = 30


def sessions(context: Context) -> Result:
    """Sessions by state, and the last calls of hooks."""
    from memcli.sessions import reports

    seen = reports.activity(context.open_vault("reading"), _MOST_CALLS)
    waiting = [one for one in seen["sessions"] if one["state"] != "mined"]

    def text(canvas: Canvas) -> None:
        if not seen["sessions"] and not seen["calls"]:
            canvas.line("no hook has been called here", style="nothing")
            return
        parts = [f"{number:,} {state}" for state, number in seen["by_state"].items()]
        canvas.line(", ".join(parts), style="title")
        if waiting:
            columns = "session host state idle_minutes why"
            own = {
                "why": lambda one: one["why"] or "no transcript" * (not one["there"])
            }
            table(canvas, waiting[:_MOST_SESSIONS], columns, own)
        draw_more(canvas, len(waiting) - _MOST_SESSIONS, "--json")
        if seen["calls"]:
            canvas.line("the last calls:", style="title")
            columns = "when event host ms shown what"
            table(canvas, seen["calls"], columns, _OF_CALLS)

    return Result(data=seen, text=text)


def _what(line: dict[str, Any]) -> str:
    """The outcome of a call, and the vaults that it left out."""
    out = line.get("not_asked")
    reasons = out.items() if isinstance(out, dict) else ()
    left_out = "; ".join(f"{name} not asked: {why}" for name, why in reasons)
    return str(line.get("error") or line.get("did") or left_out)


def _when(line: dict[str, Any]) -> str:
    at = line.get("at")
    if not isinstance(at, int):
        return ""
    return time.strftime("%m-%d %H:%M:%S", time.localtime(at))


# Any process may write to the log: a line may lack what another has.
_OF_CALLS: dict[str, Callable[[Any], object]] = {
    "when": _when,
    "event": lambda line: line.get("event", ""),
    "host": lambda line: line.get("host", ""),
    "ms": lambda line: line.get("ms", ""),
    "shown": lambda line: line.get("shown", ""),
    "what": _what,
}


def mining(context: Context, name: str | None) -> Result:
    """Of the vault: how each rule fares; of a session: each candidate and why."""
    vault = context.open_vault("reading")
    return _mined_session(vault, name) if name else _mined_vault(vault)


def _mined_vault(vault: Vault) -> Result:
    from memcli.sessions import reports

    report = reports.mining(vault)

    def text(canvas: Canvas) -> None:
        of_sessions = report["sessions"]
        canvas.line(
            f"{counted(of_sessions['mined'], 'session')} mined here, "
            f"{counted(report['entries'], 'entry')} from mining",
            style="title",
        )
        for counts in (report["by_kind"], report["by_confidence"]):
            parts = (f"{number:,} {name}" for name, number in counts.items())
            if counts:
                canvas.line(f"  {', '.join(parts)}")
        if of_sessions["noted"]:
            noted = counted(of_sessions["noted"], "candidate")
            canvas.line(f"  {noted} noted alone, at LOW")
        if report["patterns"]:
            columns = "pattern brought kept waiting rejected"
            table(canvas, report["patterns"], columns)
        for failed in of_sessions["not_reflected"]:
            canvas.line(
                f"not reflected: {failed['host']} {failed['session']}: "
                f"{failed['error']}",
                style="bad",
            )

    return Result(data=report, text=text)


def _mined_session(vault: Vault, name: str) -> Result:
    from memcli.sessions import reports

    record = reports.session(vault, name)
    candidates = reports.current(vault, record)

    def text(canvas: Canvas) -> None:
        canvas.line(f"{record.host} {record.session}", style="title")
        canvas.line(f"  {record.transcript}", style="dim")
        mined = f"  {counted(record.turns, 'turn')}, mined {record.at}"
        canvas.line(mined if record.reflected else f"  not reflected: {record.error}")
        for candidate in candidates:
            now = f", now {candidate['status']}" if candidate.get("status") else ""
            canvas.line()
            title = candidate.get("title") or f"({candidate['action']})"
            canvas.line(f"{candidate['confidence']} {candidate['category']}: {title}")
            canvas.line(
                f"  {candidate['action']} {candidate.get('id') or ''}{now}".rstrip()
            )
            for why in (candidate.get("why"), candidate.get("rationale")):
                if why:
                    canvas.line(f"  why: {candidate['pattern']}: {why}")
            if candidate.get("excerpt"):
                canvas.line(
                    f"  said in line {candidate['line']}: {candidate['excerpt']}"
                )
        if record.cut:
            canvas.line(f"{record.cut:,} more were left out by the cap of a session")

    data = {**record._asdict(), "candidates": candidates}
    return Result(data=data, text=text)
