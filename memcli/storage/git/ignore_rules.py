"""Whether git may ignore a new file, told from the words of its rules, without git.

Invariant: False only when no rule can match the path or a folder above it. A rule that
matches a path has all its literal parts in it, so one whose parts are not all there is
out of the question; of any other, git is to be asked.
"""

from __future__ import annotations

import os
import re

from memcli.errors import Unreadable
from memcli.storage import files

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LARGEST = 1_000_000
_WILD = re.compile(r"[*?]+")


def may_ignore(
    top: str,
    git_dir: str,
    path: str,
    settings: Mapping[str, str],
    env: Mapping[str, str],
) -> bool:
    """Whether a rule may concern this path; True where that cannot be told.

    Args:
        top: the work tree.
        git_dir: the repository's git folder.
        path: relative to the work tree.
        settings: those of git, by their names in lower case.
        env: the environment of git.
    """
    if settings.get("core.ignorecase", "").lower() not in ("", "false"):
        return True
    whole = f"/{path}/"
    for place in _places(top, git_dir, path, settings, env):
        try:
            text = files.read(place, limit=_LARGEST).decode()
        except Unreadable as error:
            if isinstance(error.__cause__, FileNotFoundError):
                continue
            return True
        except UnicodeDecodeError:
            return True
        if any(_may_match(rule, whole) for rule in text.splitlines()):
            return True
    return False


def _places(
    top: str,
    git_dir: str,
    path: str,
    settings: Mapping[str, str],
    env: Mapping[str, str],
) -> Iterator[str]:
    """The files of rules that git reads for this path, be they there or not."""
    folder = top
    for name in ("", *path.split("/")[:-1]):
        folder = os.path.join(folder, name) if name else folder
        yield os.path.join(folder, ".gitignore")
    yield os.path.join(git_dir, "info", "exclude")
    home = env.get("HOME", "")
    own = settings.get("core.excludesfile")
    if own is None:
        base = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        yield os.path.join(base, "git", "ignore")
    elif own:
        at_home = home and own.startswith("~/")
        yield os.path.join(home, own[2:]) if at_home else os.path.join(top, own)


def _may_match(rule: str, path: str) -> bool:
    """Whether a rule has all its literal parts in a path, or none to tell by."""
    rule = rule.strip()
    if not rule or rule[0] in "#!":
        return False
    if "\\" in rule or "[" in rule:
        return True
    parts = [part for part in _WILD.split(rule) if part]
    return all(part in path for part in parts)
