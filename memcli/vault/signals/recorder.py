"""What a vault notes of its own use, and when it notes nothing.

Invariant: nothing is noted in a vault that may only be read, or whose config says no,
or speaks of it and cannot be understood; a question goes in as a keyed hash alone; and
whatever happens, who asked or wrote gets the same answer as without the log.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memcli.errors import MemcliError
from memcli.storage import known_vaults, settings
from memcli.vault.signals import event, log

# Acting upon an entry so long after a recall returned it says that the recall was good.
DAY = 86_400
# One line for each entry, up to so many in one commit; an import must not wash out what
# was recalled.
_EACH = 100
_KEY = 32
_NAME = 6


class Recorder:
    """Notes events of one vault.

    Args:
        root: the vault's folder.
        environ: where the user's own config is looked for.
        now_ms: the clock, in milliseconds since 1970.
        entropy: gives that many random bytes.
        agent: who asks; None is the vault's owner.
        via: how they ask: recall, reflect, hook, mcp or python.
    """

    def __init__(
        self,
        root: str,
        *,
        environ: Mapping[str, str] | None,
        now_ms: Callable[[], int],
        entropy: Callable[[int], bytes],
        agent: str | None,
        via: str,
    ) -> None:
        self._root = root
        self._environ = os.environ if environ is None else environ
        self._now_ms = now_ms
        self._entropy = entropy
        self._agent = agent
        self._via = via

    @property
    def on(self) -> bool:
        """Whether anything may be noted here."""
        try:
            return settings.logs_signals(self._root) and not known_vaults.read_only(
                self._root, self._environ
            )
        except MemcliError:
            return False

    def recalled(self, question: str | None, rows: Sequence[Mapping[str, Any]]) -> None:
        """Note what a question brought; None when nobody asked (a session's start).

        Args:
            question: its words, of which the hash is kept.
            rows: as `event.row` makes them, those that were shown and no others.
        """
        if not self.on:
            return
        try:
            secret = log.key(self._root, self._entropy(_KEY)) if question else b""
        except OSError:
            return  # nothing can be written here
        self._note(
            [
                {
                    "event": "recall",
                    "recall": self._entropy(_NAME).hex(),
                    "question": log.hashed(question, secret) if question else None,
                    "via": self._via,
                    "agent": self._agent,
                    "hit": bool(rows),
                    "rows": list(rows),
                }
            ]
        )

    def wrote(self, written: Sequence[Mapping[str, Any]]) -> None:
        """Note what a commit has written: `id`, `action`, `writer`, `kind`, `type`."""
        if written and self.on:
            self._note([{"event": "write", **one} for one in _fewer(written)])

    def acted(self, ids: Iterable[str], by: str) -> None:
        """Note that entries were acted upon, of those that a recall returned lately."""
        self.judged(ids, useful=True, by=by, within=DAY)

    def judged(
        self,
        ids: Iterable[str],
        *,
        useful: bool,
        by: str,
        within: int | None = None,
    ) -> list[tuple[str, str | None, bool]]:
        """Note that entries proved useful, or not.

        Args:
            ids: whole ids.
            useful: which of the two.
            by: user, citation, evolve or resolve.
            within: seconds; what no recall returned since is not noted.

        Returns:
            Of each that is to be noted its id, the newest recall that returned it to
            whoever says so, and whether it was noted.
        """
        ids = list(dict.fromkeys(ids))
        if not self.on:
            return [(one, None, False) for one in ids if within is None]
        since = None if within is None else self._now() - within
        found = self._newest(ids, since)
        said = [(one, found.get(one)) for one in ids if one in found or within is None]
        noted = self._note(
            [
                {
                    "event": "feedback",
                    "recall": recall,
                    "id": one,
                    "useful": useful,
                    "by": by,
                }
                for one, recall in said
            ]
        )
        return [(one, recall, noted) for one, recall in said]

    def _newest(self, ids: Sequence[str], since: int | None) -> dict[str, str]:
        """By id the newest recall that returned an entry to whoever acts.

        The owner sees, and may judge, what was returned to anybody.
        """
        found: dict[str, str] = {}
        marks = [f'"id":"{one}"' for one in ids]
        for one in log.newest(self._root, *marks) if marks else ():
            if since is not None and one["at"] < since:
                break
            if one["event"] != "recall" or self._agent not in (None, one["agent"]):
                continue
            for row in one["rows"]:
                if row["id"] in ids:
                    found.setdefault(row["id"], one["recall"])
            if len(found) == len(ids):
                break
        return found

    def _now(self) -> int:
        return self._now_ms() // 1000

    def _note(self, lines: Sequence[Mapping[str, Any]]) -> bool:
        head = {"v": event.VERSION, "at": self._now()}
        return log.append(self._root, [{**head, **line} for line in lines])


def _fewer(written: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Many of a sort as one line with their `count`; skills are counted one by one."""
    if len(written) <= _EACH:
        return written
    kept: list[Mapping[str, Any]] = []
    many: dict[tuple[str, ...], int] = {}
    for one in written:
        if event.is_skill(one["kind"], one["type"]):
            kept.append(one)
        else:
            sort = (one["action"], one["writer"], one["kind"], one["type"])
            many[sort] = many.get(sort, 0) + 1
    names = ("action", "writer", "kind", "type")
    return kept + [
        {"id": None, **dict(zip(names, sort, strict=True)), "count": count}
        for sort, count in many.items()
    ]
