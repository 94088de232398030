"""The entry point: runs plain command lines at once, hands the rest to Typer.

Invariant: this module loads nothing that a plain command does not use. `import typer`
costs 5 times a bare Python, a recall over 10,000 entries in all 8 times.
"""

import gc
import os
import sys
from typing import NoReturn

from memcli.cli import flags, plain


def main() -> None:
    """Run the process's command line and exit."""
    # A command lives for a moment: collecting garbage after every 700 objects costs
    # a recall 5 of its 75 ms, and taking the process apart at its end 5 more.
    gc.set_threshold(100_000)
    if sys.argv[1:2] == ["__complete"]:
        from memcli.cli import complete

        complete.main(sys.argv[2:])
        leave(0)
    words = plain.in_order(sys.argv[1:])
    if words[:1] == ["hook"] and not {"--help", "-h"} & set(words):
        from memcli.sessions.hooks import call

        call.main(words[1:])
    if words[:1] in (["inspect"], ["review"]):
        from memcli.cli import former

        code = former.run(words[0], words[1:])
        if code is not None:
            leave(code)
    if words and words[0] in flags.FLAGS:
        values = plain.parse(words[0], words[1:])
        if values is not None:
            from memcli.cli.run import run

            leave(run(words[0], values))
    from memcli.cli.app import main as typer_main

    sys.exit(typer_main(words))


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
