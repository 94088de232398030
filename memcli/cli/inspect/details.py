"""`memcli inspect ID`, one entry in full; and `inspect sessions` and `mining`: what
memory did by itself, and why."""

from __future__ import annotations

import time

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import short_ids, table
from memcli.entries.entry import one_line
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from memcli.entries.entry import Entry
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
    from memcli.cli.hints import nearest

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


# --- what memory did by itself --------------------------------------------------------

_MOST_CALLS = 20
_MOST_SESSIONS = 30
# Numbers of a line that have a column, or say nothing.
_PLAIN = ("at", "ms", "chars")


def sessions(context: Context) -> Result:
    """Sessions by state, the last calls of hooks, and how long they take."""
    from memcli.cli import judge_setting
    from memcli.sessions import reports
    from memcli.sessions.judging import command

    activity = reports.activity(context.open_vault("reading"), _MOST_CALLS)
    judge = {**command.state(context.environ), **activity["judge"]}

    def text(canvas: Canvas) -> None:
        if judge["command"] or judge["problem"] or judge["calls"]:
            judge_setting.draw_state(canvas, judge)
        if judge["calls"]:
            canvas.line(
                f"  in 24 hours: {counted(judge['calls'], 'call')}, {judge['failed']} "
                f"failed, {judge['asked']:,} characters asked, {judge['said']:,} said"
            )
        if not activity["sessions"] and not activity["calls"]:
            canvas.line("no hook has been called here", style="nothing")
            return
        parts = [
            f"{number:,} {state}" for state, number in activity["by_state"].items()
        ]
        canvas.line(", ".join(parts), style="title")
        _draw_waiting(canvas, activity)
        if activity["events"]:
            _draw_calls(canvas, activity)

    return Result(data={**activity, "judge": judge}, text=text)


def _draw_waiting(canvas: Canvas, activity: dict[str, Any]) -> None:
    """The sessions that are not mined yet, and why."""
    waiting = [
        session for session in activity["sessions"] if session["state"] != "mined"
    ]
    if waiting:
        own = {"idle": lambda one: _ago(one["idle_minutes"]), "why": _why}
        table(canvas, waiting[:_MOST_SESSIONS], "session host state idle why", own)
    if len(waiting) > _MOST_SESSIONS:
        more = len(waiting) - _MOST_SESSIONS
        canvas.line(f"  ... and {more:,} more: --json", style="dim")


def _draw_calls(canvas: Canvas, activity: dict[str, Any]) -> None:
    """The calls of hooks: how many of each event, and the last ones."""
    canvas.line("calls:", style="title")
    table(canvas, activity["events"], "event calls errors p50_ms=p50 p95_ms=p95")
    canvas.line("the last ones:", style="title")
    canvas.table(
        ("when", "event", "host", "ms", "shown", "what"),
        [_call_row(line) for line in activity["calls"]],
    )


def _ago(minutes: int) -> str:
    if minutes < 120:
        return f"{minutes} min"
    days, hours = minutes // 1_440, minutes // 60
    return f"{hours} h" if minutes < 2_880 else counted(days, "day")


def _left_out(line: dict[str, Any]) -> str:
    reasons = line.get("not_asked")
    if not isinstance(reasons, dict):
        return ""
    return "; ".join(f"{name} not asked: {why}" for name, why in reasons.items())


def _why(session: dict[str, Any]) -> str:
    return session["why"] or ("" if session["there"] else "no transcript yet")


def _judged(line: dict[str, Any]) -> str:
    """The questions to a judge, and what became of its answers."""
    if line.get("event") != "judge" or line.get("did") != "asked":
        return ""
    numbers = {k: v for k, v in line.items() if isinstance(v, int) and k not in _PLAIN}
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items())


def _call_row(line: dict[str, Any]) -> tuple[str, ...]:
    at = line.get("at")
    when = ""
    if isinstance(at, int):
        when = time.strftime("%m-%d %H:%M:%S", time.localtime(at))
    what = (
        line.get("error") or _judged(line) or line.get("did") or _left_out(line) or ""
    )
    shown = [str(line.get(name, "")) for name in ("event", "host", "ms", "shown")]
    return (when, *shown, str(what))


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
            noisy = {"note": lambda rule: "noisy" if rule["noisy"] else ""}
            columns = "pattern brought kept waiting rejected note"
            table(canvas, report["patterns"], columns, noisy)
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
