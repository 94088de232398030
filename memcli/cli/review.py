"""`memcli review` and `ideas`: what waits for a decision."""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, refuse, said
from memcli.cli.review_walk import walk
from memcli.cli.rows import listed
from memcli.curation import inbox
from memcli.curation import review as use_case
from memcli.entries import no_secrets
from memcli.entries.text.counted import counted
from memcli.vault.saved import not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.vault.vault import Vault


def review(
    context: Context,
    ids: list[str] | None = None,
    *,
    list_: bool = False,
    approve: bool = False,
    reject: bool = False,
    supersede: str | None = None,
    reason: str | None = None,
    title: str | None = None,
    kind: str | None = None,
    tags: list[str] | None = None,
    all_: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Decide on the candidates in the inbox

    On a terminal it walks through them, the oldest first, then through ideas, and then
    through texts that were replaced in a merge of two clones; each decision is
    committed at once, so you can leave at any point. Scripts use flags: ids act at
    once, --all, which holds no idea, shows what it would do until --yes is given.
    memcli undo takes the last decision back; memcli ideas lists what waits as an idea.

    \b
    Example:
      memcli review
      memcli review --list --json
      memcli review 1m7xvn68 --approve
      memcli review 1m7xvn68 --supersede 1m7w0c2d
      memcli review --reject --all --dry-run

    Options:
        ids: `[ID]..., with --approve or --reject or --supersede` Ids, or unique
            prefixes
        list_: `--list, without --approve or --reject or --supersede` List the
            candidates
        approve: `--approve, with ID or --all, without --reject or --supersede` Make it
            a memory
        reject: `--reject, with ID or --all, without --supersede` Archive it, and never
            propose it again
        supersede: `--supersede ID, with ID, without --all` Make it the next version of
            this entry
        title: `--title TITLE, with --approve` Its title
        kind: `--kind -k KIND, with --approve` Its kind
        tags: `--tag -t TAG, with --approve` A tag to add; repeatable
        all_: `--all, without ID` Every candidate
    """
    ids = ids or []
    flags = {"approve": approve, "reject": reject, "supersede": supersede}
    action = next((name for name, given in flags.items() if given), "")
    changes = {"title": title, "kind": kind, "tags": tuple(tags or ())}
    changes = {name: value for name, value in changes.items() if value}
    refuse((supersede and len(ids) > 1, "--supersede takes one id"))
    vault = context.open_vault("reviewing", writes=True)
    if not action and context.interactive and not list_ and not all_:
        return walk(context, vault)
    if not action:
        return _listed(vault, inbox.pending(vault))
    words = {"--title": title, "--reason": reason, "--tag": "\n".join(tags or ())}
    no_secrets.refuse_texts(words)
    if not ids:
        candidates = inbox.pending(vault, to_decide=True)
        agreed = context.agrees(
            (f"{candidate.id} {candidate.title}" for candidate in candidates),
            f"{action.capitalize()} these?",
            yes=yes,
            dry_run=dry_run or not candidates,
        )
        if not agreed:
            return _planned(candidates, action, dry_run=dry_run)
        ids = [candidate.id for candidate in candidates]
    elif dry_run:
        return _planned(inbox.named(vault, ids, supersede), action, dry_run=True)
    if action == "reject":
        done = use_case.reject(vault, ids, reason)
    elif action == "supersede":
        done = use_case.supersede(vault, ids[0], supersede or "", reason)
    else:
        done = use_case.approve(vault, ids, changes)
    return _decided(vault, done)


def _listed(vault: Vault, candidates: list[inbox.PendingEntry]) -> Result:
    merged = use_case.merged_versions(vault, listed=True)
    result = listed(
        "candidates",
        candidates,
        "id days=age_days confidence kind title",
        empty="Nothing waits for review.",
        vault=vault,
    )

    def text(canvas: Canvas) -> None:
        if merged:
            number = counted(len(merged), "text")
            said = f"{number} replaced in a merge; at a terminal: memcli review"
            canvas.line(said, style="nothing")  # no row: a pipe has ids or nothing
        if candidates or not merged:
            result.text(canvas)

    data = dict(result.data)
    if merged:
        data["merged"] = [version._asdict() for version in merged]
    solved = not_shown(vault, [candidate.id for candidate in candidates])
    return Result(data=data, text=text, warnings=tuple(solved))


def _planned(
    candidates: list[inbox.PendingEntry], action: str, *, dry_run: bool
) -> Result:
    """The result of decisions that were not made."""
    items = [
        {"id": one.id, "title": one.title, "path": one.path, "outcome": "pending"}
        for one in candidates
    ]
    data = {"applied": False, "action": action, "items": items}
    if not items:
        return said(data, f"Nothing to {action}.", style="nothing")
    lines = (f"{one.id} {one.title}" for one in candidates)
    return said(data, f"would {action} {len(items)}:", *lines, dry_run=dry_run)


def _decided(vault: Vault, done: use_case.EntryDecisions) -> Result:
    """The result of decisions, each a row with its outcome."""

    def text(canvas: Canvas) -> None:
        for one in done.items:
            canvas.line(f"{one.outcome} {one.id} {one.path}", style="good")

    action = done.items[0].outcome if done.items else None
    data = {"applied": bool(done.items), "action": action, **done._asdict()}
    written = [one.id for one in done.items if one.outcome != "rejected"]
    return Result(data, text, warnings=tuple(not_shown(vault, written)))


# --- ideas ----------------------------------------------------------------------------


def ideas(context: Context) -> Result:
    """List the ideas that wait for a decision

    Mining puts aside what is put off ("we should also do X later"), and nothing tells
    it until you decide, with memcli review: --approve makes it a memory, of kind idea
    or of --kind, and --reject archives it, so that it is not proposed again.

    \b
    Example:
      memcli ideas
      memcli review 1m7xvn68 --approve --kind action
      memcli review 1m7xvn68 --reject --reason "too much work"
    """
    vault = context.open_vault("reading")
    return listed(
        "ideas",
        inbox.pending(vault, ideas=True),
        "id days=age_days title",
        empty="No open ideas.",
        vault=vault,
    )
