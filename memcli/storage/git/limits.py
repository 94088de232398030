"""How much of a remote's changes a vault takes at once.

Invariant: pure. What is above a limit is refused before it is read, with its name, and
git pull takes it all the same: the limits keep a stranger from filling the memory, and
a person from waiting for a lock for hours.
"""

from __future__ import annotations

from memcli.entries.text.counted import counted
from memcli.errors import TooLarge
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a merge may read and write at once, in bytes. It is held in memory, and several
# times over while the journal is written: bytes, text and JSON.
MOST_BYTES = 200_000_000
# What a vault goes to at once; 100,000 new files took three minutes on a busy machine
# of two cores, during which the vault is locked.
MOST_FILES = 250_000

_HINT = (
    "Nothing was changed here. Take it out of the remote with git, or take it all the "
    "same: git pull"
)


def refuse_sizes(sizes: Sequence[int], paths: Sequence[str] = ()) -> None:
    """Refuse files that are too large, alone or together.

    Args:
        sizes: in bytes.
        paths: the name of each, where they are known.

    Raises:
        TooLarge: as the remote's changes are.
    """
    largest = max(sizes, default=0)
    if largest > files.LARGEST:
        what = paths[sizes.index(largest)] if paths else "a file"
        said = f"{what} of {largest:,} bytes (at most {files.LARGEST:,})"
    elif sum(sizes) > MOST_BYTES:
        said = f"{sum(sizes):,} bytes that differ (at most {MOST_BYTES:,})"
    else:
        return
    raise TooLarge(
        f"the remote's changes hold more than a vault may: {said}", hint=_HINT
    )


def refuse_count(count: int) -> None:
    """Refuse to go to a commit in which so many files differ.

    Raises:
        TooLarge: as the remote's changes are.
    """
    if count > MOST_FILES:
        raise TooLarge(
            "the remote's changes hold more than a vault may: "
            f"{counted(count, 'changed file')} (at most {MOST_FILES:,})",
            hint=_HINT,
        )
