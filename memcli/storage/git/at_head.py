"""Whether HEAD holds files as they are to be committed, mostly told without git.

Invariant: reads only; False only where a commit of these files changes something. A
file whose bytes git does not keep yet is such a change, which nearly every save is;
of any other, git is asked. That is a person's who has staged something else.
"""

from __future__ import annotations

import os
import struct

from memcli.entries import identity
from memcli.storage.git.process import run

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.storage.git.work_tree import WorkTree

# The index of a pack, by gitformat-pack(5): a head, how many ids have a first byte up
# to each of 256, the ids in order.
_HEAD = b"\xfftOc\0\0\0\2"
_COUNTS = struct.Struct(">256I")
_ID = 20


def may_hold(tree: WorkTree, placed: Mapping[str, bytes | None]) -> bool:
    """Whether HEAD holds all of these files as they are; True if only git can tell.

    Args:
        tree: where git is asked.
        placed: by path from its top what a file is to hold, None where it is to be
            gone.
    """
    blobs = {
        path: None if data is None else identity.sha1(b"blob %d\0" % len(data) + data)
        for path, data in placed.items()
    }
    objects = os.path.join(tree.git_dir, "objects")
    if any(blob and not _may_keep(objects, blob) for blob in blobs.values()):
        return False
    literal = (f":(literal){path}" for path in placed)
    done = run(tree.top, tree.env, ("ls-tree", "-z", "HEAD", "--", *literal))
    if done.code:
        return True
    held = set(done.printed.split(b"\0")) - {b""}
    wanted = {
        b"100644 blob %s\t%s" % (blob.hex().encode(), os.fsencode(path))
        for path, blob in blobs.items()
        if blob
    }
    return held == wanted


def _may_keep(objects: str, blob: bytes) -> bool:
    """Whether git may keep an object of this id, loose, in a pack or elsewhere."""
    name = blob.hex()
    if os.path.lexists(os.path.join(objects, name[:2], name[2:])):
        return True
    if os.path.lexists(os.path.join(objects, "info", "alternates")):
        return True
    packs = os.path.join(objects, "pack")
    try:
        return any(
            _may_list(os.path.join(packs, each), blob)
            for each in os.listdir(packs)
            if each.endswith(".idx")
        )
    except FileNotFoundError:
        return False
    except (OSError, struct.error):
        return True


def _may_list(index: str, blob: bytes) -> bool:
    """Whether the index of a pack may list an id.

    Raises:
        OSError, struct.error: it cannot be read.
    """
    with open(index, "rb", buffering=0) as file:
        head = file.read(len(_HEAD) + _COUNTS.size)
        if not head.startswith(_HEAD):
            return True
        counts = (0, *_COUNTS.unpack_from(head, len(_HEAD)))
        first, after = counts[blob[0]], counts[blob[0] + 1]
        file.seek(len(head) + first * _ID)
        return blob in file.read(max(0, after - first) * _ID)
