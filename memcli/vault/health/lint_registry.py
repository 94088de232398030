"""What is wrong in the registry of entities: broken files, names that clash.

Invariant: reads only; each finding names a file and what to do about it.
"""

from __future__ import annotations

from memcli.entries.entry import Visibility
from memcli.entries.finding import ERROR, WARNING, Finding
from memcli.entries.text.mentions import fold
from memcli.vault.registry.store import load

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.entries.text.name_index import Registered


def findings(root: str) -> Iterator[Finding]:
    """What is wrong in the registry of the vault at `root`."""
    registry = load(root)
    for path, line, reason in registry.broken:
        hint = "Correct the file; until then it is no entity."
        yield Finding(path, line, "broken_entity", ERROR, reason, hint)
    first: dict[str, Registered] = {}
    for entity in registry.entities:
        form = fold(entity.name)
        if form in first:
            other = first[form]
            message = f"'{entity.name}' is registered in {other.path} as well"
            hint = f"Move what {entity.path} says into {other.path}, and delete "
            hint += f"{entity.path}."
            if {entity.visibility, other.visibility} != {str(Visibility.SHARED)}:
                hint += (
                    f" Give {other.path} 'visibility: shared' first: an agent that "
                    "does not see it registers the name again."
                )
            yield Finding(entity.path, 1, "duplicate_entity", WARNING, message, hint)
        first.setdefault(form, entity)
    for entity in registry.entities:
        for alias in entity.aliases:
            form = fold(alias)
            others = registry.names.ambiguous.get(form, ())
            if others:
                message = f"the alias '{alias}' means several: {', '.join(others)}"
                hint = "It links to none of them; take it out of all but entity."
                yield Finding(entity.path, 1, "ambiguous_alias", WARNING, message, hint)
            elif form in first and fold(first[form].name) != fold(entity.name):
                message = f"the alias '{alias}' is the name of {first[form].path}"
                hint = "The name wins; take the alias out."
                yield Finding(entity.path, 1, "ambiguous_alias", WARNING, message, hint)
