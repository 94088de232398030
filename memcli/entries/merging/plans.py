"""What a merge of three trees starts from, and what it decides, as values.

Invariant: pure. A tree maps vault-relative paths to blobs, as git names them;
bytes are read through the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memcli.named_tuple import NamedTuple


class Blob(NamedTuple):
    """A file of a tree, as git names it: `mode` in octal digits, `oid` of its bytes."""

    mode: str
    oid: str


def _never(_: str) -> int:
    return 0


class Side(NamedTuple):
    """One of the two clones.

    Attributes:
        name: for people, such as the machine's.
        files: all its files, by vault-relative path.
        changed: gives for a path the epoch seconds of the commit that changed it last;
            it is asked only where both sides changed the same file.
    """

    name: str
    files: Mapping[str, Blob]
    changed: Callable[[str], int] = _never


class MergeNote(NamedTuple):
    """What was decided on one file, in a part of a sentence.

    `eyes` says whether a person should look; `kept` is the path of the text that gave
    way, if there is one; `id` is empty for a file that is no entry.
    """

    path: str
    id: str
    title: str
    what: str
    eyes: bool
    kept: str = ""


class MergePlan(NamedTuple):
    """What a merge makes of our side.

    Attributes:
        put: what these paths hold afterwards: a blob of one of the trees, or new bytes
            (mode 100644).
        gone: paths of ours that hold nothing afterwards.
        notes: what was decided, by path.
        merged: how many files both sides had changed.
    """

    put: dict[str, Blob | bytes]
    gone: list[str]
    notes: list[MergeNote]
    merged: int


Read = Callable[[Sequence[Blob]], Sequence[bytes]]
