"""Models and observations: which there are, which of them may no longer hold, and which
a change makes stale.

Invariant: whether a model is stale is computed each time, by the function that recall
uses, too. What a model may cite is decided in `citing`.
"""

from __future__ import annotations

from memcli.entries.eligibility import View
from memcli.entries.entry import Layer
from memcli.named_tuple import NamedTuple, taken
from memcli.vault import lineage, staleness

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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
        docs = [
            doc
            for doc in reader.exact("layer", layer)
            if reader.verdict(doc, view) is None and (within is None or doc in within)
        ]
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


# --- what a change makes stale --------------------------------------------------------


class Resting(NamedTuple):
    """An observation or model that rests on something; `layer` says which it is."""

    id: str
    title: str
    layer: str


def resting_on(
    reader: Reader, ids: Iterable[str], now: int, text: str | None = None
) -> list[Resting]:
    """Those that rest on entries which end, or get another text.

    Args:
        reader: the vault before or after the entries are resolved; before they are
            removed, or replaced.
        ids: of the entries.
        now: epoch seconds.
        text: of the version that takes their place, if they are replaced.
    """
    found = staleness.resting_on(reader, ids, View(now), text)
    return [taken(Resting, row) for row in found]
