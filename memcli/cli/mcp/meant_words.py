"""Words that models give for the value of a parameter, with what they mean.

Invariant: a word stands here only if it can mean nothing else in its place.
"""

from __future__ import annotations

from memcli.entries import entry

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping

_BUDGETS = {
    **dict.fromkeys(("medium", "normal", "default"), "mid"),
    "small": "low",
    "large": "high",
}
_KINDS = {
    **{f"{kind}{'es' if kind == 'fix' else 's'}": kind for kind in entry.KINDS},
    "user_preference": "preference",
    "todo": "action",
}
_TYPES = {
    "user": "person",
    "people": "person",
    **{f"{name}s": name for name in (*map(str, entry.Layer), "project", "tool")},
}
_PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "budget": _BUDGETS,
    "kinds": _KINDS,
    # A fact is a layer; a claim without a kind is a note.
    "kind": {**_KINDS, "fact": "note", "facts": "note"},
    "type": _TYPES,
    "types": _TYPES,
    "project": {"all": "any", "*": "any", "global": "none"},
}
# What is saved for all projects holds everywhere; what is asked of all is in any.
_WRITES = ("save", "evolve")
_EVERYWHERE = dict.fromkeys(("global", "everywhere", "all", "any", "*"), "none")


def meant(command: str, parameter: str, word: str) -> str:
    """What a word means as the value of a command's parameter; itself if no other.

    >>> meant("recall", "budget", "medium")
    'mid'
    """
    words = _PARAMETERS.get(parameter, {})
    if parameter == "project" and command in _WRITES:
        words = _EVERYWHERE
    return words.get(word.strip().lower(), word)
