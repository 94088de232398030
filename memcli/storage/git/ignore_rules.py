"""Whether git may ignore a new file, told from the words of its rules, without git.

Invariant: False only when no rule can match the path or a folder above it. A rule that
matches a path has all its literal parts in it, so one whose parts are not all there is
out of the question; of any other, git is to be asked.
"""

from __future__ import annotations

import os
import re

from memcli.storage.git import rule_files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memcli.storage.git.work_tree import WorkTree

_WILD = re.compile(r"[*?]+")


def may_ignore(tree: WorkTree, path: str) -> bool:
    """Whether a rule may concern this path; True where that cannot be told.

    The path is relative to the top of the work tree.
    """
    if tree.settings.get("core.ignorecase", "").lower() not in ("", "false"):
        return True
    whole = f"/{path}/"
    setting = tree.settings.get("core.excludesfile")
    own = rule_files.of_user(setting, "ignore", tree.top, tree.env)
    if own is None:
        return True
    places = [
        (os.path.join(tree.top, folder, ".gitignore"), False)
        for folder in rule_files.folders_above(path)
    ]
    places.append((os.path.join(tree.git_dir, "info", "exclude"), True))
    if own:
        places.append((own, True))
    for place, follow in places:
        rules = rule_files.lines(place, follow=follow)
        if rules is None or any(_may_match(rule, whole) for rule in rules):
            return True
    return False


def _may_match(rule: str, path: str) -> bool:
    """Whether a rule has all its literal parts in a path, or none to tell by."""
    rule = rule.rstrip(" \r")  # a space at its beginning is part of a rule
    if not rule or rule[0] in "#!":
        return False
    if "\\" in rule or "[" in rule or "\0" in rule:
        return True
    parts = [part for part in _WILD.split(rule) if part]
    return all(part in path for part in parts)
