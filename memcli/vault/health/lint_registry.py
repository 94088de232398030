"""What is wrong in the registry of entities.

Invariant: reads only; each finding names a file and what to do about it.
"""

from typing import TYPE_CHECKING

from memcli.entries.entry import (
    Visibility,
)
from memcli.entries.text.mentions import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.entries.text.name_index import Registered
    from memcli.vault.health.finding import Finding
from memcli.vault.registry.store import load


def findings(root: str) -> "Iterator[Finding]":
    """What is wrong in the registry, for the lint."""
    from memcli.vault.health.finding import ERROR, WARNING, Finding

    registry = load(root)
    for path, line, reason in registry.broken:
        hint = "Correct the file; until then it is no entity."
        yield Finding(path, line, "broken_entity", ERROR, reason, hint)
    first: dict[str, Registered] = {}
    for one in registry.entities:
        form = fold(one.name)
        if form in first:
            other = first[form]
            message = f"'{one.name}' is registered in {other.path}, too"
            hint = (
                f"Move what {one.path} says into {other.path}, and delete {one.path}."
            )
            if {one.visibility, other.visibility} != {str(Visibility.SHARED)}:
                hint += (
                    f" Give {other.path} 'visibility: shared' first: an agent that "
                    "does not see it registers the name again."
                )
            yield Finding(one.path, 1, "duplicate_entity", WARNING, message, hint)
        first.setdefault(form, one)
    for one in registry.entities:
        for alias in one.aliases:
            form = fold(alias)
            others = registry.names.ambiguous.get(form, ())
            if others:
                message = f"the alias '{alias}' means several: {', '.join(others)}"
                hint = "It links to none of them; take it out of all but one."
                yield Finding(one.path, 1, "ambiguous_alias", WARNING, message, hint)
            elif form in first and fold(first[form].name) != fold(one.name):
                message = f"the alias '{alias}' is the name of {first[form].path}"
                hint = "The name wins; take the alias out."
                yield Finding(one.path, 1, "ambiguous_alias", WARNING, message, hint)
