"""Whether git's attributes leave the bytes of files alone, told without git.

Invariant: True only when every file of attributes that git reads for these paths holds
nothing but attributes that change no bytes. A filter that encrypts files is one that
changes them: what memcli committed past it would be clear text.
"""

from __future__ import annotations

import os
import re

from memcli.errors import Unreadable
from memcli.storage import files
from memcli.storage.git import index_bytes, rule_files
from memcli.storage.git.index_lock import LARGEST

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.storage.git.work_tree import WorkTree

_PLAIN = frozenset(
    {"-text", "diff", "-diff", "merge", "-merge", "merge=memcli", "binary"}
)
_NAME = ".gitattributes"
# What separates words, by git; other white space belongs to a word.
_BLANK = " \t\r"
_BLANKS = re.compile(f"[{_BLANK}]+")


def keep_bytes(tree: WorkTree, paths: Iterable[str]) -> bool:
    """Whether git stores the bytes of these files as they are.

    The paths are relative to the top of the work tree.
    """
    setting = tree.settings.get("core.attributesfile")
    own = rule_files.of_user(setting, "attributes", tree.top, tree.env)
    if own is None:
        return False
    info = os.path.join(tree.git_dir, "info", "attributes")
    outside = (*rule_files.of_system(tree.env), *([own] if own else []), info)
    if not all(_are_plain(rule_files.lines(place)) for place in outside):
        return False
    names = {
        folder + _NAME for path in paths for folder in rule_files.folders_above(path)
    }
    places = {name: os.path.join(tree.top, name) for name in names}
    if not all(
        _are_plain(rule_files.lines(place, follow=False)) for place in places.values()
    ):
        return False
    gone = [name for name, place in places.items() if not os.path.lexists(place)]
    return not _index_has(tree.git_dir, gone)


def _are_plain(lines: list[str] | None) -> bool:
    """Whether these lines of a file of attributes leave the bytes of files alone."""
    if lines is None:
        return False
    rows = (line.strip(_BLANK) for line in lines)
    rules = [_BLANKS.split(row) for row in rows if row and row[0] != "#"]
    return all(_PLAIN.issuperset(words[1:]) for words in rules)


def _index_has(git_dir: str, names: Iterable[str]) -> bool:
    """Whether the index may hold one of these files, which git then reads instead."""
    try:
        index = files.read(os.path.join(git_dir, "index"), limit=LARGEST)
    except Unreadable:
        return True
    return index_bytes.may_hold(index, map(os.fsencode, names))
