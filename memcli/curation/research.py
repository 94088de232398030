"""Research runs: the searches under one name, and what may be concluded from them.

Invariant: a run counts every search, and holds the ids that it returned. An entry that
is saved in its name rests only on those, and only on entries of its own vault. The log
belongs to the agent that searches: it is not tracked by git, holds questions (with
secrets removed) and ids, no text of a memory, and an agent sees only its own runs.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memcli.entries import dates, layout, no_secrets
from memcli.entries.entry import Layer
from memcli.entries.ids import slug
from memcli.errors import EntryNotFound, InvalidValue, MemcliError, NotAllowed
from memcli.storage import files, state_dirs
from memcli.storage.lock import Lock

if TYPE_CHECKING:
    from memcli.recall.results import Row
    from memcli.vault.vault import Vault

SEARCHES = {"low": 2, "mid": 5, "high": 10}
"""Budget -> the largest number of searches."""

_VERSION = 1
_DEFAULT = "mid"
_LOCK_WAIT = 10.0
_KEPT = 30 * 86_400  # seconds after its last search
_LONGEST_QUERY = 2_000

_Answer = TypeVar("_Answer")


class Search(NamedTuple):
    """One search: when, by which command, the question, the budget, the ids returned.

    `elsewhere` holds id and source of rows of other vaults than the record's.
    """

    at: str
    command: str
    query: str
    budget: str
    found: tuple[str, ...]
    elsewhere: tuple[tuple[str, str], ...] = ()


class Conclusion(NamedTuple):
    """An entry that was saved from a run: the ids that it cites, and those dropped."""

    id: str
    at: str
    cited: tuple[str, ...]
    dropped: tuple[str, ...]


class Run(NamedTuple):
    """One research run; `agent` is None for the vault's owner."""

    name: str
    agent: str | None
    budget: str
    started: str
    searches: tuple[Search, ...] = ()
    saved: tuple[Conclusion, ...] = ()

    @property
    def left(self) -> int:
        """How many searches its budget still allows."""
        return max(0, SEARCHES[self.budget] - len(self.searches))

    @property
    def retrieved(self) -> list[str]:
        """The ids that its searches returned, each once, in their order."""
        return list(dict.fromkeys(id_ for s in self.searches for id_ in s.found))

    @property
    def elsewhere(self) -> dict[str, str]:
        """Id -> source of the rows that its searches returned from other vaults."""
        return {name: source for s in self.searches for name, source in s.elsewhere}

    @property
    def last(self) -> str:
        """When it was last searched."""
        return self.searches[-1].at if self.searches else self.started

    def brief(self) -> dict[str, Any]:
        """For JSON: the run without its searches."""
        return {
            "name": self.name,
            "agent": self.agent,
            "budget": self.budget,
            "searches": len(self.searches),
            "left": self.left,
            "retrieved": len(self.retrieved),
            "started": self.started,
            "last": self.last,
        }


class Granted(NamedTuple):
    """The citations that a run has retrieved, and those that it has not.

    `elsewhere` has the citations in `dropped` that were retrieved from another vault,
    each with its source.
    """

    cited: list[str]
    dropped: list[str]
    elsewhere: dict[str, str]


