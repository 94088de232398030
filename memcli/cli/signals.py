"""`memcli signals`, `memcli inspect sessions` and `memcli inspect mining`."""

from __future__ import annotations  # evaluated only when Typer reads them

import time

from memcli.cli.context import Canvas, Context, Result, said
from memcli.cli.rows import facts
from memcli.entries import dates
from memcli.recall import scorer
from memcli.sessions import recovery, reflect_session
from memcli.vault.health import log

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


_MOST_CALLS = 20


def sessions(context: Context) -> Result:
    """Sessions by state, and the last calls of hooks."""
    seen = recovery.activity(context.open_vault("reading"), _MOST_CALLS)
    waiting = [one for one in seen["sessions"] if one["state"] != "mined"]

    columns = "when event host ms shown what".split()
    # Any process may write to the log: a line may lack what another has.
    calls = [dict.fromkeys(columns) | line for line in seen["calls"]]
    for line in calls:
        line |= {"when": _when(line), "what": _what(line)}
    shown = {
        "sessions": {name: one for name, one in seen["by_state"].items() if one},
        "not mined": [{name: one[name] for name in _OF_SESSION} for one in waiting],
        "the last calls": [{name: line[name] for name in columns} for line in calls],
    }
    if not seen["sessions"] and not calls:
        return said(seen, "no hook has been called here", style="nothing")
    return Result(seen, lambda canvas: facts(canvas, shown))


_OF_SESSION = ("session", "host", "state", "idle_minutes", "why")


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


def mining(context: Context, name: str | None) -> Result:
    """Of the vault: how each rule fares; of a session: each candidate and why."""
    vault = context.open_vault("reading")
    if not name:
        report = reflect_session.mining(vault)
        shown = {**report, **report["sessions"]}
        del shown["sessions"]
        return Result(report, lambda canvas: facts(canvas, shown))
    data = reflect_session.of_session(vault, name)

    def text(canvas: Canvas) -> None:
        facts(canvas, {**data, "candidates": None})
        for one in data["candidates"]:
            canvas.line()
            canvas.line(one.get("title") or f"({one['action']})", style="title")
            facts(canvas, {**one, "title": None})

    return Result(data, text)


# --- signals --------------------------------------------------------------------------


def signals(context: Context, *, train: bool = False, dry_run: bool = False) -> Result:
    """Show how the vault is used, and what memcli has learned from it

    Counts what was written, what questions brought, and what helped (memcli recall
    --useful ID). --train trains a scorer for the ranking, which takes part only when
    it is better on questions that it has not seen; delete its file to rank as before.

    \b
    Example:
      memcli signals
      memcli signals --train --dry-run

    Options:
        train: `--train` Train a scorer with what helped, and keep it
        dry_run: `--dry-run, with --train` Show it, and keep nothing
    """
    vault = context.open_vault("reading", writes=train and not dry_run)
    kept, place = scorer.load(vault.root), scorer.path_of(vault.root)
    if not train:
        seen = log.usage(vault)
        data = {**seen, "scorer": kept.as_dict()}
        shown = {**seen, "since": seen["since"] and dates.iso(seen["since"])}
    else:
        kept = scorer.train(log.pairs(vault))
        data = {"kept": None if dry_run else place, "scorer": kept.as_dict()}
        shown = {"kept": "nothing (--dry-run)" if dry_run else place}
        if not dry_run:
            scorer.store(vault.root, kept)

    of_scorer = ("takes_part", "reason", "pairs", "questions")
    shown["scorer"] = (
        {name.replace("_", " "): getattr(kept, name) for name in of_scorer}
        if kept.trained
        else kept.problem or kept.reason
    )
    return Result(data, lambda canvas: facts(canvas, shown))
