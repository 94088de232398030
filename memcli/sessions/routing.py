"""Where a mined candidate goes, before the transaction that writes it.

Invariant: the confidence decides, then the words, then the vault: explicit candidates
are saved, patterns wait for review, single inferences wait in the inbox; what nearly
says a thing that is solved waits for review; text that speaks like an instruction to
the model is never saved; what contradicts an entry is offered to supersede it, and
never decided here. Nothing is written.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.entries.entry import Confidence, Entry, Status
from memcli.entries.text import prompt_injection
from memcli.entries.text.links import unlinked
from memcli.named_tuple import NamedTuple
from memcli.sessions.scope import says_everywhere

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.search.reader import Reader
    from memcli.search.stored_row import StoredRow
    from memcli.sessions.mining import Candidate
    from memcli.vault.likeness import Similar
    from memcli.vault.vault import Vault

_KINDS = {"preference": "preference", "correction": "preference"}
_DECIDED = "decided"
# Jaccard of their terms: so alike, and with nothing that differs, they say the same.
_REPEATS = 0.9
_NEAR = 0.2
_MOST_NEAR = 10


class Route(NamedTuple):
    """Where a candidate goes.

    Attributes:
        candidate: what was mined.
        draft: the entry that it would be; None for an idea.
        action: saved, review, inbox, supersede or idea.
        target: the entry that it is offered to supersede.
        why: the reason against saving it, or what contradicts the target.
    """

    candidate: Candidate
    draft: Entry | None
    action: str
    target: str | None = None
    why: str | None = None


def by_confidence(
    vault: Vault, candidate: Candidate, source: dict[str, Any], project: str | None
) -> Route:
    """The route of a candidate by its confidence and its words alone.

    Args:
        vault: whose settings count.
        candidate: what was mined.
        source: the `source` of the entry, but for its record and excerpt.
        project: where the session ran; it holds there unless its words say everywhere.
    """
    if candidate.category == "idea":
        return Route(candidate, None, "idea")
    silent = vault.settings.memory.review_mode == "silent"
    sure = candidate.confidence is Confidence.HIGH or (
        silent and candidate.confidence is Confidence.MEDIUM
    )
    doubt = prompt_injection.suspicious(candidate.text)
    saved = sure and doubt is None
    action = "inbox"
    if saved:
        action = "saved"
    elif candidate.confidence is not Confidence.LOW:
        action = "review"
    kind = candidate.kind or _KINDS.get(candidate.category, candidate.category)
    if candidate.evolves:
        saved, action = False, "supersede"
    everywhere = candidate.everywhere or says_everywhere(
        candidate.text, candidate.excerpt
    )
    draft = vault.draft(
        {
            "text": unlinked(candidate.text),
            "title": candidate.title,
            "kind": "decision" if candidate.pattern == _DECIDED else kind,
            "entities": candidate.entities,
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
    return Route(candidate, draft, action, candidate.evolves, doubt)


def by_vault(vault: Vault, reader: Reader, routes: Sequence[Route]) -> list[Route]:
    """These routes, changed where the vault says the same, or the contrary."""
    from memcli.search.document import document
    from memcli.search.stemmer import stemmer
    from memcli.vault.likeness import alike, like_resolved

    now = vault.now_ms() // 1000

    def in_force(doc: int) -> bool:
        return reader.verdict(doc, View(now)) is None

    changed = []
    for route in routes:
        draft = route.draft
        is_open = draft is not None and route.action != "supersede"
        if draft is not None and is_open and draft.kind not in ("fix", "workflow"):
            terms = document(draft, stemmer()).row.terms
            near = alike(reader, terms, in_force, limit=_MOST_NEAR)
            # What holds here comes first: the words of another project are taken only
            # where nothing here has them.
            near.sort(key=lambda pair: pair[1].project not in (None, draft.project))
            route = _compared(route, draft, near)
        if draft is not None and route.draft == draft:
            solved = like_resolved(reader, draft)
            route = route if solved is None else _doubted(route, draft, solved)
        changed.append(route)
    return changed


def _doubted(route: Route, draft: Entry, solved: Similar) -> Route:
    """The route of what nearly says a thing that is solved: a person looks at it."""
    pending = draft.replace(status=Status.PENDING)
    action = "review" if route.action == "saved" else route.action
    why = f"nearly the same ({solved.likeness:.0%}) is resolved: {solved.id}"
    return route._replace(draft=pending, action=action, why=why)


def _compared(
    route: Route, draft: Entry, near: Iterable[tuple[float, StoredRow]]
) -> Route:
    from memcli.entries.text.directives import differ

    for likeness, row in near:
        if likeness < _NEAR or row.source.session == draft.source.session:
            continue
        contrary = differ(draft.body, row.text)
        if contrary is not None and row.project not in (None, draft.project):
            continue  # two projects may do it differently
        if contrary is not None:
            pending = draft.replace(status=Status.PENDING)
            return Route(route.candidate, pending, "supersede", row.id, contrary[1])
        if likeness >= _REPEATS:
            # In the words of the entry, it is evidence for it.
            return route._replace(draft=draft.replace(body=row.text))
    return route
