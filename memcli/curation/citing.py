"""The evidence of observations and models, and whether a search has found it.

Invariant: a citation is the whole id of an entry that its author may see, whichever way
it is given. In the name of a research run it is one that the run retrieved; the entry
then carries the run's name in `research`, which no caller can set, and which says that
its citations were checked.
"""

from __future__ import annotations

from types import MappingProxyType

from memcli.entries import dates
from memcli.entries.eligibility import View
from memcli.entries.entry import Entry, Layer
from memcli.errors import MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.vault import lineage, lookup, saving, staleness

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memcli.search.reader import Reader
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault


# Seconds after its last search in which a run may be concluded: a day.
_FRESH = 86_400


class Cites(NamedTuple):
    """The citations of an author: ids or unique prefixes, and the research run that
    the citations must come from, if there is one."""

    ids: Sequence[str] = ()
    research: str | None = None


class Granted(NamedTuple):
    """The citations that an entry may carry, and those that were dropped.

    `elsewhere` has the citations in `dropped` that were retrieved from another vault,
    each with its source. `research` is the run that has checked them, `looked` when it
    found them, and `prints` what they said then: what changed before the entry is saved
    makes it stale. `stale` has the citations that may no longer hold themselves, each
    with the reason.
    """

    cited: list[str]
    dropped: list[str]
    elsewhere: dict[str, str]
    research: str | None = None
    stale: Mapping[str, str] = MappingProxyType({})
    looked: str | None = None
    prints: Sequence[str] = ()

    def without(self, entry_id: str) -> Granted:
        """The citations without the version before, which is past and not cited."""
        return self._replace(cited=[name for name in self.cited if name != entry_id])

    def notes(self) -> list[str]:
        """Notes on citations that were dropped or may no longer hold, as sentences."""
        notes = []
        unknown = [cite for cite in self.dropped if cite not in self.elsewhere]
        if unknown:
            notes.append(
                f"not retrieved in research '{self.research}', and not cited: "
                + ", ".join(unknown)
            )
        for cite, source in self.elsewhere.items():
            notes.append(
                f"retrieved from {source}, and not cited: {cite}: evidence must be in "
                "the vault that it is saved in"
            )
        for cite, why in self.stale.items():
            notes.append(f"it cites {cite}, which may no longer hold ({why})")
        return notes


def save(
    vault: Vault,
    draft: Entry,
    cites: Cites,
    *,
    allow_secret: bool = False,
    register: bool = False,
) -> Saved:
    """Save a draft with what it cites; as `saving.save` otherwise.

    What `draft.evidence` names of entries is cited, too; the rest of it are sessions.

    Raises:
        What `grant` and `saving.save` raise; nothing was changed.
    """
    named = [word for word in draft.evidence if lineage.is_citation(word)]
    if draft.layer is Layer.FACT and not (cites.ids or cites.research):
        draft = checked(vault, draft)
        return saving.save(vault, draft, allow_secret=allow_secret, register=register)
    of = grant(vault, draft.layer, cites._replace(ids=[*named, *cites.ids]))
    sessions = (word for word in draft.evidence if word not in named)
    draft = draft.replace(
        evidence=tuple(dict.fromkeys((*of.cited, *sessions))),
        research=of.research if of.cited else None,
    )
    if of.looked:
        draft = draft.replace(refreshed_at=of.looked, fingerprints=tuple(of.prints))
    saved = saving.save(vault, draft, allow_secret=allow_secret, register=register)
    if saved.outcome != "created":
        left = any(item.field == "evidence" for item in saved.not_taken)
        note = (
            f"{saved.id} exists already, and keeps the evidence that it cited before; "
            f"to renew that: memcli evolve {saved.id} --cite ID"
        )
        return saved._replace(
            # What contradicts its evidence is among `not_taken` already.
            notes=(*saved.notes, *([] if left else [note]), *of.notes()),
            dropped=tuple(of.dropped),
        )
    changed = _stale(vault, [saved.id]) if of.looked else {}
    since = [f"it is stale already: {why}" for why in changed.values()]
    return saved._replace(
        notes=(*saved.notes, *nothing_cited(of), *of.notes(), *since),
        dropped=tuple(of.dropped),
        research=draft.research,
    )


