"""Which reflection items go into a session, and why.

Invariant: one use case for every hook. It shows nothing that eligibility refuses;
within a budget it chooses the strongest items. The same vault and moment give the same
choice. Each item has the reason why it goes in, or why it does not.
"""

from __future__ import annotations

from memcli.entries.eligibility import DAY, times
from memcli.entries.eligibility import score as decay
from memcli.entries.entry import Item
from memcli.entries.identity import claim
from memcli.entries.text import prompt_injection
from memcli.named_tuple import NamedTuple
from memcli.vault.lineage import recurred_at

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from memcli.entries.eligibility import View
    from memcli.search.reader import Reader
    from memcli.storage.settings import Config
    from memcli.vault.vault import Vault

_RULES, _FOCUS = str(Item.INVARIANT), str(Item.DERIVED)


class WeighedItem(NamedTuple):
    """A claim that might go into a session.

    Attributes:
        id, title, text, path, item, status: of the entry whose words count.
        score: its weight now, summed over its sightings and over entries of the same
            words.
        days_left: until its end; None for no end.
        sightings: how often it was met.
        recurred: whether it was met again after it was resolved.
        injected: whether it goes in.
        reason: why it does, or why it does not.
    """

    id: str
    title: str
    text: str
    path: str
    item: str | None
    status: str
    score: float
    days_left: float | None
    sightings: int
    recurred: bool
    injected: bool
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = {**self._asdict(), "score": round(self.score, 3)}
        if self.days_left is not None:
            fields["days_left"] = round(self.days_left, 1)
        return fields


def chosen(reader: Reader, settings: Config, view: View) -> list[WeighedItem]:
    """The rules and the focus that go into a session, by the settings of the vault."""
    return [each for each in _weighed(reader, settings, view) if each.injected]


def reflections(vault: Vault, view: View) -> list[WeighedItem]:
    """Every reflection item, and whether it would go into a session.

    In the order of choice: rules, focus, then those left out, the strongest first.
    """
    settings = vault.settings
    return vault.read(lambda reader: _weighed(reader, settings, view))


def _weighed(reader: Reader, settings: Config, view: View) -> list[WeighedItem]:
    limits = settings.injection
    most = {_RULES: limits.invariants, _FOCUS: limits.derived}
    room, left = limits.chars, dict(most)
    weighed: list[WeighedItem] = []
    for one in _claims(reader, view, settings):
        kind, score, long = str(one.item), one.score, len(one.text)
        reason = one.reason
        if not reason and score < limits.min_score:
            reason = f"faded: weight {score:.2f} is below {limits.min_score}"
        elif not reason and not left[kind]:
            reason = f"{most[kind]} are in already"
        elif not reason and long > room:
            reason = f"no room: {long:,} characters, {room:,} are left"
        injected = not reason
        if injected:
            left[kind] -= 1
            room -= long
            reason = f"{'rule' if kind == _RULES else 'recent'}, weight {score:.2f}"
        weighed.append(one._replace(injected=injected, reason=reason))
    weighed.sort(key=lambda one: () if one.injected else (-one.score, one.id))
    return weighed


def _claims(reader: Reader, view: View, settings: Config) -> list[WeighedItem]:
    """The reflection items by claim, rules first, and the strongest of each first:
    scores summed, newest wording, reason against."""
    docs_by_claim: dict[str, list[int]] = {}
    for item in (_RULES, _FOCUS):
        for doc in reader.exact("item", item):
            docs_by_claim.setdefault(claim(reader.row(doc).text), []).append(doc)
    claims = []
    for docs in docs_by_claim.values():
        rows = [(reader.row(doc), reader.verdict(doc, view)) for doc in docs]
        shown = [row for row, refusal in rows if refusal is None]
        counted = shown or [row for row, _ in rows]
        met = {row.id: times(row.created, row.seen) for row in counted}
        last = {name: max(seen, default=0) for name, seen in met.items()}
        # The newest wording wins; a rule wins over a delta in the same words.
        row = max(counted, key=lambda row: (row.item == _RULES, last[row.id], row.id))
        refusal = None if shown else rows[0][1]
        at = view.now, settings.policies
        score = sum(
            decay(Item(str(each.item)), met[each.id], each.confidence, *at)
            for each in counted
        )
        ends = max(reader.facts(doc, access=False).expires for doc in docs)
        one = WeighedItem(
            *(row.id, row.title, row.text, row.path, row.item, row.status),
            score=score,
            days_left=(ends - view.now) / DAY if ends else None,
            sightings=sum(map(len, met.values())),
            recurred=any(recurred_at(reader, each) for each, _ in rows),
            injected=False,
            reason=refusal or prompt_injection.of_entry(row.title, row.text) or "",
        )
        order = row.item != _RULES, -score, -max(last.values()), row.text, row.id
        claims.append((order, one))
    return [one for _, one in sorted(claims)]
