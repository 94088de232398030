"""What an answer leaves open: where an unknown id is, which agent or project is meant.

Invariant: vaults are asked as the same agent: what the agent may not see is in none. A
vault that cannot be asked is passed over.
"""

from __future__ import annotations

from memcli.errors import AmbiguousId, EntryNotFound, MemcliError, Unavailable
from memcli.storage import known_vaults

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.cli.context import Context, Result
    from memcli.vault.saved import Saved
    from memcli.vault.vault import Vault


def explained(
    error: EntryNotFound, context: Context, asked: list[str]
) -> EntryNotFound:
    """The refusal of an unknown id, with the user's vault that has it, if one does, and
    those whose database does not answer.

    Args:
        error: of the vault that was asked.
        context: what it was asked by.
        asked: the vaults that the command line names.
    """
    if error.entry_id is None:
        return error
    names, silent = _holders(error.entry_id, context, asked)
    if silent and not names:
        said = "; ".join([error.message, *silent])
        hint = f"Try again later. {error.hint}" if error.hint else "Try again later."
        return EntryNotFound(said, hint=hint, entry_id=error.entry_id)
    if not names:
        return error
    vaults = " and ".join(f"`{name}`" for name in names)
    return EntryNotFound(
        f"{error.message}; it is in the vault {vaults}",
        hint=f"Add --vault {names[0]}",
        entry_id=error.entry_id,
    )


def for_agent(result: Result, context: Context, values: Mapping[str, Any]) -> Result:
    """The answer, with a warning when no vault that was asked knows the agent."""
    from memcli.vault import agents
    from memcli.vault.vault import Vault

    try:
        asked = context.open_vaults(
            "reading",
            values.get("vaults"),
            personal_only=bool(values.get("personal_only")),
        )
        every = (asked,) if isinstance(asked, Vault) else asked.vaults
        said = [agents.unknown(vault) for vault in every]
    except MemcliError:
        return result
    if not all(said):
        return result
    return result._replace(warnings=(*result.warnings, str(said[0])))


def for_project(vault: Vault, saved: Saved, named: str) -> list[str]:
    """The warning when the project that was named is probably not the one meant.

    Args:
        vault: where the entry was saved.
        saved: the new entry.
        named: the project, as the command line has it.
    """
    from memcli.entries.projects import HERE
    from memcli.recall.filters import with_owner

    if named == HERE and saved.project is None:
        return ["this folder belongs to no project, so it holds everywhere"]
    name = saved.project
    whole = vault.read(lambda reader: with_owner(reader, name)) if name else None
    if whole is None or named == HERE:
        return []
    return [
        f"'{name}' is another project than {whole}; if that is meant: "
        f"memcli evolve {saved.id} --project {whole}"
    ]


def _holders(
    entry_id: str, context: Context, asked: list[str]
) -> tuple[list[str], list[str]]:
    """The names of the user's other vaults that have such an id; and what is said of
    those whose database does not answer."""
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import not_asked

    names, silent = [], []
    caller = context.caller("reading")._replace(waits=False)
    for name in _others(context, asked):
        try:
            Vault.open(name, caller).path_of(entry_id)
        except AmbiguousId:
            pass
        except Unavailable as error:
            silent.append(not_asked(name, error))
            continue
        except MemcliError:
            continue
        names.append(name)
    return names, silent


def _others(context: Context, asked: list[str]) -> list[str]:
    try:
        places = known_vaults.configured(context.environ)
        found = known_vaults.of_repository(context.cwd, context.environ)
    except MemcliError:
        return []
    # An agent does not learn of vaults that no recall would ask for it.
    names = [n for n, place in places.items() if place.recall or not context.agent]
    if found and found.allowed:
        names.append(known_vaults.REPO)
    return [name for name in (known_vaults.PERSONAL, *names) if name not in asked]
