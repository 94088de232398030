"""Guesses at what was meant: the nearest word, and words of other programs.

Invariant: pure; it is loaded only after a mistake. It names a way only when that way
exists.
"""

from __future__ import annotations

from memcli.cli.commands import ALIASES

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

# What other programs call it.
_ALSO = {
    **ALIASES,
    "remember": "save", "store": "save", "new": "save", "put": "save",
    "find": "recall", "query": "recall", "get": "recall",
    "ask": "recall", "dir": "list", "cat": "show", "view": "show", "print": "show",
    "status": "doctor", "stats": "inspect",
    "info": "inspect", "history": "log", "changes": "log", "revert": "undo",
    "open": "edit", "update": "evolve", "replace": "evolve", "change": "evolve",
    "delete": "forget", "remove": "forget",
    "done": "resolve", "close": "resolve", "solve": "resolve", "fix": "doctor --fix",
    "approve": "review --approve", "reject": "review --reject",
    "health": "doctor", "check": "doctor", "fsck": "inspect lint",
    "mine": "reflect --session", "create": "init", "setup": "install",
    "serve": "mcp", "server": "mcp", "help": "--help",
}  # fmt: skip


def nearest(
    word: str, known: Iterable[str], also: Mapping[str, str] | None = None
) -> str | None:
    """The known word that was most likely meant; None where none is near.

    Args:
        word: what was typed.
        known: the words that there are.
        also: other words for them.
    """
    from difflib import get_close_matches

    words = {name.lower(): name for name in known}
    folded = word.strip().lower()[:60].replace("_", "-")
    if also and folded in also:
        return also[folded]
    begun = [name for name in words if len(folded) > 1 and name.startswith(folded)]
    if len(begun) == 1:
        return words[begun[0]]
    near = get_close_matches(folded, words, 1)
    if near:
        return words[near[0]]
    near = get_close_matches(folded, also or (), 1, 0.8)
    return (also or {})[near[0]] if near else None


def command(
    word: str, commands: Collection[str], topics: Collection[str]
) -> str | None:
    """The command line that an unknown command was meant to be."""
    if word in topics:
        return f"memcli inspect {word}"
    meant = nearest(word, commands, _ALSO)
    if meant:
        return f"memcli {meant}"
    topic = nearest(word, topics)
    return topic and f"memcli inspect {topic}"


# What to do with more words than a command takes.
_MORE_WORDS = {
    "save": "A text of several words needs quotes.",
    "evolve": "A text of several words needs quotes.",
    "init": "A name with spaces needs quotes.",
    "list": "Words are searched by recall, not by list.",
    "undo": "Each call takes one change back.",
    "log": "How many are shown is -n N.",
    "install": "Name one host at a time.",
    "uninstall": "Name one host at a time; --all takes every one.",
    "import": "Name one file or folder at a time.",
    "export": "The file is named by --out FILE.",
    "view": "The file is named by --out FILE.",
}


def way(name: str, message: str, words: Sequence[str]) -> str | None:
    """A sentence about what goes instead of a mistake in a command's words.

    Args:
        name: of the command; "" for an unknown one.
        message: what is wrong, as Typer says it.
        words: the command line, the command's name first.
    """
    if message.startswith("Got unexpected extra argument"):
        return _MORE_WORDS.get(name)
    if message.startswith("No such option"):
        if any(word.startswith("-") and " " in word for word in words):
            return (
                f'A text that begins with - stands behind --: memcli {name} -- "-...".'
            )
        if name == "install" and "--all" in words:
            return _MORE_WORDS[name]
    return None
