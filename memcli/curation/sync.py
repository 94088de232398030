"""Sync: a vault and its remote brought together, so that neither loses anything.

Invariant: what differs is decided by a pure function (`entries/merging`), and the vault
goes to the result as one step (`storage/arrival`); what is pushed is what the vault
holds. The remote is asked without the vault's lock. A sync that fails, or is killed,
leaves a vault that the next command can use, and a sync that the next one completes.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from shlex import quote

from memcli.curation import sync_report, sync_rules
from memcli.curation.sync_report import Synced, Traffic, Uncommitted, traffic_of
from memcli.curation.sync_rules import Force
from memcli.entries import layout
from memcli.errors import HistoryError, LockBusy, MemcliError, NotAllowed
from memcli.named_tuple import NamedTuple
from memcli.storage import arrival, journal, state_dirs, user_config
from memcli.storage.git import merging, tree
from memcli.storage.git import remote as remotes
from memcli.storage.git.merging import Move
from memcli.storage.git.remote import Terms
from memcli.storage.git.tree import Difference
from memcli.storage.lock import Lock
from memcli.storage.transaction import take_lock
from memcli.vault import vaults
from memcli.vault.health import git_state

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.entries.merging.trees import MergePlan
    from memcli.storage.git.on_disk import Remote
    from memcli.storage.git.repository import Repository
    from memcli.vault.vault import Vault


__all__ = ["Terms", "in_turn", "joinable", "sync"]

MACHINE = "Machine"
"""The trailer of a merge's message that names the machine which made it."""

# So often a remote that has moved is fetched again, and seconds between two tries.
# A sync by itself forgets at most so many files that are gone from the folder.
_MANY = 10
_TRIES = 8
_PAUSE = 0.15
# Seconds to wait for another sync of the same vault.
_PATIENCE = 120.0


