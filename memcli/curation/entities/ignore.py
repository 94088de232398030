"""Names that are no entities, by the decision of a person.

Invariant: one commit of one file, which `memcli undo` takes back.
"""

from __future__ import annotations

import os

from memcli.curation.entities.decide import taken
from memcli.entries import layout
from memcli.entries.text.mentions import fold
from memcli.storage import files
from memcli.storage.vault_paths import inside
from memcli.vault.registry import store
from memcli.vault.registry.page import check_name

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.vault.vault import Vault


def ignore(vault: Vault, names: Sequence[str]) -> tuple[list[str], str | None]:
    """Store that these names are no entities, in one commit; none is proposed again.

    Returns:
        (the names that were not ignored before, the commit's id).

    Raises:
        As `apply`; NotAllowed also for what is registered (`entity_exists`).
    """
    from memcli.storage.transaction import subject

    vault.owner_only("deciding on entities")
    with vault.transaction() as change:
        before = _bytes(inside(vault.root, layout.IGNORED_NAMES))
        registry, ignored_now = vault.registry, store.ignored_names(vault.root)
        data, new = before, []
        for name in map(check_name, names):
            entity = registry.find(name)
            if entity is not None:
                raise taken(name, entity)
            if fold(name) not in ignored_now:
                ignored_now[fold(name)] = name
                data = store.with_name(data, name)
                new.append(name)
        if data is not None and data != before:
            change.put(layout.IGNORED_NAMES, data, expected=before)
        change.message = subject("review", f"ignored {', '.join(new)}")
    return new, change.commit


def _bytes(path: str) -> bytes | None:
    return files.read(path) if os.path.lexists(path) else None
