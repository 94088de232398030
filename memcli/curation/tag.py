"""Tag: add and drop tags of an entry, or say where it holds.

Invariant: as `in_place`. A tag that is added twice is there once; one that is dropped
has to be there.
"""

from __future__ import annotations

from memcli.curation import in_place
from memcli.entries.rights import Action
from memcli.errors import InvalidContent
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.vault.vault import Vault


class Tagged(NamedTuple):
    """An entry with its tags and its project (None is everywhere) as they are now.

    `changed` says whether the call changed anything.
    """

    id: str
    path: str
    title: str
    tags: tuple[str, ...]
    project: str | None
    changed: bool

    def as_dict(self) -> dict[str, Any]:
        """The `data` of the JSON envelope."""
        return {**self._asdict(), "tags": list(self.tags)}


def tag(
    vault: Vault,
    entry_id: str,
    *,
    add: Sequence[str] = (),
    untag: Sequence[str] = (),
    project: str | None = None,
) -> Tagged:
    """Add and drop tags, and set the project.

    Args:
        vault: where it is.
        entry_id: the entry, or a unique prefix of its id.
        add: tags to add.
        untag: tags to drop.
        project: where it holds from now on: a name, `here`, or `none` for everywhere;
            None leaves it.

    Raises:
        EntryNotFound, AmbiguousId: the id leads to no entry, or to several.
        NotAllowed: the entry is not in use, or another agent's and pinned.
        InvalidValue: no tag, or no name of a project; or a tag that the entry lacks.
        Conflict, LockBusy, WriteFailed, HistoryError, SecretFound: nothing was changed.
    """
    from memcli.storage.transaction import subject

    # The check of a draft is that of `save`; its text is not looked at.
    wanted = vault.draft({"text": "-", "tags": list(add), "project": project or "none"})
    with vault.transaction() as change:
        old = in_place.named(vault, entry_id, Action.EVOLVE)
        dropped = {word.strip().lower() for word in untag}
        unknown = dropped - set(old.entry.tags)
        if unknown:
            raise InvalidContent(
                f"{old.entry.id} has no tag '{min(unknown)}'",
                hint=f"It has: {', '.join(old.entry.tags) or 'none'}.",
                code="invalid_tag",
            )
        kept = [one for one in old.entry.tags if one not in dropped]
        fresh = old.entry.replace(tags=tuple(dict.fromkeys((*kept, *wanted.tags))))
        if project:
            fresh = fresh.replace(project=wanted.project)
        changed = in_place.put(vault, change, old, fresh)
        change.message = subject("tag", fresh.display_title)
    return Tagged(
        fresh.id, old.path, fresh.display_title, fresh.tags, fresh.project, changed
    )
