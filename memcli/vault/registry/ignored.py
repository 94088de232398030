"""Names that a review called no entity: one file, a name a line.

Invariant: adding and removing a name changes no other line.
"""

from __future__ import annotations

from memcli.entries import layout
from memcli.entries.text.mentions import fold
from memcli.errors import MemcliError
from memcli.storage import files
from memcli.storage.vault_paths import inside


def ignored_names(root: str) -> dict[str, str]:
    """Folded form -> name, of each name that is no entity."""
    try:
        text = files.read(inside(root, layout.IGNORED_NAMES)).decode()
    except (MemcliError, UnicodeDecodeError):
        return {}
    lines = (line.strip() for line in text.splitlines())
    return {fold(line): line for line in lines if line and line[0] != "#"}


def with_name(data: bytes | None, name: str) -> bytes:
    """The file of ignored names with one more."""
    head = b"# Names that are no entities, one a line; memcli entities ignore NAME\n"
    before = head if data is None else data
    if before and not before.endswith(b"\n"):
        before += b"\n"
    return before + name.encode() + b"\n"


def without_names(data: bytes, forms: set[str]) -> bytes:
    """The file of ignored names without those of these folded forms."""
    lines = data.decode().splitlines(keepends=True)
    return "".join(line for line in lines if fold(line) not in forms).encode()
