"""The lint: every promise of the format checked, in every file of a vault.

Invariant: reads only, and reports rather than guesses. An `error` is something that
memcli cannot use as it stands; a `warning` is something that a person would want to
know. Findings come in the order of paths and lines.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.finding import ERROR, WARNING, Finding
from memcli.errors import (
    HistoryError,
    InvalidConfig,
    LockBusy,
    MemcliError,
    WriteFailed,
)
from memcli.storage.listing import scan
from memcli.vault.health import (
    dropped,
    git_state,
    half_merged,
    lint_index,
    lint_registry,
    lint_tree,
    replaced,
)
from memcli.vault.health.link_meanings import Names, add_files
from memcli.vault.health.working_tree import working_tree
from memcli.vault.registry import store

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from memcli.vault.vault import Vault


def lint(
    vault: Vault,
    *,
    listed: bool = False,
    status: Sequence[tuple[str, str]] | MemcliError | None = None,
) -> list[Finding]:
    """Everything that is wrong in a vault.

    Args:
        vault: whose files.
        listed: its index was brought up to date a moment ago, for the same answer.
        status: what git's status said a moment ago, or why it could not; None to ask.

    Raises:
        NotAllowed: an agent asks.
    """
    vault.owner_only("the lint")
    vault.refuse_published("checked file by file")
    try:
        vault.kinds  # noqa: B018 a look at the config
    except InvalidConfig as error:
        # Nothing else can be judged without the config; every command refuses.
        return [
            Finding(
                layout.CONFIG, error.line, "bad_config", ERROR, error.reason, error.hint
            )
        ]
    now = vault.now_ms() // 1000
    tree = lint_tree.walked(vault.root)
    names: Names = Names()
    add_files(names, tree.others)
    for called, path in store.link_names(vault.root):
        names.add(called, path)
    ask = vault.index.again if listed else vault.read
    try:
        found, ids = ask(lambda reader: lint_index.judged(vault, names, now, reader))
        index = vault.index.opened
        links, lost = index.symlinks, index.unreadable
    except (LockBusy, WriteFailed):
        # A disk that takes no index must not keep a person from seeing what is wrong.
        from memcli.vault.health import lint_files

        listing = scan(vault.root)
        found, ids = lint_files.judged(vault, listing, names, now)
        links, lost = listing.symlinks, listing.unreadable
    found += replaced.findings(vault, links, tree.others)
    for path in links:
        if layout.is_own_folder(path, vault.kinds):
            continue
        message = "a symbolic link; not followed, not searched"
        found.append(Finding(path, 1, "symlink", WARNING, message))
    for path in lost:
        why = "the folder cannot be listed"
        found.append(Finding(path, 1, "unreadable", ERROR, why))
    found += lint_registry.findings(vault.root)
    found += _about_repository(vault, tree, ids, status)
    return sorted(found, key=lambda f: (f.path, f.line, f.code, f.message))


def _about_repository(
    vault: Vault,
    tree: lint_tree.Tree,
    ids: Container[str],
    status: Sequence[tuple[str, str]] | MemcliError | None,
) -> Iterator[Finding]:
    from memcli.errors import NotAVault
    from memcli.storage.git.beside_head import Comparable

    try:
        repository = Comparable.open(vault.root, environ=vault.environ)
    except NotAVault as error:
        yield from lint_tree.findings(vault.root, tree, None)
        yield Finding(".", 1, "no_history", ERROR, error.message, error.hint)
        return
    yield from lint_tree.findings(vault.root, tree, repository)
    yield from git_state.findings(repository)
    try:
        if isinstance(status, HistoryError):  # nor would it answer the next question
            raise status
        status = None if isinstance(status, MemcliError) else status
        yield from working_tree(vault, repository, status=status).findings
        yield from dropped.findings(vault, repository, ids)
        yield from half_merged.findings(vault, repository)
    except HistoryError as error:
        code = "git_stuck" if error.error_code == "git_stuck" else "git_failed"
        yield Finding(".git", 1, code, ERROR, error.message, error.hint)
