"""`memcli inspect sessions` and `mining`: what memory did by itself, and why."""

from __future__ import annotations

import time

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.vault.vault import Vault


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
        canvas.table(
            ("session", "host", "state", "idle", "why"),
            [
                (
                    session["session"],
                    session["host"],
                    session["state"],
                    _ago(session["idle_minutes"]),
                    _why(session),
                )
                for session in waiting[:_MOST_SESSIONS]
            ],
        )
    if len(waiting) > _MOST_SESSIONS:
        more = len(waiting) - _MOST_SESSIONS
        canvas.line(f"  ... and {more:,} more: --json", style="dim")


def _draw_calls(canvas: Canvas, activity: dict[str, Any]) -> None:
    """The calls of hooks: how many of each event, and the last ones."""
    canvas.line("calls:", style="title")
    canvas.table(
        ("event", "calls", "errors", "p50 ms", "p95 ms"),
        [
            (
                event["event"],
                *(f"{event[name]:,}" for name in ("calls", "errors", "p50", "p95")),
            )
            for event in activity["events"]
        ],
    )
    canvas.line("the last ones:", style="title")
    canvas.table(
        ("when", "event", "host", "ms", "shown", "what"),
        [_call_row(line) for line in activity["calls"]],
    )


def _ago(minutes: int) -> str:
    if minutes < 120:
        return f"{minutes} min"
    return (
        f"{minutes // 60} h"
        if minutes < 2_880
        else f"{counted(minutes // 1_440, 'day')}"
    )


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
            if counts:
                canvas.line(
                    "  "
                    + ", ".join(f"{number:,} {name}" for name, number in counts.items())
                )
        if of_sessions["noted"]:
            noted = counted(of_sessions["noted"], "candidate")
            canvas.line(f"  {noted} noted alone, at LOW")
        if report["patterns"]:
            canvas.table(
                ("pattern", "brought", "kept", "waiting", "rejected", "note"),
                [
                    (
                        rule["pattern"],
                        f"{rule['brought']:,}",
                        f"{rule['kept']:,}",
                        f"{rule['waiting']:,}",
                        f"{rule['rejected']:,}",
                        "noisy" if rule["noisy"] else "",
                    )
                    for rule in report["patterns"]
                ],
            )
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
