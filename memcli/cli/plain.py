"""Reads plain command lines: flags, values, arguments.

Invariant: a whole command line is understood exactly as Typer would, or given up; a
mistake is never reported here. tests/cli/test_argv.py holds the two against each other.
"""

from __future__ import annotations

from memcli.cli import flags
from memcli.cli.commands import ALIASES

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.declared import Parameter


# What every command takes may stand before its name as well; whether it takes a value.
EVERYWHERE = {
    "--vault": True,
    "-v": True,
    "--agent": True,
    "--json": False,
    "--header": False,
}


def in_order(words: list[str]) -> list[str]:
    """The words of a command line with the command's own name first.

    >>> in_order(["--vault", "work", "search", "deploys"])
    ['recall', '--vault', 'work', 'deploys']
    """
    at = 0
    while at < len(words):
        flag, equals, _ = words[at].partition("=")
        if flag not in EVERYWHERE:
            break
        at += 2 if EVERYWHERE[flag] and not equals else 1
    first, rest = words[:at], words[at:]
    if rest == ["help", "--all"]:
        return rest
    if rest[:1] == ["help"]:
        return [*(ALIASES.get(word, word) for word in rest[1:2]), "--help"]
    if rest in (["version"], ["-V"]):
        return ["--version"]
    if not rest or rest[0].startswith("-"):
        return words  # a mistake, or --help
    name = ALIASES.get(rest[0], rest[0])
    return [name, *first, *(_dropping(rest[1:]) if name == "tag" else rest[1:])]


def _dropping(words: list[str]) -> list[str]:
    """The words of `memcli tag` with `--untag=x` for `-x`, which looks like a flag."""
    known = flags.flags("tag")
    read: list[str] = []
    for number, word in enumerate(words):
        if word == "--":
            return [*read, *words[number:]]
        drops = word[:1] == "-" and word[1:2] not in ("", "-")
        drops = drops and word not in known and word != "-h"
        read.append(f"--untag={word[1:]}" if drops else word)
    return read


def parse(name: str, words: list[str]) -> dict[str, Any] | None:
    """Read the words behind a command's name.

    Returns:
        The parameters that the words give, by name; None when it takes Typer to read
        them.
    """
    known = flags.flags(name)
    values: dict[str, Any] = {}
    loose: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            loose.extend(rest)
            break
        if not word.startswith("-") or word == "-":
            loose.append(word)
            continue
        flag, equals, text = word.partition("=")
        if flag not in known:
            return None
        one = known[flag]
        # To Typer the sign belongs to the value of a short flag.
        if equals and (one.kind is bool or not flag.startswith("--")):
            return None
        if one.kind is bool:
            values[one.name] = True
            continue
        if not equals:
            text = next(rest, "--")
            if text.startswith("-"):
                return None
        # Digits only: what else int() takes (1_000, Arabic digits) is Typer's.
        if one.kind is not str and not (text.isascii() and text.isdigit()):
            return None
        if one.choices and text not in one.choices:
            return None
        if one.repeat:
            values.setdefault(one.name, []).append(text)
        else:
            values[one.name] = one.kind(text)
    return values if _place(values, loose, flags.words(name)) else None


def _place(
    values: dict[str, Any], loose: list[str], arguments: Sequence[Parameter]
) -> bool:
    """Give the words without a flag to the arguments; whether all fit."""
    for one in arguments:
        if one.required and not any(loose[:1]):
            return False
        taken = loose if one.repeat else loose[:1]
        loose = loose[len(taken) :]
        if one.choices and not set(taken) <= set(one.choices):
            return False
        if taken:
            values[one.name] = taken if one.repeat else taken[0]
    return not loose
