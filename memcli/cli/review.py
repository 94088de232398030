"""`memcli review` and `ideas`: what waits for a decision; and the walk on a terminal:
candidates, ideas, then texts that a merge of two clones replaced; one item shown, one
decision made, then the next.

Invariant: every decision of the walk is committed before the next question, so leaving
at any point, by a key or by a closed terminal, loses nothing, and the next walk begins
with what is left.
"""

from __future__ import annotations  # evaluated only when Typer reads them

from memcli.cli.context import Canvas, Context, Result, said
from memcli.cli.rows import listed
from memcli.curation import inbox
from memcli.curation import review as use_case
from memcli.entries import no_secrets
from memcli.entries.text.counted import counted
from memcli.entries.text.differences import told
from memcli.errors import MemcliError, UsageError
from memcli.vault import vaults
from memcli.vault.saved import not_shown

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from memcli.vault.likeness import Similar
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
    if supersede and len(ids) > 1:
        raise UsageError("--supersede takes one id")
    vault = context.open_vault("reviewing", writes=True)
    if not action and context.interactive and not list_ and not all_:
        return walk(context, vault)
    if not action:
        return _listed(vault, inbox.pending(vault))
    words = {"--title": title, "--reason": reason, "--tag": "\n".join(tags or ())}
    no_secrets.refuse_texts(words)
    named = bool(ids)
    ids = ids or [each.id for each in inbox.pending(vault, to_decide=True)]
    items = use_case.planned(vault, ids, supersede)
    if not reject:
        context.person_confirms(vault, ids)
    lines = [f"{one.id} {one.title}" for one in items]
    question, nothing = f"{action.capitalize()} these?", dry_run or not items
    if not context.agrees(lines, question, yes=yes or named, dry_run=nothing):
        data = {"applied": False, "action": action, "items": items}
        if not items:
            return said(data, f"Nothing to {action}.", style="nothing")
        return said(data, f"would {action} {len(items)}:", *lines, dry_run=dry_run)
    if action == "reject":
        done = use_case.reject(vault, *ids, reason=reason)
    elif action == "supersede":
        done = use_case.supersede(vault, ids[0], supersede or "", reason)
    else:
        done = use_case.approve(vault, *ids, title=title, kind=kind, tags=tags)
    outcomes = [f"{one.outcome} {one.id} {one.path}" for one in done.items]
    solved = [one.id for one in done.items if one.outcome != "rejected"]
    return said(
        {"applied": True, "action": done.items[0].outcome, **done._asdict()},
        "\n".join(outcomes),
        warnings=not_shown(vault, solved),
    )


def _listed(vault: Vault, candidates: list[inbox.PendingEntry]) -> Result:
    merged, also = use_case.merged_versions(vault), ""
    if merged:
        number = counted(len(merged), "text")
        also = f"{number} replaced in a merge; at a terminal: memcli review"

    def below(canvas: Canvas) -> None:
        if also and candidates:
            canvas.line(also, style="nothing")  # no row: a pipe has ids or nothing

    return listed(
        "candidates",
        candidates,
        "id days=age_days confidence kind title",
        empty=also or "Nothing waits for review.",
        vault=vault,
        data={"merged": [one._asdict() for one in merged]} if merged else {},
        below=below,
    )._replace(warnings=not_shown(vault, [each.id for each in candidates]))


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
    found = inbox.pending(vault, ideas=True)
    columns, none = "id days=age_days title", "No open ideas."
    result = listed("ideas", found, columns, empty=none, vault=vault)
    return result._replace(warnings=not_shown(vault, [idea.id for idea in found]))


# --- the walk on a terminal -----------------------------------------------------------

# An item is to be read at a glance; a transcript that got in is not.
_MOST_LINES = 40
_WIDEST = 2_000
# Seconds for git to say who wrote a candidate.
_BLAME = 2.0
# Of an entry that a candidate may replace, to be read beside it.
_MOST_OF_OLD = 6

# With the space behind it 60 columns; undo is named by `?`.
_CANDIDATE = "[y] approve [n] reject [e]dit [m] supersede [s]kip [q] [?]"
_MERGED = "[k]eep current [t]ake other [b]oth [s]kip [q]uit [?]"
_EXPLAINED = {
    _CANDIDATE: """\
  y          approve: it becomes a memory
  y KIND     approve it as a memory of this kind
  n WHY      reject: it goes to the archive and is not proposed again
  e          edit it in your editor, then approve it
  1-3        supersede: it becomes the next version of that entry
  m ID       supersede the entry of that id, or of that number""",
    _MERGED: """\
  k          keep the current text; the other one stays in the archive
  t          take the other text: it becomes the next version
  b          both: the next version has the current text, then the other""",
}
_EVERYWHERE = """\
  s          skip: it waits on
  u          undo the last decision
  q          quit; what is decided stays decided"""
