"""The topics of `memcli inspect` beside the vault and its entries.

Invariant: each topic is one function that gives a Result; what it tells comes from
the use case that acts on it, so that it explains what happens.
"""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Canvas, Context, Result, to_do_it
from memcli.errors import NotAllowed

if TYPE_CHECKING:
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import VaultState


def inbox(vault: "Vault") -> Result:
    """What waits for review, with its age."""
    from memcli.curation import review

    waiting = review.pending(vault)
    oldest = max((one.age_days for one in waiting), default=None)

    def text(canvas: Canvas) -> None:
        if not waiting:
            canvas.line("nothing waits for review", style="dim")
            return
        canvas.line(f"{len(waiting):,} wait, the oldest for {oldest:g} days")
        canvas.table(
            ("id", "days", "confidence", "kind", "title"),
            [
                (one.id, f"{one.age_days:g}", one.confidence or "", one.kind, one.title)
                for one in waiting
            ],
        )

    rows = [one._asdict() for one in waiting]
    data = {"candidates": rows, "count": len(rows), "oldest_days": oldest}
    return Result(data=data, text=text)


def reflections(vault: "Vault", query: str) -> Result:
    """The reflection items, and whether each would go into a session."""
    from memcli.entries.eligibility import View
    from memcli.sessions.briefing import select

    view = View(now=vault.now_ms() // 1000)
    items = select.reflections(vault, view=view, query=query)

    def text(canvas: Canvas) -> None:
        if not items:
            canvas.line("there are no reflection items", style="dim")
            return
        rows: list[tuple[str, ...]] = [
            (
                one.id,
                one.item or "",
                f"{one.score:.2f}",
                "" if one.days_left is None else f"{one.days_left:g}",
                str(one.sightings),
                "in" if one.injected else "out",
                one.title,
                one.reason,
            )
            for one in items
        ]
        header = ("id", "item", "weight", "days left", "seen", "", "title", "why")
        canvas.table(header, rows)

    data = {"items": [one.as_dict() for one in items], "count": len(items)}
    return Result(data=data, text=text)


def ideas(vault: "Vault") -> Result:
    """The ledger of ideas: what became of each, and how long the oldest waits."""
    from memcli.cli.review_ideas import problems
    from memcli.curation.ideas import incubator, ledger

    found = incubator.listed(vault)
    by_state = {
        state: sum(one.state == state for one in found) for state in ledger.STATES
    }
    ages = [one.age_days for one in found if one.state == ledger.OPEN]
    oldest = max(ages, default=None)

    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("there are no ideas", style="dim")
            return
        parts = [f"{number:,} {state}" for state, number in by_state.items() if number]
        waits = "" if oldest is None else f"; the oldest waits for {oldest:,} days"
        canvas.line(", ".join(parts) + waits)
        canvas.table(
            ("slug", "state", "day", "title", "became"),
            [
                (one.slug, one.state, one.day, one.title, one.where or "")
                for one in found
            ],
        )

    data = {
        "ideas": [one._asdict() for one in found],
        "count": len(found),
        "by_state": by_state,
        "oldest_days": oldest,
    }
    return Result(data=data, text=text, warnings=problems(found))


def agents(vault: "Vault") -> Result:
    """Who reads and writes here, and how much of it each may see."""
    from memcli.vault import agents as use_case

    found = use_case.agents(vault)

    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("no agent is configured or has written", style="dim")
            return
        canvas.table(
            ("agent", "policy", "groups", "wrote", "sees", ""),
            [
                (
                    one.name,
                    one.policy,
                    ", ".join(one.groups),
                    f"{one.wrote:,}",
                    f"{one.sees:,}",
                    "" if one.configured else "not in the config: isolated",
                )
                for one in found
            ],
        )

    return Result(data={"agents": [one.as_dict() for one in found]}, text=text)


def vaults(context: Context) -> Result:
    """The user's vaults: where they are, what is allowed in them, what is wrong."""
    from memcli.vault.vaults import states

    if context.agent:
        raise NotAllowed(
            f"the list of vaults is for their owner, not for agent {context.agent}",
            hint="Ask without --agent and MEMCLI_AGENT.",
            code="owner_only",
        )
    found = states(**context.options("reading"))

    def text(canvas: Canvas) -> None:
        canvas.table(
            ("vault", "role", "asked", "entries", "path", "problem"),
            [
                (
                    one.name,
                    one.role,
                    _asked(one),
                    "-" if one.entries is None else f"{one.entries:,}",
                    one.path or "-",
                    one.problem or "",
                )
                for one in found
            ],
        )

    return Result(data={"vaults": [one.as_dict() for one in found]}, text=text)


def _asked(one: "VaultState") -> str:
    if not one.recall:
        return "when named"
    return "yes" if one.hooks else "not by hooks"


def repair(context: Context, vault: "Vault", values: dict[str, Any]) -> Result:
    """Show what can be mended; do it when that is confirmed."""
    from memcli.vault.health import repair as use_case

    found = use_case.plan(vault)
    acting = bool(found.steps) and not values["dry_run"]
    if acting and not values["yes"]:
        acting = False
        if context.interactive:
            for step in found.steps:
                context.tell(f"  {step.path}: {step.action}")
            acting = context.confirm("Do this?")
    done = use_case.apply(vault, found) if acting else found
    passed = [step for step in found.steps if step not in done.steps]
    for step in passed:
        context.tell(f"{step.path} has changed since the plan, and is left as it is")

    def text(canvas: Canvas) -> None:
        if not done.steps:
            nothing = "nothing was mended" if done.applied else "nothing can be mended"
            canvas.line(nothing, style="dim")
        elif done.applied:
            canvas.line(f"mended {len(done.steps)}:", style="good")
        else:
            canvas.line(f"would mend {len(done.steps)}; {to_do_it(values)}:")
        for step in done.steps:
            canvas.line(f"  {step.path}: {step.action}")
        if done.left:
            canvas.line(f"left for you: {len(done.left)}")
        for finding in done.left:
            hint = f" ({finding.hint})" if finding.hint else ""
            canvas.line(f"  {finding.path}:{finding.line}: {finding.message}{hint}")

    return Result(data=done.as_dict(), text=text, ok=done.ok)
