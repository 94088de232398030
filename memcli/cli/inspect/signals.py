"""`memcli inspect signals`: how the vault is used, and what that has taught."""

import json
from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Canvas, Result
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.recall.scorer_store import Kept
    from memcli.vault.health.usage import Usage
    from memcli.vault.vault import Vault


def topic(vault: "Vault", values: dict[str, Any]) -> Result:
    """What was written, recalled and judged, counted; or what it teaches."""
    from memcli.recall import scorer_store
    from memcli.vault.health import usage

    if values["train"]:
        if values["pairs"]:
            raise UsageError("--pairs and --train do different things; give one")
        return _train(vault, dry_run=values["dry_run"])
    if values["pairs"]:
        return _pairs(vault)
    found = usage.usage(vault)
    kept = scorer_store.kept(vault.root)

    def text(canvas: Canvas) -> None:
        _draw(canvas, found)
        _draw_scorer(canvas, kept)

    return Result({**found.as_dict(), "scorer": kept.as_dict()}, text)


def _pairs(vault: "Vault") -> Result:
    """What a scorer learns from, one pair a line."""
    from memcli.vault.health import usage

    found = usage.pairs(vault)

    def text(canvas: Canvas) -> None:
        for pair in found:
            canvas.line(json.dumps(pair))

    return Result({"pairs": found, "count": len(found)}, text)


def _train(vault: "Vault", *, dry_run: bool) -> Result:
    """Learn from the vault's log; `dry_run` keeps nothing."""
    from memcli.entries import layout
    from memcli.recall import scorer_store
    from memcli.vault.health import usage

    found = scorer_store.Kept(
        scorer_store.train(vault.root, usage.pairs(vault), dry_run=dry_run)
    )
    data = {"kept": None if dry_run else layout.SCORER, "scorer": found.as_dict()}

    def text(canvas: Canvas) -> None:
        _draw_scorer(canvas, found)
        if dry_run:
            canvas.line("nothing was kept (--dry-run)", style="dim")
        else:
            canvas.line(
                f"kept in {layout.SCORER}; delete it to rank as before", style="dim"
            )

    return Result(data=data, text=text)


def _draw(canvas: Canvas, found: "Usage") -> None:
    said = found.summary
    if not found.on:
        canvas.line("nothing is noted here: the vault may only be read, or its config")
        canvas.line("says [signals] log = false (docs/use/signals.md)")
    if said.since is None:
        canvas.line("no signal yet", style="dim")
    else:
        from memcli.entries import dates

        since = dates.iso(said.since)[:10]
        size = f"{found.bytes:,} bytes in {found.path}"
        canvas.line(f"{said.events:,} events since {since}, {size}", style="title")
        canvas.line(f"written: {_counts(said.writes, 'by ')}")
        share = "" if said.share is None else f" ({said.share:.0%})"
        canvas.line(
            f"questions: {said.questions:,}, {said.hits:,} found something{share}, "
            f"{said.misses:,} nothing"
        )
        for way in said.asked:
            canvas.line(f"  {way.via}: {way.questions:,}, {way.hits:,} found something")
        if said.told:
            canvas.line(f"sessions that were told something: {said.told:,}")
        rows = {name: count for name, count in said.channels.items() if count}
        canvas.line(f"rows by channel: {_counts(rows)}")
        canvas.line(f"feedback: {said.useful:,} useful, {said.not_useful:,} not")
        for one in said.feedback:
            canvas.line(f"  {one.by}: {one.useful:,} useful, {one.not_useful:,} not")
        if said.mrr is not None:
            canvas.line(f"mean reciprocal rank of what was useful: {said.mrr:.2f}")
        more = ": memcli inspect signals --pairs" if said.pairs else ""
        canvas.line(f"training pairs: {said.pairs:,}{more}")
    if found.uses:
        canvas.line("uses of skills:", style="title")
        canvas.table(
            ("id", "uses", "title"),
            [(one.id, f"{one.uses:,}", one.title or "(gone)") for one in found.uses],
        )


def _draw_scorer(canvas: Canvas, kept: "Kept") -> None:
    """The state of a vault's scorer, for people."""
    found = kept.scorer
    if found is None:
        problem = kept.problem or "none; memcli inspect signals --train makes one"
        canvas.line(f"scorer: {problem}", style="bad" if kept.problem else "dim")
        return
    verdict = "takes part" if found.takes_part else "does not take part"
    canvas.line(f"scorer {verdict}: {found.reason}", style="title")
    canvas.line(f"  {found.pairs:,} pairs from {found.questions:,} questions")
    held = found.held_out
    if held is None:
        return
    canvas.line(
        f"  held out: {held.pairs:,} pairs from {held.questions:,} questions, "
        f"{held.differ:,} of these come out differently"
    )
    canvas.line(
        f"  in the right order: default {held.default:.3f}, "
        f"scorer {held.scorer:.3f}, p {held.p:g}"
    )
    weighed = zip(found.features, found.weights, strict=True)
    canvas.table(
        ("feature", "weight"),
        [
            (name, f"{weight:+.3f}")
            for name, weight in sorted(weighed, key=lambda one: -abs(one[1]))
        ],
    )
    canvas.line(f"  what the place explains: {found.position:+.2f}", style="dim")


def _counts(counts: dict[str, int], before: str = "") -> str:
    said = (f"{number:,} {before}{name}" for name, number in counts.items())
    return ", ".join(said) or "none"
