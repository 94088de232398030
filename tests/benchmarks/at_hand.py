"""What a session waits for: the hook before a tool, and what follows a save.

    python -m tests.benchmarks.scale

Rows of the table that `scale` prints, for each size of a vault.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks import report, timing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.benchmarks.scale import Bench

LESSON = "Never call http.Get without a deadline"
# The folders of a vault must be older than two seconds before a look trusts its table.
_SETTLED = 2.5


def rows(bench: Bench) -> None:
    """Print what the hook before a tool and a recall after a save take."""
    _tool_hooks(bench)
    _after_saves(bench)


def _tool_hooks(bench: Bench) -> None:
    """Time the hook before an edit: one that no lesson is about, and one that fires."""
    from time import sleep

    everywhere = ["--kind", "constraint", "--project", "none"]
    save = [*bench.memcli, "save", LESSON, *everywhere]
    timing.must(timing.run(save, env=bench.env), save)
    sleep(_SETTLED)
    hook = [*bench.memcli, "hook", "pre-tool", "--host", "claude-code"]
    ask = [*bench.memcli, "recall", "deadline"]
    for _ in range(2):  # the second finds every file settled
        timing.must(timing.run(ask, env=bench.env), ask)
    for label, text in (
        ("memcli hook pre-tool, nothing to tell", "return x"),
        ("memcli hook pre-tool, a lesson told", "x = http.Get(url)"),
    ):

        def said(turn: int, label: str = label, text: str = text) -> bytes:
            call = {
                "hook_event_name": "PreToolUse",
                "session_id": f"{label}-{turn}",
                "cwd": "/w",
                "tool_name": "Edit",
                "tool_input": {"file_path": "/w/a.go", "new_string": text},
            }
            return json.dumps(call).encode()

        timed = timing.measure(label, hook, runs=bench.runs, env=bench.env, stdin=said)
        told = sum(LESSON in run.out for run in timed.runs)
        row = report.ratio_row(timed, f"{bench.size:,}")
        notes = f"{row.notes}; told in {told} of {bench.runs} calls"
        report.show(report.line(row._replace(notes=notes)))


def _after_saves(bench: Bench) -> None:
    """Time what has to index a save that was just made."""

    def save(turn: int) -> None:
        text = f"Before recall {turn} of {bench.size}: {bench.questions[turn].text}"
        command = [*bench.memcli, "save", text]
        timing.must(timing.run(command, env=bench.env), command)

    def ask(turn: int) -> Sequence[str]:
        return [*bench.memcli, "recall", bench.questions[turn].text]

    label = "memcli recall, right after a save"
    timed = timing.measure(label, ask, runs=bench.runs, env=bench.env, before=save)
    report.show(report.line(report.ratio_row(timed, f"{bench.size:,}")))