def were_checked(entry: Entry) -> bool | None:
    """Whether a run has retrieved what an entry cites; None for a fact."""
    return None if entry.layer is Layer.FACT else entry.research is not None


def nothing_cited(of: Granted) -> list[str]:
    """The warning of an entry that ends a research run and cites nothing."""
    if of.cited or not of.research:
        return []
    return ["it cites nothing: name its evidence with --cite ID"]


def checked(vault: Vault, draft: Entry) -> Entry:
    """A draft with the whole ids of its evidence, as `checked_evidence` gives it."""
    return checked_all(vault, [draft])[0]


def checked_all(vault: Vault, drafts: Sequence[Entry]) -> list[Entry]:
    """Drafts that are saved together, each as `checked`; the first error is raised."""
    entries = []
    for answer in attempts(vault, drafts):
        if isinstance(answer, MemcliError):
            raise answer
        entries.append(answer)
    return entries


def attempts(vault: Vault, drafts: Sequence[Entry]) -> list[Entry | MemcliError]:
    """For each draft what `checked` gives or raises; they may cite each other."""
    if not any(draft.evidence for draft in drafts):
        return list(drafts)
    beside = {draft.id for draft in drafts if draft.id}

    def attempt(reader: Reader, draft: Entry) -> Entry | MemcliError:
        try:
            return lineage.checked_evidence(reader, draft, beside)
        except MemcliError as error:
            return error

    return vault.read(lambda reader: [attempt(reader, draft) for draft in drafts])


def grant(vault: Vault, layer: Layer, cites: Cites) -> Granted:
    """The citations that an entry of this layer may carry, as whole ids.

    Raises:
        EntryNotFound, AmbiguousId: outside of research, an id leads to no entry, or to
            several.
        NotAllowed: nothing was searched in the run (code `must_search`), it had too
            little budget for a model (`budget_too_low`), or it has retrieved nothing
            of what a model cites (`nothing_cited`).
        InvalidValue: a fact cites, or the run's name is no file name.
    """
    if layer is Layer.FACT:
        raise lineage.of_a_fact()
    if cites.research:
        of = _retrieved(vault, cites.research, layer, cites.ids)
    else:
        cited = dict.fromkeys(vault.get(name).id for name in cites.ids)
        of = Granted(list(cited), [], {})
    return of._replace(stale=_stale(vault, of.cited)) if of.cited else of