def search(
    vault: "Vault",
    name: str,
    *,
    command: str,
    query: str,
    budget: str | None,
    look: "Callable[[str], tuple[_Answer, Iterable[Row]]]",
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
    from memcli.entries.text import redaction

    path = _path(vault, check_name(name))
    if budget is not None and budget not in SEARCHES:
        raise InvalidValue(
            f"budget must be one of {', '.join(SEARCHES)} (got {budget!r})",
            code="invalid_budget",
        )
    lock = state_dirs.path(vault.root, layout.RESEARCH_LOCK)
    with Lock(lock, _LOCK_WAIT):
        now = dates.iso(vault.now_ms() // 1000)
        run = _read(path)
        if run is None:
            _tidy(vault)
            agent = vault.agent.name if vault.agent else None
            run = Run(name, agent, budget or _DEFAULT, now)
        run = run._replace(budget=_wider(run.budget, budget))
        if not run.left:
            raise _spent(run)
        answer, rows = look(budget or run.budget)
        asked = redaction.redact(query)[:_LONGEST_QUERY]
        sources = {row.id: row.source for row in rows}
        # Where several vaults hold the entry, the one in the record's own vault counts.
        own = {row.id for row in rows if row.source == vault.source}
        others = tuple(item for item in sources.items() if item[0] not in own)
        deep = budget or run.budget
        done = Search(now, command, asked, deep, tuple(sources), others)
        run = run._replace(searches=(*run.searches, done))
        _write(path, run)
    return answer, run


def granted(vault: "Vault", name: str, layer: Layer, cites: Sequence[str]) -> Granted:
    """The citations that an entry of this run may carry, as whole ids.

    Args:
        vault: where it will be saved.
        name: the run.
        layer: the layer of the entry that will be saved.
        cites: ids or unique prefixes of them.

    Raises:
        NotAllowed: nothing was searched (code `must_search`), or the run had too
            little budget for a model (`budget_too_low`).
        InvalidValue: the name is no file name, or a fact is to be saved.
    """
    run = _read(_path(vault, check_name(name)))
    if layer is Layer.FACT:
        raise InvalidValue(
            "research ends in an observation or a model, not in a fact",
            hint="Give --layer model or observation, or leave --research out.",
            code="invalid_layer",
        )
    if run is None or not run.searches:
        raise NotAllowed(
            f"nothing was searched in research '{name}': search before you conclude",
            hint=f'First: memcli recall "..." --research {name}',
            code="must_search",
        )
    if layer is Layer.MODEL and run.budget == "low":
        raise NotAllowed(
            f"research '{name}' has budget low: not enough depth for a model",
            hint=f'Look further: memcli recall "..." --research {name} --budget mid; '
            "or save an observation.",
            code="budget_too_low",
        )
    there = _still_there(vault, run.retrieved)
    cited: list[str] = []
    dropped: list[str] = []
    elsewhere: dict[str, str] = {}
    for cite in dict.fromkeys(cites):
        prefix = cite.strip().lower()
        meant = [id_ for id_ in run.retrieved if prefix and id_.startswith(prefix)]
        known = len(meant) == 1 and meant[0] in there
        (cited if known else dropped).append(meant[0] if known else cite)
        if len(meant) == 1 and not known and meant[0] in run.elsewhere:
            elsewhere[cite] = run.elsewhere[meant[0]]
    return Granted(list(dict.fromkeys(cited)), dropped, elsewhere)


def concluded(vault: "Vault", name: str, entry_id: str, of: Granted) -> None:
    """Record the entry that was saved from a run.

    Raises:
        LockBusy, WriteFailed: it could not be recorded; the entry is saved.
    """
    path = _path(vault, name)
    with Lock(state_dirs.path(vault.root, layout.RESEARCH_LOCK), _LOCK_WAIT):
        run = _read(path)
        if run is not None:
            now = dates.iso(vault.now_ms() // 1000)
            done = Conclusion(entry_id, now, tuple(of.cited), tuple(of.dropped))
            _write(path, run._replace(saved=(*run.saved, done)))


def runs(vault: "Vault") -> list[Run]:
    """Every run of the asking agent, the last searched first; the owner sees all."""
    folders = [_folder(vault)]
    if vault.agent is None:
        top = state_dirs.path(vault.root, layout.RESEARCH)
        folders = [os.path.join(top, name) for name in _listed(top)]
    runs = [
        run
        for folder in folders
        for name in _listed(folder)
        if (run := _read(os.path.join(folder, name))) is not None
    ]
    runs.sort(key=lambda run: (run.name, run.agent or ""))
    return sorted(runs, key=lambda run: run.last, reverse=True)


def get(vault: "Vault", name: str) -> Run:
    """A run by name; for an owner without such a run, the run of an agent.

    Raises:
        EntryNotFound: there is none (code `research_not_found`).
    """
    known = runs(vault)
    mine = vault.agent.name if vault.agent else None
    named = [run for run in known if run.name == name]
    for run in [run for run in named if run.agent == mine] + named:
        return run
    near = ", ".join(run.name for run in known[:5])
    raise EntryNotFound(
        f"there is no research run '{name}'",
        hint=f"There are: {near}." if near else "A search with --research begins one.",
        code="research_not_found",
    )


def titles(vault: "Vault", run: Run) -> dict[str, str]:
    """Id -> title of each entry that a run retrieved and the agent may see today."""
    from memcli.vault.vault import Vault

    titles = _still_there(vault, run.retrieved)
    away = {k: v for k, v in run.elsewhere.items() if k not in titles}
    for source in sorted(set(away.values())):
        try:
            other = Vault.open(
                source.partition(":")[2] or source,
                environ=vault.environ,
                agent=vault.agent.name if vault.agent else None,
            )
            titles |= _still_there(other, [k for k, v in away.items() if v == source])
        except MemcliError:
            continue  # the titles of a vault that cannot be read are unknown
    return titles


def check_name(name: str) -> str:
    """The name of a run, which must fit a file's name; InvalidValue otherwise."""
    fitting = slug(name)
    if fitting != name:
        raise InvalidValue(
            f"{name[:60]!r} cannot name a run: use lower-case letters, digits and -",
            hint=f"Use '{fitting}'.",
            code="invalid_research",
        )
    no_secrets.refuse_name("the research run", name)
    return name


def _still_there(vault: "Vault", ids: Sequence[str]) -> dict[str, str]:
    return vault.read(
        lambda reader: {
            name: reader.row(doc).title
            for name in ids
            for doc in reader.exact("id", name)
        }
    )


def _spent(run: Run) -> NotAllowed:
    wider = next((b for b in SEARCHES if SEARCHES[b] > SEARCHES[run.budget]), None)
    conclude = "conclude from what was found, and say what is missing"
    return NotAllowed(
        f"research '{run.name}' has used its {SEARCHES[run.budget]} searches "
        f"(budget {run.budget})",
        hint=f"Raise it with --budget {wider}, or {conclude}."
        if wider
        else f"No budget is higher: {conclude}.",
        code="budget_spent",
    )


def _wider(budget: str, other: str | None) -> str:
    return max(budget, other or budget, key=lambda name: SEARCHES[name])


def _tidy(vault: "Vault") -> None:
    """Remove runs whose last search was more than thirty days ago."""
    now = vault.now_ms() // 1000
    folder = _folder(vault)
    for name in _listed(folder):
        path = os.path.join(folder, name)
        run = _read(path)
        if run is not None and dates.to_epoch(run.last) < now - _KEPT:
            try:
                os.unlink(path)
            except OSError:
                continue  # the next run tries again


def _folder(vault: "Vault") -> str:
    owner = "owner"
    if vault.agent is not None:
        import hashlib

        # The name of an agent may hold any character; the name of a folder may not.
        name = hashlib.sha256(vault.agent.name.encode("utf-8", "replace")).hexdigest()
        owner = f"agent-{name[:24]}"
    return os.path.join(state_dirs.path(vault.root, layout.RESEARCH), owner)


def _path(vault: "Vault", name: str) -> str:
    return os.path.join(_folder(vault), f"{name}.json")


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _write(path: str, run: Run) -> None:
    import json

    document = {
        "version": _VERSION,
        **run._asdict(),
        "searches": [search._asdict() for search in run.searches],
        "saved": [conclusion._asdict() for conclusion in run.saved],
    }
    data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    files.write_atomic(path, data + b"\n")


def _read(path: str) -> Run | None:
    """The run of a file; None when there is none, or it cannot be understood."""
    import json

    try:
        document = json.loads(files.read(path))
        if document.pop("version") != _VERSION or document["budget"] not in SEARCHES:
            return None
        searches = [
            Search(
                **{
                    **item,
                    "found": tuple(item["found"]),
                    "elsewhere": tuple((k, v) for k, v in item.get("elsewhere", ())),
                }
            )
            for item in document.pop("searches")
        ]
        saved = [
            Conclusion(
                item["id"], item["at"], tuple(item["cited"]), tuple(item["dropped"])
            )
            for item in document.pop("saved")
        ]
        return Run(**document, searches=tuple(searches), saved=tuple(saved))
    except (MemcliError, ValueError, TypeError, KeyError, AttributeError):
        return None
