"""What of the reflection items goes into a session, and why.

Invariant: one use case for every hook. It shows nothing that eligibility refuses and
nothing whose claim is resolved anywhere; within a budget it chooses the strongest
items that fit the question; the same vault, question and moment give the same choice,
each with its reason, and what is left out is named with its own.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import decay
from memcli.entries.eligibility import View
from memcli.entries.entry import Item, Status
from memcli.entries.identity import claim
from memcli.entries.text import prompt_injection
from memcli.vault.lineage import recurred_at

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.storage.settings import Config
    from memcli.vault.vault import Vault

_RULES, _FOCUS = str(Item.INVARIANT), str(Item.DERIVED)
# What a full match of the question adds to an item's weight, as a share of it. A rule
# holds whatever the question is, so it gains less.
_BOOST = {_RULES: 0.5, _FOCUS: 1.0}
# An item as like one already chosen as this (Jaccard) counts for so much less: the
# reference's set-wise diversity.
_ALIKE = ((0.85, 0.12), (0.70, 0.35), (0.55, 0.70))


class WeighedItem(NamedTuple):
    """A claim that might go into a session.

    `score` is its weight now, summed over its sightings and over entries of the same
    words; `days_left` until its end; `reason` why it is in, or why it is not.
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
        return self._asdict()


class Injected(NamedTuple):
    """What goes into a session: pinned entries whole, rules, focus; and the rest."""

    pinned: list[WeighedItem]
    rules: list[WeighedItem]
    focus: list[WeighedItem]
    omitted: list[WeighedItem]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: [one.as_dict() for one in rows] for name, rows in self._items()}

    def _items(self) -> list[tuple[str, list[WeighedItem]]]:
        return list(zip(self._fields, self, strict=True))


class _Claim(NamedTuple):
    """The entries of one claim, as one candidate for choice."""

    row: "StoredRow"
    score: float
    last: int
    refusal: str | None
    sightings: int
    days_left: float | None


def injection(
    vault: "Vault", query: str = "", *, view: View, chars: int | None = None
) -> Injected:
    """Choose what goes into a session.

    Args:
        vault: where the items are.
        query: the prompt, when there is one.
        view: who asks, and when.
        chars: characters for the texts of rules and focus; None: the config's.
    """
    settings = vault.settings
    return vault.read(
        lambda reader: chosen(reader, settings, view=view, query=query, chars=chars)
    )


def chosen(
    reader: "Reader",
    settings: "Config",
    *,
    view: View,
    query: str = "",
    chars: int | None = None,
) -> Injected:
    """As `injection`, of a reader and the settings of its vault."""
    budget = settings.injection.chars if chars is None else chars
    candidates = _choose(reader, view, query, settings, budget)
    pinned = _pinned(reader, view)
    shown = {claim(one.text) for one in pinned}
    taken = [one for one in candidates if one.injected and claim(one.text) not in shown]
    return Injected(
        pinned=pinned,
        rules=[one for one in taken if one.item == _RULES],
        focus=[one for one in taken if one.item == _FOCUS],
        omitted=[one for one in candidates if not one.injected],
    )


def reflections(
    vault: "Vault", *, view: View, query: str = "", chars: int | None = None
) -> list[WeighedItem]:
    """Every reflection item, and whether it would go into a session.

    In the order of choice: rules, then focus, then what is left out, strongest first.
    """
    settings = vault.settings
    budget = settings.injection.chars if chars is None else chars
    return vault.read(lambda reader: _choose(reader, view, query, settings, budget))


def _choose(
    reader: "Reader", view: View, query: str, settings: "Config", budget: int
) -> list[WeighedItem]:
    claims = _claims(reader, view, settings)
    words = _relevance(reader, query, [one.row.id for one in claims])
    limits = settings.injection
    chosen: list[WeighedItem] = []
    left: list[WeighedItem] = []
    for item, most in ((_RULES, limits.invariants), (_FOCUS, limits.derived)):
        waiting = [one for one in claims if one.row.item == item]
        taken: list[_Claim] = []
        while waiting:
            one = min(waiting, key=_order(item, taken, words))
            waiting.remove(one)
            refusal = one.refusal or _too_much(
                one, len(taken), most, budget, limits.min_score
            )
            if refusal:
                left.append(_candidate(one, refusal, injected=False))
                continue
            budget -= len(one.row.text)
            taken.append(one)
            why = _why(one, words.get(one.row.id, (0.0, []))[1])
            chosen.append(_candidate(one, why, injected=True))
    left.sort(key=lambda one: (-one.score, one.id))
    return [*chosen, *left]


def _order(
    item: str, taken: list[_Claim], words: Mapping[str, tuple[float, list[str]]]
) -> Callable[[_Claim], tuple[Any, ...]]:
    """What is chosen next, least first.

    With a question, a delta that shares no word with it comes after those that do; a
    rule holds for any question.
    """

    def key(one: _Claim) -> tuple[Any, ...]:
        name = one.row.id
        share = words[name][0] if name in words else 0.0
        strength = one.score * (1 + _BOOST[item] * share) * _unlikeness(one, taken)
        aside = item == _FOCUS and bool(words) and not share
        return (aside, -strength, -one.last, one.row.text, name)

    return key


