"""Models and observations: which there are, and which of them may no longer hold.

Invariant: whether a model is stale is computed each time, by the function that recall
uses, too. What a model may cite is decided in `citing`.
"""

from __future__ import annotations

from memcli.entries.entry import Layer
from memcli.named_tuple import NamedTuple
from memcli.recall.filters import of_project
from memcli.vault import lineage, staleness

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection

    from memcli.entries.eligibility import View
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

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
    entities: list[str]
    evidence: list[str]
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
    listed = vault.read(
        lambda reader: _listed(reader, view, of_project(reader, project, vault.here))
    )
    return [model for model in listed if model.stale_why or not stale]


def _listed(reader: Reader, view: View, within: Collection[int] | None) -> list[Model]:
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
                    citations_checked=row.research is not None,
                    versions=len(lineage.versions(reader, row.id)),
                    stale=staleness.is_stale(row, why),
                    stale_why=why,
                )
            )
    return models
