"""Whether a folder may become a vault, and what of it the vault would take in.

Invariant: reads only, so that a folder that is refused stays as it was.
"""

from __future__ import annotations

import os
from collections import Counter
from shlex import quote

from memcli.entries import layout
from memcli.entries.text.counted import counted
from memcli.errors import NotAVault, WriteFailed
from memcli.named_tuple import NamedTuple
from memcli.storage.git import place
from memcli.storage.git.ignored import ignored
from memcli.storage.listing import paths_of, scan

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

_ELSEWHERE = "Give it a folder of its own: memcli init ~/memory"

# A file of this name, or of such a kind, makes a folder one of code.
_PROJECT = frozenset(
    "package.json pyproject.toml setup.py Cargo.toml go.mod pom.xml build.gradle "
    "build.gradle.kts composer.json Gemfile mix.exs CMakeLists.txt deno.json".split()
)
_SOURCE = (
    ".py", ".js", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".kt", ".c", ".h",
    ".cc", ".cpp", ".cs", ".rb", ".php", ".swift", ".scala", ".ex", ".hs", ".lua",
)  # fmt: skip
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


class Survey(NamedTuple):
    """What a folder holds that is no vault yet.

    Attributes:
        notes: the markdown files that a vault there would take in, in order.
        ignored: those of them that git ignores, which stay out of its history.
        repository: the top of the repository that the folder lies in, if any.
        code: whether that repository, or else the folder itself, holds code.
    """

    notes: tuple[str, ...]
    ignored: frozenset[str]
    repository: str | None
    code: bool

    def by_folder(self) -> list[tuple[str, int]]:
        """How many notes each top folder holds, most first; "" is the folder itself."""
        counted = Counter(path.rpartition("/")[0].split("/")[0] for path in self.notes)
        return counted.most_common()


def survey(root: str, environ: Mapping[str, str]) -> Survey:
    """Look at a folder that shall become a vault.

    Args:
        root: the folder, absolute; it may not exist yet.
        environ: the environment of git; it names the user's home folder.

    Raises:
        NotAVault: the folder cannot become one.
        WriteFailed: the user may not write there.
        HistoryError: git is missing or refused.
    """
    _refuse_place(root, environ)
    found = place.find(root)
    notes = tuple(sorted(paths_of(scan(root)))) if os.path.isdir(root) else ()
    _refuse_nested(root, notes)
    rules = ignored(root, (*_WRITTEN, *notes), environ)
    for path in _WRITTEN:
        if path in rules:
            raise NotAVault(
                f"{root} cannot become a vault: git would ignore its entries, by the "
                f"rule {rules[path]}",
                hint=f"Take that rule out, or let {root}/.gitignore end with the line "
                f"'!{path.rpartition('/')[2].replace('a.md', '*.md')}'.",
            )
    return Survey(
        notes,
        frozenset(rules),
        found and found[0],
        _holds_code(root, found, environ),
    )


def _refuse_place(root: str, environ: Mapping[str, str]) -> None:
    """Refuse the folders that are not anyone's notes."""
    if os.path.lexists(root) and not os.path.isdir(root):
        raise NotAVault(f"{root} is not a folder")
    real = os.path.realpath(root)
    home = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")
    home = os.path.realpath(home)
    if real == home or home.startswith(real.rstrip(os.sep) + os.sep):
        what = "is your home folder" if real == home else "holds your home folder"
        raise NotAVault(
            f"{root} {what}, and every markdown file in it would be a memory",
            hint=_ELSEWHERE,
        )
    if os.path.dirname(real) == real:
        raise NotAVault(f"{root} is the root of the file system", hint=_ELSEWHERE)
    inside = real.split(os.sep)
    if ".git" in inside or _is_bare(real):
        raise NotAVault(
            f"{root} is git's own folder, where it commits nothing", hint=_ELSEWHERE
        )
    above = real
    while not os.path.isdir(above):
        above = os.path.dirname(above)
    if not os.access(above, os.W_OK | os.X_OK):
        raise WriteFailed(
            f"{root}: you may not write to {above}",
            hint="Choose a folder that you may write to.",
        )


def _is_bare(folder: str) -> bool:
    """Whether this is a repository without a work tree."""
    names = ("HEAD", "objects", "refs")
    return all(os.path.exists(os.path.join(folder, name)) for name in names)


def _refuse_nested(root: str, notes: tuple[str, ...]) -> None:
    """Refuse notes that another repository holds: git commits none of its files."""
    folders: set[str] = set()
    for path in notes:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    for folder in sorted(folders):
        if os.path.lexists(os.path.join(root, folder, ".git")):
            there = os.path.join(root, folder)
            held = sum(path.startswith(folder + "/") for path in notes)
            files = counted(held, "markdown file")
            raise NotAVault(
                f"{root} cannot become a vault: {folder} in it is a repository of its "
                f"own, with {files} that the vault could not commit",
                hint=f"Make that folder the vault: memcli init {quote(there)}; "
                "or move it out first.",
            )


def _holds_code(
    root: str, found: tuple[str, str] | None, environ: Mapping[str, str]
) -> bool:
    """Whether a repository, or else the folder itself, is one of code."""
    if found is None:
        names = os.listdir(root) if os.path.isdir(root) else []
        return any(name in _PROJECT for name in names)
    from memcli.storage.git.repository import Repository

    return any(
        path.rpartition("/")[2] in _PROJECT or path.endswith(_SOURCE)
        for path in Repository.open(found[0], environ=environ).files()
        if not path.startswith(".") and "/." not in path
    )
