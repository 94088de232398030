"""The walk of `memcli review` on a terminal: one candidate after the other.

Invariant: every decision is committed before the next question, so leaving at any
point, by a key or by a closed terminal, loses nothing, and the next walk begins with
what is left.
"""

from __future__ import annotations

from functools import partial

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from memcli.curation.inbox import PendingEntry, Proposal
    from memcli.curation.review import EntryDecisions
    from memcli.vault.vault import Vault

# With the space behind it 60 columns; undo is named by `?`.
_KEYS = "[y] approve [n] reject [e]dit [m] supersede [s]kip [q] [?]"
_HELP = """\
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


class _Decision(NamedTuple):
    """A decision on the candidate at a place of the walk, and its commit."""

    outcome: str
    place: int
    commit: str | None


class _Walk:
    """The state of one walk: what is left, and what was decided."""

    def __init__(
        self, context: Context, vault: Vault, only: Collection[str] | None
    ) -> None:
        from memcli.curation import inbox

        self.context = context
        self.vault = vault
        self.waiting = [
            each
            for each in inbox.pending(vault, to_decide=True)
            if only is None or each.id in only
        ]
        self.total = len(self.waiting)
        self.place = 0
        self.decided: list[_Decision] = []
        self.changes: dict[str, dict[str, Any]] = {}

    def go(self) -> bool:
        """Ask about each candidate; whether there was an answer for every one."""
        from memcli.cli.walk import answered

        while self.place < len(self.waiting):
            candidate = self.waiting[self.place]
            obey = partial(self._obey, candidate, self._show(candidate))
            gone = partial(self._is_gone, candidate)
            if not answered(self.context, _KEYS, obey, gone):
                return False
        return True

    def name_lost_changes(self) -> None:
        """Name what was to be changed in candidates that were not approved."""
        decided = {self.waiting[each.place].id for each in self.decided}
        for entry_id, changes in self.changes.items():
            if not changes or entry_id in decided:
                continue
            parts = []
            for name, value in changes.items():
                shown = " ".join(value) if isinstance(value, tuple) else str(value)
                parts.append(f"{name.replace('retagged', 'tags')} {shown or 'none'}")
            lost = f"{', '.join(parts)} of {entry_id}"
            self.context.tell(f"not kept, since it was not approved: {lost}")

    def _is_gone(self, candidate: PendingEntry) -> bool:
        """Whether it waits no more, since another process decided; if so, go on."""
        from memcli.curation import inbox

        gone = candidate.id not in {each.id for each in inbox.pending(self.vault)}
        self.place += gone
        return gone

    def _show(self, candidate: PendingEntry) -> list[Proposal]:
        from memcli.curation import inbox
        from memcli.vault.saved import not_shown

        tell = self.context.tell
        tell("")
        tell(f"{self.place + 1} of {self.total}: {candidate.title}")
        facts = [candidate.kind, candidate.confidence or "", candidate.item or ""]
        facts += [f"{counted(candidate.age_days, 'day')} old", candidate.id]
        tell("  " + " · ".join(fact for fact in facts if fact))
        if candidate.rationale:
            tell(f"  why: {candidate.rationale}")
        source = candidate.source
        where = [
            str(source[name])
            for name in ("host", "session", "record")
            if source.get(name)
        ]
        if where:
            tell(f"  from: {' '.join(_beginning(word) for word in where)}")
        if _plain(source.get("excerpt")) not in _plain(candidate.text):
            tell(f"  said: {source['excerpt']}")
        for note in not_shown(self.vault, [candidate.id]):
            tell(f"  {note}")
        tell("")
        lines = candidate.text.splitlines()
        for line in lines[:_MOST_LINES]:
            tell(f"    {line[:_WIDEST]}")
        if len(lines) > _MOST_LINES:
            rest = f"{counted(len(lines) - _MOST_LINES, 'more line')}"
            tell(f"    ... {rest}: memcli inspect {candidate.id}")
        tell("")
        near = inbox.proposals(self.vault, candidate)
        for number, old in enumerate(near, 1):
            alike = f"{old.likeness:.0%} alike" if old.likeness else "named as evidence"
            about = f"{old.relation} {old.id} ({alike}): {old.title}"
            tell(f"  {number}: {about}")
            if old.why:
                tell(f"       {old.why}")
            for line in self.vault.get(old.id).body.splitlines()[:_MOST_OF_OLD]:
                tell(f"       {line[:_WIDEST]}")
        return near

    def _obey(
        self, candidate: PendingEntry, near: list[Proposal], key: str, word: str
    ) -> bool:
        """Do what a key asks for; whether the walk goes on to the next candidate."""
        from memcli.cli.walk import reason, unknown
        from memcli.curation import review

        changes = self.changes.setdefault(candidate.id, {})
        if key == "y":
            return self._note(review.approve(self.vault, [candidate.id], changes))
        if key == "e":
            return self._note(edited(self.context, self.vault, candidate.id, changes))
        if key in _CHANGES:
            return self._change(candidate, changes, _CHANGES[key], word)
        if key == "n":
            why = reason(self.context, word)
            return self._note(review.reject(self.vault, [candidate.id], why))
        if key == "s":
            self.place += 1
            return True
        numbers = {str(number): old.id for number, old in enumerate(near, 1)}
        if key == "m" or key in numbers:
            target = word if key == "m" else key
            if not target:
                which = "Number, or id of the entry? " if near else "Id of the entry? "
                target = (self.context.ask(which) or "").strip()
            if not target:
                return False
            target = numbers.get(target, target)
            return self._note(review.supersede(self.vault, candidate.id, target))
        if key == "u":
            return self._undo()
        if key.isdigit():
            self.context.tell(f"  no entry is shown as {key}; m ID names another one")
            return False
        return unknown(self.context, key, _HELP)

    def _change(
        self, candidate: PendingEntry, changes: dict[str, Any], name: str, word: str
    ) -> bool:
        """Note what is to be another kind, other tags or another project; False, since
        the candidate is not decided on yet.

        Raises:
            InvalidValue: there is no such kind, tag or project.
        """
        if not word:
            word = (self.context.ask(f"Its {name}? ") or "").strip()
        if not word:
            return False
        from memcli.curation.review import retagged

        wanted: Any = word
        if name == "tags":
            tags = changes.get("retagged", self.vault.get(candidate.id).tags)
            wanted = retagged(tags, word.split())
            name = "retagged"
        checked = self.vault.draft(
            {"text": "-", ("tags" if name == "retagged" else name): wanted}
        )
        changes[name] = checked.tags if name == "retagged" else word
        shown = " ".join(checked.tags) if name == "retagged" else word
        self.context.tell(f"  {name.replace('retagged', 'tags')}: {shown or 'none'}")
        return False

    def _note(self, done: EntryDecisions) -> bool:
        outcome = done.items[0].outcome
        self.decided.append(_Decision(outcome, self.place, done.commit))
        self.context.tell(f"  {outcome}")
        self.place += 1
        return True

    def _undo(self) -> bool:
        """Take the last decision back, and ask about that candidate again."""
        from memcli.curation import inbox, undo

        if self.decided and self.decided[-1].commit:
            last = self.decided[-1]
            title = self.waiting[last.place].title
            undo.undo(self.vault, last.commit or "", f"review: {last.outcome} {title}")
            self.decided.pop()
            # Decisions are taken back newest first, so all behind it still wait.
            self.place = last.place
            return True
        known = {each.id for each in self.waiting}
        undo.undo_last(self.vault, "review: ")
        back = [each for each in inbox.pending(self.vault) if each.id not in known]
        self.waiting[self.place : self.place] = back
        self.total += len(back)
        return True


def walk(context: Context, vault: Vault, only: Collection[str] | None = None) -> Result:
    """Walk through what waits, then the open ideas; the result sums it up.

    Args:
        context: the world outside.
        vault: where it waits.
        only: ids of the candidates to ask about, and about no idea; None: everything.
    """
    from memcli.cli import ideas
    from memcli.cli.walk import walk_merged
    from memcli.curation import inbox

    state = _Walk(context, vault, only)
    try:
        finished = state.go()
    finally:  # Ctrl-C as well
        state.name_lost_changes()
    on_merged: dict[str, int] = {}
    if finished and only is None:
        on_merged, finished = walk_merged(context, vault)
    # The ledger of ideas is the owner's.
    ideas_too = finished and only is None and vault.agent is None
    on_ideas = ideas.walk(context, vault) if ideas_too else {}
    counts: dict[str, Any] = {
        name: sum(decision.outcome == name for decision in state.decided)
        for name in ("approved", "rejected", "superseded")
    }
    counts["left"] = len(inbox.pending(vault))

    def text(canvas: Canvas) -> None:
        if not (state.total or on_merged or on_ideas):
            canvas.line("nothing waits for review", style="nothing")
            return
        for of, numbers in (
            ("", counts if state.total else {}),
            ("merged: ", on_merged),
            ("ideas: ", on_ideas),
        ):
            parts = ", ".join(f"{name} {number}" for name, number in numbers.items())
            if parts:
                canvas.line(of + parts, style="good")

    data = counts | ({"ideas": on_ideas} if on_ideas else {})
    data |= {"merged": on_merged} if on_merged else {}
    return Result(data=data, text=text)


def edited(
    context: Context, vault: Vault, entry_id: str, changes: dict[str, Any]
) -> EntryDecisions:
    """Approve a candidate with the text that a person makes of it."""
    from memcli.cli import edit as editor
    from memcli.curation import review

    with editor.edited(vault.get(entry_id).body, context.environ) as text:
        return review.approve(vault, [entry_id], {**changes, "text": text})
