"""The entry point: reads plain command lines at once, hands the rest to Typer.

Invariant: `parse` either understands a whole command line exactly as Typer would, or
gives up; it never reports a mistake itself. tests/cli/test_argv.py holds the two
against each other.

`import typer` costs 5 times a bare Python, a recall over 10,000 entries in all 8
times; so this module loads nothing that a plain command does not use.
"""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from memcli.cli import flags


def main() -> None:
    """Run the process's command line and exit."""
    # A command lives for a moment: collecting garbage after every 700 objects costs
    # a recall 5 of its 75 ms, and taking the process apart at its end 5 more.
    gc.set_threshold(100_000)
    _defer_hashlib()
    words = sys.argv[1:]
    if words[:1] == ["hook"] and not {"--help", "-h"} & set(words):
        from memcli.sessions.hooks import call

        call.main(words[1:])
    if words[:1] in (["inspect"], ["review"]):
        from memcli.cli import former

        code = former.run(words[0], words[1:])
        if code is not None:
            leave(code)
    if words and words[0] in flags.FLAGS:
        values = parse(words[0], words[1:])
        if values is not None:
            from memcli.cli.run import run

            leave(run(words[0], values))
    from memcli.cli.app import main as typer_main

    sys.exit(typer_main(words))


def _defer_hashlib() -> None:
    """Let `hashlib` load when it is used: with it comes OpenSSL, which costs 2 to 6 ms.

    Whoosh wants one function of it, which Python has in a module of its own.
    """
    if "hashlib" in sys.modules:
        return
    stand_in = type(sys)("hashlib")

    def real(name: str) -> Any:
        if name.startswith("__"):  # the import system asks whether it is a package
            raise AttributeError(name)
        if sys.modules.get("hashlib") is stand_in:
            del sys.modules["hashlib"]
        import hashlib

        return getattr(hashlib, name)

    def md5(*given: Any, **options: Any) -> Any:
        try:
            own = __import__("_md5").md5
        except ImportError:  # Python was built without
            own = real("md5")
        return own(*given, **options)

    vars(stand_in).update(__getattr__=real, md5=md5)
    sys.modules["hashlib"] = stand_in


def leave(code: int) -> NoReturn:
    """End the process at once, with everything that was said written out."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            pass  # the reader has seen enough
        except (OSError, ValueError):
            code = code or 1  # a full disk behind a redirection, a closed stream
    os._exit(code)


def parse(name: str, words: list[str]) -> dict[str, Any] | None:
    """Read the words behind a command's name.

    Returns:
        The parameters that the words give, by name; None when it takes Typer to read
        them.
    """
    return read(words, flags.FLAGS[name], flags.WORDS[name])


def read(
    words: list[str],
    known: Mapping[str, flags.Flag],
    arguments: Sequence[flags.Word],
) -> dict[str, Any] | None:
    """Read words by the tables of a command; see `parse`."""
    values: dict[str, Any] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            plain.extend(rest)
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        flag, equals, text = word.partition("=")
        if flag not in known:
            return None
        parameter, kind, repeat, choices = known[flag]
        if kind is bool:
            if equals:
                return None
            values[parameter] = True
            continue
        if not equals:
            text = next(rest, "--")
            if text.startswith("-"):
                return None
        # Digits only: what else int() takes (1_000, Arabic digits) is Typer's.
        if kind is not str and not (text.isascii() and text.isdigit()):
            return None
        if choices and text not in choices:
            return None
        if repeat:
            values.setdefault(parameter, []).append(text)
        else:
            values[parameter] = kind(text)
    return values if _place(values, plain, arguments) else None


def _place(
    values: dict[str, Any], plain: list[str], arguments: Sequence[flags.Word]
) -> bool:
    """Give the words without a flag to the arguments; whether all fit."""
    for parameter, required, repeat, choices in arguments:
        if required and not any(plain[:1]):
            return False
        taken = plain if repeat else plain[:1]
        plain = plain[len(taken) :]
        if choices and not set(taken) <= set(choices):
            return False
        if taken:
            values[parameter] = taken if repeat else taken[0]
    return not plain


if __name__ == "__main__":
    main()
