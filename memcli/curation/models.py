"""Models and observations: what they rest on, and which of them may no longer hold.

Invariant: a citation is the id of an existing entry; whether a model is stale is
computed each time, by the function that recall uses, too.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries.eligibility import View
from memcli.entries.entry import Entry, Layer
from memcli.errors import InvalidValue
from memcli.recall.filters import of_project
from memcli.vault import lineage, staleness
from memcli.vault.saving import settled

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

DRAWN = (str(Layer.MODEL), str(Layer.OBSERVATION))


class Model(NamedTuple):
    """A model or observation in force; `versions` counts its lineage, itself included.

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
    entities: list[str]
    evidence: list[str]
    versions: int
    stale: bool
    stale_why: list[staleness.Reason]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict() | {"stale_why": [why._asdict() for why in self.stale_why]}


def models(
    vault: "Vault", view: View, *, stale: bool = False, project: str = ""
) -> list[Model]:
    """Every model and observation in force, models first, then the newest.

    Args:
        vault: where to look.
        view: who asks, and for which moment.
        stale: only those with a reason to look at them again.
        project: only those of a project, as `recall --project` takes it.
    """
    listed = vault.read(
        lambda reader: _listed(reader, view, of_project(reader, project, vault.here))
    )
    return [model for model in listed if model.stale_why or not stale]


def cited(vault: "Vault", names: Sequence[str]) -> list[str]:
    """The whole ids of cited entries, each once.

    Raises:
        EntryNotFound, AmbiguousId: a name leads to no entry, or to several.
    """
    return list(dict.fromkeys(vault.get(name).id for name in names))


def check_drawn(layer: Layer) -> None:
    """Raise InvalidValue for a fact: it rests on what was seen, not on entries."""
    if layer is Layer.FACT:
        raise InvalidValue(
            "only an observation or a model cites other entries; this is a fact",
            hint="Give --layer observation or model, or leave --cite out.",
            code="invalid_layer",
        )


def renewed(
    vault: "Vault",
    old: Entry,
    fresh: Entry,
    cites: Sequence[str],
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
        cites: whole ids.
        rewritten: whether it has a new text.
        now: the moment, ISO 8601.

    Raises:
        InvalidValue: a fact cites.
    """
    if cites:
        check_drawn(fresh.layer)
    if fresh.layer is Layer.FACT or not (cites or rewritten):
        return fresh
    if not cites:
        if not old.evidence or fresh.evidence != old.evidence:
            fresh = fresh.replace(refreshed_at=now)
            return settled(vault, fresh, now) if fresh.evidence else fresh
        return fresh.replace(refreshed_at=old.refreshed_at or old.created or None)
    before = () if rewritten else old.evidence
    cited_ids = dict.fromkeys((*before, *cites))
    evidence = tuple(entry_id for entry_id in cited_ids if entry_id != old.id)
    unchanged = set(evidence).difference(cites)
    prints = tuple(p for p in old.fingerprints if p.partition(":")[0] in unchanged)
    fresh = fresh.replace(evidence=evidence, fingerprints=prints, refreshed_at=now)
    return settled(vault, fresh, now)


def _listed(
    reader: "Reader", view: View, within: Collection[int] | None
) -> list[Model]:
    models = []
    for layer in DRAWN:
        docs = [
            doc
            for doc in reader.exact("layer", layer)
            if reader.verdict(doc, view) is None and (within is None or doc in within)
        ]
        for doc in reader.newest(docs):
            row = reader.row(doc)
            why = staleness.reasons(reader, row, view)
            models.append(
                Model(
                    id=row.id,
                    title=row.title,
                    layer=layer,
                    subtype=row.subtype,
                    path=row.path,
                    project=row.project,
                    created=row.created,
                    refreshed_at=row.refreshed_at,
                    entities=list(row.entities),
                    evidence=list(row.evidence),
                    versions=len(lineage.versions(reader, row.id)),
                    stale=staleness.is_stale(row, why),
                    stale_why=why,
                )
            )
    return models
