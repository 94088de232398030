"""Hosts write transcripts late: Copilot CLI after its hooks, others after the end.

What such a host says is made here with files; tests/e2e has the real ones.
"""

import json
import os
import time
from pathlib import Path

import pytest

from memcli import Vault
from memcli.sessions import markers, recovery
from memcli.sessions.markers import REFLECTED
from tests.conftest import VaultMaker

STATED = "Always use ruff for linting, never flake8."
LATER = "Never commit generated files."


def turn(text: str, number: int) -> str:
    at = f"2026-11-21T11:00:{number:02d}.000Z"
    line = {"session": "s1", "id": f"u{number}", "at": at, "role": "user", "text": text}
    return json.dumps(line) + "\n"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """The transcript of a session that ended hours ago."""
    path = tmp_path / "s1.jsonl"
    path.write_text(turn(STATED, 1), encoding="utf-8")
    ago(path, 9_000)
    return path


@pytest.fixture
def vault(make_vault: VaultMaker) -> Vault:
    """A vault with the machine's clock, which the files' times are of."""
    return make_vault(now_ms=lambda: int(time.time() * 1000))


def ago(path: str | Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def texts(vault: Vault) -> set[str]:
    return {row.text for row in vault.recall("ruff linting generated files").rows}


def test_what_a_host_writes_after_a_session_was_mined_is_mined_by_a_sweep(
    vault: Vault, transcript: Path
) -> None:
    markers.begin(vault.root, "s1", "generic", str(transcript))
    (marker,) = markers.markers(vault.root)
    recovery.mine(vault, marker, str(transcript), {}, close=True)
    [marker] = markers.markers(vault.root)
    assert marker.state == REFLECTED
    ago(marker.path, 8_000)
    assert outcomes(vault) == ["unchanged"]

    with open(transcript, "a", encoding="utf-8") as file:
        file.write(turn(LATER, 2))
    ago(transcript, 60)
    assert outcomes(vault) == ["live"], "a person may be in it"
    ago(transcript, 7_000)
    assert outcomes(vault) == ["reflected"]
    assert texts(vault) == {STATED, LATER}
    assert outcomes(vault) == ["unchanged"], "once"


def test_waiting_for_a_host_that_never_stops_writing_ends(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def write(seconds: float) -> None:
        waited.append(seconds)
        with open(transcript, "a", encoding="utf-8") as file:
            file.write(turn(LATER, len(waited)))

    monkeypatch.setattr(time, "sleep", write)
    recovery.settle(str(transcript))
    assert sum(waited) == 8


def outcomes(vault: Vault) -> list[str]:
    return [one.outcome for one in recovery.sweep(vault, {})]
