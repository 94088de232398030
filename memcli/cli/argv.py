"""The entry point: runs plain command lines at once, hands the rest to Typer.

Invariant: this module loads nothing that a plain command does not use. `import typer`
costs 5 times a bare Python, a recall over 10,000 entries in all 8 times, and
`memcli --help` without it 3.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


def main() -> None:
    """Run the process's command line and exit."""
    # A command lives for a moment: collecting garbage after every 700 objects costs
    # a recall 5 of its 75 ms, and taking the process apart at its end 5 more.
    gc.set_threshold(100_000)
    if sys.argv[1:2] == ["__complete"]:
        from memcli.cli import complete

        complete.main(sys.argv[2:])
        leave(0)
    if sys.argv[1:2] == ["merge-driver"]:
        from memcli.cli import merge_driver

        leave(merge_driver.main(sys.argv[2:], os.getcwd()))
    words = sys.argv[1:]
    if words[:1] == ["sweep"]:  # the word of a timer for what an idle host does
        words = ["hook", "idle", "--host", "claude-code", *words[1:]]
    if words[:1] == ["hook"]:
        hook(words[1:])
    from memcli.cli import commands

    words = commands.in_order(words)
    if words[:1] == ["hook"]:
        hook(words[1:])
    said = ""
    if words in ([], ["--help"], ["-h"], ["help", "--all"]):
        said = commands.overview(whole=words[-1:] == ["--all"])
    elif words in (["--version"], ["-V"], ["version"]):
        from memcli import __version__

        said = f"memcli {__version__}\n"
    if said:
        if sys.stdout is not None:  # it was closed before the start (`>&-`)
            sys.stdout.write(said)
        leave(0)
    if words and words[0] in commands.COMMANDS:
        values = commands.parse(words[0], words[1:])
        if values is not None:
            from memcli.cli.run import run

            leave(run(words[0], values))
    from memcli.cli.app import main as typer_main

    sys.exit(typer_main(words))


def hook(words: list[str]) -> None:
    """Answer a hook and end the process; before a tool, first by the shortest way."""
    if {"--help", "-h"} & set(words):
        return
    read = None
    if words[:1] in (["pre-tool"], ["post-tool"]):
        from memcli.sessions.hooks import glance

        read = glance.payload_or_end(words)
    from memcli.sessions.hooks import call

    call.main(words, read)


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


if __name__ == "__main__":
    main()
