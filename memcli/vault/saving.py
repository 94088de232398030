"""What became of drafts, in words: for whoever saved them, and for git's history.

Invariant: pure. The first line of a commit says what was done, and to which entry.
"""

from collections.abc import Sequence
from typing import NamedTuple

from memcli.vault import duplicates
from memcli.vault.duplicates import Similar

_WRITTEN = ("created", "seen", "recurred")


class Saved(NamedTuple):
    """What became of one draft.

    `outcome`: created; duplicate (an entry says it already); seen (a reflection item
    that was met again); recurred (it is resolved, and was met again); rejected (a
    review said no to it before). The id is that of the entry which holds the text.
    Of what was created, `entities` are its mentions, `registered` those that are new
    in the registry, `cited` the entries that an observation or model rests on.
    """

    id: str
    path: str
    outcome: str
    title: str
    similar: tuple[Similar, ...] = ()
    notes: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    registered: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()


def matched(held: duplicates.Held, outcome: str) -> Saved:
    """What became of a draft that an entry holds already."""
    notes: tuple[str, ...] = ()
    if outcome == "recurred":
        notes = (
            f"{held.id} is resolved and came up again; it stays resolved until "
            f"somebody reopens it: memcli resolve --undo {held.id}",
        )
    if outcome == "rejected":
        notes = (f"{held.id} says this, and a review rejected it",)
    return Saved(held.id, held.path, outcome, held.title, notes=notes)


def message(verb: str, saved: Sequence[Saved], origin: str) -> str:
    """The first line of a commit of drafts; `origin` says where they are from."""
    written = [item for item in saved if item.outcome in _WRITTEN]
    if len(written) == 1 and not origin:
        again = "" if written[0].outcome == "created" else f"{written[0].outcome}: "
        return subject(verb, again + written[0].title)
    source = f" from {origin}" if origin else ""
    return f"{verb}: {len(written)} entries{source}"


def subject(verb: str, title: str) -> str:
    """The first line of a commit: what was done, to which entry.

    >>> subject("save", "We deploy on Tuesdays")
    'save: We deploy on Tuesdays'
    """
    return f"{verb}: {title if len(title) <= 60 else title[:59] + '…'}"
