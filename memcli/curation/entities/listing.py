"""The entities that a vault registers or mentions, and how often.

Invariant: reads only, and through the reader of the asking agent: a name that stands
only in entries that the agent may not see is in no list and in no count. The index's
lists of documents tell all of it; no entry is read.
"""

from __future__ import annotations

from collections import Counter

from memcli.entries.eligibility import View
from memcli.entries.entry import Status
from memcli.entries.projects import ANY
from memcli.entries.text.mentions import fold, folded
from memcli.named_tuple import NamedTuple
from memcli.recall.filters import of_project
from memcli.search.ranking.graph import is_hub

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.entries.text.mentions import Registered
    from memcli.search.reader import Reader
    from memcli.vault.registry.store import Registry
    from memcli.vault.vault import Vault

UNDECIDED = (str(Status.PENDING), str(Status.REJECTED))
"""The statuses of what is no memory; it counts for no entity."""


class ListedEntity(NamedTuple):
    """One entity: `current` counts entries in force that mention it, `past` others."""

    name: str
    type: str
    registered: bool
    aliases: list[str]
    current: int
    past: int
    hub: bool
    path: str | None


class Listed(NamedTuple):
    """Entities, the most mentioned first; how many there are, and are registered."""

    rows: list[ListedEntity]
    total: int
    registered: int


class _Mentioned(NamedTuple):
    """What entries say of entities: by folded name, in how many entries in force each
    is mentioned, and in how many others.

    `names` has a spelling of each, and `repeated` the places in `spelled` and `docs` of
    those that have several. `every` are the entries, `force` says how many of those
    that were asked for are in force.
    """

    counts: dict[str, tuple[int, int]]
    names: dict[str, str]
    repeated: dict[str, list[int]]
    spelled: Sequence[str]
    docs: Sequence[Sequence[int]]
    every: set[int]
    force: int

    def spelling(self, form: str) -> str:
        """How most entries spell a name that is mentioned."""
        places = self.repeated.get(form)
        if places is None:
            return self.names[form]
        counts = [len(self.every.intersection(self.docs[place])) for place in places]
        return usual([self.spelled[place] for place in places], counts)


def listed(vault: Vault, project: str = "", most: int | None = None) -> Listed:
    """Every entity that is registered or mentioned, the most mentioned first.

    Args:
        vault: where to look.
        project: only what its entries mention, named as `recall --project` takes it.
        most: how many rows are wanted; None is all.
    """
    registry = vault.registry
    seen = vault.read(lambda reader: _mentioned(vault, reader, registry, project))
    registered = {fold(entity.name): entity for entity in reversed(registry.entities)}
    counts = seen.counts
    if project in ("", ANY):
        counts = dict.fromkeys(registered, (0, 0)) | counts
    order = sorted(counts)
    order.sort(key=counts.__getitem__, reverse=True)  # equal ones stay in order
    rows = [
        _row(seen, form, registered.get(form), counts[form]) for form in order[:most]
    ]
    return Listed(rows, len(order), len(registered.keys() & counts.keys()))


def _row(
    seen: _Mentioned, form: str, entity: Registered | None, counts: tuple[int, int]
) -> ListedEntity:
    hub = is_hub(counts[0], seen.force)
    if entity is None:
        name = seen.spelling(form)
        return ListedEntity(name, "unknown", False, [], *counts, hub, None)
    known = entity.name, entity.type, True, list(entity.aliases)
    return ListedEntity(*known, *counts, hub, entity.path)


def _mentioned(
    vault: Vault, reader: Reader, registry: Registry, project: str
) -> _Mentioned:
    within = of_project(reader, project, vault.here)
    every = set(reader.everything())
    docs = every if within is None else every & within
    force = docs & reader.shown(View(vault.now_ms() // 1000))
    decided = docs.difference(*(reader.exact("status", each) for each in UNDECIDED))
    current = decided & force
    lists = reader.values("entity_name")
    spelled, listed = [*lists], [*lists.values()]
    now = [len(current.intersection(each)) for each in listed]
    others = [
        len(decided.intersection(each)) - n for each, n in zip(listed, now, strict=True)
    ]
    forms = _forms(spelled, registry)
    counts = dict(zip(forms, zip(now, others, strict=True), strict=True))
    repeated: dict[str, list[int]] = {
        form: [] for form, times in Counter(forms).items() if times > 1
    }
    for place, form in enumerate(forms):
        if form in repeated:
            repeated[form].append(place)
    for form, places in repeated.items():
        mentioning = {doc for place in places for doc in listed[place]}
        in_force = len(current & mentioning)
        counts[form] = in_force, len(decided & mentioning) - in_force
    return _Mentioned(
        {form: both for form, both in counts.items() if both != (0, 0)},
        dict(zip(forms, spelled, strict=True)),
        repeated,
        spelled,
        listed,
        every,
        len(force),
    )


def _forms(names: Sequence[str], registry: Registry) -> list[str]:
    """The folded names of the entities that are meant by names."""
    forms = folded(names)
    if not registry.names.meant:
        return forms
    meant = {form: fold(name) for form, name in registry.names.meant.items()}
    return [meant.get(form, form) for form in forms]


def usual(spellings: Sequence[str], counts: Sequence[int]) -> str:
    """The spelling of a name that most entries have; of several such, the first.

    Args:
        spellings: of the name, one at least; the same one may come twice.
        counts: how many entries have each.
    """
    if len(spellings) == 1:
        return spellings[0]
    held = Counter[str]()
    for name, count in zip(spellings, counts, strict=True):
        held[name] += count
    return min(held, key=lambda name: (-held[name], name))
