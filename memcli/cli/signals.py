"""`memcli signals`: how the vault is used, and what memcli has learned from it."""

from __future__ import annotations  # evaluated only when Typer reads them

import json

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import table
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.recall.scorer import Stored
    from memcli.vault.vault import Vault


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
    if train:
        return _train(vault, dry_run=dry_run)
    if pairs:
        return _pairs(vault)
    seen = log.usage(vault)
    kept = scorer.load(vault.root)

    def text(canvas: Canvas) -> None:
        _draw(canvas, seen)
        _draw_scorer(canvas, kept)

    return Result({**seen, "scorer": kept.as_dict()}, text)


def _pairs(vault: Vault) -> Result:
    """The pairs that a scorer learns from, one a line."""
    from memcli.vault.health import log

    rows = log.pairs(vault)

    def text(canvas: Canvas) -> None:
        for row in rows:
            canvas.line(json.dumps(row))

    return Result({"pairs": rows, "count": len(rows)}, text)


def _train(vault: Vault, *, dry_run: bool) -> Result:
    """Learn from the vault's log; `dry_run` keeps nothing."""
    from memcli.recall import scorer
    from memcli.vault.health import log

    trained = scorer.train(log.pairs(vault))
    if not dry_run:
        scorer.store(vault.root, trained)
    kept, place = scorer.Stored(trained), scorer.path_of(vault.root)
    data = {"kept": None if dry_run else place, "scorer": kept.as_dict()}

    def text(canvas: Canvas) -> None:
        _draw_scorer(canvas, kept)
        if dry_run:
            canvas.line("nothing was kept (--dry-run)", style="dim")
        else:
            undo = "; delete it to rank as before" if trained.takes_part else ""
            canvas.line(f"kept in {place}{undo}", style="dim")

    return Result(data=data, text=text)


def _draw(canvas: Canvas, seen: dict[str, Any]) -> None:
    if not seen["on"]:
        canvas.line("nothing is noted here: the vault may only be read, or its config")
        canvas.line("says [signals] log = false (docs/use/recall.md)")
    if seen["since"] is None:
        canvas.line("no signal yet", style="dim")
    else:
        from memcli.entries import dates

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
        more = ": memcli signals --pairs" if seen["pairs"] else ""
        canvas.line(f"training pairs: {seen['pairs']:,}{more}")
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
    canvas.line(
        f"  {counted(scorer.pairs, 'pair')} from "
        f"{counted(scorer.questions, 'question')}"
    )
    held = scorer.held_out
    if held is not None:
        canvas.line(
            f"  in the right order, of {counted(int(held['pairs']), 'pair')} held out: "
            + "default {default:.3f}, scorer {scorer:.3f}, p {p:g}".format(**held)
        )
