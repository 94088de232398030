"""Where a mined candidate goes, before the transaction that writes it.

Invariant: the confidence decides, then the words, then the vault: explicit candidates
are saved, patterns wait for review, single inferences are noted alone; what nearly
says a thing that is solved, or says what another version replaced, waits for review;
text that speaks like an instruction to the model is never saved; what is similar to an
entry and differs in a number, a weekday, a "not" or a name is offered to supersede it,
and never decided here. Nothing is written. What a person says in a project holds there,
unless their words say everywhere (`says_everywhere`, which reads English).
"""

from __future__ import annotations

import re

from memcli.entries.eligibility import View, facts, settled_by
from memcli.entries.entry import JUDGED, Confidence, Entry, Status, is_unconfirmed
from memcli.entries.identity import claim, claim_number
from memcli.entries.ids import number
from memcli.entries.layout import IDEA
from memcli.entries.text import prompt_injection
from memcli.entries.text.links import unlinked
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.mining import Candidate
    from memcli.vault.vault import Vault


_DECIDED = "decided"
# Such an entry claims nothing that could be wrong now: its words alone are compared.
_PROVED = ("fix", "workflow", "event", IDEA)
_KNOWN = (Status.ACTIVE, Status.PENDING, Status.REJECTED)
_MOST_NEAR = 10


class Fate(NamedTuple):
    """A candidate and what becomes of it.

    Attributes:
        candidate: what was mined.
        action: one of `bringing.ACTIONS`.
        draft: the entry that it would be; None for what is noted, or not new.
        id: the entry that holds it now; None while nothing is written.
        path: its file.
        target: the entry that it is offered to supersede.
        why: the reason against saving it, or how the target differs.
    """

    candidate: Candidate
    action: str
    draft: Entry | None = None
    id: str | None = None
    path: str | None = None
    target: str | None = None
    why: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON and for the record of the session."""
        rest = self._asdict()
        del rest["candidate"], rest["draft"]
        return {**self.candidate.as_dict(), **rest}


def by_confidence(
    vault: Vault, candidate: Candidate, source: dict[str, Any], project: str | None
) -> Fate:
    """The route of a candidate by its confidence and its words alone.

    Args:
        vault: whose settings count.
        candidate: what was mined.
        source: the `source` of the entry, but for its record and excerpt.
        project: where the session ran; it holds there unless its words say everywhere.
    """
    if candidate.confidence is Confidence.LOW:
        return Fate(candidate, "noted")
    silent = vault.settings.memory.review_mode == "silent"
    sure = candidate.confidence is Confidence.HIGH or (
        silent and candidate.confidence is Confidence.MEDIUM and not candidate.doubtful
    )
    saved, action = sure, "saved" if sure else "review"
    kind = candidate.kind or candidate.category.replace("correction", "preference")
    everywhere = candidate.everywhere or says_everywhere(
        candidate.text, candidate.excerpt
    )
    if candidate.evolves:
        saved, action = False, "supersede"
    if candidate.category == IDEA:
        saved, action, kind, everywhere = False, "idea", IDEA, True
    draft = vault.draft(
        {
            "text": unlinked(candidate.text),
            "title": candidate.title,
            "kind": "decision" if candidate.pattern == _DECIDED else kind,
            "tags": candidate.tags,
            "asked": candidate.asked,
            "entities": candidate.entities,
            "item": candidate.item,
            "code": () if everywhere else candidate.code,
            # Of a proposal it is the entry that it would replace.
            "evidence": (candidate.evolves,) if candidate.evolves else (),
            "status": str(Status.ACTIVE if saved else Status.PENDING),
            "project": None if everywhere else project,
            "occurred_at": candidate.at,
            "confidence": str(candidate.confidence),
            "rationale": f"{candidate.pattern}: {candidate.rationale}",
            "source": {
                **source,
                "record": candidate.record,
                "excerpt": candidate.excerpt,
            },
        }
    )
    return Fate(candidate, action, draft, target=candidate.evolves)


def by_vault(vault: Vault, reader: Reader, routes: Sequence[Fate]) -> list[Fate]:
    """These routes, changed where the vault says the same, or nearly."""
    now = vault.now_ms() // 1000
    view = View(now, statuses=frozenset(_KNOWN), agent=vault.agent)
    changed = []
    for route in routes:
        draft = route.draft
        if draft is None or route.action == "supersede" or _recurs(reader, draft, view):
            changed.append(route)
            continue
        if why := doubt(vault, reader, draft):  # a person looks at it, and why
            rationale = f"{draft.rationale}; {why}"
            draft = draft.replace(status=Status.PENDING, rationale=rationale)
            action = "review" if route.action == "saved" else route.action
            route = route._replace(draft=draft, action=action, why=why)
        if confirms := route.candidate.confirms:
            named = reader.shown(reader.exact("id", confirms), view)
            near = [(1.0, reader.row(doc)) for doc in named]
        else:
            near = _near(reader, draft, view)
        changed.append(_compared(vault, reader, route, draft, near))
    return changed


def doubt(vault: Vault, reader: Reader, draft: Entry) -> str | None:
    """Why a person alone lets in what a draft says: it speaks like an order to a model,
    nearly says a thing that is solved, or says what another version replaced."""
    from memcli.vault.likeness import like_resolved

    if solved := like_resolved(reader, draft):
        return f"nearly the same ({solved.likeness:.0%}) is resolved: {solved.id}"
    if replaced := _replaced(vault, reader, draft):
        return f"{replaced} replaced these words"
    return prompt_injection.suspicious(draft.body)


def _recurs(reader: Reader, draft: Entry, view: View) -> bool:
    """Whether the very words of a draft are resolved, so that it is no other's twin."""
    resolves = reader.claims.resolves(claim_number(draft.body))
    return settled_by(facts(draft, resolves=resolves), view) is not None


