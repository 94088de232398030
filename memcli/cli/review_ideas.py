"""Ideas in `memcli review`: the list of those that are open, flags, and the walk.

Invariant: as for candidates, every decision is committed before the next question.
"""

from typing import TYPE_CHECKING, Any

from memcli.cli.spec import Canvas, Context, Result
from memcli.errors import MemcliError

if TYPE_CHECKING:
    from memcli.curation.ideas.decide import IdeaDecisions
    from memcli.curation.ideas.incubator import Listed
    from memcli.vault.vault import Vault

_KEYS = "[p]romote [d]ismiss [m]erge [s]kip [z] undo [q]uit [?]"
_HELP = """\
  p       promote: it becomes a memory of kind idea
  p KIND  it becomes a memory of this kind
  d       dismiss: it goes to the archive and is not proposed again
  m SLUG  merge: it goes into that idea
  s       skip: it waits on
  z       undo the last decision
  q       quit; what is decided stays decided"""


def run(vault: "Vault", action: str | None, values: dict[str, Any]) -> Result:
    """List the open ideas, or do what the flags say to those that are named."""
    from memcli.curation.ideas import decide, incubator

    if action is None:
        return _list(incubator.listed(vault, only_open=True))
    names = incubator.named(vault, values["ids"])
    if values["dry_run"]:
        there = incubator.listed(vault)
        return _planned([one for one in there if one.slug in names], action)
    if action == "merge":
        return _decided(decide.merge(vault, names[0], values["merge"]))
    if action == "dismiss":
        return _decided(decide.dismiss(vault, names, values["reason"]))
    changes = {
        "kind": values["kind"],
        "title": values["title"],
        "tags": tuple(values["tag"]),
    }
    return _decided(decide.promote(vault, names, changes))


def walk(context: Context, vault: "Vault") -> dict[str, int]:
    """Ask about each open idea; how many were decided in which way, and are left.

    Returns:
        Nothing, when there was no open idea.
    """
    from memcli.curation.ideas import incubator

    try:
        total = len(incubator.listed(vault, only_open=True))
    except MemcliError as error:  # of the candidates, all is decided and said
        context.tell(f"the ideas cannot be read: {error.message}")
        return {}
    if not total:
        return {}
    counts = dict.fromkeys(("promoted", "dismissed", "merged"), 0)
    _Walk(context, vault, counts).go()
    counts["left"] = len(incubator.listed(vault, only_open=True))
    return counts


class _Walk:
    """The state of one walk: what was skipped, and what was decided."""

    def __init__(
        self, context: Context, vault: "Vault", counts: dict[str, int]
    ) -> None:
        self.context = context
        self.vault = vault
        self.counts = counts
        self.skipped: set[str] = set()
        self.decided: list[tuple[str, str, str | None]] = []

    def go(self) -> None:
        """Ask until every open idea was decided on or skipped, or nobody answers."""
        from memcli.curation.ideas import incubator

        while True:
            waiting = [
                one
                for one in incubator.listed(self.vault, only_open=True)
                if one.slug not in self.skipped
            ]
            if not waiting:
                return
            self._show(waiting[0], len(waiting))
            if not self._ask(waiting[0].slug):
                return

    def _show(self, one: "Listed", left: int) -> None:
        tell = self.context.tell
        tell("")
        tell(f"an idea, {left} left: {one.title}")
        facts = [f"{one.age_days:,} days old", one.slug]
        facts += [f"session {one.session}"] if one.session else []
        tell("  " + " · ".join(facts))
        if one.excerpt:
            tell(f"  said: {one.excerpt[:500]}")
        if one.summary:
            tell(f"    {one.summary[:2_000]}")

    def _ask(self, name: str) -> bool:
        """Ask about one idea until there is an answer; whether to go on."""
        while True:
            answer = self.context.ask(f"{_KEYS} ")
            if answer is None or answer.strip().lower() in ("q", "quit"):
                return False
            try:
                if self._obey(answer.strip(), name):
                    return True
            except MemcliError as error:
                self.context.tell(error.message)
                if error.hint:
                    self.context.tell(f"  {error.hint}")

    def _obey(self, answer: str, name: str) -> bool:
        """Do what a key asks for; whether to look for the next idea."""
        from memcli.curation.ideas import decide

        key, _, rest = answer.partition(" ")
        key, rest = key.lower(), rest.strip()
        if key == "p":
            return self._note(decide.promote(self.vault, [name], {"kind": rest}))
        if key == "d":
            reason = (self.context.ask("Why? (empty: no reason) ") or "").strip()
            return self._note(decide.dismiss(self.vault, [name], reason or None))
        if key == "m":
            other = rest or (self.context.ask("Slug of the idea? ") or "").strip()
            return self._note(decide.merge(self.vault, name, other))
        if key == "s":
            self.skipped.add(name)
            return True
        if key == "z":
            return self._undo()
        self.context.tell(_HELP)
        return False

    def _note(self, done: "IdeaDecisions") -> bool:
        item = done.items[0]
        self.counts[item.outcome] += 1
        self.decided.append((item.outcome, item.title, done.commit))
        self.context.tell(f"  {item.outcome}: {item.path}")
        return True

    def _undo(self) -> bool:
        """Take the last decision of this walk back; it is asked about again."""
        from memcli.curation import undo

        if not self.decided:
            self.context.tell("nothing was decided in this walk: memcli review --undo")
            return False
        outcome, title, commit = self.decided[-1]
        undo.undo(self.vault, commit or "", f"review: {outcome} {title}")
        self.decided.pop()
        self.counts[outcome] -= 1
        return True


def _list(found: "list[Listed]") -> Result:
    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("no idea is open", style="dim")
            return
        canvas.table(
            ("slug", "days", "title", "summary"),
            [(one.slug, f"{one.age_days}", one.title, one.summary) for one in found],
        )

    rows = [one._asdict() for one in found]
    data = {"ideas": rows, "count": len(rows)}
    return Result(data=data, text=text, warnings=problems(found))


def problems(found: "list[Listed]") -> tuple[str, ...]:
    """What is wrong with the pages of ideas, for people."""
    return tuple(one.problem for one in found if one.problem)


def _planned(found: "list[Listed]", action: str) -> Result:
    def text(canvas: Canvas) -> None:
        canvas.line(f"would {action} {len(found)}:")
        for one in found:
            canvas.line(f"  {one.slug} {one.title}")

    items = [
        {
            "slug": one.slug,
            "title": one.title,
            "id": one.id,
            "path": one.path,
            "outcome": one.state,
        }
        for one in found
    ]
    return Result(data={"applied": False, "action": action, "items": items}, text=text)


def _decided(done: "IdeaDecisions") -> Result:
    def text(canvas: Canvas) -> None:
        for item in done.items:
            canvas.line(
                f"{item.outcome} {item.slug} {item.path or ''}".rstrip(), style="good"
            )

    data = {
        "applied": True,
        "action": done.items[0].outcome,
        "items": [item._asdict() for item in done.items],
        "commit": done.commit,
    }
    return Result(data=data, text=text)
