"""Every path name of a vault.

Invariant: paths here are vault-relative, in POSIX form. A path literal in any other
module is a bug.
"""

from __future__ import annotations

# Not from `typing`, which costs more than a bare Python: a hook asks before each edit.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from memcli.entries.entry import Entry

CONFIG = ".memcli/config.toml"
# memcli's own files about a vault. They lie outside the working tree:
# `storage.state_dirs` says where.
INDEX = "index"
INDEX_LOCK = "index.lock"
REGISTRY_CACHE = "registry"
LOCK = "lock"
JOURNAL = "journal"
SYNC_LOCK = "sync.lock"
SYNC_STATE = "sync.json"
SYNC_NEWS = "sync-news"
SYNC_RULES = "sync-rules.json"
SESSIONS = "sessions"
HOOK_LOG = "hooks.log"
RESEARCH = "research"
RESEARCH_LOCK = "research.lock"
EVENTS = "signals.db"
SCORER = "scorer.json"
HARNESS = ".harness"

MEMORIES = "memories"
MODELS = "models"
REFLECTIONS = "reflections"
INBOX = "inbox"
ENTITIES = "entities"
IDEAS = "ideas"
ARCHIVE = "archive"

README = "README.md"
IDEA = "idea"
"""The kind of what waits in `IDEAS`, and not in the inbox, until it is decided on."""

# Types of the registry: only these folders below entities/ are memcli's own, so
# that an adopted folder may have an `entities/` of notes.
_REGISTRY = tuple(
    f"{ENTITIES}/{kind}/"
    for kind in (
        "person", "project", "system", "tool", "concept", "skill", "task", "unknown",
    )
)  # fmt: skip

FOREIGN = frozenset(
    {"node_modules", "bower_components", "jspm_packages", "site-packages"}
)
"""Folders that package managers fill: no file in one, at any depth, is an entry."""


def is_entry(path: str) -> bool:
    """Whether a markdown file at this path is an entry.

    Every `*.md` file is one, in any folder, except the pages that memcli
    writes for people (the vault's README, the registry), what a package manager
    installed, and paths of more than one line.
    """
    if not path.endswith(".md") or path == README or is_odd(path):
        return False
    is_foreign = not FOREIGN.isdisjoint(path.split("/"))
    return not (is_foreign or path.startswith(_REGISTRY))


def is_odd(path: str) -> bool:
    """Whether a path holds a line break or another control character.

    It would begin a line of its own in an answer, which a reader takes for memcli's.
    """
    return not path.isprintable() and any(
        letter < " " or "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029"
        for letter in path
    )


_OWN = frozenset(
    {
        CONFIG.partition("/")[0],
        MEMORIES, MODELS, REFLECTIONS, INBOX, ENTITIES, IDEAS, ARCHIVE,
        *(folder.rstrip("/") for folder in _REGISTRY),
    }
)  # fmt: skip


def is_own_folder(path: str, kinds: Collection[str] | None = None) -> bool:
    """Whether memcli keeps files in a folder at this path, so that it is no file.

    Args:
        path: of the vault.
        kinds: those of the vault; without them every name is taken for one.

    >>> is_own_folder("memories"), is_own_folder("memories/note/2026/11")
    (True, True)
    >>> is_own_folder("memories/plan.pdf"), is_own_folder("docs")
    (False, False)
    """
    if path in _OWN:
        return True
    first, *rest = path.removeprefix(ARCHIVE + "/").split("/")
    if first != MEMORIES or len(rest) > 3:
        return False
    dated = all(part.replace("-", "").isdecimal() for part in rest[1:])
    if not rest or not dated:
        return dated
    return "." not in rest[0] if kinds is None else rest[0] in kinds


def registry_folder(kind: str) -> str:
    """The folder of the registered entities of a type."""
    return f"{ENTITIES}/{kind}"


def registered_type(path: str) -> str | None:
    """The type that a registry file has by its folder, None for any other path."""
    is_page = path.startswith(_REGISTRY) and path.endswith(".md")
    return path.split("/")[1] if is_page else None


