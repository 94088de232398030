"""The walk of `memcli review` on a terminal: candidates, merged texts, then ideas; one
item shown, one decision made, then the next.

Invariant: every decision is committed before the next question, so leaving at any
point, by a key or by a closed terminal, loses nothing, and the next walk begins with
what is left. Of two versions both texts stand beside each other before a decision.
"""

from __future__ import annotations

import textwrap
from itertools import zip_longest

from memcli.cli.context import Canvas, Context, Result
from memcli.entries.text.counted import counted
from memcli.entries.text.differences import told
from memcli.errors import MemcliError, UsageError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from memcli.curation.idea_text import Section
    from memcli.curation.inbox import PendingEntry
    from memcli.curation.review import MergedVersion
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Vault

# An item is to be read at a glance; a transcript that got in is not.
_MOST_LINES = 40
_WIDEST = 2_000
# Of an entry that a candidate may replace, to be read beside it.
_MOST_OF_OLD = 6
# Two columns of this width and a gap fit a terminal of 80.
_COLUMN = 37


class Decision(NamedTuple):
    """A decision on an item; `commit` is None where only the last one is known."""

    name: str
    outcome: str
    commit: str | None = None
    path: str = ""


class Walk:
    """A walk through the items of one kind, and what was decided in it.

    A kind of items says how they are asked for, shown and decided on.

    Attributes:
        keys: the prompt, which names the keys.
        explained: the answer to `?`.
        outcomes: the decisions that are counted.
        was_asked: whether there was an item to ask about.
    """

    keys = explained = ""
    outcomes: tuple[str, ...] = ()

    def __init__(self, context: Context, vault: Vault) -> None:
        self.context, self.vault, self.tell = context, vault, context.tell
        self.skipped: set[str] = set()
        self.decided: list[Decision] = []
        self.was_asked = False

    def waiting(self) -> Sequence[Any]:
        """The items that nobody has decided on."""
        raise NotImplementedError

    def name(self, item: Any) -> str:
        """The id of an item."""
        return str(item.id)

    def show(self, item: Any, left: int) -> None:
        """Show an item, and that so many are left with it."""
        raise NotImplementedError

    def obey(self, item: Any, key: str, word: str) -> Decision | None:
        """Decide as a key and the word behind it say; None for a key that does
        nothing."""
        raise NotImplementedError

    def go(self) -> bool:
        """Ask about each item; returns whether there was an answer for every one."""
        while left := [i for i in self.waiting() if self.name(i) not in self.skipped]:
            self.was_asked = True
            self.show(left[0], len(left))
            goes_on = None
            while goes_on is None:
                goes_on = self._answered(left[0])
            if not goes_on:
                return False
        return True

    def counts(self) -> dict[str, int]:
        """The decisions by their outcome, and how many items are left."""
        outcomes = [decision.outcome for decision in self.decided]
        counts = {name: outcomes.count(name) for name in self.outcomes}
        return counts | {"left": len(self.waiting())}

    def _answered(self, item: Any) -> bool | None:
        """Ask once; whether the walk goes on, None where it asks again."""
        answer = self.context.ask(f"{self.keys} ")
        if answer is None or answer.strip().lower() in ("q", "quit"):
            return False
        key, _, word = answer.strip().partition(" ")
        key = key.lower()
        try:
            if key in ("?", "h", "help"):
                self.tell(self.explained)
            elif not key:
                self.tell("  ? explains the keys")
            elif key == "s":
                self.skipped.add(self.name(item))
                return True
            elif key == "u":
                return self._undo()
            elif done := self.obey(item, key, word.strip()):
                self.decided.append(done)
                self.tell(f"  {done.outcome}" + (f": {done.path}" if done.path else ""))
                return True
            else:
                self.tell(f"  the key {key} does nothing here; ? explains the keys")
        except MemcliError as error:
            self.tell(error.message)
            if error.hint:
                self.tell(f"  {error.hint}")
            # Another process may have decided on it.
            if self.name(item) not in map(self.name, self.waiting()):
                return True
        return None

    def _reason(self, word: str) -> str | None:
        """Why an item is refused: the word behind the key, or what the person answers.

        Raises:
            UsageError: one letter is the next key of a person who knows them.
        """
        given = word or (self.context.ask("Reason (Enter to skip): ") or "").strip()
        if len(given) == 1 and given.isascii():  # one sign of Chinese says much
            raise UsageError(f"  {given} is too short for a reason; Enter skips it")
        return given or None

    def _undo(self) -> bool | None:
        """Take the last decision back, and ask about its item again."""
        from memcli.curation import undo

        if not self.decided:
            self.tell("nothing was decided in this walk: memcli undo")
            return None
        commit = self.decided[-1].commit
        if commit:
            found = undo.named(self.vault, commit)
            undo.undo(self.vault, found.commit, found.subject)
        else:
            undo.undo_last(self.vault, "review: ")
        self.decided.pop()
        return True


