"""The scorer of a vault: kept beside its other derived data, used by every recall.

Invariant: what is kept may be deleted at any time, and then recall is what it was
without it; a file that is broken, or of another version, is a warning and never an
error. Reading it loads no library; only `train` needs scikit-learn.
"""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.entries import layout
from memcli.errors import MemcliError, Unreadable
from memcli.storage import files

if TYPE_CHECKING:
    from memcli.recall.scorer import Scorer

# A scorer is two kilobytes.
_LARGEST = 1_000_000
_AGAIN = "memcli signals --train makes a new one"


class Kept(NamedTuple):
    """What is kept of a vault's scorer; `problem` says why it cannot be used."""

    scorer: "Scorer | None" = None
    problem: str | None = None

    @property
    def active(self) -> "Scorer | None":
        """The scorer, when it takes part."""
        found = self.scorer
        return found if found is not None and found.takes_part else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: `trained`, `problem`, and what `Scorer.as_dict` says."""
        fields = {"trained": self.scorer is not None, "problem": self.problem}
        return fields | ({} if self.scorer is None else self.scorer.as_dict())


NOTHING = Kept()


def kept(root: str) -> Kept:
    """The scorer of the vault at `root`; never raises.

    Nothing at all costs one failed look for the file.
    """
    path = path_of(root)
    try:
        data = files.read(path, limit=_LARGEST)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return NOTHING
        why = error.message.removeprefix(f"{path}: ")
        return Kept(problem=f"{layout.SCORER}: {why}; ranked without it")
    import json

    from memcli.recall import scorer

    try:
        return Kept(scorer.decoded(json.loads(data)))
    except (ValueError, RecursionError) as error:
        problem = f"{layout.SCORER} is of no use: {error}; ranked without it; {_AGAIN}"
        return Kept(problem=problem)


def train(
    root: str, pairs: Iterable[Mapping[str, Any]], *, dry_run: bool = False
) -> "Scorer":
    """Learn from a vault's log, and keep the outcome, whether it takes part or not.

    Args:
        root: the vault.
        pairs: as `signals.pairs` makes them of its log.
        dry_run: keep nothing.

    Raises:
        MemcliError: scikit-learn is not installed (`not_installed`).
        WriteFailed: the disk refused; what was kept is as it was.
    """
    import json

    from memcli.recall import scorer

    try:
        found = scorer.train(pairs)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "scipy", "numpy"):
            raise
        raise MemcliError(
            f"training needs scikit-learn, which is not installed ({error.name})",
            hint="Install it: pip install 'memcli[scorer]'",
            code="not_installed",
        ) from error
    if not dry_run:
        path = path_of(root)
        files.make_folder(os.path.dirname(path))
        text = json.dumps(found.as_dict(), indent=1, ensure_ascii=True)
        files.write_atomic(path, text.encode() + b"\n")
    return found


def path_of(root: str) -> str:
    """Where a vault's scorer is kept."""
    return os.path.join(root, *layout.SCORER.split("/"))