def _near(reader: Reader, draft: Entry, view: View) -> list[tuple[float, StoredRow]]:
    """The entries that hold where a draft does and say most nearly the same: two
    projects may do it differently, and neither takes the words of the other."""
    from memcli.vault.likeness import alike, row_of

    here = view._replace(here=number(draft.project))
    return alike(reader, row_of(draft).terms, here, limit=_MOST_NEAR)


def _replaced(vault: Vault, reader: Reader, draft: Entry) -> str | None:
    """The id of what replaced an entry in the words of a draft, if that holds here."""
    both = frozenset({Status.SUPERSEDED, Status.ACTIVE})
    seen = View(vault.now_ms() // 1000, statuses=both, agent=vault.agent)
    near = [row for _, row in _near(reader, draft, seen) if _same(draft, row)]
    if any(row.status == Status.ACTIVE for row in near):
        return None  # the same words are in force: in another form, or said again
    return next((row.superseded_by or row.id for row in near), None)


def _compared(
    vault: Vault,
    reader: Reader,
    route: Fate,
    draft: Entry,
    near: Iterable[tuple[float, StoredRow]],
) -> Fate:
    """The route of a draft beside what the vault holds near it.

    What is in force counts first, then what waits, then what was rejected.
    """
    from memcli.entries.text.differences import SAID, differences
    from memcli.sessions.mining import signs
    from memcli.vault.likeness import MAY_REPLACE

    said: list[StoredRow] = []
    for likeness, row in near:
        if row.source.session == draft.source.session:
            continue
        named = route.candidate.confirms == row.id
        differs: tuple[str, ...] = ()
        compared = likeness >= MAY_REPLACE and draft.kind not in _PROVED
        if row.status == Status.ACTIVE and compared and not named:
            differs = differences(row.text, draft.body)
        if differs:
            # By its evidence a candidate says what it would replace.
            pending = draft.replace(status=Status.PENDING, evidence=(row.id,))
            why = ", ".join(SAID[one] for one in differs)
            route = route._replace(action="supersede", draft=pending, why=why)
            return route._replace(target=row.id)
        if named or _same(draft, row):
            said.append(row)
    if not said:
        return route
    row = min(said, key=lambda row: list(_KNOWN).index(Status(row.status)))
    one = route.candidate
    # What another may have said is no evidence, nor are a judge's words for a turn.
    # Minutes of a meeting name a decision in these words each time.
    # Nor does anybody type a paragraph twice in the same words.
    mine, theirs = (
        {*map(claim, signs.SENTENCE.split(text))} - {""}
        for text in (one.excerpt, row.source.excerpt or "")
    )
    pasted = signs.DECIDED.match(one.excerpt) or len(mine & theirs) > 2
    reworded = one.pattern == JUDGED and not one.own and is_unconfirmed(row)
    if (one.doubtful or pasted or reworded) and row.status != Status.REJECTED:
        return Fate(route.candidate, "duplicate", id=row.id, path=row.path)
    return route._replace(draft=_confirming(vault, reader, route, draft, row))


def _same(draft: Entry, row: StoredRow) -> bool:
    """Whether a draft says an entry again; fixes and workflows do in the same words."""
    from memcli.entries.text.differences import says_again

    if IDEA in (draft.kind, row.kind):
        return draft.kind == row.kind and same_idea(draft.title, row.title)
    if draft.kind in _PROVED:
        return claim(draft.body) == claim(row.text)
    return says_again(draft.body, row.text)


# What is said of every idea, and tells none from another.
_OF_IDEAS: Final = re.compile(
    r"(?i)\b(?:later|some ?day|one day|at some point|eventually|"
    r"(?:(?:it|that) )?(?:would|might|could) be "
    r"(?:nice|good|great|cool|useful|worth(?:while)?)(?: (?:to|if we))?|"
    r"(?:we|you|i) (?:should|could|might|may)(?: also)?|"
    r"add|build|make|create|introduce|"
    r"implement|provide|offer|support|have|get|do|try)\b"
)


def same_idea(one: str, other: str) -> bool:
    """Whether two titles name one idea: one says nothing that the other does not.

    >>> same_idea("It would be nice if login warmed it", "Warm it on login")
    True
    """
    from memcli.entries.text.differences import restates

    bare = [_OF_IDEAS.sub("", title) for title in (one, other)]
    return restates(*bare) or restates(*reversed(bare))


def _confirming(
    vault: Vault, reader: Reader, route: Fate, draft: Entry, row: StoredRow
) -> Entry:
    """The draft of a candidate that says an entry again.

    In the words of the entry it is evidence for it: the entry is seen once more, and
    saved if it waits and nothing speaks against it. What was rejected stays rejected.
    """
    status = draft.status
    if row.status == Status.PENDING:
        # Offers to stand for other entries have these as evidence.
        offered = any(reader.exact("id", mark) for mark in row.evidence)
        own = vault.agent is None or row.agent == vault.agent_name
        waits = draft.replace(body=row.text, project=row.project)
        why = route.why or doubt(vault, reader, waits)
        sure = own and row.source.session and not offered and why is None
        sure = sure and not route.candidate.doubtful and row.kind != IDEA
        status = Status.ACTIVE if sure else Status.PENDING
    if row.status != Status.ACTIVE or route.candidate.confirms:
        draft = draft.replace(project=row.project)
    return draft.replace(body=row.text, status=status)


_ALL: Final = r"(?:all|every|each|any)(?: one)?(?: of)?(?: (?:my|our|the|your|other))*"
_WORK: Final = r"(?:\w+ )?(?:projects?|repos?|repositor(?:y|ies)|code ?bases?)"
_EVERYWHERE: Final = re.compile(
    rf"\b(?:in|across|for|on|to|with|over) {_ALL} {_WORK}\b"
    rf"|\bacross (?:my |our )?(?:projects|repos|repositories|code ?bases)\b"
    r"|\b(?:whatever|whichever|no matter (?:what|which)|regardless of(?: the)?)"
    rf" {_WORK}\b"
    r"|(?:^|[.,;:!] ?)(?:(?:and|but|so|also|please) )?"
    r"(?:generally|in general|as a general rule)\b"
    r"|\beverywhere\b"
    r"(?!\?|,? (?:in|on|inside|within|across|else|we|you|i|it|that|this|the|where))",
    re.IGNORECASE,
)
_HERE: Final = re.compile(
    r"\b(?:in|for|across|throughout|of|on) (?:this|the|our) (?:\w+ )?"
    r"(?:project|repo|repository|code ?base)\b",
    re.IGNORECASE,
)


def says_everywhere(text: str, around: str = "") -> bool:
    """Whether the words of a sentence say that it holds in all projects.

    Args:
        text: the words that were mined.
        around: where they stand; the whole sentence counts, and no other one.

    >>> says_everywhere("In all my projects, use pnpm.")
    True
    >>> says_everywhere("Use US English everywhere in the docs.")
    False
    """
    text, around = (" ".join(each.split()) for each in (text, around))
    place = around.find(text)
    if place >= 0:
        begin = max(around.rfind(f"{mark} ", 0, place) for mark in ".!?;") + 1
        text = around[begin : place + len(text)]
    plain = text.replace("\u2019", "'")
    return bool(_EVERYWHERE.search(plain)) and not _HERE.search(plain)
