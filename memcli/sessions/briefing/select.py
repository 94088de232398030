"""Which reflection items go into a session, and why.

Invariant: one use case for every hook. It shows nothing that eligibility refuses;
within a budget it chooses the strongest items. The same vault and moment give the same
choice. Each item has the reason why it goes in, or why it does not.
"""

from __future__ import annotations

from memcli.entries.eligibility import DAY, score, times
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
    from memcli.search.stored_row import StoredRow
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
        last: when one of its entries was last met, epoch seconds.
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
    last: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = {**self._asdict(), "score": round(self.score, 3)}
        if self.days_left is not None:
            fields["days_left"] = round(self.days_left, 1)
        del fields["last"]
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
    claims = _claims(reader, view, settings)
    claims.sort(key=lambda each: (-each.score, -each.last, each.text, each.id))
    limits = settings.injection
    room = limits.chars
    chosen: list[WeighedItem] = []
    omitted: list[WeighedItem] = []
    for kind, most in ((_RULES, limits.invariants), (_FOCUS, limits.derived)):
        taken: list[WeighedItem] = []
        for first in claims:
            if first.item != kind:
                continue
            reason = first.reason
            if not reason and first.score < limits.min_score:
                reason = f"faded: weight {first.score:.2f} is below {limits.min_score}"
            elif not reason and len(taken) >= most:
                reason = f"{most} are in already"
            elif not reason and len(first.text) > room:
                reason = f"no room: {len(first.text):,} characters, {room:,} are left"
            if reason:
                omitted.append(first._replace(reason=reason))
                continue
            room -= len(first.text)
            why = f"{'rule' if kind == _RULES else 'recent'}, weight {first.score:.2f}"
            taken.append(first._replace(injected=True, reason=why))
        chosen += taken
    omitted.sort(key=lambda each: (-each.score, each.id))
    return [*chosen, *omitted]


def _claims(reader: Reader, view: View, settings: Config) -> list[WeighedItem]:
    """The reflection items by claim: scores summed, newest wording, reason against."""
    docs_by_claim: dict[str, list[int]] = {}
    for item in (_RULES, _FOCUS):
        for doc in reader.exact("item", item):
            docs_by_claim.setdefault(claim(reader.row(doc).text), []).append(doc)
    claims = []
    for docs in docs_by_claim.values():
        rows = [(reader.row(doc), reader.verdict(doc, view)) for doc in docs]
        shown = [row for row, refusal in rows if refusal is None]
        refusal = None if shown else rows[0][1]
        counted = shown or [row for row, _ in rows]
        # The newest wording wins; a rule wins over a delta in the same words.
        counted.sort(key=lambda row: (row.item == _RULES, _last(row), row.id))
        row = counted[-1]
        refusal = refusal or prompt_injection.of_entry(row.title, row.text)
        ends = [reader.facts(doc, access=False).expires for doc in docs]
        claims.append(
            WeighedItem(
                id=row.id,
                title=row.title,
                text=row.text,
                path=row.path,
                item=row.item,
                status=row.status,
                score=sum(_score(each, view.now, settings) for each in counted),
                days_left=(max(ends) - view.now) / DAY if max(ends) else None,
                sightings=sum(len(_seen(each)) for each in counted),
                recurred=any(recurred_at(reader, each) for each, _ in rows),
                injected=False,
                reason=refusal or "",
                last=max(_last(each) for each in counted),
            )
        )
    return claims


def _seen(row: StoredRow) -> tuple[int, ...]:
    return times(row.created, row.seen)


def _last(row: StoredRow) -> int:
    return max(_seen(row), default=0)


def _score(row: StoredRow, now: int, settings: Config) -> float:
    item = Item(str(row.item))
    return score(item, _seen(row), row.confidence, now, settings.policies)
