"""Repair: what memcli can repair without guessing, as a plan first.

Invariant: nothing is changed that a person might have meant, and nothing is removed: a
version that gives way goes to the archive. The plan says each step in words before any
is taken. Taking them plans again under the lock: of the steps agreed to, those whose
reason still holds are taken. The findings that are left say what a person
can do. Every command finishes what a killed command began; the repair is for the rest.
"""

from __future__ import annotations

import os
from contextlib import suppress

from memcli.entries import codec, layout
from memcli.entries.entry import Status
from memcli.entries.file_checks import ERROR
from memcli.entries.merging import chains
from memcli.entries.merging import files as merging
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.storage import files, journal
from memcli.storage.git import commit as commits
from memcli.storage.git.merging import OTHER, mark_merged
from memcli.storage.git.staging import refuse_filtered
from memcli.storage.lock import Lock
from memcli.storage.vault_paths import inside
from memcli.vault import lineage
from memcli.vault.health.git_state import MEND
from memcli.vault.health.lint import examined
from memcli.vault.health.working_tree import why_left

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memcli.entries.entry import Entry
    from memcli.entries.file_checks import Finding
    from memcli.vault.health.git_state import Changes
    from memcli.vault.vault import Vault

# Seconds to wait for a writer.
_PATIENCE = 10.0
# Files outside of any commit, and what is done with them.
_LITTER = {
    "leftover": "delete it: half of a killed write",
    "git_lock": "remove it: no git has worked for ten minutes",
}
_LOST = ("index", "put it back into git's index as HEAD has it")
# By the state of a file that differs from HEAD: the step, and what it does.
_OF_STATE = {
    "lost": _LOST,
    "unlisted": _LOST,
    "missing": ("missing", "bring it back: HEAD has it"),
    "older": ("older", "make it as HEAD has it: a later version"),
    "forgotten": ("forgotten", "commit that it is gone: you deleted it"),
    "new": ("uncommitted", "commit it: new"),
    "edited": ("uncommitted", "commit it: edited"),
    "moved": ("moved", "commit its move to {place}"),
}
# The same, when deletions are accepted.
_ACCEPTED = {
    "missing": ("deleted", "commit that it is gone"),
    "older": ("deleted", "commit its earlier version"),
}
# Steps that commit what a person wrote, which no undo takes back.
_BY_HAND = ("uncommitted", "moved")
# Steps that put the file of HEAD in its place.
_RESTORED = ("missing", "older")
# The findings about a file that cannot be read as one entry.
_MARKED = ("conflict", "broken")


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, index, missing, older, deleted, forgotten,
    uncommitted, moved, dropped, half_merged, conflict or fork; `action` says what
    happens to `path`.
    """

    code: str
    path: str
    action: str


class RepairPlan(NamedTuple):
    """The steps of a repair, and the findings that are left for a person."""

    steps: list[Repair]
    left: list[Finding]
    applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether memcli can use everything that is left."""
        return not any(finding.level == ERROR for finding in self.left)


class _Mend(NamedTuple):
    """A step with the files of the vault that it changes, or the file outside of any
    commit that it removes."""

    step: Repair
    changes: Changes = {}  # noqa: RUF012 a default that nothing changes
    litter: str = ""


class _Mends(NamedTuple):
    """The mends of a vault as it is now, the findings that none of them ends, and
    whether git is merging."""

    mends: Mapping[tuple[str, str], _Mend]
    left: list[Finding]
    in_merge: bool


