"""`memcli mcp` as a command: what it says when there is nothing to serve with."""

import os
import subprocess
import sys

import pytest

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