_SETTLED = {"k": "kept", "t": "taken", "b": "joined"}


class _Walk:
    """The decisions of a walk through the items that wait.

    Attributes:
        only: ids of the candidates to ask about, and about no merged text; None:
            everything.
        near: the entries that the candidate in question may replace.
    """

    def __init__(
        self, context: Context, vault: Vault, only: Collection[str] | None
    ) -> None:
        self.context, self.vault, self.tell = context, vault, context.tell
        self.only = only
        self.skipped: set[str] = set()
        # The outcome of each, and its commit.
        self.decided: list[tuple[str, str | None]] = []
        self.near: Sequence[Similar] = ()

    def candidates(self) -> list[inbox.PendingEntry]:
        pending = inbox.pending(self.vault, to_decide=True)
        pending += inbox.pending(self.vault, to_decide=True, ideas=True)
        return [each for each in pending if self.only is None or each.id in self.only]

    def merged(self) -> list[use_case.MergedVersion]:
        return [] if self.only is not None else use_case.merged_versions(self.vault)

    def left(self) -> list[Any]:
        """The items to ask about, of one kind: first the candidates."""
        for waiting in (self.candidates, self.merged):
            if left := [one for one in waiting() if one.id not in self.skipped]:
                return left
        return []

    def ask(self) -> None:
        """Ask about each item, until the person leaves."""
        while left := self.left():
            item = left[0]
            is_merged = isinstance(item, use_case.MergedVersion)
            (self._show_merged if is_merged else self._show_candidate)(item, len(left))
            keys = _MERGED if is_merged else _CANDIDATE
            goes_on = False
            while not goes_on:
                answer = self.context.ask(f"{keys} ")
                if answer is None or answer.strip().lower() in ("q", "quit"):
                    return
                try:
                    goes_on = self._obeyed(item, keys, *answer.strip().split(" ", 1))
                except MemcliError as error:
                    self.tell(error.message)
                    if error.hint:
                        self.tell(f"  {error.hint}")
                    # Another process may have decided on it.
                    goes_on = all(each.id != item.id for each in self.left())

    def _obeyed(self, item: Any, keys: str, key: str, word: str = "") -> bool:
        """Do as a key says; whether the walk goes on, or asks again."""
        key, word = key.lower(), word.strip()
        if key in ("?", "h", "help"):
            self.tell(f"{_EXPLAINED[keys]}\n{_EVERYWHERE}")
        elif key == "s":
            self.skipped.add(item.id)
            return True
        elif key == "u" and self.decided:
            from memcli.curation import undo

            undo.undo(self.vault, self.decided[-1][1])
            self.decided.pop()
            return True
        else:
            decide = self._settle if keys == _MERGED else self._decide
            done = decide(item, key, word)
            if done:
                self.decided.append(done)
            nothing = f"the key {key or 'Enter'} does nothing here; ? explains the keys"
            self.tell(f"  {done[0] if done else nothing}")
            return bool(done)
        return False

    # --- candidates -------------------------------------------------------------------

    def _show_candidate(self, item: inbox.PendingEntry, left: int) -> None:
        tell = self.tell
        place = len(self.decided) + len(self.skipped) + 1
        tell("")
        tell(f"{place} of {place + left - 1}: {item.title}")
        facts = [item.kind, item.confidence or "", item.item or ""]
        facts += [f"{counted(item.age_days, 'day')} old", item.id]
        tell("  " + " · ".join(fact for fact in facts if fact))
        if others := vaults.writers(self.vault, item.path, _BLAME):
            tell(f"  written by: {', '.join(others)}")
        if item.rationale:
            tell(f"  why: {item.rationale}")
        # Names of 36 characters, which `memcli inspect ID` has whole.
        where = map(item.source.get, ("host", "session", "record"))
        if names := [str(name)[:16] for name in where if name]:
            tell(f"  from: {' '.join(names)}")
        excerpt = item.source.get("excerpt")
        if _plain(excerpt) not in _plain(item.text):
            tell(f"  said: {excerpt}")
        for note in not_shown(self.vault, [item.id]):
            tell(f"  {note}")
        self._show_text(item.text, item.id)
        self.near = inbox.proposals(self.vault, item.id)
        for number, old in enumerate(self.near, 1):
            how = told(old.likeness, old.differs) if old.likeness else "its evidence"
            relation = "repeats" if inbox.repeats(old) else "similar"
            tell(f"  {number}: {relation} {old.id} ({how}): {old.title}")
            for line in self.vault.get(old.id).body.splitlines()[:_MOST_OF_OLD]:
                tell(f"       {line[:_WIDEST]}")

    def _show_text(self, text: str, entry_id: str) -> None:
        self.tell("")
        lines = text.strip().splitlines()
        for line in lines[:_MOST_LINES]:
            self.tell(f"    {line[:_WIDEST]}")
        if len(lines) > _MOST_LINES:
            self.tell(f"    ... all of it: memcli show {entry_id}")
        self.tell("")

    def _decide(
        self, item: inbox.PendingEntry, key: str, word: str
    ) -> tuple[str, str | None] | None:
        vault = self.vault
        if key == "y":
            done = use_case.approve(vault, item.id, kind=word or None)
        elif key == "e":
            from memcli.cli.evolve import edited

            before = vault.get(item.id).body
            with edited(before, self.context.environ) as text:
                done = use_case.approve(vault, item.id, text=text)
        elif key == "n":
            done = use_case.reject(vault, item.id, reason=self._reason(word))
        elif key == "m" or key.isdigit():
            shown = {str(number): old.id for number, old in enumerate(self.near, 1)}
            target = word if key == "m" else key
            if not target or (key != "m" and key not in shown):
                raise UsageError(
                    f"  no entry is shown as {target or 'that'}; m ID names another one"
                )
            done = use_case.supersede(vault, item.id, shown.get(target, target))
        else:
            return None
        return done.items[0].outcome, done.commit

    def _reason(self, word: str) -> str | None:
        """Why an item is refused: the word behind the key, or what the person answers.

        Raises:
            UsageError: one letter is the next key of a person who knows them.
        """
        given = word or (self.context.ask("Reason (Enter to skip): ") or "").strip()
        if len(given) == 1 and given.isascii():  # one sign of Chinese says much
            raise UsageError(f"  {given} is too short for a reason; Enter skips it")
        return given or None

    # --- texts that a merge replaced --------------------------------------------------

    def _show_merged(self, item: use_case.MergedVersion, left: int) -> None:
        self.tell("")
        self.tell(f"two clones changed: {item.current_title} ({left} to decide on)")
        self.tell(f"  current ({item.current_id}):")
        self._show_text(item.current_text, item.current_id)
        self.tell(f"  {item.reason} ({item.id}):")
        self._show_text(item.text, item.id)

    def _settle(
        self, item: use_case.MergedVersion, key: str, word: str
    ) -> tuple[str, str | None] | None:
        outcome = None if word else _SETTLED.get(key)
        if not outcome:
            return None
        return outcome, use_case.settle(self.vault, item.id, outcome)