def plan(vault: Vault, *, accept_deletions: bool = False) -> RepairPlan:
    """The steps that memcli can take, and the findings that it cannot repair.

    Args:
        vault: whose files.
        accept_deletions: commit what is gone from the folder, or there in an earlier
            version than HEAD has; else that is brought back.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("repair")
    vault.read(lambda _: None)  # finishes what a killed command began
    found = _mends(vault, accept_deletions)
    return RepairPlan([mend.step for mend in found.mends.values()], found.left)


def apply(vault: Vault, planned: RepairPlan) -> RepairPlan:
    """Take the steps of a plan whose reason still holds; returns them and what is left.

    Raises:
        LockBusy, WriteFailed, HistoryError: none of the vault's entries was changed.
        NotAllowed: nor was one, since git passes what is to come back through a filter.
    """
    wanted = {_key(step) for step in planned.steps}
    accept = any(step.code == "deleted" for step in planned.steps)
    done = _outside_commits(vault, wanted, accept)
    while True:
        wanted.difference_update(map(_key, done))
        # Of two steps that change one file the second is taken in another round, and
        # what a person wrote in the last one.
        taken = _in_one_commit(vault, wanted, accept) if wanted else []
        if not taken:
            return RepairPlan(done, plan(vault).left, applied=True)
        done += taken


def _mends(vault: Vault, accept: bool) -> _Mends:
    """Plan each step once."""
    findings, tree, left_out, *_ = examined(vault)
    in_merge = any(finding.code == "git_state" for finding in findings)
    mends: dict[tuple[str, str], _Mend] = {}
    ended: set[tuple[str, str]] = set()

    def add(mend: _Mend, ends: Finding | None) -> None:
        mends.setdefault(_key(mend.step), mend)
        if ends is not None:
            ended.add(_key(ends))

    for each in findings:
        if each.code in _LITTER and each.hint == MEND:
            step = Repair(each.code, each.path, _LITTER[each.code])
            add(_Mend(step, litter=_place(vault.root, each.path)), each)
    planned = [
        (each.finding, _Mend(Repair(*_key(each.finding), each.action), each.changes))
        for each in left_out
    ]
    # Without git nothing could be committed.
    for each in findings if tree is not None else ():
        with suppress(MemcliError):  # edited since, and broken or gone
            if each.code in _REMEDIES and (mend := _REMEDIES[each.code](vault, each)):
                planned.append((each, mend))
    staged = {row.path for row in tree or () if row.state.startswith("staged")}
    for each, mend in planned:
        is_let = mend.step.path not in staged
        # Nothing can be committed before a merge is finished.
        if mend.changes and (mend.step.code == "conflict" if in_merge else is_let):
            add(mend, each)
    steps = {**_OF_STATE, **_ACCEPTED} if accept else _OF_STATE
    for row in tree or ():
        code, action = steps.get(row.state, ("", ""))
        is_let = bool(code)
        if code in _BY_HAND:
            is_let = not why_left(vault, vault.repository(), row.place or row.path)
        # What the index has lost would be committed, as deleted.
        if is_let and (code == "index" or not in_merge):
            step = Repair(code, row.path, action.format(place=row.place))
            add(_Mend(step), row.finding)
    left = [each for each in findings if _key(each) not in ended]
    return _Mends(mends, left, in_merge)


def _key(found: Finding | Repair) -> tuple[str, str]:
    """The code and the path, by which a finding or a step is known again."""
    return found.code, found.path


def _place(root: str, path: str) -> str:
    """Where a file lies that is in the vault, or in git's folder."""
    is_gits = os.path.isabs(path) or path.startswith(".git/")
    return os.path.join(root, path) if is_gits else inside(root, path)


def _outside_commits(
    vault: Vault, wanted: set[tuple[str, str]], accept: bool
) -> list[Repair]:
    """Take the steps that no commit is needed for; returns them.

    In a merge a marked file is written, and git told so; the person concludes it.
    """
    mends, _, in_merge = _mends(vault, accept)
    now = [
        mend
        for key, mend in mends.items()
        if key in wanted and (mend.litter or (in_merge and mend.changes))
    ]
    if not now:
        return []
    # A large import may have written its files for a minute before it puts them there.
    done: list[Repair] = []
    with Lock(journal.lock_path(vault.root), _PATIENCE):
        for step, changes, litter in now:
            places = {path: inside(vault.root, path) for path in changes}
            if litter:
                files.remove(litter)
            # Another mend may have taken the place, or a person edited the file.
            elif any(files.current(places[p]) != changes[p][0] for p in places):
                continue
            for path, (_, data) in changes.items():
                files.write_atomic(places[path], data or b"")
            if changes:
                mark_merged(vault.repository(), [*changes])
            done.append(step)
    return done


