"""A research run: what was searched under one name, within a budget.

Invariant: a run counts every search, and holds the ids that it returned; a search too
many is refused before anything is searched. Its file belongs to the agent that
searches: it is not tracked by git, holds questions (with secrets removed) and ids, no
text of a memory, and an agent sees only its own runs. A file that cannot be understood
counts as none. `citing` says what may be concluded.
"""

from __future__ import annotations

import os

from memcli.entries import dates, layout, no_secrets
from memcli.entries.eligibility import View, standing
from memcli.entries.entry import Status
from memcli.entries.identity import fingerprint, sha256
from memcli.entries.ids import slug
from memcli.entries.text.counted import counted
from memcli.errors import EntryNotFound, InvalidValue, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple, encoded
from memcli.storage import files, known_vaults, state_dirs
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from memcli.recall.query import Query
    from memcli.recall.reflect import Reflection
    from memcli.recall.results import Recalled
    from memcli.search.reader import Reader
    from memcli.vault.vault import Vault

    _Answer = TypeVar("_Answer", bound=Recalled | Reflection)

SEARCHES = {"low": 2, "mid": 5, "high": 10}
"""Budget -> the largest number of searches."""

_DEFAULT = "mid"
_LONGEST_QUERY = 2_000
_LOCK_WAIT = 10.0
_KEPT = 30 * 86_400  # seconds after its last search


class Search(NamedTuple):
    """One search: when, by which command, the question, the budget, what it returned.

    `found` holds id and source of each row, and the fingerprint of its text where it is
    in the vault of the record.
    """

    at: str
    command: str
    query: str
    budget: str
    found: tuple[tuple[str, str, str], ...]


class Run(NamedTuple):
    """One research run; `agent` is None for the vault's owner."""

    name: str
    agent: str | None
    budget: str
    started: str
    searches: tuple[Search, ...] = ()

    @property
    def left(self) -> int:
        """How many searches its budget still allows."""
        return max(0, SEARCHES[self.budget] - len(self.searches))

    @property
    def sources(self) -> dict[str, str]:
        """Id -> source of what its searches returned, in their order.

        Where several vaults hold an entry, the one in the record's own vault counts.
        """
        rows = [row for search in self.searches for row in search.found]
        return {name: source for name, source, _ in rows} | {
            name: source for name, source, text in rows if text
        }

    def last_found(
        self, ids: Collection[str], ends: Mapping[str, int]
    ) -> tuple[str, list[str]]:
        """When it last found some of its entries, and what each said then.

        Args:
            ids: of the entries.
            ends: of those that are not in force, since when, epoch seconds.

        Returns:
            The moment of the last search that found one of them; for each its last
            fingerprint, as `Entry.fingerprints` has them, but for those that have
            ended since: nobody has seen that.
        """
        seen = {
            name: (search.at, text)
            for search in self.searches
            for name, _, text in search.found
            if name in ids
        }
        texts = [
            f"{name}:{text}"
            for name, (at, text) in seen.items()
            if text and ends.get(name, 0) < dates.to_epoch(at)
        ]
        return max(at for at, _ in seen.values()), texts

    @property
    def last(self) -> str:
        """When it was last searched."""
        return self.searches[-1].at if self.searches else self.started

    def brief(self) -> dict[str, Any]:
        """For JSON: the run without its searches."""
        own = {"searches": len(self.searches), "retrieved": len(self.sources)}
        return {**self._asdict(), **own, "left": self.left, "last": self.last}


# --- searching --------------------------------------------------------------------


