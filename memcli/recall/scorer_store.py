"""The scorer of a vault: stored with its other derived data, used by every recall.

Invariant: the file may be deleted at any time; recall then ranks without it. A broken
file, or one of another version, is a warning and never an error. Reading it loads no
library; only `train` needs scikit-learn.
"""

from __future__ import annotations

import os

from memcli.entries import layout
from memcli.errors import MemcliError, Unreadable
from memcli.named_tuple import NamedTuple
from memcli.storage import files, state_dirs

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memcli.recall.scorer import Scorer

# A scorer is two kilobytes.
_LARGEST = 1_000_000
_AGAIN = "memcli signals --train makes a new one"


class Stored(NamedTuple):
    """The scorer of a vault, if it has one; `problem` says why it cannot be used."""

    scorer: Scorer | None = None
    problem: str | None = None

    @property
    def active(self) -> Scorer | None:
        """The scorer, when it takes part."""
        scorer = self.scorer
        return scorer if scorer is not None and scorer.takes_part else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: `trained`, `problem`, and what `Scorer.as_dict` says."""
        fields = {"trained": self.scorer is not None, "problem": self.problem}
        return fields | ({} if self.scorer is None else self.scorer.as_dict())


NOTHING = Stored()


def load(root: str) -> Stored:
    """The scorer of the vault at `root`; never raises.

    Without a file it costs one look for it, a tenth of a failed `files.read`.
    """
    path = path_of(root)
    try:
        os.lstat(path)
    except FileNotFoundError:
        return NOTHING
    except OSError:
        pass  # `files.read` says it better
    try:
        data = files.read(path, limit=_LARGEST)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return NOTHING
        why = error.message.removeprefix(f"{path}: ")
        return Stored(problem=f"{path}: {why}; ranked without it")
    import json

    from memcli.recall import scorer

    try:
        return Stored(scorer.decoded(json.loads(data)))
    except (ValueError, RecursionError) as error:
        problem = f"{path} is not usable: {error}; ranked without it; {_AGAIN}"
        return Stored(problem=problem)


def train(
    root: str, pairs: Iterable[Mapping[str, Any]], *, dry_run: bool = False
) -> Scorer:
    """Train a scorer from a vault's log, and store it, whether it takes part or not.

    Args:
        root: the vault.
        pairs: as `signals.pairs` makes them of its log.
        dry_run: store nothing.

    Raises:
        MemcliError: scikit-learn is not installed (`not_installed`).
        WriteFailed: the disk refused; the stored scorer is as it was.
    """
    import json

    from memcli.recall import scorer_training

    try:
        trained = scorer_training.train(pairs)
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
        text = json.dumps(trained.as_dict(), indent=1, ensure_ascii=True)
        files.write_atomic(path, text.encode() + b"\n")
    return trained


def path_of(root: str) -> str:
    """The file of a vault's scorer."""
    return state_dirs.path(root, layout.SCORER)