def _in_one_commit(
    vault: Vault, wanted: set[tuple[str, str]], accept: bool
) -> list[Repair]:
    """Take wanted steps in one commit; returns those that were taken."""
    done: list[Repair] = []
    with vault.transaction() as change:
        repository = vault.repository()
        mends, _, in_merge = _mends(vault, accept)
        now = [mend for key, mend in mends.items() if key in wanted and not mend.litter]
        ours = [mend for mend in now if mend.step.code not in _BY_HAND]
        now = ours or now
        back = [
            mend.step.path for mend in now if mend.step.code in ("index", *_RESTORED)
        ]
        refuse_filtered(repository, back)
        commits.unstage(repository, back)
        held: set[str] = set()
        for step, changes, _ in now:
            if changes and (in_merge or not held.isdisjoint(changes)):
                continue
            held.update(changes)
            for path, (before, after) in changes.items():
                if before is not None:
                    change.carry(before)
                change.put(path, after, expected=before)
            if step.code in _RESTORED:
                # What is there is an earlier commit's, and not lost.
                there = files.current(inside(vault.root, step.path))
                data = repository.files_at("HEAD", [step.path])[step.path]
                change.put(step.path, data, expected=there, keep=False)
            elif not changes and step.code != "index":
                change.include(step.path)
            done.append(step)
        count = len({step.path for step in done})
        change.message = f"{'repair' if ours else 'keep'}: {counted(count, 'file')}"
    return done


# --- the remedies of findings about entries -------------------------------------------


def _marked(vault: Vault, finding: Finding) -> _Mend | None:
    """A file with marks of a merge as it is merged, and the text that gives way."""
    path, root = finding.path, vault.root
    before = files.read(inside(root, path), follow=False)
    merged = merging.merge_marked(before, path, vault.kinds)
    if merged is None or merging.sides(merged.data) is not None:
        return None
    action = "merge the two sides that git left in it"
    changes: dict[str, tuple[bytes | None, bytes | None]] = {}
    # The file itself last: a kill between leaves what gives way twice, never lost.
    for place, data in merged.kept:
        if files.current(inside(root, place)) != data:
            place = lineage.free_place(root, place)
            changes[place] = None, data
            action += f"; one text goes to {place}"
    return _Mend(
        Repair("conflict", path, action), changes | {path: (before, merged.data)}
    )


def _fork(vault: Vault, finding: Finding) -> _Mend | None:
    """The files of a fork as one chain: the later version is current, and takes over
    what the other one added."""
    second = vault.stored(finding.path).entry
    rows = vault.read(lambda reader: lineage.versions(reader, second.id))
    versions = {row.id: vault.stored(row.path) for row in rows}
    entries = {name: each.entry for name, each in versions.items()}
    before = entries.get(second.supersedes or "")
    if before is None or before.superseded_by in (None, second.id):
        return None
    branch: dict[str, Entry] = {}
    name: str | None = second.id
    while name and name in entries and name not in branch:
        branch[name] = entries[name]
        name = entries[name].superseded_by
    start = before.replace(superseded_by=None, status=Status.ACTIVE, reason=None)
    split = start.replace(superseded_by=second.id, status=Status.SUPERSEDED)
    ours = {name: entry for name, entry in entries.items() if name not in branch}
    sides = [(OTHER, ours), (OTHER, {**branch, before.id: split})]
    joined = chains.Joined(entries, {before.id: start}, *sides)
    changes: dict[str, tuple[bytes | None, bytes | None]] = {}
    for name, entry in sorted(joined.changed.items()):
        stored = versions[name]
        known: bytes | None = stored.data
        if entry.superseded_by and not layout.is_archived(entry.path):
            place = layout.archived(entry.path, name)
            entry = entry.replace(path=lineage.free_place(vault.root, place))
            changes[stored.path] = stored.data, None
            known = None
        data = codec.rewrite(stored.data, entry, kinds=vault.kinds)
        changes[entry.path] = known, data
    action = "make one chain of it and the other version of the same entry"
    return _Mend(Repair("fork", second.path, action), changes)


_REMEDIES: Mapping[str, Callable[[Vault, Finding], _Mend | None]] = {
    **dict.fromkeys(_MARKED, _marked),
    "lineage_fork": _fork,
}
