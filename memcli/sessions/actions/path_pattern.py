"""Whether a path lies where the pattern of a lesson says.

Invariant: pure, and takes time in line with the path and the pattern, which hold no
regular expression. A path is read as the file that it leads to: `src/./db` and
`src/ui/../db` are `src/db`.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_at(path: str, pattern: str) -> bool:
    """Whether a path lies at or below a pattern, which may begin at any folder.

    Capitals count for nothing: a sentence may begin with a file. A pattern has `*` for
    a part of one name and `**` for any number of names.

    >>> is_at("shop/proto/order.proto", "proto/*.proto")
    True
    """
    path, pattern = path.lower(), pattern.lower()
    wanted = [each for each in pattern.removeprefix("./").split("/") if each]
    names = _names(path)
    if not wanted or len(wanted) > 12 or len(names) > 64:
        return False
    if pattern.startswith("/"):
        return _below(names, wanted)
    if "/" not in pattern and not pattern.startswith("*test"):
        return bool(names) and _is_like(names[-1], pattern)
    if len(wanted) == 1 and not pattern.endswith("/"):
        return any(_is_like(name, wanted[0]) for name in names)
    return any(_below(names[at:], wanted) for at in range(len(names)))


def _names(path: str) -> list[str]:
    """The names of a path, without `.` and what `..` takes back."""
    names: list[str] = []
    for each in path.split("/"):
        if each == ".." and names:
            names.pop()
        elif each not in ("", ".", ".."):
            names.append(each)
    return names


def _below(names: list[str], wanted: list[str]) -> bool:
    reached = {0}
    for name in names:
        if len(wanted) in reached:
            return True
        reached = {
            step
            for at in reached
            if at < len(wanted)
            for step in _steps(name, wanted, at)
        }
    return len(wanted) in reached


def _steps(name: str, wanted: list[str], at: int) -> Iterator[int]:
    if wanted[at] == "**":
        yield at
        yield at + 1
    elif _is_like(name, wanted[at]):
        yield at + 1


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name is like a pattern with `*`, in linear time."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    if not name.startswith(first):
        return False
    at = len(first)
    *middle, last = rest
    for part in middle:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(name) - len(last) >= at and name.endswith(last)