def search(
    vaults: Sequence[Vault],
    run: tuple[str, str, str | None],
    question: Query,
    look: Callable[[Query], _Answer],
) -> tuple[_Answer, Run]:
    """Search in the name of a run, and record what the search returned.

    The run is recorded in the first of the vaults that may be written to; where none
    may be, in the user's own.

    Args:
        vaults: the vaults that are asked.
        run: its name, which its first search begins; the command that asks; and the
            budget that is asked for, of `SEARCHES`: it raises the run's budget, never
            lowers it, and None keeps it.
        question: the question; it is recorded without secrets.
        look: answers it.

    Returns:
        The answer, and the run with this search.

    Raises:
        InvalidValue: the name is no file name, or there is no such budget.
        NotAllowed: the budget is spent (code `budget_spent`); nothing was searched.
        VaultNotFound: there is no vault of the user's to write to.
        LockBusy, WriteFailed: the search could not be recorded.
        Any error of `look`: such a search does not count.
    """
    import json

    from memcli.recall.query import checked
    from memcli.vault.vault import Vault

    name, command, budget = run
    vault = next((vault for vault in vaults if not vault.read_only), None)
    if vault is None:
        vault = Vault.open(known_vaults.PERSONAL, vaults[0].caller, writes=True)
    checked(question, vault)
    with Lock(state_dirs.path(vault.root, layout.RESEARCH_LOCK), _LOCK_WAIT):
        now = dates.iso(vault.now_ms() // 1000)
        found = find(vault, name)
        if found is None:
            _tidy(vault)
            found = Run(name, vault.agent_name, budget or _DEFAULT, now)
        if budget and SEARCHES[budget] > SEARCHES[found.budget]:
            found = found._replace(budget=budget)
        if not found.left:
            raise _spent(found)
        deep = budget or found.budget
        answer = look(question._replace(budget=deep))
        rows = {
            (row.id, row.source): fingerprint(row.text) * (row.source == vault.source)
            for row in answer.shown
        }
        asked = no_secrets.redact(question.text)[:_LONGEST_QUERY]
        shown = tuple((*place, text) for place, text in rows.items())
        done = Search(now, command, asked, deep, shown)
        found = found._replace(searches=(*found.searches, done))
        text = json.dumps(encoded(found), ensure_ascii=False, indent=1)
        path = _path(vault, name)
        files.write_atomic(path, text.encode("utf-8", "replace") + b"\n")
    return answer, found


def still_there(vault: Vault, ids: Iterable[str]) -> dict[str, str]:
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


def _spent(run: Run) -> NotAllowed:
    wider = [name for name in SEARCHES if SEARCHES[name] > SEARCHES[run.budget]]
    way = f"Raise it with --budget {wider[0]}, or conclude" if wider else "Conclude"
    return NotAllowed(
        f"research '{run.name}' has used its {counted(SEARCHES[run.budget], 'search')} "
        f"(budget {run.budget})",
        hint=f"{way} from what was found, and say what is missing.",
        code="budget_spent",
    )


# --- the record -------------------------------------------------------------------


def find(vault: Vault, name: str) -> Run | None:
    """The run of the asking agent that has this name, if there is one.

    Raises:
        InvalidValue: the name is no file name.
    """
    fitting = slug(name)
    if fitting != name:
        raise InvalidValue(
            f"{name[:60]!r} cannot name a run: use lower-case letters, digits and -",
            hint=f"Use '{fitting}'.",
            code="invalid_research",
        )
    no_secrets.refuse_texts({"the research run": name}, no_secrets.OF_A_NAME)
    return _read(_path(vault, name))


def runs(vault: Vault) -> list[Run]:
    """Every run of the asking agent, the last searched first; the owner sees all."""
    folder, own = os.path.split(_path(vault, ""))
    own = "" if vault.agent is None else own.removesuffix(".json")
    try:
        names = [name for name in os.listdir(folder) if name.startswith(own)]
    except OSError:  # nobody has searched
        return []
    read = (_read(os.path.join(folder, name)) for name in names)
    known = [run for run in read if run is not None]
    known.sort(key=lambda run: (run.name, run.agent or ""))
    return sorted(known, key=lambda run: run.last, reverse=True)


def get(vault: Vault, name: str) -> Run:
    """A run by name; for an owner without such a run, the run of an agent.

    Raises:
        EntryNotFound: there is none (code `research_not_found`).
    """
    known = runs(vault)
    named = [run for run in known if run.name == name]
    if named:
        return next((run for run in named if run.agent == vault.agent_name), named[0])
    near = ", ".join(run.name for run in known[:5])
    raise EntryNotFound(
        f"there is no research run '{name}'",
        hint=f"There are: {near}." if near else "A search with --research begins one.",
        code="research_not_found",
    )


def _tidy(vault: Vault) -> None:
    """Remove runs whose last search was more than thirty days ago."""
    since = vault.now_ms() // 1000 - _KEPT
    for run in runs(vault):
        if run.agent == vault.agent_name and dates.to_epoch(run.last) < since:
            files.remove_quietly(_path(vault, run.name))  # else the next run tries


def _path(vault: Vault, name: str) -> str:
    """The file of a run of the asking agent; whose it is stands before its name."""
    owner = "owner"
    if vault.agent is not None:
        # The name of an agent may hold any character; the name of a file may not.
        agent = sha256(vault.agent.name.encode("utf-8", "replace")).hex()
        owner = f"agent-{agent[:24]}"
    folder = state_dirs.path(vault.root, layout.RESEARCH)
    return os.path.join(folder, f"{owner}.{name}.json")


def _read(path: str) -> Run | None:
    """The run of a file; None when there is none, or it cannot be understood."""
    import json

    try:
        document = json.loads(files.read(path))
        searches = tuple(
            Search(**{**each, "found": tuple((i, at, p) for i, at, p in each["found"])})
            for each in document.pop("searches")
        )
        run = Run(**document, searches=searches)
        return run if run.budget in SEARCHES else None
    except (MemcliError, ValueError, TypeError, KeyError, AttributeError):
        return None
