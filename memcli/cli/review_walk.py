"""The walk of `memcli review` on a terminal: candidates, merged texts, then ideas."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result
from memcli.cli.walk import MergedWalk, Walk
from memcli.entries.text.counted import counted

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from memcli.curation.inbox import PendingEntry, Proposal
    from memcli.curation.review import EntryDecisions
    from memcli.vault.vault import Vault

_CHANGES = {"k": "kind", "t": "tags", "p": "project"}


_OF_A_NAME = 16
# A candidate is to be read at a glance; a transcript that got in is not.
_MOST_LINES = 40
_WIDEST = 2_000
# Of an entry that it may replace, so that both can be read beside each other.
_MOST_OF_OLD = 6


def _beginning(name: str) -> str:
    """The beginning of a session's or record's name: they are 36 characters long, and
    `memcli inspect ID` has them whole."""
    return name if len(name) <= _OF_A_NAME else f"{name[:8]}…"


def _plain(text: object) -> str:
    """The words of a text alone, to see whether another one repeats them."""
    return " ".join(str(text or "").replace("`", "").split())


class CandidateWalk(Walk):
    """The walk through the inbox.

    Attributes:
        only: ids of the candidates to ask about; None: all of them.
        near: the entries that the candidate in question may replace.
        changes: what is to be changed in a candidate when it is approved, by its id.
    """

    # With the space behind it 60 columns; undo is named by `?`.
    keys = "[y] approve [n] reject [e]dit [m] supersede [s]kip [q] [?]"
    explained = """\
  y          approve: it becomes a memory
  n WHY      reject: it goes to the archive and is not proposed again
  e          edit it in your editor, then approve it
  1-3        supersede: it becomes the next version of that entry
  m ID       supersede the entry of that id, or of that number
  k KIND     change its kind; y then approves it so
  t +x -y    change its tags
  p NAME     change where it holds; none: everywhere
  s          skip: it waits on
  u          undo the last decision
  q          quit; what is decided stays decided"""
    outcomes = ("approved", "rejected", "superseded")

    def __init__(
        self, context: Context, vault: Vault, only: Collection[str] | None
    ) -> None:
        super().__init__(context, vault)
        self.only = only
        self.near: list[Proposal] = []
        self.changes: dict[str, dict[str, Any]] = {}

    def waiting(self) -> list[PendingEntry]:
        from memcli.curation import inbox

        return [
            each
            for each in inbox.pending(self.vault, to_decide=True)
            if self.only is None or each.id in self.only
        ]

    def counts(self) -> dict[str, int]:
        """As for every walk, but all that waits is left, not only what was asked."""
        from memcli.curation import inbox

        return super().counts() | {"left": len(inbox.pending(self.vault))}

    def name_lost_changes(self) -> None:
        """Name what was to be changed in candidates that were not approved."""
        decided = {each.name for each in self.decided}
        for entry_id, changes in self.changes.items():
            if not changes or entry_id in decided:
                continue
            parts = []
            for name, value in changes.items():
                shown = " ".join(value) if isinstance(value, tuple) else str(value)
                parts.append(f"{name.replace('retagged', 'tags')} {shown or 'none'}")
            lost = f"{', '.join(parts)} of {entry_id}"
            self.context.tell(f"not kept, since it was not approved: {lost}")

    def show(self, item: PendingEntry, left: int) -> None:
        from memcli.curation import inbox
        from memcli.vault.saved import not_shown

        candidate = item
        place = len(self.decided) + len(self.skipped) + 1
        tell = self.context.tell
        tell("")
        tell(f"{place} of {place + left - 1}: {candidate.title}")
        facts = [candidate.kind, candidate.confidence or "", candidate.item or ""]
        facts += [f"{counted(candidate.age_days, 'day')} old", candidate.id]
        tell("  " + " · ".join(fact for fact in facts if fact))
        if candidate.rationale:
            tell(f"  why: {candidate.rationale}")
        source = candidate.source
        where = filter(None, map(source.get, ("host", "session", "record")))
        if shown := " ".join(_beginning(str(word)) for word in where):
            tell(f"  from: {shown}")
        if _plain(source.get("excerpt")) not in _plain(candidate.text):
            tell(f"  said: {source['excerpt']}")
        for note in not_shown(self.vault, [candidate.id]):
            tell(f"  {note}")
        tell("")
        lines = candidate.text.splitlines()
        for line in lines[:_MOST_LINES]:
            tell(f"    {line[:_WIDEST]}")
        if len(lines) > _MOST_LINES:
            rest = counted(len(lines) - _MOST_LINES, "more line")
            tell(f"    ... {rest}: memcli inspect {candidate.id}")
        tell("")
        self.near = inbox.proposals(self.vault, candidate)
        for number, old in enumerate(self.near, 1):
            alike = f"{old.likeness:.0%} alike" if old.likeness else "named as evidence"
            about = f"{old.relation} {old.id} ({alike}): {old.title}"
            tell(f"  {number}: {about}")
            if old.why:
                tell(f"       {old.why}")
            for line in self.vault.get(old.id).body.splitlines()[:_MOST_OF_OLD]:
                tell(f"       {line[:_WIDEST]}")

    def obey(self, item: PendingEntry, key: str, word: str) -> bool | None:
        from memcli.curation import review

        changes = self.changes.setdefault(item.id, {})
        if key == "y":
            return self._noted(review.approve(self.vault, [item.id], changes))
        if key == "e":
            return self._noted(edited(self.context, self.vault, item.id, changes))
        if key == "n":
            why = self.reason(word)
            return self._noted(review.reject(self.vault, [item.id], why))
        if name := _CHANGES.get(key):
            word = word or (self.context.ask(f"Its {name}? ") or "").strip()
            if word:
                self._change(item, changes, name, word)
            return False
        numbers = {str(number): old.id for number, old in enumerate(self.near, 1)}
        if key == "m" or key in numbers:
            which = "Number, or id of the entry? " if numbers else "Id of the entry? "
            target = (word if key == "m" else key) or self.context.ask(which) or ""
            target = target.strip()
            if not target:
                return False
            target = numbers.get(target, target)
            return self._noted(review.supersede(self.vault, item.id, target))
        if key.isdigit():
            self.context.tell(f"  no entry is shown as {key}; m ID names another one")
            return False
        return None

    def _change(
        self, candidate: PendingEntry, changes: dict[str, Any], name: str, word: str
    ) -> None:
        """Note what is to be another kind, other tags or another project.

        Raises:
            InvalidValue: there is no such kind, tag or project.
        """
        from memcli.curation.review import retagged

        if name != "tags":
            self.vault.draft({"text": "-", name: word})
            changes[name] = word
            self.context.tell(f"  {name}: {word}")
            return
        tags = changes.get("retagged", self.vault.get(candidate.id).tags)
        wanted = retagged(tags, word.split())
        tags = self.vault.draft({"text": "-", "tags": wanted}).tags
        changes["retagged"] = tags
        self.context.tell(f"  tags: {' '.join(tags) or 'none'}")

    def _noted(self, done: EntryDecisions) -> bool:
        item = done.items[0]
        return self.note(item.id, item.outcome, done.commit)


def walk(context: Context, vault: Vault, only: Collection[str] | None = None) -> Result:
    """Walk through what waits, then the open ideas; the result sums it up.

    Args:
        context: the world outside.
        vault: where it waits.
        only: ids of the candidates to ask about, and about no idea; None: everything.
    """
    from memcli.cli.ideas import IdeaWalk

    candidates = CandidateWalk(context, vault, only)
    try:
        finished = candidates.go()
    finally:  # Ctrl-C as well
        candidates.name_lost_changes()
    data: dict[str, Any] = {**candidates.counts()}
    shown = [("", data.copy())] if candidates.was_asked else []
    rest: dict[str, Walk] = {}
    if only is None:
        rest["merged"] = MergedWalk(context, vault)
        if vault.agent is None:  # the ledger of ideas is the owner's
            rest["ideas"] = IdeaWalk(context, vault)
    for name, each in rest.items():
        finished = finished and each.go()
        if each.was_asked:
            data[name] = each.counts()
            shown.append((f"{name}: ", data[name]))

    def text(canvas: Canvas) -> None:
        if not shown:
            canvas.line("nothing waits for review", style="nothing")
        for of, counts in shown:
            parts = ", ".join(f"{name} {number}" for name, number in counts.items())
            canvas.line(of + parts, style="good")

    return Result(data=data, text=text)


def edited(
    context: Context, vault: Vault, entry_id: str, changes: dict[str, Any]
) -> EntryDecisions:
    """Approve a candidate with the text that a person makes of it."""
    from memcli.cli import edit as editor
    from memcli.curation import review

    with editor.edited(vault.get(entry_id).body, context.environ) as text:
        return review.approve(vault, [entry_id], {**changes, "text": text})
