"""Run one benchmark by name: `python -m tests.benchmarks NAME [ARGUMENTS]`.

speed                    every target of speed and size as one table
locomo --data FILE       how often recall finds the answer
probe, asked             questions of software teams; questions in other words
actions                  lessons, and the edits that break them
told                     decisions, beside a page of titles and a grep
turns --data FILE        what the miner saves of labelled turns

Without a name: speed.
"""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = "speed locomo probe asked told actions turns".split()


def main() -> None:
    """Hand the arguments on to the benchmark that the first one names."""
    name, *rest = sys.argv[1:] or ["speed"]
    if name not in NAMES:
        raise SystemExit(f"no benchmark {name!r}\n{__doc__}")
    sys.argv = [f"tests.benchmarks {name}", *rest]
    import_module(f"tests.benchmarks.{name}").main()


if __name__ == "__main__":
    main()
