"""The walk through what waits: one item shown, one decision made, then the next.

Invariant: every decision is committed before the next question, so leaving at any
point, by a key or by a closed terminal, loses nothing, and the next walk begins with
what is left. Of two versions both texts stand beside each other before a decision.
"""

from __future__ import annotations

import textwrap
from itertools import zip_longest

from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.cli.context import Context
    from memcli.curation.review import MergedVersion
    from memcli.vault.vault import Vault


class Decision(NamedTuple):
    """A decision on an item; `commit` is None where only the last one is known."""

    name: str
    outcome: str
    commit: str | None


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
        self.context = context
        self.vault = vault
        self.skipped: set[str] = set()
        self.decided: list[Decision] = []
        self.was_asked = False

    def waiting(self) -> Sequence[Any]:
        """The items that nobody has decided on."""
        raise NotImplementedError

    def name(self, item: Any) -> str:
        """The id of an item."""
        name: str = item.id
        return name

    def show(self, item: Any, left: int) -> None:
        """Show an item, and that so many are left with it."""
        raise NotImplementedError

    def obey(self, item: Any, key: str, word: str) -> bool | None:
        """Do what a key and the word behind it ask for; returns whether the walk goes
        on to the next item, None for a key that does nothing."""
        raise NotImplementedError

    def go(self) -> bool:
        """Ask about each item; returns whether there was an answer for every one."""
        while left := [i for i in self.waiting() if self.name(i) not in self.skipped]:
            self.was_asked = True
            self.show(left[0], len(left))
            if not self._is_answered(left[0]):
                return False
        return True

    def counts(self) -> dict[str, int]:
        """The decisions by their outcome, and how many items are left."""
        outcomes = [decision.outcome for decision in self.decided]
        counts = {name: outcomes.count(name) for name in self.outcomes}
        return counts | {"left": len(self.waiting())}

    def note(
        self, name: str, outcome: str, commit: str | None = None, said: str = ""
    ) -> bool:
        """Note a decision and say it; True, since the walk goes on."""
        self.decided.append(Decision(name, outcome, commit))
        self.context.tell(f"  {said or outcome}")
        return True

    def reason(self, word: str) -> str | None:
        """Why an item is refused: the word behind the key, or what the person answers.

        One letter is not taken for a reason: a person who knows the keys has typed the
        next one already.
        """
        while True:
            answer = word or self.context.ask("Reason (Enter to skip): ")
            word = ""
            given = (answer or "").strip()
            if len(given) != 1 or not given.isascii():  # one sign of Chinese says much
                return given or None
            self.context.tell(f"  {given} is too short for a reason; Enter skips it")

    def _is_answered(self, item: Any) -> bool:
        """Ask until the walk goes on; False when the person quits or the input ends."""
        tell = self.context.tell
        while True:
            answer = self.context.ask(f"{self.keys} ")
            if answer is None or answer.strip().lower() in ("q", "quit"):
                return False
            key, _, word = answer.strip().partition(" ")
            key, word = key.lower(), word.strip()
            try:
                if key in ("?", "h", "help"):
                    tell(self.explained)
                elif not key:
                    tell("  ? explains the keys")
                elif goes_on := self._obeyed(item, key, word):
                    return True
                elif goes_on is None:
                    tell(f"  the key {key} does nothing here; ? explains the keys")
            except MemcliError as error:
                tell(error.message)
                if error.hint:
                    tell(f"  {error.hint}")
                # Another process may have decided on it.
                if self.name(item) not in map(self.name, self.waiting()):
                    return True

    def _obeyed(self, item: Any, key: str, word: str) -> bool | None:
        if key == "s":
            self.skipped.add(self.name(item))
            return True
        return self._undo() if key == "u" else self.obey(item, key, word)

    def _undo(self) -> bool:
        """Take the last decision back, and ask about its item again."""
        from memcli.curation import undo

        if not self.decided:
            self.context.tell("nothing was decided in this walk: memcli undo")
            return False
        commit = self.decided[-1].commit
        if commit:
            found = undo.named(self.vault, commit)
            undo.undo(self.vault, found.commit, found.subject)
        else:
            undo.undo_last(self.vault, "review: ")
        self.decided.pop()
        return True


# Two columns of this width and a gap fit a terminal of 80.
_WIDTH = 37
_MOST_LINES = 40


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
        tell = self.context.tell
        tell("")
        tell(f"two clones changed: {item.current_title} ({left} to decide on)")
        tell(f"  {item.current_id} is current, {item.id} was {item.reason}")
        tell("")
        columns = [_wrapped(text) for text in (item.current_text, item.text)]
        tell(f"  {'current':<{_WIDTH}}  {item.reason}")
        for one, other in list(zip_longest(*columns, fillvalue=""))[:_MOST_LINES]:
            tell(f"  {one:<{_WIDTH}}  {other}".rstrip())
        if max(map(len, columns)) > _MOST_LINES:
            tell(f"  ... all of it: memcli show {item.current_id} {item.id}")
        tell("")

    def obey(self, item: MergedVersion, key: str, word: str) -> bool | None:
        del word
        from memcli.curation import review

        outcome = {"k": "kept", "t": "taken", "b": "joined"}.get(key)
        if outcome is None:
            return None
        if key == "k":
            review.keep_current(self.vault, item.id)
        else:
            review.take(self.vault, item.id, both=key == "b")
        return self.note(item.id, outcome)


def _wrapped(text: str) -> list[str]:
    rows: list[str] = []
    for line in text.strip().splitlines()[: _MOST_LINES + 1]:
        rows += textwrap.wrap(line[:2_000], _WIDTH) or [""]
    return rows
