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
from typing import Any, NoReturn

from memcli.cli import spec


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
    if words and words[0] in spec.COMMANDS:
        command = spec.load(words[0])
        values = parse(words[1:], command)
        if values is not None:
            from memcli.cli.run import run

            leave(run(command, values))
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


def parse(words: list[str], command: spec.Command) -> dict[str, Any] | None:
    """The values of a command line, or None when it takes Typer to understand it."""
    options = {flag: option for option in command.options for flag in option.flags}
    values = defaults(command)
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
        option = options.get(flag)
        if option is None or not flag.startswith("--"):
            return None
        if option.kind is bool:
            if equals:
                return None
            values[option.name] = True
            continue
        if not equals:
            text = next(rest, "--")
            if text.startswith("-"):
                return None
        if not _take(values, option, text):
            return None
    return values if _place(values, plain, command.arguments) else None


def defaults(command: spec.Command) -> dict[str, Any]:
    """The values of a command line without any words."""
    values: dict[str, Any] = {
        option.name: [] if option.repeat else option.default
        for option in command.options
    }
    for argument in command.arguments:
        values[argument.name] = [] if argument.repeat else None
    return values


def _take(values: dict[str, Any], option: spec.Option, text: str) -> bool:
    value: Any = text
    if option.kind in (int, float):
        # Digits only: what else int() takes (1_000, Arabic digits) is Typer's.
        if not (text.isascii() and text.isdigit()):
            return False
        value = option.kind(text)
    if option.choices and value not in option.choices:
        return False
    if option.repeat:
        values[option.name].append(value)
    else:
        values[option.name] = value
    return True


def _place(
    values: dict[str, Any], plain: list[str], arguments: tuple[spec.Argument, ...]
) -> bool:
    for argument in arguments:
        if argument.repeat:
            values[argument.name], plain = plain, []
        elif plain:
            values[argument.name] = plain.pop(0)
        if argument.required and not values[argument.name]:
            return False
    return not plain


if __name__ == "__main__":
    main()
