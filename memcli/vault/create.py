"""Create a vault in a folder, empty or not.

Invariant: no file that exists changes by a byte. A new folder gets the whole template;
a folder of notes gets only the files that memcli needs, and its notes are entries as
they are. A second call adds what is missing and changes nothing else. A folder that
cannot become a vault, or in which git refuses, is left as it was.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from shlex import quote

from memcli.entries import layout
from memcli.entries.shipped import our_folder
from memcli.entries.text.counted import counted
from memcli.errors import MemcliError, NotAllowed, NotAVault, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.storage import known_vaults, projects
from memcli.storage.git import commit as commits
from memcli.storage.git import on_disk, remote
from memcli.storage.git.repository import Repository
from memcli.storage.git.staging import refuse_other_trees
from memcli.storage.git.tree import ignored, tracked_other_than_notes
from memcli.storage.listing import paths_of, scan
from memcli.storage.vault_paths import inside

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# A folder of notes gets these files; the rest of the template is for new vaults.
_NEEDED = (layout.CONFIG, ".memcli/.gitignore")


class Plan(NamedTuple):
    """The plan of `prepare`.

    Attributes:
        path: the folder, absolute.
        outcome: created, adopted (notes were there), repaired or exists.
        added: the files that it would write.
        pages: the markdown files that a new vault there takes in, in order.
        repository: the repository whose history it would share; None for its own.
        question: what a person has to agree to first; None for nothing.
    """

    path: str
    outcome: str
    added: list[str]
    pages: tuple[str, ...] = ()
    repository: str | None = None
    question: str | None = None

    @property
    def notes(self) -> int:
        """How many entries the notes in the folder become."""
        return sum(map(layout.is_entry, self.pages))


class Prepared(NamedTuple):
    """The outcome of `prepare`: the plan that it followed, and how many of the notes
    git ignores, which stay out of its history."""

    plan: Plan
    commit: str | None
    ignored: int = 0


def plan(root: str, *, environ: Mapping[str, str] | None = None) -> Plan:
    """Say what making `root` a vault means; nothing is written.

    Args:
        root: the folder; it may not exist yet.
        environ: the environment of git.

    Raises:
        NotAVault: the folder cannot become a vault; the message says why.
        NotAllowed: the user's config allows no writing there.
        HistoryError: git is missing or refused.
    """
    environ = os.environ if environ is None else environ
    root = os.path.abspath(os.path.expanduser(root))
    known_vaults.refuse_read_only(root, environ)
    was_vault = os.path.isdir(os.path.join(root, ".memcli"))
    is_new = not was_vault and (not os.path.isdir(root) or not os.listdir(root))
    wanted = _template_files() if is_new else list(_NEEDED)
    missing = [path for path in wanted if not os.path.exists(os.path.join(root, path))]
    if was_vault:
        return Plan(root, "repaired" if missing else "exists", missing)
    _refuse_place(root, environ)
    found = on_disk.find(root)
    if found and (branch := remote.branch_of_clone(root, environ)):
        raise NotAVault(
            f"the remote of {root} has a vault on the branch {branch}",
            hint=f"To join it: git -C {quote(root)} switch {quote(branch)}; then "
            "repeat the command.",
        )
    pages = tuple(sorted(paths_of(scan(root)))) if os.path.isdir(root) else ()
    outcome, top = "created" if is_new else "adopted", found and found[0]
    asks = _question(root, top, pages, environ)
    return Plan(root, outcome, missing, pages, top, asks)


def _question(
    root: str, top: str | None, pages: Sequence[str], environ: Mapping[str, str]
) -> str | None:
    """The question for a folder in another vault, in a repository or of code."""
    if around := projects.vault_around(os.path.dirname(root)):
        return f"{root} lies in the vault {around}: its notes are in both"
    is_inside = top not in (None, os.path.realpath(root))
    names = os.listdir(root) if os.path.isdir(root) else []
    if not is_inside and _PROJECT.isdisjoint(names):
        repository = Repository.open(root, environ=environ) if top else None
        others = tracked_other_than_notes(repository) if repository else ()
        if all(path.startswith(".") or path.endswith(".md") for _, path in others):
            return None
    said = [f"every save is a commit in the repository {top}"] if top else []
    if count := sum(map(layout.is_entry, pages)):
        said.append(f"{counted(count, 'markdown file')} become entries")
    what = "lies in a repository" if is_inside else "holds code"
    return f"{root} {what}: {'; '.join(said)}"


def prepare(
    root: str, *, environ: Mapping[str, str] | None = None, agreed: bool = False
) -> Prepared:
    """Make `root` a vault.

    Args:
        root: the folder; made when it is missing.
        environ: the environment of git.
        agreed: a person agreed to the `question` of the plan.

    Raises:
        NotAllowed: the plan has a question, and nobody agreed.
        WriteFailed, HistoryError, LockBusy: the folder cannot be written or committed.
        others: as `plan`.
    """
    steps = plan(root, environ=environ)
    if steps.question and not agreed:
        raise NotAllowed(
            steps.question,
            hint="Give it a folder of its own: memcli init ~/memory; or agree with "
            "--yes.",
            code="not_agreed",
        )
    with contextlib.ExitStack() as undo:
        _copy(steps, undo)
        repository, own = _repository(steps.path, environ, undo)
        rules = {}
        if steps.outcome in ("created", "adopted"):
            rules = ignored(repository, (*_WRITTEN, *steps.pages))
            _refuse_ignored(steps.path, rules)
            refuse_other_trees(repository, steps.pages)
        # A repository that memcli makes begins with the notes as they are; in one that
        # exists, its owner decides what is committed and when.
        paths = list(steps.added)
        if own:
            paths += [page for page in steps.pages if page not in rules]
        message = f"init: {steps.outcome} a memcli vault"
        commit = commits.commit(repository, paths, message) if paths else None
        undo.pop_all()
    return Prepared(steps, commit, len(rules))


def let_git_merge(
    root: str, program: Sequence[str], *, environ: Mapping[str, str] | None = None
) -> bool:
    """Let git call memcli where both sides of a merge changed a file of a vault.

    Args:
        root: the vault's folder.
        program: the words that start this installation.
        environ: the environment of git.

    Returns:
        Whether git did not know it before; False also where the repository's settings
        cannot be written, since a vault works without.
    """
    from memcli.storage.git import merging

    try:
        return merging.install_driver(Repository.open(root, environ=environ), program)
    except MemcliError:
        return False


def _template_files() -> list[str]:
    import glob

    template = our_folder("vault-template")
    found = glob.glob("**", root_dir=template, recursive=True, include_hidden=True)
    files = (path for path in found if os.path.isfile(os.path.join(template, path)))
    return sorted(path.replace(os.sep, "/") for path in files)


def _copy(steps: Plan, undo: contextlib.ExitStack) -> None:
    """Write the missing files; `undo` takes them and their new folders away again."""
    template = our_folder("vault-template")
    try:
        _make_folder(steps.path, undo)
        for path in steps.added:
            target = inside(steps.path, path)
            _make_folder(os.path.dirname(target), undo)
            undo.callback(_remove, target)
            shutil.copyfile(os.path.join(template, *path.split("/")), target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WriteFailed(
            f"{steps.path}: {reason}", hint="Choose a folder that you may write to."
        ) from error


def _make_folder(path: str, undo: contextlib.ExitStack) -> None:
    """Make a folder and those above it that are missing."""
    if os.path.isdir(path):
        return
    _make_folder(os.path.dirname(path), undo)
    os.mkdir(path)
    undo.callback(_remove, path)


def _remove(path: str) -> None:
    """Take a file away again, or a folder that is empty."""
    with contextlib.suppress(OSError):
        (os.rmdir if os.path.isdir(path) else os.unlink)(path)


def _repository(
    root: str, environ: Mapping[str, str] | None, undo: contextlib.ExitStack
) -> tuple[Repository, bool]:
    """The repository that `root` lies in, or a new one; and whether it is new."""
    if on_disk.find(root) is not None:
        return Repository.open(root, environ=environ), False
    git = os.path.join(root, ".git")
    if not os.path.lexists(git):
        undo.callback(shutil.rmtree, git, ignore_errors=True)
    return Repository.init(root, environ=environ), True


# --- a folder that shall be a vault -------------------------------------------------


# A file of this name makes a folder one of code.
_PROJECT = frozenset(
    "package.json pyproject.toml setup.py Cargo.toml go.mod pom.xml build.gradle "
    "build.gradle.kts composer.json Gemfile mix.exs CMakeLists.txt deno.json".split()
)
# One path for each folder that memcli writes entries into.
_WRITTEN = (
    f"{layout.month_folder(f'{layout.MEMORIES}/note', '2026-11')}/a.md",
    f"{layout.MODELS}/a.md",
    f"{layout.REFLECTIONS}/a.md",
    f"{layout.INBOX}/a.md",
    f"{layout.IDEAS}/a.md",
    f"{layout.registry_folder('tool')}/a.md",
    f"{layout.ARCHIVE}/{layout.MEMORIES}/note/a.md",
    layout.CONFIG,
)


def _refuse_ignored(root: str, rules: Mapping[str, str]) -> None:
    """Refuse a folder in which git ignores what memcli writes."""
    for path in _WRITTEN:
        if path in rules:
            raise NotAVault(
                f"{root} cannot become a vault: git would ignore its entries, by the "
                f"rule {rules[path]}",
                hint=f"Take that rule out, or let {root}/.gitignore end with the line "
                f"'!{path.rpartition('/')[2].replace('a.md', '*.md')}'.",
            )


def _refuse_place(root: str, environ: Mapping[str, str]) -> None:
    """Refuse the folders that are not anyone's notes."""
    if os.path.lexists(root) and not os.path.isdir(root):
        raise NotAVault(f"{root} is not a folder")
    real = os.path.realpath(root)
    home = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")
    home = os.path.realpath(home)
    what = ""
    if real == home or home.startswith(real.rstrip(os.sep) + os.sep):
        what = "is your home folder" if real == home else "holds your home folder"
        what += ", and every markdown file in it would be a memory"
    elif ".git" in real.split(os.sep) or _is_bare(real):
        what = "is git's own folder, where it commits nothing"
    if what:
        raise NotAVault(
            f"{root} {what}", hint="Give it a folder of its own: memcli init ~/memory"
        )


def _is_bare(folder: str) -> bool:
    """Whether this is a repository without a work tree."""
    names = ("HEAD", "objects", "refs")
    return all(os.path.exists(os.path.join(folder, name)) for name in names)
