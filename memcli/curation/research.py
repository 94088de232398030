"""Searching in the name of a research run, within its budget.

Invariant: a run counts every search, and holds the ids that it returned; a search too
many is refused before anything is searched. `citing` says what may be concluded.
"""

from __future__ import annotations

from memcli.curation import research_run
from memcli.curation.research_run import SEARCHES, Run, Search
from memcli.entries import dates
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Status
from memcli.entries.identity import fingerprint
from memcli.entries.text.counted import counted
from memcli.errors import InvalidValue, MemcliError, NotAllowed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import TypeVar

    from memcli.recall.results import Row
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

    _Answer = TypeVar("_Answer")

_DEFAULT = "mid"
_LONGEST_QUERY = 2_000


def search(
    vault: Vault,
    name: str,
    *,
    command: str,
    query: str,
    budget: str | None,
    look: Callable[[str], tuple[_Answer, Iterable[Row]]],
) -> tuple[_Answer, Run]:
    """Search in the name of a run, and record what the search returned.

    Args:
        vault: where the record is.
        name: the run; its first search begins it.
        command: the command that searches, for the log.
        query: the question; it is recorded without secrets.
        budget: raises the run's budget, never lowers it; None keeps it.
        look: searches with this budget; returns the answer and the rows that it shows.

    Returns:
        The answer, and the run with this search.

    Raises:
        InvalidValue: the name is no file name, or the budget is unknown.
        NotAllowed: the budget is spent (code `budget_spent`); nothing was searched.
        LockBusy, WriteFailed: the search could not be recorded.
        Any error of `look`: such a search does not count.
    """
    from memcli.entries import no_secrets

    research_run.check_name(name)
    if budget is not None and budget not in SEARCHES:
        raise InvalidValue(
            f"budget must be one of {', '.join(SEARCHES)} (got {budget!r})",
            code="invalid_budget",
        )
    with research_run.locked(vault):
        now = dates.iso(vault.now_ms() // 1000)
        run = research_run.find(vault, name)
        if run is None:
            research_run.tidy(vault)
            agent = vault.agent_name
            run = Run(name, agent, budget or _DEFAULT, now)
        run = run._replace(budget=_wider(run.budget, budget))
        if not run.left:
            raise _spent(run)
        answer, rows = look(budget or run.budget)
        asked = no_secrets.redact(query)[:_LONGEST_QUERY]
        sources = {row.id: row.source for row in rows}
        # Where several vaults hold the entry, the one in the record's own vault counts.
        own = {row.id for row in rows if row.source == vault.source}
        others = tuple(item for item in sources.items() if item[0] not in own)
        deep = budget or run.budget
        prints = _prints(vault, own)
        done = Search(now, command, asked, deep, tuple(sources), others, prints)
        run = run._replace(searches=(*run.searches, done))
        research_run.store(vault, run)
    return answer, run


def titles(vault: Vault, run: Run) -> dict[str, str]:
    """Id -> title of each entry that a run retrieved and the agent may see today."""
    from memcli.vault.caller import Caller
    from memcli.vault.vault import Vault

    titles = still_there(vault, run.retrieved)
    away = {k: v for k, v in run.elsewhere.items() if k not in titles}
    for source in sorted(set(away.values())):
        try:
            caller = Caller(environ=vault.environ, agent=vault.agent_name)
            other = Vault.open(source.partition(":")[2] or source, caller)
            titles |= still_there(other, [k for k, v in away.items() if v == source])
        except MemcliError:
            continue  # the titles of a vault that cannot be read are unknown
    return titles


def still_there(vault: Vault, ids: Sequence[str]) -> dict[str, str]:
    """Id -> title of those of these entries that are there and may be seen; one that is
    over says so."""
    now = vault.now_ms() // 1000

    def look(reader: Reader) -> dict[str, str]:
        found = {}
        for name in ids:
            for doc in reader.exact("id", name):
                status = standing(reader.facts(doc, access=False), View(now))
                over = "" if status is Status.ACTIVE else f" ({status})"
                found[name] = f"{reader.row(doc).title}{over}"
        return found

    return vault.read(look)


def _prints(vault: Vault, ids: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Id and fingerprint of the text of entries."""

    def look(reader: Reader) -> dict[str, str]:
        docs = {name: reader.exact("id", name)[:1] for name in sorted(ids)}
        return {
            name: fingerprint(reader.row(doc).text)
            for name, found in docs.items()
            for doc in found
        }

    return tuple(vault.read(look).items())


def _spent(run: Run) -> NotAllowed:
    wider = next((b for b in SEARCHES if SEARCHES[b] > SEARCHES[run.budget]), None)
    conclude = "conclude from what was found, and say what is missing"
    return NotAllowed(
        f"research '{run.name}' has used its {counted(SEARCHES[run.budget], 'search')} "
        f"(budget {run.budget})",
        hint=f"Raise it with --budget {wider}, or {conclude}."
        if wider
        else f"No budget is higher: {conclude}.",
        code="budget_spent",
    )


def _wider(budget: str, other: str | None) -> str:
    return max(budget, other or budget, key=lambda name: SEARCHES[name])
