"""What the commands that search share about research runs.

Invariant: a search in the name of a run says what is left of its budget, and what comes
from no run says that its citations were not checked.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.cli.context import Context, Result
    from memcli.curation.research import Run
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

UNCHECKED = "its citations were not checked: it comes from no research run"


def home(context: Context, sources: Vault | Vaults) -> Vault:
    """The vault that keeps the record of a run.

    Among the vaults that are asked it is the user's own, else the first that may be
    written to. When none may be, it is the user's own.

    Raises:
        VaultNotFound: there is no vault of the user's to write to.
    """
    from memcli.errors import MemcliError, VaultNotFound
    from memcli.storage import known_vaults
    from memcli.vault.vault import Vault

    vaults = (sources,) if isinstance(sources, Vault) else sources.vaults
    writable = [vault for vault in vaults if not vault.read_only]
    for vault in writable:
        if vault.source == known_vaults.PERSONAL:
            return vault
    if writable:
        return writable[0]
    hint = "Make one: memcli init FOLDER; or ask without --research."
    try:
        own = Vault.open(known_vaults.PERSONAL, context.caller("indexing"))
    except MemcliError as error:
        raise VaultNotFound(
            f"a research run is recorded in a vault of your own: {error.message}",
            hint=hint,
        ) from error
    if own.read_only:
        raise VaultNotFound(
            "a research run is recorded in a vault of your own, and yours is read-only",
            hint=hint,
        )
    return own


def counted(result: Result, run: Run) -> Result:
    """The result of a search, with what is left of the run."""
    warnings = list(result.warnings)
    if not run.left:
        warnings.append(
            f"that was the last search of research '{run.name}' (budget {run.budget})"
        )
    data = {**result.data, "research": run.brief()}
    return result._replace(data=data, warnings=tuple(warnings))
