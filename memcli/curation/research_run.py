"""A research run: what was searched under one name, and the file that remembers it.

Invariant: the file belongs to the agent that searches: it is not tracked by git, holds
questions (with secrets removed) and ids, no text of a memory, and an agent sees only
its own runs. A file that cannot be understood counts as none.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from memcli.entries import dates, layout, no_secrets
from memcli.entries.ids import slug
from memcli.errors import EntryNotFound, InvalidValue, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs
from memcli.storage.lock import Lock

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from memcli.vault.vault import Vault

SEARCHES = {"low": 2, "mid": 5, "high": 10}
"""Budget -> the largest number of searches."""

_VERSION = 1
_LOCK_WAIT = 10.0
_KEPT = 30 * 86_400  # seconds after its last search


class Search(NamedTuple):
    """One search: when, by which command, the question, the budget, the ids returned.

    `elsewhere` holds id and source of rows of other vaults than the record's, `prints`
    id and fingerprint of the text of each row of the record's own vault.
    """

    at: str
    command: str
    query: str
    budget: str
    found: tuple[str, ...]
    elsewhere: tuple[tuple[str, str], ...] = ()
    prints: tuple[tuple[str, str], ...] = ()


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

    def last_found(self, ids: Collection[str]) -> tuple[str, list[str]]:
        """Up to when it looked at some of its entries, and what each said then.

        Returns:
            The moment at which the one that was looked at longest ago was last found;
            for each id its last fingerprint, as `Entry.fingerprints` has them.
        """
        seen = {id_: (s.at, s) for s in self.searches for id_ in s.found if id_ in ids}
        at = min(at for at, _ in seen.values())
        texts = {id_: dict(s.prints).get(id_) for id_, (_, s) in seen.items()}
        return at, [f"{id_}:{text}" for id_, text in texts.items() if text]

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


@contextmanager
def locked(vault: Vault) -> Iterator[None]:
    """Keep others from changing the runs of a vault.

    Raises:
        LockBusy: another process changes them.
    """
    with Lock(state_dirs.path(vault.root, layout.RESEARCH_LOCK), _LOCK_WAIT):
        yield


def find(vault: Vault, name: str) -> Run | None:
    """The run of the asking agent that has this name, if there is one.

    Raises:
        InvalidValue: the name is no file name.
    """
    return _read(_path(vault, check_name(name)))


def store(vault: Vault, run: Run) -> None:
    """Write a run of the asking agent.

    Raises:
        WriteFailed: the disk refuses.
    """
    import json

    document = {
        "version": _VERSION,
        **run._asdict(),
        "searches": [search._asdict() for search in run.searches],
        "saved": [conclusion._asdict() for conclusion in run.saved],
    }
    data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    files.write_atomic(_path(vault, run.name), data + b"\n")


def runs(vault: Vault) -> list[Run]:
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


def get(vault: Vault, name: str) -> Run:
    """A run by name; for an owner without such a run, the run of an agent.

    Raises:
        EntryNotFound: there is none (code `research_not_found`).
    """
    known = runs(vault)
    mine = vault.agent_name
    named = [run for run in known if run.name == name]
    for run in [run for run in named if run.agent == mine] + named:
        return run
    near = ", ".join(run.name for run in known[:5])
    raise EntryNotFound(
        f"there is no research run '{name}'",
        hint=f"There are: {near}." if near else "A search with --research begins one.",
        code="research_not_found",
    )


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


def tidy(vault: Vault) -> None:
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


def _folder(vault: Vault) -> str:
    owner = "owner"
    if vault.agent is not None:
        import hashlib

        # The name of an agent may hold any character; the name of a folder may not.
        name = hashlib.sha256(vault.agent.name.encode("utf-8", "replace")).hexdigest()
        owner = f"agent-{name[:24]}"
    return os.path.join(state_dirs.path(vault.root, layout.RESEARCH), owner)


def _path(vault: Vault, name: str) -> str:
    return os.path.join(_folder(vault), f"{name}.json")


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


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
                    "prints": tuple((k, v) for k, v in item.get("prints", ())),
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