def _plain(text: object) -> str:
    """The words of a text alone, to see whether another one repeats them."""
    return " ".join(str(text or "").replace("`", "").split())


def walk(context: Context, vault: Vault, only: Collection[str] | None = None) -> Result:
    """Walk through what waits; the result sums it up.

    Args:
        context: the world outside.
        vault: where it waits.
        only: ids of the candidates to ask about, and about no merged text; None:
            everything.
    """
    at = _Walk(context, vault, only)
    asked, merged = bool(at.candidates()), bool(at.merged())
    at.ask()

    def counts(*outcomes: str) -> dict[str, int]:
        decided = [outcome for outcome, _ in at.decided]
        return {name: decided.count(name) for name in outcomes}

    def summed(numbers: dict[str, int]) -> str:
        return ", ".join(f"{name} {number}" for name, number in numbers.items())

    left = [*inbox.pending(vault), *inbox.pending(vault, ideas=True)]
    data: dict[str, Any] = counts("approved", "rejected", "superseded")
    data["left"] = len(left)
    lines = [summed(data)] if asked else []
    if merged:
        data["merged"] = {**counts(*_SETTLED.values()), "left": len(at.merged())}
        lines.append(f"merged: {summed(data['merged'])}")
    if not lines:
        return said(data, "nothing waits for review", style="nothing")
    return said(data, "\n".join(lines))
