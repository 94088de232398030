"""`memcli ideas`: the open ideas, and the decisions on them."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.rows import decided, listed, planned
from memcli.entries.text.counted import counted
from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Literal

    from memcli.cli.context import Context, Result
    from memcli.curation.idea_text import Section
    from memcli.curation.ideas import IdeaDecisions
    from memcli.vault.vault import Vault


def ideas(
    context: Context,
    action: Literal["list", "promote", "dismiss"] | None = None,
    slugs: list[str] | None = None,
    *,
    kind: str | None = None,
    title: str | None = None,
    tags: list[str] | None = None,
    reason: str | None = None,
    dry_run: bool = False,
) -> Result:
    """List the open ideas, or decide on them

    `promote` makes a memory of an idea, of kind idea or of --kind; `dismiss` strikes it
    out, and it is not proposed again; `list` shows what became of each. memcli review
    also walks through them, and memcli undo takes the last decision back.

    \b
    Example:
      memcli ideas
      memcli ideas promote warm-the-index --kind action
      memcli ideas dismiss draw-the-graph --reason "too much work"

    Options:
        action: `[ACTION]` list, promote or dismiss
        slugs: `[SLUG]..., with promote or dismiss` Slugs of ideas, or unique prefixes
        kind: `--kind -k KIND, with promote` Its kind
        title: `--title TITLE, with promote` Its title
        tags: `--tag -t TAG, with promote` A tag to add; repeatable
        reason: `--reason REASON, with dismiss` Why
        dry_run: `--dry-run, with promote or dismiss` Show what would happen, and change
            nothing
    """
    from memcli.curation import ideas as vault_ideas

    slugs = slugs or []
    changes = {"kind": kind, "title": title, "tags": tuple(tags or ())}
    if not slugs and action in ("promote", "dismiss"):
        raise UsageError(
            f"name the idea to {action}", hint="What is open: memcli ideas"
        )
    if title or reason or tags:
        from memcli.entries import no_secrets

        words = {"--title": title, "--reason": reason, "--tag": "\n".join(tags or ())}
        no_secrets.refuse_texts(words)
    vault = context.open_vault("reading", writes=action not in (None, "list"))
    if action == "list":
        return _ledger(vault)
    if action is None:
        return _listed(vault_ideas.listed(vault, only_open=True))
    names = vault_ideas.named(vault, slugs)
    if dry_run:
        known = vault_ideas.listed(vault)
        return _planned([idea for idea in known if idea.slug in names], action or "")
    if action == "dismiss":
        return _decided(vault_ideas.dismiss(vault, names, reason))
    return _decided(vault_ideas.promote(vault, names, changes))


def _listed(ideas: list[Section]) -> Result:
    result = listed(
        "ideas", ideas, "slug days=age_days title summary", empty="No open ideas."
    )
    problems = tuple(idea.problem for idea in ideas if idea.problem)
    return result._replace(warnings=problems)


def _planned(ideas: list[Section], action: str) -> Result:
    names = ("slug", "title", "id", "path")
    items = [
        {name: getattr(idea, name) for name in names} | {"outcome": idea.state}
        for idea in ideas
    ]
    return planned(action, items, "slug", dry_run=True)


def _decided(done: IdeaDecisions) -> Result:
    return decided(done.items, done.commit, "slug")


def _ledger(vault: Vault) -> Result:
    """The ledger of ideas: what became of each, and how long the oldest waits."""
    from memcli.curation import ideas as vault_ideas
    from memcli.curation.idea_text import OPEN, STATES

    known = vault_ideas.listed(vault)
    by_state = {state: sum(idea.state == state for idea in known) for state in STATES}
    ages = [idea.age_days for idea in known if idea.state == OPEN]
    oldest = max(ages, default=None)

    parts = [f"{number:,} {state}" for state, number in by_state.items() if number]
    waits = "; the oldest has waited "
    waits = "" if oldest is None else waits + counted(oldest, "day")
    warnings = tuple(idea.problem for idea in known if idea.problem)
    if not known and vault.read(lambda reader: len(reader.exact("kind", "idea"))):
        warnings = (
            "the ledger holds only ideas that were mined; ideas that were saved: "
            "memcli list --all --kind idea",
        )
    result = listed(
        "ideas",
        known,
        "slug state day title became=where",
        empty="No ideas.",
        above=", ".join(parts) + waits,
        data={"by_state": by_state, "oldest_days": oldest},
    )
    return result._replace(warnings=warnings)
