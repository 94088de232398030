"""The recorder of a vault's use: what is noted in its log of signals.

Invariant: as `signals`, it raises nothing, and notes no word of a memory or a question.
"""

from __future__ import annotations

from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import known_vaults, settings
from memcli.vault import signals

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from memcli.storage.transaction import Note
    from memcli.vault.caller import Caller


DAY = 86_400
"""Acting upon an entry so many seconds after a recall returned it says that the recall
was good."""
# Each entry gets a line of its own, up to so many in one commit; an import must not
# push what was recalled out of the log.
_EACH = 100
_KEY = 32
_NAME = 6


class Verdict(NamedTuple):
    """A judgement of an entry: the recall that returned it last, and whether the log
    has it now; `recall` is None when no recall returned the entry to the caller."""

    id: str
    recall: str | None
    noted: bool


class Recorder:
    """Notes events of one vault.

    Args:
        root: the vault's folder.
        caller: who asks and writes.
    """

    def __init__(self, root: str, caller: Caller) -> None:
        self._root = root
        self._environ = caller.environ
        self._now_ms = caller.now_ms
        self._entropy = caller.entropy
        self._agent = caller.agent
        self._via = caller.via

    @property
    def on(self) -> bool:
        """Whether anything may be noted here."""
        try:
            return settings.logs_signals(self._root) and not known_vaults.read_only(
                self._root, self._environ
            )
        except MemcliError:
            return False

    def recalled(self, question: str | None, rows: Sequence[signals.EventRow]) -> None:
        """Note what a question brought.

        Args:
            question: its words, of which the hash is kept; None for a session's start.
            rows: those that were shown and no others.
        """
        if not self.on:
            return
        mark = None
        if question:
            mark = signals.hashed(self._root, question, self._entropy(_KEY))
            if mark is None:
                return  # nothing can be written here
        self._note(
            [
                {
                    "event": "recall",
                    "recall": self._entropy(_NAME).hex(),
                    "question": mark,
                    "via": self._via,
                    "agent": self._agent,
                    "hit": signals.is_hit(rows),
                    "rows": list(rows),
                }
            ]
        )

    def wrote(self, notes: Sequence[Note]) -> bool:
        """Note the entries that a commit has written; False when the disk refused."""
        if not notes or not self.on:
            return True
        return self._note([{"event": "write", **note} for note in _fewer(notes)])

    def acted(self, ids: Iterable[str], by: str) -> None:
        """Note that entries were acted upon, of those that a recall returned lately."""
        self.judged(ids, useful=True, by=by, within=DAY)

    def judged(
        self, ids: Iterable[str], *, useful: bool, by: str, within: int | None = None
    ) -> list[Verdict]:
        """Note that entries proved useful, or not.

        Args:
            ids: whole ids.
            useful: which of the two.
            by: user, citation, evolve or resolve.
            within: seconds; what no recall returned since is not noted, and left out.
        """
        ids = list(dict.fromkeys(ids))
        if not self.on:
            return [Verdict(name, None, False) for name in ids if within is None]
        since = None if within is None else self._now() - within
        recalls = self._newest(ids, since)
        names = [name for name in ids if name in recalls or within is None]
        noted = self._note(
            [
                {
                    "event": "feedback",
                    "recall": recalls.get(name),
                    "id": name,
                    "useful": useful,
                    "by": by,
                }
                for name in names
            ]
        )
        return [Verdict(name, recalls.get(name), noted) for name in names]

    def _newest(self, ids: Sequence[str], since: int | None) -> dict[str, str]:
        """By id the newest recall that returned an entry to who judges it now.

        The owner sees, and may judge, what was returned to anybody.
        """
        found: dict[str, str] = {}
        marks = [f'"id":"{name}"' for name in ids]
        for line in signals.newest(self._root, *marks) if marks else ():
            if since is not None and line["at"] < since:
                break
            if line["event"] != "recall" or self._agent not in (None, line["agent"]):
                continue
            for row in line["rows"]:
                if row["id"] in ids:
                    found.setdefault(row["id"], line["recall"])
            if len(found) == len(ids):
                break
        return found

    def _now(self) -> int:
        return self._now_ms() // 1000

    def _note(self, lines: Sequence[Mapping[str, Any]]) -> bool:
        head = {"v": signals.VERSION, "at": self._now()}
        return signals.append(self._root, [{**head, **line} for line in lines])


def _fewer(notes: Sequence[Note]) -> Sequence[Mapping[str, Any]]:
    """Many notes of a sort as one line with their `count`; skills keep their lines."""
    if len(notes) <= _EACH:
        return notes
    lines: list[Mapping[str, Any]] = []
    counts: dict[tuple[str, ...], int] = {}
    for note in notes:
        if signals.is_skill(note["kind"], note["type"]):
            lines.append(note)
        else:
            sort = (note["action"], note["writer"], note["kind"], note["type"])
            counts[sort] = counts.get(sort, 0) + 1
    names = ("action", "writer", "kind", "type")
    return lines + [
        {"id": None, **dict(zip(names, sort, strict=True)), "count": count}
        for sort, count in counts.items()
    ]
