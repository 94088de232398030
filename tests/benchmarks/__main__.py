"""Run one benchmark by name, or those that need no data: `python tests/benchmarks`.

python tests/benchmarks                     startup, then targets
python tests/benchmarks targets                  every target as one table, in one run
python tests/benchmarks scale                    what each command costs, by size
python tests/benchmarks imports                  what each command loads
python tests/benchmarks staying                  processes that stay, beside FTS5
python tests/benchmarks locomo --data FILE
python tests/benchmarks channels --data FILE
python tests/benchmarks reflect --data FILE
python tests/benchmarks turns --data FILE
python tests/benchmarks projects --data FILE
python tests/benchmarks told                     decisions and what breaks them
python tests/benchmarks actions                  lessons at the edits that break them
python tests/benchmarks anchors                  two versions of public projects, by pip
python tests/benchmarks asked                    questions in other words, with phrases
python tests/benchmarks probe                    questions of software teams
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

NAMES = (
    "startup",
    "targets",
    "imports",
    "git_growth",
    "scale",
    "staying",
    "locomo",
    "channels",
    "reflect",
    "turns",
    "projects",
    "actions",
    "told",
    "anchors",
    "asked",
    "probe",
    "timing",
    "corpus",
)


def main() -> None:
    """Hand the arguments on to the benchmark that the first one names."""
    # Run as a folder, Python looks for modules in it instead of in the project.
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    name, *rest = sys.argv[1:] or [""]
    if name in ("", "all"):
        chosen = ["startup", "targets"]
    elif name in NAMES:
        chosen = [name]
    else:
        raise SystemExit(f"no benchmark {name!r}; there are {', '.join(NAMES)}")
    for chosen_name in chosen:
        sys.argv = [f"tests/benchmarks {chosen_name}", *rest]
        import_module(f"tests.benchmarks.{chosen_name}").main()
    if name in ("", "all"):
        print("Not run: scale and staying, which measure more of the same; and what")
        print("needs data: locomo, channels and reflect `--data FILE`")
        print("(LoCoMo's JSON), turns and projects `--data FILE` (labelled turns).")


if __name__ == "__main__":
    main()
