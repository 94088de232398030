"""`memcli review`: decide on the candidates that wait in the inbox."""

from __future__ import annotations  # evaluated only when Typer reads them

import re

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.rows import decided, listed, planned
from memcli.entries.text.counted import counted
from memcli.errors import InvalidValue, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.curation.inbox import PendingEntry
    from memcli.curation.review import EntryDecisions
    from memcli.vault.vault import Vault


class _Decision(NamedTuple):
    """A decision on candidates; `target` is the entry that one supersedes."""

    action: str
    target: str | None
    reason: str | None
    changes: dict[str, Any]


def review(
    context: Context,
    ids: list[str] | None = None,
    *,
    list_: bool = False,
    approve: bool = False,
    reject: bool = False,
    supersede: str | None = None,
    edit: bool = False,
    reason: str | None = None,
    title: str | None = None,
    kind: str | None = None,
    tags: list[str] | None = None,
    all_: bool = False,
    all_older_than: str | None = None,
    min_confidence: str | None = None,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Decide on the candidates in the inbox

    On a terminal it walks through them, the oldest first, then through texts that were
    replaced in a merge of two clones, and then through the open ideas; each decision is
    committed at once, so you can leave at any point. Scripts use flags: ids act at
    once, selections of many (--all, --all-older-than, --min-confidence) show what they
    would do until --yes is given. memcli undo takes the last decision back.

    \b
    Example:
      memcli review
      memcli review --list --json
      memcli review 1m7xvn68 --approve
      memcli review 1m7xvn68 --supersede 1m7w0c2d
      memcli review --reject --all-older-than 30 --yes

    Options:
        ids: `[ID]...` Ids, or unique prefixes
        list_: `--list` List the candidates
        approve: `--approve` Make it a memory
        reject: `--reject` Archive it, and never propose it again
        supersede: `--supersede ID` Make it the next version of this entry
        edit: `--edit` Open it in EDITOR, then approve it
        all_: `--all` Every candidate
        all_older_than: `--all-older-than WHEN` Everything older than this: 30 (days),
            30d, 2w, 2026-05
        min_confidence: `--min-confidence CONFIDENCE` Everything of at least this
            confidence: HIGH, MEDIUM, LOW
    """
    ids = ids or []
    flags = {"approve": approve, "reject": reject, "supersede": supersede, "edit": edit}
    actions = [name for name, given in flags.items() if given]
    changes = {"title": title, "kind": kind, "tags": tuple(tags or ())}
    changes = {name: value for name, value in changes.items() if value}
    bulk = bool(all_ or all_older_than or min_confidence)
    _check(actions, ids, changes, bulk=bulk)
    if list_ and actions:
        raise UsageError("--list changes nothing", hint=f"Drop --{actions[0]}.")
    vault = context.open_vault("reviewing", writes=True)
    if not actions and context.interactive and not list_ and not bulk:
        from memcli.cli.review_walk import walk

        return walk(context, vault)
    if not actions:
        return _listed(vault, _selected(vault, all_older_than, min_confidence))
    if title or reason or tags:
        from memcli.entries import no_secrets

        words = {"--title": title, "--reason": reason, "--tag": "\n".join(tags or ())}
        no_secrets.refuse_texts(words)
    decision = _Decision(actions[0], supersede, reason, changes)
    if ids:
        if dry_run:
            from memcli.curation.inbox import named

            chosen = named(vault, ids, supersede)
            return _planned(chosen, actions[0], dry_run=True)
        return _decided(vault, _decide(context, vault, decision, ids))
    candidates = _selected(vault, all_older_than, min_confidence, to_decide=True)
    if candidates and not (yes or dry_run):
        yes = context.interactive and _confirmed(context, candidates, actions[0])
    if dry_run or not (yes and candidates):
        return _planned(candidates, actions[0], dry_run=dry_run)
    every = [candidate.id for candidate in candidates]
    return _decided(vault, _decide(context, vault, decision, every))


def _check(
    actions: list[str], ids: list[str], changes: dict[str, Any], *, bulk: bool
) -> None:
    if len(actions) > 1:
        raise UsageError(f"--{actions[0]} and --{actions[1]} cannot be combined")
    if actions and bool(ids) == bulk:
        raise UsageError(
            f"--{actions[0]} needs ids, or one of --all, --all-older-than, "
            "--min-confidence",
            hint="What waits: memcli review --list",
        )
    if actions and actions[0] in ("supersede", "edit") and len(ids) != 1:
        raise UsageError(f"--{actions[0]} takes one id")
    if ids and not actions:
        if ids[0] in ("ideas", "entities"):
            raise UsageError(
                f"review decides on candidates, not on {ids[0]}",
                hint=f"Did you mean: memcli {ids[0]}?",
            )
        raise UsageError(
            "no action is given",
            hint="--approve, --reject, --supersede ID, --edit; or memcli inspect ID",
        )
    if changes and actions not in (["approve"], ["edit"]):
        flag = next(iter(changes)).replace("tags", "tag")
        raise UsageError(f"--{flag} belongs to --approve")


def _confirmed(context: Context, candidates: list[PendingEntry], action: str) -> bool:
    for candidate in candidates:
        context.tell(f"  {candidate.id} {candidate.title}")
    count = len(candidates)
    which = "it" if count == 1 else f"these {count}"
    return context.confirm(f"{action.capitalize()} {which}?")


def _decide(
    context: Context, vault: Vault, decision: _Decision, ids: Sequence[str]
) -> EntryDecisions:
    from memcli.curation import review

    action, target, reason, changes = decision
    if action == "reject":
        return review.reject(vault, ids, reason)
    if action == "supersede":
        return review.supersede(vault, ids[0], target or "", reason)
    if action == "approve":
        return review.approve(vault, ids, changes)
    from memcli.cli.review_walk import edited

    return edited(context, vault, ids[0], changes)


def _selected(
    vault: Vault,
    older_than: str | None,
    min_confidence: str | None,
    *,
    to_decide: bool = False,
) -> list[PendingEntry]:
    from memcli.curation import inbox

    return inbox.select(
        inbox.pending(vault, to_decide=to_decide),
        older_than_days=_days(older_than, vault.now_ms() // 1000),
        min_confidence=min_confidence,
    )


def _days(text: str | None, now: int) -> float | None:
    """How many days before now a moment lies; a number alone counts days."""
    if text is None:
        return None
    from memcli.entries.dates import parse_bound

    word = text.strip()
    if re.fullmatch(r"\d+\.\d+d?", word):
        return float(word.removesuffix("d"))
    try:
        moment = parse_bound(f"{word}d" if word.isdigit() else word, now, end=False)
    except InvalidValue as error:
        raise InvalidValue(
            f"--all-older-than takes days, as in 30, or 2w, or a date (got {text!r})",
            code="invalid_all_older_than",
        ) from error
    return (now - moment) / 86_400


def _listed(vault: Vault, candidates: list[PendingEntry]) -> Result:
    from memcli.curation import review
    from memcli.vault.saved import not_shown

    merged = review.merged_versions(vault, listed=True)
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
            lines = [f"{number} replaced in a merge:"]
            for version in merged:
                lines.append(f"  {version.id} {version.title}")
                lines.append(f"    now {version.current_id} {version.current_title}")
            lines.append("To decide, at a terminal: memcli review")
            for line in lines:  # no rows: `memcli review --list | cut -f 1` gives ids
                canvas.line(line, style="nothing")
        if candidates or not merged:
            result.text(canvas)

    data = dict(result.data)
    if merged:
        data["merged"] = [version._asdict() for version in merged]
    solved = not_shown(vault, [candidate.id for candidate in candidates])
    return Result(data=data, text=text, warnings=tuple(solved))


def _planned(candidates: list[PendingEntry], action: str, *, dry_run: bool) -> Result:
    names = ("id", "title", "path")
    items = [
        {name: getattr(candidate, name) for name in names} | {"outcome": "pending"}
        for candidate in candidates
    ]
    return planned(action, items, "id", dry_run=dry_run)


def _decided(vault: Vault, done: EntryDecisions) -> Result:
    from memcli.vault.saved import not_shown

    written = [item.id for item in done.items if item.outcome != "rejected"]
    result = decided(done.items, done.commit, "id")
    return result._replace(warnings=tuple(not_shown(vault, written)))
