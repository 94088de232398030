"""The reports on what memory did by itself: `memcli inspect sessions` and `mining`, and
`signals`."""

from __future__ import annotations  # evaluated only when Typer reads them

import json
import time

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import draw_more, table
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.recall.scorer import Stored
    from memcli.vault.vault import Vault

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
        canvas.line(_numbers(seen["by_state"]), style="title")
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


def _numbers(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def _what(line: dict[str, Any]) -> str:
    """The outcome of a call, and the vaults that it left out."""
    out = line.get("not_asked")
    reasons = out.items() if isinstance(out, dict) else ()
    left_out = "; ".join(f"{name} not asked: {why}" for name, why in reasons)
    return str(line.get("error") or line.get("did") or left_out)


def _when(line: dict[str, Any]) -> str:
    at = line.get("at")
    local = time.localtime(at if isinstance(at, int) else 0)
    return time.strftime("%m-%d %H:%M:%S", local) if isinstance(at, int) else ""


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
    of_sessions = report["sessions"]

    def text(canvas: Canvas) -> None:
        mined = counted(of_sessions["mined"], "session")
        entries = counted(report["entries"], "entry")
        canvas.line(f"{mined} mined here, {entries} from mining", style="title")
        for counts in (report["by_kind"], report["by_confidence"]):
            if counts:
                canvas.line(f"  {_numbers(counts)}")
        if of_sessions["noted"]:
            noted = counted(of_sessions["noted"], "candidate")
            canvas.line(f"  {noted} noted alone, at LOW")
        if report["patterns"]:
            columns = "pattern brought kept waiting rejected"
            table(canvas, report["patterns"], columns)
        for failed in of_sessions["not_reflected"]:
            said = "not reflected: {host} {session}: {error}".format(**failed)
            canvas.line(said, style="bad")

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
        for one in candidates:
            canvas.line()
            title = one.get("title") or f"({one['action']})"
            canvas.line(f"{one['confidence']} {one['category']}: {title}")
            now = f", now {one['status']}" if one.get("status") else ""
            canvas.line(f"  {one['action']} {one.get('id') or ''}{now}".rstrip())
            for why in filter(None, (one.get("why"), one.get("rationale"))):
                canvas.line(f"  why: {one['pattern']}: {why}")
            if one.get("excerpt"):
                canvas.line(f"  said in line {one['line']}: {one['excerpt']}")
        if record.cut:
            canvas.line(f"{record.cut:,} more were left out by the cap of a session")

    data = {**record._asdict(), "candidates": candidates}
    return Result(data=data, text=text)


# --- signals --------------------------------------------------------------------------


def signals(
    context: Context, *, pairs: bool = False, train: bool = False, dry_run: bool = False
) -> Result:
    """Show how the vault is used, and what memcli has learned from it

    Counts what was written, what questions brought, and what helped (memcli recall
    --useful ID). --train trains a scorer for the ranking, which takes part only when
    it is better on questions that it has not seen; delete its file to rank as before.

    \b
    Example:
      memcli signals
      memcli signals --pairs
      memcli signals --train --dry-run

    Options:
        pairs: `--pairs, without --train` Print what a scorer learns from, as JSON lines
        train: `--train` Train a scorer with them, and keep it
        dry_run: `--dry-run, with --train` Show it, and keep nothing
    """
    from memcli.recall import scorer
    from memcli.vault.health import log

    vault = context.open_vault("reading", writes=train and not dry_run)
    if pairs:
        rows = log.pairs(vault)
        lines = "\n".join(map(json.dumps, rows))
        return Result(
            {"pairs": rows, "count": len(rows)},
            lambda canvas: canvas.line(lines) if rows else None,
        )
    if train:
        return _train(vault, dry_run=dry_run)
    seen = log.usage(vault)
    kept = scorer.load(vault.root)

    def text(canvas: Canvas) -> None:
        _draw_usage(canvas, seen)
        _draw_scorer(canvas, kept)

    return Result({**seen, "scorer": kept.as_dict()}, text)


def _train(vault: Vault, *, dry_run: bool) -> Result:
    """Learn from the vault's log; `dry_run` keeps nothing."""
    from memcli.recall import scorer
    from memcli.vault.health import log

    trained = scorer.train(log.pairs(vault))
    if not dry_run:
        scorer.store(vault.root, trained)
    stored, place = scorer.Stored(trained), scorer.path_of(vault.root)
    said = "nothing was kept (--dry-run)" if dry_run else f"kept in {place}"

    def text(canvas: Canvas) -> None:
        _draw_scorer(canvas, stored)
        canvas.line(said, style="dim")

    data = {"kept": None if dry_run else place, "scorer": stored.as_dict()}
    return Result(data=data, text=text)


def _draw_usage(canvas: Canvas, seen: dict[str, Any]) -> None:
    from memcli.entries import dates

    if not seen["on"]:
        canvas.line("nothing is noted here: the vault may only be read, or its config")
        canvas.line("says [signals] log = false (docs/use/recall.md)")
    if seen["since"] is None:
        canvas.line("no signal yet", style="dim")
    else:
        since = dates.iso(seen["since"])[:10]
        size = f"{counted(seen['bytes'], 'byte')} in {seen['path']}"
        events = counted(seen["events"], "event")
        canvas.line(f"{events} since {since}, {size}", style="title")
        writes = [f"{number:,} by {name}" for name, number in seen["writes"].items()]
        canvas.line(f"written: {', '.join(writes) or 'none'}")
        asked = "{questions:,}, {hits:,} found something".format
        canvas.line(f"questions: {asked(**seen)}")
        for way in seen["asked"]:
            canvas.line(f"  {way['via']}: {asked(**way)}")
        if seen["told"]:
            canvas.line(f"sessions that were told something: {seen['told']:,}")
        for judge in seen["feedback"]:
            useful = "{useful:,} useful, {not_useful:,} not".format(**judge)
            canvas.line(f"feedback by {judge['by']}: {useful}")
        canvas.line(f"training pairs: {seen['pairs']:,}")
    if seen["uses"]:
        canvas.line("uses of skills:", style="title")
        own = {"title": lambda skill: skill["title"] or "(gone)"}
        table(canvas, seen["uses"], "id uses title", own)


def _draw_scorer(canvas: Canvas, stored: Stored) -> None:
    """The state of a vault's scorer, for people."""
    scorer = stored.scorer
    if scorer is None:
        problem = stored.problem or "none; memcli signals --train makes one"
        canvas.line(f"scorer: {problem}", style="bad" if stored.problem else "dim")
        return
    verdict = "takes part" if scorer.takes_part else "does not take part"
    canvas.line(f"scorer {verdict}: {scorer.reason}", style="title")
    pairs, questions = counted(scorer.pairs, "pair"), scorer.questions
    canvas.line(f"  {pairs} from {counted(questions, 'question')}")
