"""What the commands share about evidence: citations, research runs, what is stale.

Invariant: a citation that is dropped is named, and a search in the name of a run says
what is left of its budget.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from memcli.cli.spec import Canvas, Result

if TYPE_CHECKING:
    from memcli.cli.spec import Context
    from memcli.curation.research import Granted, Run
    from memcli.entries.entry import Layer
    from memcli.recall.results import Row
    from memcli.vault.vault import Vault
    from memcli.vault.vaults import Vaults

_Answer = TypeVar("_Answer")


def home(context: "Context", asked: "Vault | Vaults") -> "Vault":
    """The vault that keeps the record of a run.

    Of those that are asked the user's own, else the first that may be written to; when
    none may, the user's own all the same.

    Raises:
        VaultNotFound: there is no vault of the user's to write to.
    """
    from memcli.errors import MemcliError, VaultNotFound
    from memcli.storage import known_vaults
    from memcli.vault.vault import Vault

    vaults = (asked,) if isinstance(asked, Vault) else asked.vaults
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
            f"research is written down in a vault of your own: {error.message}",
            hint=hint,
        ) from error
    if own.read_only:
        raise VaultNotFound(
            "research is written down in a vault of your own, and yours may only "
            "be read",
            hint=hint,
        )
    return own


def citations(
    vault: "Vault", layer: "Layer", cites: Sequence[str], research: str | None
) -> "Granted":
    """The ids that `--cite` names, and with `--research` only what was retrieved."""
    from memcli.curation import models as use_case
    from memcli.curation import research as runs

    if research:
        return runs.granted(vault, research, layer, cites)
    use_case.check_drawn(layer)
    return runs.Granted(use_case.cited(vault, cites), [], {})


def reported(
    vault: "Vault", result: Result, of: "Granted", research: str | None
) -> Result:
    """The result of saving, with what it cites; a run remembers it."""
    warnings = list(result.warnings)
    name = result.data["id"]
    if result.data.get("outcome", "created") != "created":
        warnings.append(
            f"{name} is there already, and rests on what it cited before; "
            f"to renew that: memcli evolve {name} --cite ID"
        )
        of = of._replace(cited=[])
    else:
        if research:
            warnings += _concluded(vault, research, name, of)
        if not of.cited:
            warnings.append("it cites nothing: give --cite ID for what it rests on")
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


def _concluded(vault: "Vault", name: str, entry_id: str, of: "Granted") -> list[str]:
    from memcli.curation import research as runs
    from memcli.errors import MemcliError

    try:
        runs.concluded(vault, name, entry_id, of)
    except MemcliError as error:  # it is saved, whatever the log says
        return [f"research '{name}' does not say so: {error.message}"]
    return []


def searched(
    vault: "Vault",
    command: str,
    values: dict[str, Any],
    look: "Callable[[str], tuple[_Answer, Iterable[Row]]]",
) -> "tuple[_Answer, Run]":
    """Search in the name of the run that the flags name."""
    from memcli.curation import research as runs

    return runs.search(
        vault,
        values["research"],
        command=command,
        query=values["query"],
        budget=values["budget"],
        look=look,
    )


def counted(result: Result, run: "Run") -> Result:
    """The result of a search, with what is left of the run."""
    warnings = list(result.warnings)
    if not run.left:
        warnings.append(
            f"that was the last search of research '{run.name}' (budget {run.budget})"
        )
    data = {**result.data, "research": run.brief()}
    return result._replace(data=data, warnings=tuple(warnings))


def models(vault: "Vault", *, stale: bool) -> Result:
    """The models and observations, and which may no longer hold."""
    from memcli.curation import models as use_case
    from memcli.entries.eligibility import View
    from memcli.vault import staleness

    found = use_case.models(vault, View(vault.now_ms() // 1000), stale=stale)

    def text(canvas: Canvas) -> None:
        if not found:
            which = "stale model or observation" if stale else "model or observation"
            canvas.line(f"there is no {which}", style="dim")
            return
        canvas.table(
            ("id", "layer", "subtype", "looked", "cites", "", "title"),
            [
                (
                    one.id,
                    one.layer,
                    one.subtype or "",
                    (one.refreshed_at or one.created)[:10],
                    str(len(one.evidence)),
                    "stale" if one.stale else "look" if one.stale_why else "",
                    one.title,
                )
                for one in found
            ],
        )
        for one in found:
            for why in one.stale_why:
                canvas.line(f"{one.id}: {staleness.sentence(why)}")

    data = {
        "models": [one.as_dict() for one in found],
        "count": len(found),
        "stale": sum(one.stale for one in found),
    }
    return Result(data=data, text=text)


def research(vault: "Vault", name: str | None) -> Result:
    """The research runs, or one of them, search by search."""
    from memcli.curation import research as runs

    if name:
        return _run(vault, runs.get(vault, name))
    found = runs.runs(vault)

    def text(canvas: Canvas) -> None:
        if not found:
            canvas.line("there is no research run", style="dim")
            return
        canvas.table(
            ("name", "agent", "budget", "searches", "left", "ids", "saved", "last"),
            [
                (
                    run.name,
                    run.agent or "",
                    run.budget,
                    str(len(run.searches)),
                    str(run.left),
                    str(len(run.retrieved)),
                    str(len(run.saved)),
                    run.last,
                )
                for run in found
            ],
        )

    rows = [{**run.brief(), "saved": len(run.saved)} for run in found]
    return Result(data={"runs": rows, "count": len(rows)}, text=text)


def _run(vault: "Vault", run: "Run") -> Result:
    from memcli.curation import research as runs

    titles = runs.titles(vault, run)
    # An agent may have lost sight of what it retrieved; then it is not in its vault.
    known = set(titles) if vault.agent else {*titles, *run.retrieved}
    sources = {name: run.elsewhere.get(name, vault.source) for name in run.retrieved}
    searches = [
        {
            **{k: v for k, v in one._asdict().items() if k != "elsewhere"},
            "found": [
                {"id": name, "title": titles.get(name), "source": sources[name]}
                for name in one.found
                if name in known
            ],
        }
        for one in run.searches
    ]
    saved = [
        {
            **one._asdict(),
            "cited": [name for name in one.cited if name in known],
            "dropped": list(one.dropped),
        }
        for one in run.saved
    ]

    def text(canvas: Canvas) -> None:
        canvas.line(
            f"{run.name}: budget {run.budget}, {len(run.searches)} searches, "
            f"{run.left} left",
            style="title",
        )
        for one in searches:
            canvas.line(
                f"{one['at']} {one['command']} ({one['budget']}) {one['query']}"
            )
            for row in one["found"]:
                where = "" if row["source"] == vault.source else f" · {row['source']}"
                canvas.line(f"  {row['id']} {row['title'] or '(gone)'}{where}")
        for done in saved:
            canvas.line(f"{done['at']} saved {done['id']}", style="good")
            canvas.line(f"  cites {', '.join(done['cited']) or 'nothing'}")
            if done["dropped"]:
                canvas.line(f"  dropped {', '.join(done['dropped'])}", style="bad")

    brief = {**run.brief(), "retrieved": [n for n in run.retrieved if n in known]}
    return Result({**brief, "searches": searches, "saved": saved}, text=text)
