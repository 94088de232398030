"""Where git finds its ignore rules and attributes, and how it splits their lines.

Invariant: a file that git reads for a path is named here, or the answer is that only
git can tell. Lines are split as git splits them, so that no rule hides in another one.
"""

from __future__ import annotations

import os

from memcli.errors import Unreadable
from memcli.storage import files
from memcli.storage.git.process import program

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LARGEST = 1_000_000  # bytes of a file of rules
# git's words for true in an environment variable.
_TRUE = ("1", "true", "yes", "on")


def lines(place: str, *, follow: bool = True) -> list[str] | None:
    """The lines of a file of rules, none if it is missing; None if only git can tell.

    Args:
        place: the path of the file.
        follow: whether git follows a symbolic link there; in a work tree it does not.
    """
    try:
        data = files.read(place, limit=_LARGEST, follow=follow)
    except Unreadable as error:
        return [] if isinstance(error.__cause__, FileNotFoundError) else None
    try:
        # git passes over a byte order mark, and ends a line at "\n" alone.
        return data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        return None


def folders_above(path: str) -> Iterator[str]:
    """The folders that a path lies in, from the top on: "", "a/", "a/b/".

    >>> list(folders_above("a/b/c.md"))
    ['', 'a/', 'a/b/']
    """
    at = 0
    while True:
        yield path[:at]
        at = path.find("/", at) + 1
        if not at:
            return


def of_user(
    setting: str | None, name: str, top: str, env: Mapping[str, str]
) -> str | None:
    """The user's own file of rules; "" where there is none, None if only git can tell.

    Args:
        setting: the value of `core.excludesFile` or `core.attributesFile`, if set.
        name: how git calls the file otherwise: "ignore" or "attributes".
        top: the work tree, in which git runs.
        env: the environment of git.
    """
    home = env.get("HOME")
    if setting is None:
        base = env.get("XDG_CONFIG_HOME") or (home and os.path.join(home, ".config"))
        if base:
            return os.path.join(top, base, "git", name)
        return None if home == "" else ""
    if not setting:
        return ""
    if setting.startswith("~/"):
        return os.path.join(top, home, setting[2:]) if home else None
    # Another user's home, the place where git is installed, a file that may be missing.
    if setting.startswith(("~", "%(", ":(")):
        return None
    return os.path.join(top, setting)


def of_system(env: Mapping[str, str]) -> Iterator[str]:
    """The files of attributes for all users of a machine, where git may look for them.

    git was told at its build where `etc` is: in its own prefix, or in /etc.
    """
    if env.get("GIT_ATTR_NOSYSTEM", "").lower() in _TRUE:
        return
    git = program(env)
    prefixes = {"/"}
    for found in (git, os.path.realpath(git)):
        prefix = os.path.dirname(os.path.dirname(found))
        prefixes |= {prefix, os.path.dirname(prefix)}
    for prefix in prefixes:
        yield os.path.join(prefix, "etc", "gitattributes")
