"""`memcli mcp` as a command: what it says when there is nothing to serve with."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memcli.cli import mcp as command
from memcli.cli.context import Context
from memcli.search.segments import Segments
from tests.cli.conftest import Run

WITHOUT = """
import sys
sys.modules[{module!r}] = None
sys.argv = ["memcli", "mcp"]
from memcli.cli.argv import main
main()
"""


@pytest.mark.parametrize("module", ["mcp", "mcp_types", "anyio"])
def test_without_the_sdk_it_says_how_to_install_it(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(module=module)],
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "Install it: " in done.stderr
    assert "'memcli[mcp]" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_has_no_place_beside_the_protocol(memcli: Run) -> None:
    done = memcli("mcp", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")


@pytest.mark.slow
def test_end_of_input_is_the_end_and_prints_nothing(memcli: Run) -> None:
    pytest.importorskip("mcp_types", reason="NOT TESTED: pip install 'memcli[mcp]'")
    done = memcli("mcp")
    assert (done.code, done.out, done.err) == (0, "", "")
    if os.name == "nt":
        return  # its shell has no `<&-`
    closed = f"{sys.executable} -m memcli mcp <&-"
    said = subprocess.run(closed, shell=True, capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (2, "")
    assert "no client" in said.stderr


def test_calls_of_one_server_share_an_open_index(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(str(context.vault), "memories", "note", "deploy.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = 0
    open_segments = Segments.__init__

    def counted(*arguments: Any) -> None:
        nonlocal opened
        opened += 1
        open_segments(*arguments)

    def serve(tools: Any, call: Callable[..., Any], **_words: Any) -> None:
        (recall,) = (tool for tool in tools if tool.name == "memory_recall")
        for day in ("Monday", "Tuesday"):
            path.write_text(f"We deploy on {day}\n")
            for _ in range(3):
                (row,) = call(recall, {"query": "deploy"}).data["rows"]
                assert row["text"] == f"We deploy on {day}"

    monkeypatch.setattr(Segments, "__init__", counted)
    monkeypatch.setattr(command, "_serving", lambda: SimpleNamespace(serve=serve))
    command.mcp(context._replace(json=False))
    # Once for each text, and once more to find what an update replaces.
    assert opened == 3
