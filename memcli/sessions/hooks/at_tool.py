"""The answer before a tool edits, writes or runs something: a text, or a refusal.

Invariant: each entry goes through the one eligibility function, and reaches a session
once at its actions. Only an entry of the user's own vault that a person marked keeps a
tool from running, and in one session at most `_MOST_REFUSED` times, since a vault that
refuses everything would stop all work.
"""

from __future__ import annotations

from memcli.entries.text import code_terms
from memcli.named_tuple import NamedTuple
from memcli.search.stored_row import enforced
from memcli.sessions import markers
from memcli.sessions.briefing.frame import Item, plain, short, source_of, to_tell
from memcli.sessions.lessons import Action, fired, is_spared
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.eligibility import View
    from memcli.hosts.hook_payload import Event
    from memcli.hosts.host import Host
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.search.triggers import Told
    from memcli.sessions.hooks.tell import Answer
    from memcli.vault.vault import Vault

# At one action: entries, and characters of their texts together.
_MOST, _CHARS = 2, 600
_MOST_REFUSED = 20
_REFUSED = "!"
_WISHES = {"ask": "wants to be asked before this", "deny": "does not want this"}
# Seconds that git may take to say who wrote an entry.
_BLAME = 0.5
_BEFORE, _AFTER = "About what you are about to do", "About what you just did"


class _Fired(NamedTuple):
    """An entry that an action touches; `source` is empty for the own vault.

    `named` says that the action has what the entry names, and not only its words.
    """

    row: StoredRow
    enforce: str
    source: str
    named: bool


class _Found(NamedTuple):
    """The entries of a vault that fire, and the ids of those that do not
    count here, which need not be looked at again."""

    fired: list[_Fired]
    elsewhere: list[str]


def at_tool(answer: Answer, host: Host) -> str:
    """Returns the answer to a tool's event, in the host's format."""
    event = answer.event
    if not answer.opens() or not event.actions:
        return ""
    vault = answer.vault
    if not vault.settings.actions:
        vault.read(lambda reader: reader.size)  # which brings the table up to date
        vault.opened.told(enabled=False)
        return ""
    actions = [Action(*each) for each in event.actions]
    acted = answer.shown(markers.ACTED)

    def find(vault: Vault, reader: Reader) -> _Found:
        return _find(vault, reader, answer.view, actions)

    # No database knows what is told at an action.
    own, others = answer.asked(find, databases=False)
    found = [each for one in (own, *others) for each in one.fired]
    found.sort(key=_order)
    done = {name for one in (own, *others) for name in one.elsewhere} - acted
    refused = sum(name.startswith(_REFUSED) for name in acted)
    refusal = None
    if event.name == "pre-tool" and refused < _MOST_REFUSED:
        refusal = _refusal([each for each in found if not each.source], vault)
    items: list[Item] = []
    if refusal:
        done.add(f"{_REFUSED}{refused}")
        answer.line["did"] = ": ".join(refusal[:2])
    elif event.name == host.tells_at and event.session:
        items = _items([e for e in found if e.row.id not in acted], event)
    text = answer.told(items, name=markers.ACTED, also=sorted(done))
    if refusal:
        decision, _, reason = refusal
        return host.refusal(decision, reason)
    return host.reply(event.name, text)


def _find(
    vault: Vault, reader: Reader, view: View, actions: Sequence[Action]
) -> _Found:
    """The entries of a vault that an action touches."""
    found, source = _Found([], []), source_of(vault)
    for each in vault.opened.told([(e.path, e.text, e.command) for e in actions]):
        named = any(fired(each.triggers, each.spared, one) for one in actions)
        if not named and not (each.evident and not is_spared(each.spared, actions)):
            continue
        # Another file may carry its id.
        there = reader.shown(reader.exact("path", each.path), view)
        row = reader.row(there[0]) if there else None
        as_told = to_tell(reader, row, view, source) if row else None
        if row is None or as_told is None:
            found.elsewhere.append(each.id)
            continue
        enforce = _enforced(each, row, actions)
        found.fired.append(_Fired(as_told, enforce, source, named))
    return found


def _enforced(told: Told, row: StoredRow, actions: Sequence[Action]) -> str:
    """ask or deny, where a person set it and what fires is no everyday word."""
    narrow = [each for each in told.triggers if not code_terms.broad(each)]
    fires = any(fired(narrow, told.spared, one) for one in actions)
    return (enforced(row) or "") if fires else ""


def _order(found: _Fired) -> tuple[bool, bool, int]:
    """Sorts what is told; of two alike the first stays the first, by the table."""
    from memcli.search.triggers import KINDS

    kind = found.row.kind
    place = KINDS.index(kind) if found.named and kind in KINDS else len(KINDS)
    return not found.enforce, not found.named, place


def _refusal(found: Sequence[_Fired], vault: Vault) -> tuple[str, str, str] | None:
    """ask or deny, the id of the entry, and why, where one keeps a tool from running.

    Args:
        found: the entries of the own vault that fire.
        vault: the own one.
    """
    own = [each for each in found if each.enforce]
    if not own or vault.source != known_vaults.PERSONAL:
        return None
    if known_vaults.at(vault.root, vault.environ) is not None:
        return None  # it is a team's as well
    first = next((each for each in own if each.enforce == "deny"), own[0])
    row, text = first.row, plain(short(first.row, room=_CHARS))
    wish = f"{_whose(vault, row)} {_WISHES[first.enforce]}: memcli inspect {row.id}"
    return first.enforce, row.id, f"memcli: {text}\n{wish}"


def _whose(vault: Vault, row: StoredRow) -> str:
    """Whose rule an entry is: the user's, or that of another author of its file."""
    from memcli.vault import vaults

    names = vaults.writers(vault, row.path, _BLAME)
    if names == []:
        return "The user"
    # Without a name in git one's own clone is not told from another.
    named = [name for name in names or () if name != "another clone"]
    return "A rule of this vault" + (f" by {', '.join(named[:3])}" if named else "")


def _items(found: Sequence[_Fired], event: Event) -> list[Item]:
    """The entries to tell, with as much of each as has room."""
    from memcli.vault import signals

    part = _BEFORE if event.name == "pre-tool" else _AFTER
    items: list[Item] = []
    room = _CHARS
    for each in found[:_MOST]:
        text = short(each.row, each.source, room)
        room -= len(text)
        signal = None if each.source else signals.row(each.row, channels=["action"])
        items.append(Item(each.row.id, text, part, each.source, signal))
    return items