def sync(
    vault: Vault,
    terms: Terms,
    *,
    dry_run: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Synced:
    """Commit, fetch, merge and push; a read-only vault takes only.

    Who has shown the outcome calls `sync_rules.told`; else the next sync tells it.

    Args:
        vault: the top of a repository of its own.
        terms: how git may talk to the remote.
        dry_run: only fetch, and say what would be done, or refused of what came.
        sleep: waits for a number of seconds, between two tries.

    Raises:
        NotAllowed: the vault has no remote, no branch or no repository of its own; an
            agent asks; or the remote holds no vault.
        RemoteUnreachable: the remote does not answer.
        RemoteRefused: it answers, and refuses.
        LockBusy: another sync, another writer, or a remote that moves again and again.
        Conflict, WriteFailed, HistoryError, TooLarge, UnsafePath: the vault does not
            take the remote's changes; nothing of it was changed.
    """
    with Lock(state_dirs.path(vault.root, layout.SYNC_LOCK), _PATIENCE):
        return in_turn(vault, terms, dry_run=dry_run, sleep=sleep)


def in_turn(
    vault: Vault,
    terms: Terms,
    *,
    dry_run: bool = False,
    sleep: Callable[[float], None],
    by_itself: bool = False,
) -> Synced:
    """As `sync`, for a caller that holds the lock of syncs.

    One that nobody asked for refuses to forget many files: a person looks first.
    """
    vault.owner_only("sync")
    vault.refuse_published("synced from here")
    vault.starts_sync = False
    try:
        repository = joinable(vault)
        remote = remotes.remote(repository)
        if remote is None:
            raise NotAllowed(
                f"{vault.named} has no remote",
                hint="Name one: memcli sync --setup URL (a folder, ssh or https)",
                code="no_remote",
            )
        most = _MANY if by_itself else None
        done = _sync(At(vault, repository, remote, terms, dry_run, most), sleep)
    except MemcliError as error:
        if not dry_run:
            vaults.note_sync(vault, error.message, error.code)
        raise
    if not dry_run:
        vaults.note_sync(vault, done.line, None)
        if by_itself:
            sync_rules.tell_news(vault, done.force, done.config, by_itself=True)
    return done


def joinable(vault: Vault) -> Repository:
    """The repository of a vault, which can go to another commit.

    Raises:
        NotAllowed: it cannot; the message says why.
        HistoryError: an operation of git is in progress.
    """
    repository = vault.repository()
    if repository.prefix:
        raise NotAllowed(
            f"{vault.named} is a folder of the repository {repository.top}; a sync "
            "would push that",
            hint="Pull and push it as you do with the rest of the repository.",
            code="not_own_repository",
        )
    for finding in git_state.findings(repository):
        if finding.code == "git_state":
            raise HistoryError(f"{vault.named}: {finding.message}", hint=finding.hint)
    git = f"git -C {quote(repository.top)}"
    if repository.branch() is None:
        raise NotAllowed(
            f"{vault.named}: HEAD is detached, so there is no branch to sync",
            hint=f"Go to the one that you want: {git} switch main",
            code="detached_head",
        )
    return repository


class At(NamedTuple):
    """The vault to sync, its remote, how git may talk to that, whether only to look,
    and how many files may be forgotten (None: any number)."""

    vault: Vault
    repository: Repository
    remote: Remote
    terms: Terms
    dry_run: bool
    most: int | None

    @property
    def git(self) -> str:
        """How a command of git's for it begins."""
        return f"git -C {quote(self.repository.top)}"


def _sync(at: At, sleep: Callable[[float], None]) -> Synced:
    vault, repository, remote, _, dry_run, most = at
    started = _begun(at)
    found = sync_report.Uncommitted() if vault.read_only else _committed(at)
    ours = head = repository.commit_of("HEAD")
    plans: list[MergePlan] = []
    before: sync_rules.Rules | None = None
    pushed, failed = False, None
    came, force, config = Traffic(), Force(), list[str]()
    for number in range(_TRIES):
        if number:
            sleep(_PAUSE * number * (0.5 + vault.caller.entropy(1)[0] / 255))
        # A remote that moves meanwhile is fetched again and merged again.
        theirs = _fetched(at)
        if before is None and not dry_run and theirs not in (None, ours):
            before = sync_rules.note_rules(vault, repository, theirs)
        try:
            plans += _merged(at, theirs)
        except HistoryError as error:
            if error.code == "head_moved":
                continue
            raise
        if theirs and ours:
            came, force, config = _came(at, ours, theirs, before)
        head = repository.commit_of("HEAD")
        if vault.read_only or dry_run or head in (None, theirs):
            break
        try:
            pushed = remotes.push(repository, remote, head, at.terms)
        except (MemcliError, KeyboardInterrupt) as error:
            failed = error
        if pushed or failed:
            break
        vault.tell(f"{remote.name} has new commits since the merge; merging again")
    else:
        failed = LockBusy(
            f"{remote.name} ({remote.shown}) moved {_TRIES} times while this vault was "
            "synced; the remote's changes are merged here",
            hint="Try again: memcli sync",
        )
    went = Traffic()
    if head and (pushed or (dry_run and not vault.read_only)):
        base = _base(repository, head, theirs) if dry_run else theirs
        going = _differences(repository, base, head) if base != head else []
        went = traffic_of(tree.count(repository, head, theirs), going)
    others = remotes.elsewhere(repository, remote.name, remote.tracking)
    done = Synced(
        vault=vault.named,
        remote=remote.name,
        address=remote.shown,
        branch=remote.branch,
        dry_run=dry_run,
        committed=tuple(found.paths),
        forgotten=tuple(found.forgotten),
        left=tuple(found.left),
        came=came,
        force=force,
        config=tuple(config),
        went=went,
        merged=sum(plan.merged for plan in plans),
        notes=tuple(note for plan in plans for note in plan.notes),
        pushed=pushed,
        moved=repository.commit_of("HEAD") != started,
        read_only=vault.read_only,
        others=tuple(each.ref for each in others if not each.same),
    )
    if failed is not None:
        sync_report.tell_unpushed(vault, done, by_itself=most is not None)
        raise failed
    return done


def _begun(at: At) -> str | None:
    """Finish what a killed command began, and tell what a sync brought that ended after
    its merge, before it could tell that itself; the vault's commit."""
    vault, repository, *_, dry_run, most = at
    if journal.exists(vault.root):
        _lock(at).__exit__(None, None, None)
    head = repository.commit_of("HEAD")
    noted = sync_rules.noted_rules(vault)
    if noted and head and not dry_run:
        theirs, before = noted
        force, config = Force(), list[str]()
        if _base(repository, head, theirs) == theirs:  # it was merged
            start = repository.commit_of(before.commit) or head
            _, force, config = _came(at, start, head, before)
        if news := sync_rules.news_of(vault.named, force, config):
            vault.tell(f"interrupted before it could tell: {news}")
        sync_rules.tell_news(vault, force, config, by_itself=most is not None)
    return head


def _came(
    at: At, ours: str, theirs: str, before: sync_rules.Rules | None
) -> tuple[Traffic, Force, list[str]]:
    """The entries that the remote brought, those that act unasked, and the settings.

    Args:
        at: the vault.
        ours: its commit before.
        theirs: the remote's.
        before: the rules before; None where nothing was merged.
    """
    repository = at.repository
    coming = _differences(repository, _base(repository, ours, theirs), theirs)
    force = Force()
    if coming and before is not None:
        after = sync_rules.rules(at.vault, repository)
        hidden = {name for name, _ in before.hidden}
        there = at.vault.read(
            lambda reader: {name for name in hidden if len(reader.exact("id", name))}
        )
        force = sync_rules.force_of(before, after, there)
    if force.paths or force.weakened:
        # Any file may end a rule: another entry of the same words may be resolved.
        paths = () if force.weakened else force.paths
        by = merging.others(repository, ours, theirs, paths)
        force = force._replace(by=tuple(by))
    came = traffic_of(tree.count(repository, theirs, ours), coming)
    return came, force, sync_report.changed_config(repository, coming)


def _committed(at: At) -> Uncommitted:
    """Commit what is uncommitted; a dry run says what would be.

    Raises:
        NotAllowed: more files than `most` were deleted by hand.
    """
    found = sync_report.plan(at.vault, at.repository)
    if at.most is not None and len(found.forgotten) > at.most:
        raise NotAllowed(
            f"{at.vault.named}: {len(found.forgotten)} files were deleted by hand, "
            "which a sync by itself does not pass on",
            hint=f"To forget them: memcli sync; to bring them back: {at.git} checkout "
            f"-- {quote(at.vault.root)}",
            code="many_deleted",
        )
    if not at.dry_run:
        sync_report.commit(at.vault, at.repository, found)
    return found


def _fetched(at: At) -> str | None:
    """The remote's commit; None where the remote holds no vault yet.

    Raises:
        NotAllowed: it holds one on another branch: the two would never meet.
        HistoryError: it, or this vault, no longer has what was synced last.
    """
    _, repository, remote, terms, *_ = at
    known = repository.commit_of(remote.tracking)
    theirs = remotes.fetch(repository, remote, terms)
    if theirs is None:
        remotes.see_branches(repository, remote, terms)
        for other in remotes.elsewhere(repository, remote.name, remote.tracking):
            what = "this" if other.same else "another"
            raise NotAllowed(
                f"{remote.name} ({remote.shown}) has {what} vault on the branch "
                f"{other.branch}, and no branch {remote.branch}: they would never meet",
                hint=f"To go with that branch: {at.git} switch {quote(other.branch)}; "
                f"to have one of its own: {at.git} push -u {remote.name} "
                f"{quote(remote.branch)}",
                code="other_branch",
            )
        return None
    ours = repository.commit_of("HEAD")
    if theirs != ours:
        bases = tree.bases(repository, ours, theirs) if ours else []
        for commit in {theirs, *bases} - {ours}:
            tree.refuse_many_files(repository, commit)
    if known and _base(repository, known, theirs) != known:
        _refuse_stranger(repository, theirs)
        # A merge would bring back, as new, what the rewriting has taken out.
        repository.git(("update-ref", remote.tracking, known))
        raise HistoryError(
            f"the history of this vault, or of {remote.name} ({remote.shown}), was "
            "rewritten since the last sync: a merge would bring back what is gone",
            hint=f"To give it yours: {at.git} push --force {remote.name} "
            f"{quote(remote.branch)}; to take its: {at.git} fetch {remote.name} && "
            f"{at.git} reset --hard {quote(remote.tracking)}",
            code="rewritten",
        )
    return theirs


def _merged(at: At, theirs: str | None) -> list[MergePlan]:
    """Let the vault hold what the remote has, under its lock; the merge, if it took
    one. A dry run only looks whether the vault would take it."""
    vault, repository = at.vault, at.repository
    if theirs is None:
        return []
    with ExitStack() as held:
        held.push(_lock(at))
        branch, ours = repository.branch(), repository.commit_of("HEAD")
        if branch is None or ours is None:
            raise NotAllowed(
                f"{vault.named} has no commit yet", hint="memcli init", code="no_commit"
            )
        base = _base(repository, ours, theirs)
        if vault.read_only and base != ours:
            raise NotAllowed(
                f"{vault.named} may only be read here (role = ro), and has commits "
                "that the remote lacks",
                hint="Push them with git, or give the vault the role rw.",
                code="read_only",
            )
        if base == theirs:
            return []
        plan, message, after = None, "", theirs
        if base != ours:
            plan, message = _planned(vault, repository, base, ours, theirs)
        if at.dry_run:
            coming = _differences(repository, base, theirs)
            arrival.refuse(vault.root, repository, coming)
            return [plan] if plan else []
        if plan:
            both = (ours, theirs)
            after = merging.join(repository, both, plan.put, plan.gone, message)
        move = Move(branch, ours, after)
        arrival.go(vault.root, repository, move, vault.caller.audience)
        return [plan] if plan else []


def _lock(at: At) -> Lock:
    return take_lock(at.vault.root, at.repository, at.vault.caller.audience)


def _base(repository: Repository, ours: str, theirs: str | None) -> str | None:
    """The last commit of both."""
    return next(iter(tree.bases(repository, ours, theirs)), None) if theirs else None


def _planned(
    vault: Vault, repository: Repository, base: str | None, ours: str, theirs: str
) -> tuple[MergePlan, str]:
    """The merge of both sides, and the message of its commit."""
    if base is None:
        _refuse_stranger(repository, theirs)
    mine = user_config.machine(vault.environ)
    other = merging.named_by(repository, ours, theirs, MACHINE)
    if other in ("", mine, repository.user_name()):
        other = "another clone"  # the same person's, who has given it no name
    plan = merging.planned(
        repository,
        base,
        merging.side(repository, mine, ours),
        merging.side(repository, other, theirs),
        vault.kinds,
    )
    return plan, f"sync: merge {other}\n\n{MACHINE}: {mine}"


def _refuse_stranger(repository: Repository, theirs: str) -> None:
    """Refuse to merge with a history that is no vault's: of code, or other notes.

    A remote that a forge has begun with a README and a licence is none of these.
    """
    there = tree.of_commit(repository, theirs)
    if layout.CONFIG in there or not any(map(layout.is_entry, there)):
        return
    raise NotAllowed(
        "the remote holds no memcli vault, and its history has nothing in common with "
        "this one",
        hint="Give the vault a remote of its own. To make a vault of those notes: git "
        "clone them, then memcli init in the clone.",
        code="not_a_vault",
    )


def _differences(
    repository: Repository, before: str | None, after: str
) -> list[Difference]:
    if before is not None:
        return tree.differences(repository, before, after)
    there = tree.of_commit(repository, after)
    return [Difference(path, None, file) for path, file in there.items()]