class CandidateWalk(Walk):
    """The walk through the inbox.

    Attributes:
        only: ids of the candidates to ask about; None: all of them.
        near: the entries that the candidate in question may replace.
    """

    # With the space behind it 60 columns; undo is named by `?`.
    keys = "[y] approve [n] reject [e]dit [m] supersede [s]kip [q] [?]"
    explained = """\
  y          approve: it becomes a memory
  y KIND     approve it as a memory of this kind
  n WHY      reject: it goes to the archive and is not proposed again
  e          edit it in your editor, then approve it
  1-3        supersede: it becomes the next version of that entry
  m ID       supersede the entry of that id, or of that number
  s          skip: it waits on
  u          undo the last decision
  q          quit; what is decided stays decided"""
    outcomes = ("approved", "rejected", "superseded")

    def __init__(
        self, context: Context, vault: Vault, only: Collection[str] | None
    ) -> None:
        super().__init__(context, vault)
        self.only = only
        self.near: Sequence[Similar] = ()

    def waiting(self) -> list[PendingEntry]:
        from memcli.curation import inbox

        pending = inbox.pending(self.vault, to_decide=True)
        return [each for each in pending if self.only is None or each.id in self.only]

    def counts(self) -> dict[str, int]:
        """As for every walk, but all that waits is left, not only what was asked."""
        from memcli.curation import inbox

        return super().counts() | {"left": len(inbox.pending(self.vault))}

    def show(self, item: PendingEntry, left: int) -> None:
        from memcli.curation import inbox
        from memcli.vault.saved import not_shown

        tell = self.tell
        place = len(self.decided) + len(self.skipped) + 1
        tell("")
        tell(f"{place} of {place + left - 1}: {item.title}")
        facts = [item.kind, item.confidence or "", item.item or ""]
        facts += [f"{counted(item.age_days, 'day')} old", item.id]
        tell("  " + " · ".join(fact for fact in facts if fact))
        if item.rationale:
            tell(f"  why: {item.rationale}")
        # Names of 36 characters, which `memcli inspect ID` has whole.
        where = map(item.source.get, ("host", "session", "record"))
        names = [str(name) for name in where if name]
        if names:
            short = (n if len(n) <= 16 else f"{n[:8]}…" for n in names)
            tell(f"  from: {' '.join(short)}")
        excerpt = item.source.get("excerpt")
        if _plain(excerpt) not in _plain(item.text):
            tell(f"  said: {excerpt}")
        for note in not_shown(self.vault, [item.id]):
            tell(f"  {note}")
        tell("")
        lines = item.text.splitlines()
        for line in lines[:_MOST_LINES]:
            tell(f"    {line[:_WIDEST]}")
        if len(lines) > _MOST_LINES:
            tell(f"    ... all of it: memcli inspect {item.id}")
        tell("")
        self.near = inbox.proposals(self.vault, item)
        for number, old in enumerate(self.near, 1):
            how = told(old.likeness, old.differs) if old.likeness else "its evidence"
            relation = "repeats" if inbox.repeats(old) else "similar"
            tell(f"  {number}: {relation} {old.id} ({how}): {old.title}")
            for line in self.vault.get(old.id).body.splitlines()[:_MOST_OF_OLD]:
                tell(f"       {line[:_WIDEST]}")

    def obey(self, item: PendingEntry, key: str, word: str) -> Decision | None:
        from memcli.curation import review

        vault = self.vault
        if key == "y":
            done = review.approve(vault, [item.id], {"kind": word} if word else None)
        elif key == "e":
            from memcli.cli.edit import edited

            before = vault.get(item.id).body
            with edited(before, self.context.environ) as text:
                done = review.approve(vault, [item.id], {"text": text})
        elif key == "n":
            done = review.reject(vault, [item.id], self._reason(word))
        elif key == "m" or key.isdigit():
            shown = {str(number): old.id for number, old in enumerate(self.near, 1)}
            target = word if key == "m" else key
            if not target or (key != "m" and key not in shown):
                raise UsageError(
                    f"  no entry is shown as {target or 'that'}; m ID names another one"
                )
            done = review.supersede(vault, item.id, shown.get(target, target))
        else:
            return None
        return Decision(done.items[0].id, done.items[0].outcome, done.commit)


