"""What the commands share about evidence: citations, research runs, what is stale.

Invariant: a citation that is dropped is named, and a search in the name of a run says
what is left of its budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.cli.context import Context, Result
    from memcli.curation.research import Granted, Run
    from memcli.entries.entry import Layer
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults


def home(context: Context, sources: Vault | Vaults) -> Vault:
    """The vault that keeps the record of a run.

    Of those that are asked the user's own, else the first that may be written to; when
    none may, the user's own all the same.

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
        own = Vault.open(known_vaults.PERSONAL, **context.options("indexing"))
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


def citations(
    vault: Vault, layer: Layer, cites: Sequence[str], research: str | None
) -> Granted:
    """The ids that `--cite` names, and with `--research` only what was retrieved."""
    from memcli.curation import models as use_case
    from memcli.curation import research as runs

    if research:
        return runs.granted(vault, research, layer, cites)
    use_case.check_drawn(layer)
    return runs.Granted(use_case.cited(vault, cites), [], {})


def reported(vault: Vault, result: Result, of: Granted, research: str | None) -> Result:
    """The result of saving, with what it cites; a run remembers it."""
    warnings = list(result.warnings)
    name = result.data["id"]
    if result.data.get("outcome", "created") != "created":
        # What contradicts the evidence of an entry is among `not_taken` already.
        if not any(left["field"] == "evidence" for left in result.data["not_taken"]):
            warnings.append(
                f"{name} exists already, and keeps the evidence that it cited before; "
                f"to renew that: memcli evolve {name} --cite ID"
            )
        of = of._replace(cited=[])
    else:
        if research:
            warnings += _concluded(vault, research, name, of)
        if not of.cited:
            warnings.append("it cites nothing: name its evidence with --cite ID")
    unknown = [cite for cite in of.dropped if cite not in of.elsewhere]
    if unknown:
        warnings.append(
            f"not retrieved in research '{research}', and not cited: "
            + ", ".join(unknown)
        )
    for cite, source in of.elsewhere.items():
        warnings.append(
            f"retrieved from {source}, and not cited: {cite}: evidence must be in the "
            "vault that it is saved in"
        )
    data = {**result.data, "cited": of.cited, "dropped": of.dropped}
    return result._replace(data=data, warnings=tuple(warnings))


def _concluded(vault: Vault, name: str, entry_id: str, of: Granted) -> list[str]:
    from memcli.curation import research as runs
    from memcli.errors import MemcliError

    try:
        runs.concluded(vault, name, entry_id, of)
    except MemcliError as error:  # it is saved, whatever the log says
        return [f"research '{name}' does not say so: {error.message}"]
    return []


def counted(result: Result, run: Run) -> Result:
    """The result of a search, with what is left of the run."""
    warnings = list(result.warnings)
    if not run.left:
        warnings.append(
            f"that was the last search of research '{run.name}' (budget {run.budget})"
        )
    data = {**result.data, "research": run.brief()}
    return result._replace(data=data, warnings=tuple(warnings))
