"""`memcli init`, `allow` and `promote`: a vault that is made, and the one that a
repository carries."""

from __future__ import annotations  # evaluated only when Typer reads them

import os

from memcli.cli.context import Context, Result, own_program, said
from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.errors import NotAVault, UsageError, VaultNotFound, WriteFailed
from memcli.storage import known_vaults, projects, state_dirs
from memcli.vault import create
from memcli.vault.vault import Vault

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.search.reader import Reader


def init(
    context: Context,
    path: str | None = None,
    *,
    repo: bool = False,
    default: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Make a folder a vault: a new one, or your notes as they are

    A new folder gets the vault's template and a git repository. In a folder of
    notes no byte of them changes. In a folder of code memcli asks first: there it
    would commit to the code's history. The first vault becomes the default, so
    that later commands need no --vault.

    With --repo the repository that you stand in carries a vault of its own, committed
    with its code and asked inside of it beside yours.

    \b
    Example:
      memcli init ~/memory
      memcli init --repo

    Options:
        path: `[PATH]` The folder; --vault or MEMCLI_VAULT when it is left out
        repo: `--repo` Make .memory at the top of this repository a vault
        default: `--default` Make it the default vault, instead of another
    """
    environ = context.environ
    if not repo:
        folder = path or known_vaults.find_vault(context.vault, environ)
    elif path or default or context.vault:
        raise UsageError("--repo names the folder, and cannot be the default")
    else:
        folder, yes = _place_in_repository(context), True
    plan, commit, ignored = create.plan(folder, environ=environ), None, 0
    if not dry_run:
        if plan.question and not yes and context.interactive:
            yes = context.confirm(f"{plan.question}. Continue?")
        plan, commit, ignored = create.prepare(folder, environ=environ, agreed=yes)
        create.let_git_merge(plan.path, own_program().words, environ=environ)
    about = [f"notes in it, unchanged: {plan.notes:,}"] if plan.notes else []
    place = _as_default if not repo else _as_the_repository_s
    own, note = place(context, plan, wanted=default, dry_run=dry_run)
    if own["repository"]:
        about.append(f"its history is that of the repository {own['repository']}")
    was_there = plan.outcome != "created" and not dry_run
    holds = _holds(context, plan.path) if was_there else {}
    pinned, enforced = (holds.get(name, 0) for name in ("pinned", "enforced"))
    acts = f"{pinned:,} pinned, {enforced:,} with `enforce`: see memcli inspect"
    about += filter(None, (note, acts if pinned or enforced else ""))
    data = {
        "path": plan.path,
        "outcome": plan.outcome,
        "notes": plan.notes,
        "pinned": pinned,
        "enforced": enforced,
        "added": plan.added,
        "commit": commit,
        **own,
        "dry_run": dry_run,
    }
    warnings = [] if repo else [*_warnings(plan, ignored, dry_run)]
    done = f"{_SAID[plan.outcome][dry_run]} {plan.path}"
    return said(data, done, *about, warnings=warnings)


def _place_in_repository(context: Context) -> str:
    """The folder of the vault that the repository around the caller carries."""
    top = projects.top_of(context.cwd or "")
    if top is None:
        raise NotAVault(
            f"{context.cwd or 'this place'} is in no repository",
            hint="Make it one first: git init; or a vault of your own: memcli init "
            "~/memory",
        )
    path = os.path.join(top, projects.FOLDER)
    if os.path.islink(path):
        raise NotAVault(f"{path} is a symbolic link, which memcli does not follow")
    return path


def _as_the_repository_s(
    context: Context, plan: create.Plan, *, wanted: bool, dry_run: bool
) -> tuple[dict[str, Any], str]:
    """Allow a repository's vault that is new; its part of the data, and a line."""
    top = os.path.dirname(plan.path)
    found = projects.carried(top, context.environ)
    allowed = wanted or dry_run or bool(found and found.allowed)
    if found and plan.outcome in ("created", "adopted"):
        # Who makes it knows what it holds.
        projects.allow(found, context.environ)
        allowed = True
    if found is None and not dry_run:
        raise NotAVault(
            f"{plan.path} is a vault, and cannot be this repository's",
            hint="A vault of a repository holds no .git, and no home folder lies in "
            "its repository.",
        )
    said = "" if allowed else "it is not read until you allow it: memcli allow"
    return {"repository": top, "default": False, "allowed": allowed}, said


def _as_default(
    context: Context, plan: create.Plan, *, wanted: bool, dry_run: bool
) -> tuple[dict[str, Any], str]:
    """Make a vault the default if there is none, or it is wanted; its part of the data,
    and a line."""
    environ = context.environ
    default = state_dirs.default_vault(environ)
    # There may be no folder any more where the default vault should be.
    stands = default is not None and bool(
        known_vaults.find(default, environ)
        or os.path.isdir(os.path.expanduser(default))
    )
    becomes = default != plan.path and (wanted or not stands)
    said = ""
    if becomes and not dry_run:
        try:
            known_vaults.set_default_vault(plan.path, environ)
        except WriteFailed as error:
            becomes = False
            why = error.message.removesuffix("; nothing was changed")
            said = f"it is not your default: {why}; name it: --vault, MEMCLI_VAULT"
    if becomes:
        said = f"it {'would become your default' if dry_run else 'is your default now'}"
    elif default != plan.path and not said:
        said = f"your default is still {default}"
    own = {"repository": plan.repository, "default": becomes or default == plan.path}
    return own, said


# What was done, and what a dry run says.
_SAID = {
    "created": ("created a vault at", "would create a vault at"),
    "adopted": ("adopted the vault", "would make a vault of"),
    "repaired": ("repaired the vault", "would repair the vault"),
    "exists": ("already a vault:", "already a vault:"),
}


def _warnings(plan: create.Plan, ignored: int, dry_run: bool) -> Iterator[str]:
    if dry_run and plan.question:
        yield f"{plan.question}; without --yes it asks first"
    if layout.README in plan.pages:
        yield "README.md is the vault's own page, not an entry"
    if ignored:
        yield (
            f"git ignores {ignored:,} of the notes: they are found, but "
            "never committed, and memcli cannot change them"
        )


# --- the vault that a repository carries ----------------------------------------------


def allow(context: Context, path: str | None = None, *, revoke: bool = False) -> Result:
    """Let memcli read the vault that a repository carries

    A repository may have a vault of its own in .memory. memcli reads nothing of it
    until you allow it. That holds for this folder and this remote: another clone, or
    another remote, must be allowed anew.

    \b
    Example:
      memcli allow
      memcli allow --revoke

    Options:
        path: `[PATH]` A folder in the repository; this one if none
        revoke: `--revoke` Read the repository's vault no longer
    """
    context.person_only("to allow a vault")
    if context.vault:
        raise UsageError(
            "memcli allow takes no --vault",
            hint="Name a folder of the repository: memcli allow PATH",
        )
    folder = os.path.join(context.cwd or os.sep, os.path.expanduser(path or ""))
    return _revoke(context, folder) if revoke else _allow(context, folder)


def _allow(context: Context, folder: str) -> Result:
    found = projects.carried(folder, context.environ)
    if found is None:
        raise VaultNotFound(
            f"no repository around {folder} carries a vault",
            hint="It is a folder .memory at the top of the repository, neither a link "
            "nor a repository of its own; memcli init --repo makes one.",
        )
    at, remote = found.path, found.remote or None
    data: dict[str, Any] = {"outcome": "unchanged", "path": at, "remote": remote}
    named = f"{at} ({remote or 'no remote'})"
    if found.allowed:
        return said(data, f"already allowed {named}")
    holds = _holds(context._replace(cwd=found.top), at)
    data["holds"] = holds
    about = (
        f"it holds {counted(holds['entries'], 'entry')}, among them "
        f"{counted(holds['constraints'], 'constraint')}, {holds['pinned']} pinned, "
        f"{holds['enforced']} with `enforce`"
    )
    asks, question = context.interactive, f"Let sessions read {named}?"
    if not context.agrees([about], question, yes=not asks, dry_run=False):
        return said(data, f"not allowed: {at}")
    projects.allow(found, context.environ)
    return said({**data, "outcome": "allowed"}, f"allowed {named}", about)


def _holds(context: Context, path: str) -> dict[str, int]:
    """The numbers of a vault's entries in force, and of those that say most.

    It builds the index, since a hook does not wait for one.
    """

    def look(reader: Reader) -> dict[str, int]:
        active = set(reader.exact("status", "active"))
        return {
            "entries": len(active),
            "constraints": len(active.intersection(reader.exact("kind", "constraint"))),
            "pinned": len(active.intersection(reader.pinned())),
            "enforced": sum(bool(reader.row(doc).enforce) for doc in active),
        }

    # By its place: one that is not allowed yet would be refused by its path.
    vault = Vault.at(
        known_vaults.KnownVault(known_vaults.PERSONAL, path), context.caller("indexing")
    )
    return vault.opened.read(look)


def _revoke(context: Context, folder: str) -> Result:
    top = projects.revoke(folder, context.environ)
    path = top and os.path.join(top, projects.FOLDER)
    outcome = "revoked" if path else "unchanged"
    done = f"not allowed any more: {path}"
    data = {"outcome": outcome, "path": path, "remote": None}
    return said(data, done if path else f"nothing around {folder} was allowed")


def promote(context: Context, entry_id: str, *, dry_run: bool = False) -> Result:
    """Move a memory into the vault that this repository carries

    It is committed in the repository, and resolved where it was, with a note that names
    it there. What it says goes along, with its kind, tags, entities and dates; the
    session and agent that it came from do not.

    \b
    Example:
      memcli promote 1m7xvn68
    """
    from memcli.curation import promote as promoting

    caller = context.caller("promoting")
    repo = Vault.open(known_vaults.REPO, caller, writes=not dry_run)
    vault = context.open_vault("promoting", writes=not dry_run)
    if vault.source == known_vaults.REPO:
        raise UsageError(
            "it is in the repository's vault already",
            hint="Leave --vault out, or name the vault that the entry is in.",
        )
    found = projects.needed(context.cwd, context.environ)
    done, moved = promoting.promote(
        vault, repo, entry_id, name=found.remote or found.top, dry_run=dry_run
    )
    verb = "would move" if dry_run else "moved"
    own = {name: getattr(done, name) for name in ("path", "outcome", "title")}
    own |= {"id": done.id or None, "moved": moved, "vault": repo.root}
    return said(
        {**own, "dry_run": dry_run},
        f"{verb} {moved} to {done.id or 'a new id'} {projects.FOLDER}/{done.path}",
        warnings=done.notes,
        dry_run=dry_run or None,
    )