ROOMY = 100
"""So many files a month's folder holds before the next one is begun.

A commit writes the list of each folder on its way anew, 55 bytes a name: with 10,000
notes in one folder a save left 556 KB in git. Fewer names would need more folders, and
each is listed by every command.
"""

# memcli has numbered no month's folder with more digits.
_DIGITS = 5


def folder_for(entry: Entry) -> str:
    """The folder where a new entry is written: of a memory that of its month."""
    if entry.status == "pending":
        return IDEAS if entry.kind == IDEA else INBOX
    if entry.item is not None:
        return REFLECTIONS
    if entry.layer == "model":
        return MODELS
    return month_folder(f"{MEMORIES}/{entry.kind}", entry.created)


def is_waiting(path: str) -> bool:
    """Whether what waits for a decision lies here, and moves once there is one."""
    return path.startswith((f"{INBOX}/", f"{IDEAS}/"))


def month_folder(folder: str, created: str) -> str:
    """The folder of a month below another; that one itself without a date.

    >>> month_folder("memories/note", "2026-11-21T09:30:00Z")
    'memories/note/2026/11'
    """
    year, month = created[:4], created[5:7]
    dated = len(year) == 4 and len(month) == 2 and (year + month).isdecimal()
    return f"{folder}/{year}/{month}" if dated and created.isascii() else folder


def is_month(folder: str) -> bool:
    """Whether this is the first folder of a month, in the archive or not."""
    parts = folder.removeprefix(ARCHIVE + "/").split("/")
    if len(parts) != 4 or parts[0] != MEMORIES:
        return False
    return month_folder("", f"{parts[2]}-{parts[3]}") == f"/{parts[2]}/{parts[3]}"


def month_part(folder: str, number: int) -> str:
    """The second, third, ... folder of a month, beside the first.

    >>> month_part("memories/note/2026/11", 2)
    'memories/note/2026/11-2'
    """
    return f"{folder}-{number}"


def part_of(month: str, name: str) -> int:
    """The number of a folder among those of a month, 0 for any other name.

    >>> part_of("11", "11-2"), part_of("11", "11-notes"), part_of("11", "12-2")
    (2, 0, 0)
    """
    number = name.removeprefix(month + "-")
    short = number != name and len(number) <= _DIGITS and number.isascii()
    return int(number) if short and number.isdecimal() else 0


def archived(path: str, entry_id: str) -> str:
    """The archive path of a version that was replaced: its path, marked with its id.

    The id keeps the name unique, also where two vaults are merged.
    """
    return f"{ARCHIVE}/{path.removesuffix('.md')}.{entry_id}.md"


def is_archived(path: str) -> bool:
    """Whether a path lies in the archive."""
    return path.startswith(ARCHIVE + "/")


def before_archive(path: str) -> str:
    """The path that an archived file had before; any other path unchanged."""
    if not is_archived(path):
        return path
    stem, dot, entry_id = path.removesuffix(".md").rpartition(".")
    inner = stem if dot and len(entry_id) == 16 else path.removesuffix(".md")
    return inner.removeprefix(ARCHIVE + "/") + ".md"


def numbered(stem: str, ending: str = ".md") -> Iterator[str]:
    """A name, then the same with a number from 2 on."""
    from itertools import count

    yield stem + ending
    for number in count(2):
        yield f"{stem}-{number}{ending}"


class Places:
    """The places of a vault that are taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in taken:
            self._add(path)

    def take(self, path: str) -> str:
        """Take this place, or a numbered one beside it where it is not free."""
        from posixpath import splitext

        *folders, name = path.split("/")
        place = ""
        for folder in folders:
            place = self._free(place, folder, "", self._files) + "/"
        stem, ending = splitext(name)
        place = self._free(place, stem, ending, self._files, self._folders)
        self._add(place)
        return place

    def _add(self, path: str) -> None:
        folder = _folded(path)
        self._files.add(folder)
        while folder not in self._folders and "/" in folder:
            folder = folder.rpartition("/")[0]
            self._folders.add(folder)

    def _free(self, folder: str, stem: str, ending: str, *taken: set[str]) -> str:
        """The name below a folder, with a number where one of these has it."""
        places = numbered(folder + stem, ending)
        return next(p for p in places if not any(_folded(p) in has for has in taken))


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", path).casefold())
