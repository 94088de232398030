"""Run one benchmark by name, or those that need no data: `python tests/benchmarks`.

python tests/benchmarks                     startup, imports, git_growth, then scale
python tests/benchmarks imports                  what each command loads
python tests/benchmarks staying                  processes that stay, beside FTS5
python tests/benchmarks agents                   what visibility adds to a recall
python tests/benchmarks locomo --data FILE
python tests/benchmarks channels --data FILE
python tests/benchmarks reflect --data FILE
python tests/benchmarks prompt --data FILE
python tests/benchmarks feedback --data FILE
python tests/benchmarks mining --data FOLDER
python tests/benchmarks turns --data FILE
python tests/benchmarks judge --data FILE        judges that know all, and noise
python tests/benchmarks projects --data FILE
python tests/benchmarks actions                  lessons at the edits that break them
python tests/benchmarks repo_vault               the hook in a repository with a vault
python tests/benchmarks anchors                  two versions of public projects, by pip
python tests/benchmarks view                     how soon the page can be used
python tests/benchmarks probe                    questions of software teams
python tests/benchmarks postgres                 a vault published into PostgreSQL
python tests/benchmarks peers --data FILE --cache FOLDER
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

NAMES = (
    "startup",
    "imports",
    "git_growth",
    "scale",
    "staying",
    "agents",
    "locomo",
    "channels",
    "reflect",
    "mining",
    "turns",
    "judge",
    "prompt",
    "feedback",
    "projects",
    "repo_vault",
    "actions",
    "anchors",
    "probe",
    "view",
    "peers",
    "postgres",
    "timing",
    "corpus",
)


def main() -> None:
    """Hand the arguments on to the benchmark that the first one names."""
    # Run as a folder, Python looks for modules in it instead of in the project.
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    name, *rest = sys.argv[1:] or [""]
    if name in ("", "all"):
        chosen = ["startup", "imports", "git_growth", "scale"]
    elif name in NAMES:
        chosen = [name]
    else:
        raise SystemExit(f"no benchmark {name!r}; there are {', '.join(NAMES)}")
    for chosen_name in chosen:
        sys.argv = [f"tests/benchmarks {chosen_name}", *rest]
        import_module(f"tests.benchmarks.{chosen_name}").main()
    if name in ("", "all"):
        print(
            "Not run: locomo, channels, reflect, prompt and peers need `--data FILE` "
            "(LoCoMo's JSON),"
        )
        print(
            "mining needs `--data FOLDER` (labelled transcripts), turns `--data FILE`."
        )


if __name__ == "__main__":
    main()
