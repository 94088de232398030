"""The evidence of observations and models, whether a search has found it, and which of
them may no longer hold.

Invariant: a citation is the whole id of an entry that its author may see, whichever way
it is given. In the name of a research run it is one that the run retrieved; the entry
then carries the run's name in `research`, which no caller can set, and which says that
its citations were checked.
"""

from __future__ import annotations

from contextlib import suppress
from types import MappingProxyType

from memcli.entries import dates
from memcli.entries.eligibility import View
from memcli.entries.entry import Entry, Layer, Status
from memcli.errors import MemcliError, NotAllowed, UsageError
from memcli.named_tuple import NamedTuple, taken
from memcli.vault import lineage, lookup, saving, staleness

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

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

    `research` is the run that has checked them, `looked` when it found them, and
    `prints` what they said then: what changed before the entry is saved makes it stale.
    `stale` has the citations that may no longer hold themselves, each with the reason,
    and `past` those that had ended when the run found them.
    """

    cited: list[str]
    dropped: Sequence[str] = ()
    research: str | None = None
    looked: str | None = None
    prints: Sequence[str] = ()
    stale: Mapping[str, str] = MappingProxyType({})
    past: Sequence[str] = ()

    def notes(self) -> list[str]:
        """Notes on citations that were dropped or may no longer hold, as sentences."""
        notes = []
        if self.dropped:
            notes.append(
                f"research '{self.research}' has not found in this vault, so not "
                f"cited: {', '.join(self.dropped)}"
            )
        notes += [f"it cites {name} as history: that had ended" for name in self.past]
        return notes + [
            f"it cites {cite}, which may no longer hold ({why})"
            for cite, why in self.stale.items()
        ]


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
        (draft,) = checked(vault, draft)
        return saving.save(vault, draft, allow_secret=allow_secret, register=register)
    of = grant(vault, draft.layer, cites._replace(ids=[*named, *cites.ids]))
    sessions = [word for word in draft.evidence if word not in named]
    # A run finds entries: what a session's name stands for, nobody has checked.
    draft = draft.replace(
        evidence=tuple(dict.fromkeys((*of.cited, *sessions))),
        research=of.research if of.cited and not sessions else None,
    )
    if of.looked:
        draft = draft.replace(refreshed_at=of.looked, fingerprints=tuple(of.prints))
    saved = saving.save(vault, draft, allow_secret=allow_secret, register=register)
    if saved.outcome != "created":
        left = "evidence" in saved.not_taken
        left = left or saved.outcome == "recurred"  # what is resolved is not renewed
        note = (
            f"{saved.id} exists already, and keeps the evidence that it cited before; "
            f"to renew that: memcli evolve {saved.id} --cite ID"
        )
        return saved._replace(
            # What contradicts its evidence is among `not_taken` already.
            notes=(*saved.notes, *([] if left else [note]), *of.notes()),
            dropped=tuple(of.dropped),
        )
    notes = [*saved.notes, *of.notes()]
    if not of.cited:
        notes.insert(0, "it cites nothing: name its evidence with --cite ID")
    elif sessions:
        notes.append(f"nobody has checked the session it cites: {', '.join(sessions)}")
    # Without a run `of.stale` may have said so of what it cites.
    changed = _stale(vault, [saved.id]) if of.looked or not of.stale else {}
    notes += [f"it is stale already: {why}" for why in changed.values()]
    return saved._replace(
        notes=tuple(notes), dropped=tuple(of.dropped), research=draft.research
    )


def checked(vault: Vault, *drafts: Entry) -> list[Entry]:
    """Drafts that are saved together, with the whole ids of their evidence, as
    `checked_evidence` gives it; the first error is raised."""
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


def refuse_unsearched(vault: Vault, layer: Layer) -> None:
    """Refuse a report that an agent writes without a run; a fact needs none.

    Raises:
        NotAllowed: code `must_search`.
    """
    if layer is not Layer.FACT and vault.caller.is_agent:
        raise NotAllowed(
            "an agent concludes from what a search found, and names its research run",
            hint='Search, then name the run: memcli recall "..." --research NAME',
            code="must_search",
        )


def refuse_other_layer(vault: Vault, before: Entry, after: Entry) -> None:
    """Refuse that an agent makes a report of a fact, or a fact of a report.

    Raises:
        NotAllowed: code `must_search`.
    """
    if vault.caller.is_agent and after.layer is not before.layer:
        raise NotAllowed(
            f"{before.id} is of the layer {before.layer}, which no agent changes",
            hint="Save a report anew, in the name of the run that found its evidence.",
            code="must_search",
        )


def grant(vault: Vault, layer: Layer, cites: Cites) -> Granted:
    """The citations that an entry of this layer may carry, as whole ids.

    Raises:
        EntryNotFound, AmbiguousId: outside of research, an id leads to no entry, or to
            several.
        NotAllowed: nothing was searched in the run, or an agent names none (code
            `must_search`), it had too little budget for a model (`budget_too_low`), or
            it has retrieved nothing of what a model cites (`nothing_cited`).
        InvalidValue: a fact cites, or the run's name is no file name.
    """
    if layer is Layer.FACT:
        raise lineage.of_a_fact()
    if cites.research:
        of = _retrieved(vault, cites.research, layer, cites.ids)
    else:
        refuse_unsearched(vault, layer)
        cited = dict.fromkeys(vault.get(name).id for name in cites.ids)
        of = Granted(list(cited))
    return of._replace(stale=_stale(vault, of.cited)) if of.cited else of


def _stale(vault: Vault, cited: Sequence[str]) -> dict[str, str]:
    """The citations that may no longer hold themselves, each with the first reason."""
    view = View(vault.now_ms() // 1000)

    def look(reader: Reader) -> dict[str, str]:
        rows = (row for name in cited for row in lookup.of_id(reader, name)[:1])
        both = ((row, staleness.reasons(reader, row, view)) for row in rows)
        return {
            row.id: staleness.sentence(why[0])
            for row, why in both
            if staleness.is_stale(row, why)
        }

    return vault.read(look)


def joined(entries: Sequence[Entry]) -> Entry:
    """The first of entries that become one, resting on what all of them rest on.

    Its author looked when the first of them did, and its citations were checked if all
    of them were. Of facts it is the first as it is.

    Raises:
        UsageError: another is of a higher layer, and needs more depth to be replaced.
    """
    first = entries[0]
    highest = max(entries, key=lambda entry: list(Layer).index(entry.layer))
    if highest.layer is not first.layer:
        hint = f"Name it first: memcli evolve {highest.id} TEXT --also {first.id}"
        if highest.status is Status.PENDING:
            hint = f"Approve it by itself: memcli review {highest.id} --approve"
        raise UsageError(
            f"{highest.id} is of the layer {highest.layer}: an entry of the layer "
            f"{first.layer} cannot stand for it",
            hint=hint,
        )
    drawn = [entry for entry in entries if entry.layer is not Layer.FACT]
    if len(drawn) < 2:
        return first
    ids = {entry.id for entry in entries}
    evidence = (name for entry in drawn for name in entry.evidence)
    prints = {
        each.partition(":")[0]: each
        for entry in reversed(drawn)
        for each in entry.fingerprints
    }
    rests_on = tuple(dict.fromkeys(name for name in evidence if name not in ids))
    looked = [entry.refreshed_at or entry.created for entry in drawn]
    return first.replace(
        evidence=rests_on,
        fingerprints=tuple(prints[name] for name in rests_on if name in prints),
        refreshed_at=min(filter(None, looked), key=dates.to_epoch, default=None),
        research=first.research if all(entry.research for entry in drawn) else None,
    )


def reviewed(fresh: Entry, of: Entry, other: Entry) -> Entry:
    """The next version of `of`, as a person gave it words of `other`, with what both
    rest on; raises as `joined`. A review is no look: what was stale, or not checked,
    stays so.
    """
    rests = joined([of, other])
    if of.layer is Layer.FACT:
        evidence = dict.fromkeys((*of.evidence, *other.evidence))
        evidence.pop(of.id, None)
        return fresh.replace(evidence=tuple(evidence))
    return fresh.replace(
        evidence=rests.evidence,
        fingerprints=rests.fingerprints,
        # The words of a candidate were checked against nothing.
        research=rests.research if other.layer is not Layer.FACT else None,
        refreshed_at=rests.refreshed_at or of.refreshed_at or of.created,
    )


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
    if not cites and old.evidence and fresh.evidence == old.evidence:
        return fresh.replace(refreshed_at=old.refreshed_at or old.created or None)
    looked = (of and of.looked) or now
    # Who adds to what the same words rest on has not looked at all else.
    as_before = old.refreshed_at or old.created or None
    fresh = fresh.replace(refreshed_at=looked if rewritten else as_before)
    if of and cites:
        before = () if rewritten else old.evidence
        rests_on = dict.fromkeys(each for each in (*before, *cites) if each != old.id)
        unchanged = rests_on.keys() - cites
        kept = (p for p in old.fingerprints if p.partition(":")[0] in unchanged)
        fresh = fresh.replace(
            evidence=tuple(rests_on),
            fingerprints=(*kept, *of.prints),
            research=of.research if old.research or not before else None,
        )
    return lineage.settled_evidence(vault, fresh, looked) if fresh.evidence else fresh


def _retrieved(vault: Vault, name: str, layer: Layer, cites: Iterable[str]) -> Granted:
    from memcli.curation import research

    run = research.find(vault, name)
    again = f'memcli recall "..." --research {name}'
    now = vault.now_ms() // 1000
    if run is None or dates.to_epoch(run.last) < now - _FRESH:
        raise NotAllowed(
            f"nothing was searched in research '{name}' within a day: search before "
            "you conclude",
            hint=f"First: {again}",
            code="must_search",
        )
    if layer is Layer.MODEL and run.budget == "low":
        raise NotAllowed(
            f"research '{name}' has budget low: not enough depth for a model",
            hint=f"Look further: {again} --budget mid; or save an observation.",
            code="budget_too_low",
        )
    there = research.still_there(vault, run.sources)
    found: dict[str, None] = {}
    dropped: list[str] = []
    for cite in dict.fromkeys(cites):
        prefix = cite.strip().lower()
        meant = [id_ for id_ in run.sources if prefix and id_.startswith(prefix)]
        if not meant:
            with suppress(MemcliError):  # by its path, or the name of its file
                meant = [id_ for id_ in [vault.get(cite).id] if id_ in run.sources]
        if len(meant) == 1 and meant[0] in there:
            found[meant[0]] = None
        else:
            dropped.append(meant[0] if len(meant) == 1 else cite)
    if layer is Layer.MODEL and not found and (dropped or not run.sources):
        what = f" of what is cited: {', '.join(dropped)}" if dropped else ""
        raise NotAllowed(
            f"research '{name}' has found in this vault nothing{what}",
            hint=f"Cite what it found (memcli inspect research {name}), or search in "
            "other words; without evidence, save a fact or nothing.",
            code="nothing_cited",
        )
    of = Granted([*found], dropped, name)
    if not found:
        return of
    view = View(now)
    ends = vault.read(lambda reader: staleness.ends(reader, found, view))
    looked, prints = run.last_found(found, ends)
    past = [name for name, end in ends.items() if 0 < end < dates.to_epoch(looked)]
    ended = tuple(f"{name}:" for name in past)
    prints = [
        f"{each}:{staleness.ENDED}" if each.startswith(ended) else each
        for each in prints
    ]
    return of._replace(looked=looked, prints=prints, past=past)


# --- the models and observations of a vault ------------------------------------------


DRAWN = (str(Layer.MODEL), str(Layer.OBSERVATION))


class Model(NamedTuple):
    """A model or observation in force; `versions` counts its lineage, itself included.

    `citations_checked` says whether a research run retrieved what it cites.
    `stale_why` may give reasons for a pinned model, too, which is never `stale`.
    """

    id: str
    title: str
    layer: str
    subtype: str | None
    path: str
    project: str | None
    created: str
    refreshed_at: str | None
    entities: tuple[str, ...]
    evidence: tuple[str, ...]
    citations_checked: bool
    versions: int
    stale: bool
    stale_why: list[staleness.Reason]


def models(
    vault: Vault, view: View, *, stale: bool = False, project: str = ""
) -> list[Model]:
    """Every model and observation in force, models first, then the newest.

    Args:
        vault: where to look.
        view: who asks, and for which moment.
        stale: only those with a reason to look at them again.
        project: only those of a project, as `recall --project` takes it.
    """
    from memcli.recall.filters import of_project

    listed = vault.read(
        lambda reader: _listed(reader, view, of_project(reader, project, vault.here))
    )
    return [model for model in listed if model.stale_why or not stale]


def _listed(reader: Reader, view: View, within: Collection[int] | None) -> list[Model]:
    models = []
    for layer in DRAWN:
        shown = reader.shown(reader.exact("layer", layer), view)
        docs = [doc for doc in shown if within is None or doc in within]
        for doc in reader.newest(docs):
            row = reader.row(doc)
            why = staleness.reasons(reader, row, view)
            models.append(
                taken(
                    Model,
                    row,
                    citations_checked=row.research is not None,
                    versions=len(lineage.versions(reader, row.id)),
                    stale=staleness.is_stale(row, why),
                    stale_why=why,
                )
            )
    return models
