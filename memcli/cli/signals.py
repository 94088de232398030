"""`memcli inspect signals`: how the vault is used, and whether recall finds things."""

import json
from typing import TYPE_CHECKING

from memcli.cli.spec import Canvas, Result

if TYPE_CHECKING:
    from memcli.usage import Usage
    from memcli.vault import Vault


def signals(vault: "Vault") -> Result:
    """What was written, recalled and judged, counted."""
    from memcli import usage

    found = usage.usage(vault)
    return Result(found.as_dict(), lambda canvas: _draw(canvas, found))


def pairs(vault: "Vault") -> Result:
    """What a scorer learns from, one pair a line."""
    from memcli import usage

    found = usage.pairs(vault)

    def text(canvas: Canvas) -> None:
        for pair in found:
            canvas.line(json.dumps(pair))

    return Result({"pairs": found, "count": len(found)}, text)


def _draw(canvas: Canvas, found: "Usage") -> None:
    said = found.summary
    if not found.on:
        canvas.line("nothing is noted here: the vault may only be read, or its config")
        canvas.line("says [signals] log = false (docs/signals.md)")
    if said.since is None:
        canvas.line("no signal yet", style="dim")
    else:
        from memcli import temporal

        since = temporal.iso(said.since)[:10]
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


def _counts(counts: dict[str, int], before: str = "") -> str:
    said = (f"{number:,} {before}{name}" for name, number in counts.items())
    return ", ".join(said) or "none"
