"""Running memcli's command line as its users do: as a process."""

import io
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memcli import Vault
from memcli.cli import argv
from tests import hinted, processes
from tests.conftest import VaultMaker


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one document on stdout."""
        (line,) = self.out.splitlines()
        document: dict[str, Any] = json.loads(line)
        return document


Run = Callable[..., Outcome]
PROGRAM = str(Path(argv.__file__).parents[1] / "__main__.py")


@pytest.fixture
def vault(make_vault: VaultMaker) -> Vault:
    """A vault at the time of day, as the processes that are run on it have it."""
    return make_vault(now_ms=lambda: time.time_ns() // 1_000_000)


@pytest.fixture
def process(vault: Vault, tmp_path: Path) -> Run:
    """Run `memcli WORDS` as a process, on the vault of the test."""

    def run(
        *words: str,
        stdin: bytes = b"",
        environ: dict[str, str] | None = None,
        cwd: Path = tmp_path,
    ) -> Outcome:
        done = processes.run(
            *words,
            stdin=stdin,
            environ={**os.environ, "MEMCLI_VAULT": vault.root, **(environ or {})},
            cwd=cwd,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def memcli(vault: Vault, tmp_path: Path) -> Run:
    """Run `memcli WORDS` on the vault of the test, in this process.

    It costs a third of a process; `process` is for what a process alone has: an end,
    a descriptor that is closed, a start.
    """

    def run(
        *words: str,
        stdin: bytes = b"",
        environ: dict[str, str] | None = None,
        cwd: Path = tmp_path,
    ) -> Outcome:
        assert "hook" not in words, "it ends the process"
        out, err = io.BytesIO(), io.BytesIO()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {"MEMCLI_VAULT": vault.root, **(environ or {})}.items():
                patch.setenv(name, value)
            patch.chdir(cwd)
            patch.setattr(sys, "argv", [PROGRAM, *words])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            patch.setattr(sys, "stdout", io.TextIOWrapper(out, write_through=True))
            patch.setattr(sys, "stderr", io.TextIOWrapper(err, write_through=True))
            patch.setattr(argv, "leave", sys.exit)  # not os._exit
            patch.setattr("gc.set_threshold", lambda *_: None)
            hints = hinted.said_by(patch)
            with pytest.raises(SystemExit) as end:
                argv.main()
            said = out.getvalue().decode(), err.getvalue().decode()
        hinted.try_all(hints, vault.root, environ or {}, cwd)
        return Outcome(int(end.value.code or 0), *said)

    return run
