"""`memcli allow` and `promote`: the vault that a repository carries."""

from __future__ import annotations

import os

from memcli.cli.context import Canvas, Context, Result, to_apply
from memcli.cli.rows import table
from memcli.errors import MemcliError, UsageError, VaultNotFound

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.search.reader import Reader
    from memcli.storage.repo_vault import RepoVault


_NO_REMOTE = "no remote"


def allow(
    context: Context,
    path: str | None = None,
    *,
    revoke: bool = False,
    list_: bool = False,
) -> Result:
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
        list_: `--list` Show which repositories' vaults you allow
    """
    context.owner_only("to allow a vault is for the user")
    if context.vault or (list_ and (path or revoke)):
        raise UsageError(
            "memcli allow takes no --vault, and --list neither PATH nor --revoke",
            hint="Name a folder of the repository: memcli allow PATH",
        )
    if list_:
        return _list(context)
    folder = os.path.join(context.cwd or os.sep, os.path.expanduser(path or ""))
    return _revoke(context, folder) if revoke else _allow(context, folder)


def _allow(context: Context, folder: str) -> Result:
    from memcli.storage import repo_vault

    found = repo_vault.find(folder, context.environ)
    if found is None:
        raise VaultNotFound(
            f"no repository around {folder} carries a vault",
            hint="It is a folder .memory at the top of the repository, neither a link "
            "nor a repository of its own; memcli init --repo makes one.",
        )
    at, remote = found.path, found.remote
    named = f"{at} ({remote or _NO_REMOTE})"
    if found.allowed:
        return _answer("unchanged", at, remote, [f"already allowed {named}"])
    warnings: tuple[str, ...] = ()
    holds, said = None, []
    try:
        holds = _holds(context, found)
        said = [_said(holds)]
    except (MemcliError, OSError) as error:
        warnings = (f"{at} cannot be read yet: {error}",)
    if context.interactive:
        for line in said:
            context.tell(line)
        if not context.confirm(f"Let sessions read {named}?"):
            return _answer("unchanged", at, remote, [f"not allowed: {at}"])
        said = []
    repo_vault.allow(found, context.environ)
    done = _answer("allowed", at, remote, [f"allowed {named}", *said])
    return done._replace(data={**done.data, "holds": holds}, warnings=warnings)


def _answer(
    outcome: str, path: str | None, remote: str | None, lines: list[str]
) -> Result:
    def text(canvas: Canvas) -> None:
        canvas.line(lines[0], style="dim" if outcome == "unchanged" else "good")
        for line in lines[1:]:
            canvas.line(line, style="dim")

    data = {"outcome": outcome, "path": path, "remote": remote or None, "holds": None}
    return Result(data=data, text=text)


def _holds(context: Context, found: RepoVault) -> dict[str, int]:
    """The numbers of its entries in force, and of those that say most.

    It builds the index, since a hook does not wait for one.

    Raises:
        MemcliError, OSError: the vault cannot be read.
    """

    def look(reader: Reader) -> dict[str, int]:
        active = set(reader.exact("status", "active"))
        return {
            "entries": len(active),
            "constraints": len(active.intersection(reader.exact("kind", "constraint"))),
            "pinned": len(active.intersection(reader.pinned())),
            "enforced": sum(bool(reader.row(doc).enforce) for doc in active),
        }

    from memcli.storage.known_vaults import REPO, KnownVault
    from memcli.vault.vault import Vault

    # By its place: it is not allowed yet, and its path alone would be refused.
    inside = context._replace(cwd=found.top)
    vault = Vault.at(KnownVault(REPO, found.path), inside.caller("indexing"))
    return vault.index.opened.read(look)


def _said(holds: dict[str, int]) -> str:
    from memcli.entries.text.counted import counted

    return (
        f"it holds {counted(holds['entries'], 'entry')}, among them "
        f"{counted(holds['constraints'], 'constraint')}, {holds['pinned']} pinned, "
        f"{holds['enforced']} with `enforce`"
    )


def _revoke(context: Context, folder: str) -> Result:
    from memcli.storage import repo_vault

    top = repo_vault.revoke(folder, context.environ)
    if top is None:
        said = f"nothing around {folder} was allowed"
        return _answer("unchanged", None, None, [said])
    path = os.path.join(top, repo_vault.FOLDER)
    return _answer("revoked", path, None, [f"not allowed any more: {path}"])


def _list(context: Context) -> Result:
    from memcli.storage import repo_vault

    rows = []
    for top, remote in repo_vault.permissions(context.environ):
        found = repo_vault.find(top, context.environ)
        state = "allowed" if found and found.allowed else "stale"
        path = os.path.join(top, repo_vault.FOLDER)
        rows.append({"path": path, "remote": remote or None, "state": state})

    own = {"remote": lambda row: row["remote"] or _NO_REMOTE}
    return Result(
        data={"allowed": rows},
        text=lambda canvas: table(canvas, rows, "vault=path remote state", own),
    )


def promote(context: Context, entry_id: str, *, dry_run: bool = False) -> Result:
    """Move a memory into the vault that this repository carries

    It is committed in the repository, and archived where it was; each side names the
    other. What it says goes along, with its kind, tags, entities and dates; the
    session and agent that it came from do not.

    \b
    Example:
      memcli promote 1m7xvn68
    """
    from memcli.curation import promote as use_case
    from memcli.storage import known_vaults, repo_vault
    from memcli.vault.vault import Vault

    caller = context.caller("promoting")
    repo = Vault.open(known_vaults.REPO, caller, writes=not dry_run)
    vault = context.open_vault("promoting", writes=not dry_run)
    if vault.source == known_vaults.REPO:
        raise UsageError(
            "it is in the repository's vault already",
            hint="Leave --vault out, or name the vault that the entry is in.",
        )
    found = repo_vault.needed(context.cwd, context.environ)
    done = use_case.promote(
        vault, repo, entry_id, name=found.remote or found.top, dry_run=dry_run
    )

    def text(canvas: Canvas) -> None:
        verb = "would move" if dry_run else "moved"
        where = f"{repo_vault.FOLDER}/{done.path}"
        canvas.line(f"{verb} {done.moved} to {done.id or 'a new id'} {where}")
        if done.outcome == "duplicate":
            canvas.line("  the repository's vault has this text already", style="dim")
        canvas.line(f"  archived: {done.archived}", style="dim")
        if dry_run:
            to_apply(canvas, dry_run=True)

    data = {
        "id": done.id or None,
        "path": done.path,
        "outcome": done.outcome,
        "title": done.title,
        "moved": done.moved,
        "archived": done.archived,
        "vault": repo.root,
        "dry_run": dry_run,
    }
    return Result(data=data, text=text)