def _stale(vault: Vault, cited: Sequence[str]) -> dict[str, str]:
    """The citations that may no longer hold themselves, each with the first reason."""
    view = View(vault.now_ms() // 1000)

    def look(reader: Reader) -> dict[str, str]:
        rows = [row for name in cited for row in lookup.of_id(reader, name)[:1]]
        reasons = {row.id: staleness.reasons(reader, row, view) for row in rows}
        return {
            row.id: staleness.sentence(reasons[row.id][0])
            for row in rows
            if staleness.is_stale(row, reasons[row.id])
        }

    return vault.read(look)


def renewed(
    vault: Vault,
    old: Entry,
    fresh: Entry,
    of: Granted | None,
    *,
    rewritten: bool,
    now: str,
) -> Entry:
    """The next version of a model or observation, with what it rests on.

    Citing means that its author looked again: a new text rests on these citations
    alone, an unchanged text on the earlier ones as well. A new wording without
    citations is no new look: the old version's citations and `refreshed_at` are carried
    over, so that a stale report does not become fresh when its commas change. A version
    that cites nothing has only its text, and there a new text counts as a look.

    Args:
        vault: where it is.
        old: the version before; it is never evidence of its own successor.
        fresh: the next version, not yet written.
        of: what it cites.
        rewritten: whether it has a new text.
        now: the moment, ISO 8601.
    """
    cites = of.cited if of else []
    if fresh.layer is Layer.FACT or not (cites or rewritten):
        return fresh
    if not cites:
        if not old.evidence or fresh.evidence != old.evidence:
            fresh = fresh.replace(refreshed_at=now)
            return (
                lineage.settled_evidence(vault, fresh, now) if fresh.evidence else fresh
            )
        return fresh.replace(refreshed_at=old.refreshed_at or old.created or None)
    before = () if rewritten else old.evidence
    cited_ids = dict.fromkeys((*before, *cites))
    rests_on = tuple(entry_id for entry_id in cited_ids if entry_id != old.id)
    unchanged = set(rests_on).difference(cites)
    kept = (p for p in old.fingerprints if p.partition(":")[0] in unchanged)
    prints = (*kept, *(of.prints if of else ()))
    now = (of and of.looked) or now
    run = of.research if of and (old.research or not before) else None
    fresh = fresh.replace(
        evidence=rests_on, fingerprints=prints, refreshed_at=now, research=run
    )
    return lineage.settled_evidence(vault, fresh, now)


def _retrieved(vault: Vault, name: str, layer: Layer, cites: Iterable[str]) -> Granted:
    from memcli.curation import research

    run = research.find(vault, name)
    if run is None or not run.searches:
        raise NotAllowed(
            f"nothing was searched in research '{name}': search before you conclude",
            hint=f'First: memcli recall "..." --research {name}',
            code="must_search",
        )
    now = vault.now_ms() // 1000
    if dates.to_epoch(run.last) < now - _FRESH:
        raise NotAllowed(
            f"research '{name}' was last searched at {run.last}, over a day ago",
            hint=f'Search again: memcli recall "..." --research {name}',
            code="must_search",
        )
    if layer is Layer.MODEL and run.budget == "low":
        raise NotAllowed(
            f"research '{name}' has budget low: not enough depth for a model",
            hint=f'Look further: memcli recall "..." --research {name} --budget mid; '
            "or save an observation.",
            code="budget_too_low",
        )
    retrieved = run.sources
    if layer is Layer.MODEL and not retrieved:
        raise NotAllowed(
            f"research '{name}' has found nothing that a model could rest on",
            hint="Search in other words; without evidence, save a fact or nothing.",
            code="nothing_cited",
        )
    there = research.still_there(vault, retrieved)
    cited: list[str] = []
    dropped: list[str] = []
    elsewhere: dict[str, str] = {}
    for cite in dict.fromkeys(cites):
        prefix = cite.strip().lower()
        meant = [id_ for id_ in retrieved if prefix and id_.startswith(prefix)]
        meant = meant or _by_file(vault, cite, retrieved)
        known = len(meant) == 1 and meant[0] in there
        (cited if known else dropped).append(meant[0] if known else cite)
        if len(meant) == 1 and not known and retrieved[meant[0]] != vault.source:
            elsewhere[cite] = retrieved[meant[0]]
    if layer is Layer.MODEL and dropped and not cited:
        raise _nothing_left(name, dropped, elsewhere)
    cited = list(dict.fromkeys(cited))
    of = Granted(cited, dropped, elsewhere, name)
    if not cited:
        return of
    looked, prints = run.last_found(cited)
    return of._replace(looked=looked, prints=prints)


def _by_file(vault: Vault, cite: str, retrieved: Iterable[str]) -> list[str]:
    """The id of a retrieved entry that is cited by its path or its file's name."""
    try:
        cited = vault.get(cite).id
    except MemcliError:
        return []
    return [cited] if cited in retrieved else []


def _nothing_left(
    name: str, dropped: Sequence[str], elsewhere: dict[str, str]
) -> NotAllowed:
    found = f"memcli inspect research {name}"
    hint = f"Cite what it retrieved ({found}), or search for what you rest on."
    if set(dropped) <= set(elsewhere):
        sources = ", ".join(sorted(set(elsewhere.values())))
        hint = f"They were retrieved from {sources}: save it in that vault (--vault)."
    return NotAllowed(
        f"research '{name}' has retrieved nothing of what is cited: "
        + ", ".join(dropped),
        hint=hint,
        code="nothing_cited",
    )
