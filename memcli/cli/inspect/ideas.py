"""`memcli inspect ideas`: the ledger of ideas."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted


def ideas(context: Context) -> Result:
    """The ledger of ideas: what became of each, and how long the oldest waits."""
    from memcli.curation.ideas import incubator, ledger

    vault = context.open_vault("reading")
    known = incubator.listed(vault)
    by_state = {
        state: sum(idea.state == state for idea in known) for state in ledger.STATES
    }
    ages = [idea.age_days for idea in known if idea.state == ledger.OPEN]
    oldest = max(ages, default=None)

    def text(canvas: Canvas) -> None:
        if not known:
            canvas.line("there are no ideas", style="nothing")
            return
        parts = [f"{number:,} {state}" for state, number in by_state.items() if number]
        waits = (
            ""
            if oldest is None
            else f"; the oldest has waited {counted(oldest, 'day')}"
        )
        canvas.line(", ".join(parts) + waits)
        canvas.table(
            ("slug", "state", "day", "title", "became"),
            [
                (idea.slug, idea.state, idea.day, idea.title, idea.where or "")
                for idea in known
            ],
        )

    warnings = tuple(idea.problem for idea in known if idea.problem)
    if not known and vault.read(lambda reader: len(reader.exact("kind", "idea"))):
        warnings = (
            "the ledger holds only ideas that were mined; ideas that were saved: "
            "memcli recall --all --kind idea",
        )
    data = {
        "ideas": [idea._asdict() for idea in known],
        "count": len(known),
        "by_state": by_state,
        "oldest_days": oldest,
    }
    return Result(data=data, text=text, warnings=warnings)