def _plain(text: object) -> str:
    """The words of a text alone, to see whether another one repeats them."""
    return " ".join(str(text or "").replace("`", "").split())


class MergedWalk(Walk):
    """The walk through texts that a merge of two clones replaced."""

    keys = "[k]eep current [t]ake other [b]oth [s]kip [u]ndo [q]uit [?]"
    explained = """\
  k          keep the current text; the other one stays in the archive
  t          take the other text: it becomes the next version
  b          both: the next version has the current text, then the other
  s          skip: it is asked again next time
  u          undo the last decision
  q          quit; what is decided stays decided"""
    outcomes = ("kept", "taken", "joined")

    def waiting(self) -> list[MergedVersion]:
        from memcli.curation import review

        return review.merged_versions(self.vault)

    def show(self, item: MergedVersion, left: int) -> None:
        tell = self.tell
        tell("")
        tell(f"two clones changed: {item.current_title} ({left} to decide on)")
        tell(f"  {item.current_id} is current, {item.id} was {item.reason}")
        tell("")
        columns = [_wrapped(text) for text in (item.current_text, item.text)]
        tell(f"  {'current':<{_COLUMN}}  {item.reason}")
        for one, other in list(zip_longest(*columns, fillvalue=""))[:_MOST_LINES]:
            tell(f"  {one:<{_COLUMN}}  {other}".rstrip())
        if max(map(len, columns)) > _MOST_LINES:
            tell(f"  ... all of it: memcli show {item.current_id} {item.id}")
        tell("")

    def obey(self, item: MergedVersion, key: str, word: str) -> Decision | None:
        from memcli.curation import review

        outcome = {"k": "kept", "t": "taken", "b": "joined"}.get(key)
        if outcome is None or word:
            return None
        if key == "k":
            review.keep_current(self.vault, item.id)
        else:
            review.take(self.vault, item.id, both=key == "b")
        return Decision(item.id, outcome)


def _wrapped(text: str) -> list[str]:
    rows: list[str] = []
    for line in text.strip().splitlines()[: _MOST_LINES + 1]:
        rows += textwrap.wrap(line[:_WIDEST], _COLUMN) or [""]
    return rows


class IdeaWalk(Walk):
    """The walk through the open ideas."""

    keys = "[p]romote [d]ismiss [s]kip [u]ndo [q]uit [?]"
    explained = """\
  p       promote: it becomes a memory of kind idea
  p KIND  it becomes a memory of this kind
  d WHY   dismiss: it is struck out and not proposed again
  s       skip: it waits on
  u       undo the last decision
  q       quit; what is decided stays decided"""
    outcomes = ("promoted", "dismissed")

    def waiting(self) -> list[Section]:
        from memcli.curation import ideas as vault_ideas

        try:
            return vault_ideas.listed(self.vault, only_open=True)
        except MemcliError as error:  # what was decided before is still to be told
            self.tell(f"the ideas cannot be read: {error.message}")
            return []

    def name(self, item: Section) -> str:
        return item.slug

    def show(self, item: Section, left: int) -> None:
        tell = self.tell
        tell("")
        tell(f"an idea, {left} left: {item.title}")
        facts = [f"{counted(item.age_days, 'day')} old", item.slug]
        facts += [f"session {item.session}"] if item.session else []
        tell("  " + " · ".join(facts))
        if item.excerpt:
            tell(f"  said: {item.excerpt[:500]}")
        if item.summary:
            tell(f"    {item.summary[:2_000]}")

    def obey(self, item: Section, key: str, word: str) -> Decision | None:
        from memcli.curation import ideas as vault_ideas

        if key == "p":
            done = vault_ideas.promote(self.vault, [item.slug], {"kind": word})
        elif key == "d":
            why = self._reason(word)
            done = vault_ideas.dismiss(self.vault, [item.slug], why)
        else:
            return None
        made = done.items[0]
        return Decision(item.slug, made.outcome, done.commit, made.path or "")


def walk(context: Context, vault: Vault, only: Collection[str] | None = None) -> Result:
    """Walk through what waits, then the open ideas; the result sums it up.

    Args:
        context: the world outside.
        vault: where it waits.
        only: ids of the candidates to ask about, and about no idea; None: everything.
    """
    candidates = CandidateWalk(context, vault, only)
    finished = candidates.go()
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
