"""What each hot command loads: modules, and the time of their import.

Each command runs several times under `python -X importtime`. The modules are those of
the last run; of each the shortest time counts, its own without what it imports.
Python's own start is taken away, and Python does not tell of the command's own module.

    python -m tests.benchmarks.imports
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks import report, timing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$")
_MOST = 8

NEW = "the id of a new entry"
"""A word of a command that changes an entry: each run gets one of its own."""


class Command(NamedTuple):
    """A command, what it reads, and the name of its row; `NEW` stands for an id."""

    name: str
    words: tuple[str, ...]
    stdin: bytes = b""


def of_vault(vault: Path) -> tuple[Command, ...]:
    """The hot commands over a vault that holds something."""
    prompt = {"session_id": "benchmark", "prompt": "How do we deploy the gateway?"}
    edit = {"file_path": "/w/a.py", "new_string": "return x"}
    tool = {"session_id": "benchmark", "tool_name": "Edit", "tool_input": edit}
    at = ("--vault", str(vault))
    return (
        Command("--help", ("--help",)),
        Command("recall", ("recall", "how do we deploy?", *at)),
        Command(
            "hook prompt-submit",
            ("hook", "prompt-submit", "--host", "codex", *at),
            json.dumps(prompt).encode(),
        ),
        Command(
            "hook pre-tool",
            ("hook", "pre-tool", "--host", "claude-code", *at),
            json.dumps(tool).encode(),
        ),
        Command("__complete", ("__complete", "zsh", "show", "")),
        Command("save", ("save", "The gateway restarts at night", *at)),
        Command("evolve", ("evolve", NEW, "The gateway restarts at six", *at)),
        Command("resolve", ("resolve", NEW, *at)),
        Command("list", ("list", *at)),
        Command("inspect", ("inspect", *at)),
    )


def taken(
    command: Sequence[str], env: Mapping[str, str], runs: int, stdin: bytes = b""
) -> dict[str, int]:
    """The shortest import time of each module that the last run loads, in µs."""
    found: dict[str, int] = {}
    last: set[str] = set()
    for turn in range(runs):
        new = _saved(command, env, turn) if NEW in command else ""
        words = [new if word == NEW else word for word in command]
        started = [sys.executable, "-X", "importtime", *words]
        said = timing.must(timing.run(started, env=env, stdin=stdin), started).err
        matches = [*filter(None, map(_LINE.match, said.splitlines()))]
        last = {match[2] for match in matches}
        for match in matches:
            found[match[2]] = min(int(match[1]), found.get(match[2], int(match[1])))
    return {name: found[name] for name in last}


def _saved(command: Sequence[str], env: Mapping[str, str], turn: int) -> str:
    """The id of an entry that is saved into the vault of a command for its run."""
    vault = command[command.index("--vault") + 1]
    text = f"{command[2]} number {turn} of the gateway waits for its turn"
    save = [sys.executable, "-m", "memcli", "save", text, "--vault", vault, "--json"]
    said = timing.must(timing.run(save, env=env), save).out
    saved: str = json.loads(said)["data"]["id"]
    return saved


def show(commands: Sequence[Command], env: Mapping[str, str], runs: int) -> None:
    """Print a row for each command."""
    bare = taken(("-c", "pass"), env, runs)
    whole = sum(bare.values())
    report.show(
        "| command | modules | memcli's | import time | × Python's own | the slowest "
        "(ms) |\n|---|---:|---:|---:|---:|---|"
    )
    for command in commands:
        every = taken(("-m", "memcli", *command.words), env, runs, command.stdin)
        times = {name: spent for name, spent in every.items() if name not in bare}
        ours = sum(name.partition(".")[0] == "memcli" for name in times)
        total = sum(times.values())
        slowest = sorted(times, key=lambda name: -times[name])[:_MOST]
        named = ", ".join(f"{name} {times[name] / 1000:.1f}" for name in slowest)
        report.show(
            f"| `memcli {command.name}` | {len(times)} | {ours} | "
            f"{total / 1000:.1f} ms | {total / whole:.1f} | {named} |"
        )


def main() -> None:
    """Print what each hot command loads, over a vault of two entries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--runs", type=int, default=5)
    arguments = parser.parse_args()
    memcli = timing.memcli_command()
    report.show(f"## Imports\n\n{report.machine()}\n")
    with tempfile.TemporaryDirectory() as home:
        env = timing.clean_env(home)
        vault = Path(home, "vault")
        for words in (
            ["init", str(vault)],
            ["save", "The gateway deploys from main", "--vault", str(vault)],
            ["save", "Deploy on Mondays", "--vault", str(vault)],
            ["recall", "deploy", "--vault", str(vault)],
        ):
            timing.must(timing.run([*memcli, *words], env=env), words)
        show(of_vault(vault), env, arguments.runs)


if __name__ == "__main__":
    main()