def _claims(reader: "Reader", view: View, settings: "Config") -> list[_Claim]:
    """The reflection items by claim: scores summed, newest wording, the reason against.

    A claim that is resolved in any entry is resolved in all: a twin in other clothes
    must not bring it back.
    """
    groups: dict[str, list[int]] = {}
    for item in (_RULES, _FOCUS):
        for doc in reader.exact("item", item):
            groups.setdefault(claim(reader.row(doc).text), []).append(doc)
    found = []
    for key, docs in groups.items():
        rows = [(reader.row(doc), reader.verdict(doc, view)) for doc in docs]
        shown = [row for row, refusal in rows if refusal is None]
        solved = [
            doc
            for doc in reader.exact("claim", key)
            if reader.row(doc).status == str(Status.RESOLVED)
        ]
        refusal = None if shown else rows[0][1]
        if solved and refusal is None:
            refusal = f"the same words are resolved: {reader.row(solved[0]).id}"
        counted = shown or [row for row, _ in rows]
        # The newest wording wins; a rule wins over a delta in the same words.
        counted.sort(key=lambda row: (row.item == _RULES, _last(row), row.id))
        row = counted[-1]
        refusal = refusal or prompt_injection.suspicious(row.text)
        ends = [reader.facts(doc, access=False).expires for doc in docs]
        found.append(
            _Claim(
                row=row,
                score=sum(_score(each, view.now, settings) for each in counted),
                last=max(_last(each) for each in counted),
                refusal=refusal,
                sightings=sum(len(_seen(each)) for each in counted),
                days_left=(max(ends) - view.now) / decay.DAY if max(ends) else None,
            )
        )
    return found


def _too_much(
    one: _Claim, taken: int, most: int, room: int, min_score: float
) -> str | None:
    if one.score < min_score:
        return f"faded: weight {one.score:.2f} is below {min_score}"
    if taken >= most:
        return f"{most} are in already"
    if len(one.row.text) > room:
        return f"no room: {len(one.row.text):,} characters, {room:,} are left"
    return None


def _unlikeness(one: _Claim, taken: list[_Claim]) -> float:
    """The factor by which what is like something chosen counts less."""
    mine = set(one.row.terms)
    factor = 1.0
    for other in taken:
        theirs = set(other.row.terms)
        union = mine | theirs
        alike = len(mine & theirs) / len(union) if union else 0.0
        for floor, less in _ALIKE:
            if alike >= floor:
                factor = min(factor, less)
                break
    return factor


def _relevance(
    reader: "Reader", query: str, ids: list[str]
) -> dict[str, tuple[float, list[str]]]:
    """By id: the share of the question's weight that an item holds, and the words."""
    from memcli.entries.text import tokens
    from memcli.search.ranking import bm25
    from memcli.search.ranking.corpus import Question, Scope
    from memcli.search.ranking.weights import LEXICAL
    from memcli.search.stemmer import stemmer

    question = tokens.question(query, stemmer()) if query else []
    if not question:
        return {}
    within = {doc for name in ids for doc in reader.exact("id", name)}
    ranked = bm25.rank(
        Question(question),
        reader,
        limit=max(1, len(within)),
        scope=Scope(within=within),
        weights=LEXICAL._replace(pool=max(1, len(within))),
    )
    weights = {term.word: term.idf for term in ranked.terms}
    whole = sum(weights.values()) or 1.0
    return {
        reader.row(hit.doc).id: (
            sum(weights[word] for word in hit.matched) / whole,
            list(hit.matched),
        )
        for hit in ranked.hits
    }


def _pinned(reader: "Reader", view: View) -> list[WeighedItem]:
    """Pinned entries in force, newest first; never cut."""
    docs = reader.newest(
        doc
        for doc in reader.pinned()
        if reader.verdict(doc, view) is None
        and not prompt_injection.suspicious(reader.row(doc).text)
    )
    return [
        WeighedItem(
            id=row.id,
            title=row.title,
            text=row.text,
            path=row.path,
            item=row.item,
            status=row.status,
            score=0.0,
            days_left=None,
            sightings=len(_seen(row)),
            recurred=False,
            injected=True,
            reason="pinned",
        )
        for row in map(reader.row, docs)
    ]


def _candidate(one: _Claim, reason: str, *, injected: bool) -> WeighedItem:
    row = one.row
    return WeighedItem(
        id=row.id,
        title=row.title,
        text=row.text,
        path=row.path,
        item=row.item,
        status=row.status,
        score=round(one.score, 3),
        days_left=None if one.days_left is None else round(one.days_left, 1),
        sightings=one.sightings,
        recurred=recurred_at(row) is not None,
        injected=injected,
        reason=reason,
    )


def _why(one: _Claim, words: list[str]) -> str:
    kind = "rule" if one.row.item == _RULES else "recent"
    reason = f"{kind}, weight {one.score:.2f}"
    return f"{reason}; matches {', '.join(words)}" if words else reason


def _seen(row: "StoredRow") -> tuple[int, ...]:
    return decay.times(row.created, row.seen)


def _last(row: "StoredRow") -> int:
    return max(_seen(row), default=0)


def _score(row: "StoredRow", now: int, settings: "Config") -> float:
    item = Item(str(row.item))
    return decay.score(item, _seen(row), row.confidence, now, settings.policies)
