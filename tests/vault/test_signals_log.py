"""The log of signals: no event is torn or lost, it stays small, and it hurts nobody."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.vault import signals
from tests.conftest import NOW, VaultMaker, state_of
from tests.saving import configure

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, pipes, signals")


def write(number: int, **fields: Any) -> Any:
    return {
        "v": 1,
        "at": NOW,
        "event": "write",
        "id": f"{number:016}",
        "action": "save",
        "writer": "manual",
        "kind": "note",
        "type": "unknown",
        **fields,
    }


def ids(root: Path | str) -> list[int]:
    """Of the writes."""
    found: list[Any] = [*signals.read(str(root)).events]
    return [int(one["id"]) for one in found if one["event"] == "write"]


def log(root: Path | str) -> Path:
    return state_of(root, layout.EVENTS)


def test_signals_are_read_in_the_order_of_their_writing(tmp_path: Path):
    made = [write(number) for number in range(3)]
    assert signals.append(str(tmp_path), made[:1])
    assert signals.append(str(tmp_path), made[1:])
    assert signals.read(str(tmp_path)).events == made
    assert list(signals.newest(str(tmp_path))) == made[::-1]
    assert list(signals.newest(str(tmp_path), made[1]["id"])) == [made[1]]


@posix
def test_the_log_is_for_its_owner_alone(vault: Vault):
    vault.recall("deploy")
    assert stat.S_IMODE(log(vault.root).stat().st_mode) == 0o600


def test_the_log_is_bounded_and_uses_of_skills_outlive_what_makes_room(tmp_path: Path):
    for number in range(300):
        skill = write(number, kind="skill", id=f"{1_000 + number % 3:016}")
        assert signals.append(str(tmp_path), [skill, write(number)], most=8_000)
    kept = [number for number in ids(tmp_path) if number < 1_000]
    assert kept == list(range(kept[0], 300))
    assert 50 < len(ids(tmp_path)) < 70
    assert signals.size(str(tmp_path)) < 50_000
    assert signals.read(str(tmp_path)).uses == {
        f"{1_000 + n:016}": 100 for n in range(3)
    }


@posix
def test_a_question_has_another_hash_in_each_vault(tmp_path: Path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    first = signals.hashed(one, "deploy")
    assert first == signals.hashed(one, "  DEPLOY ")
    assert first != signals.hashed(other, "deploy")


# --- what cannot be written ---------------------------------------------------------


def in_the_way(path: Path, how: str, outside: Path) -> None:
    path.unlink(missing_ok=True)
    if how == "folder":
        path.mkdir(parents=True)
    elif how == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(outside)


@posix
@pytest.mark.parametrize("how", ["folder", "pipe", "link"])
def test_a_log_that_cannot_be_written_fails_and_delays_nothing(
    vault: Vault, tmp_path: Path, how: str
):
    outside = tmp_path / "outside"
    outside.write_text("precious\n")
    entry = vault.save("We deploy on Mondays", kind="skill")
    in_the_way(log(vault.root), how, outside)
    program = (
        "import sys; from memcli import Vault; from memcli.vault.health import log; "
        "vault = Vault.open(sys.argv[1]);"
        "print(vault.recall('deploy').rows[0].id, log.usage(vault)['bytes']);"
        "vault.resolve(sys.argv[2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, vault.root, entry.id],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.split()[0] == entry.id
    assert outside.read_text() == "precious\n"
    assert ids(vault.root) == []
    assert not signals.append(vault.root, [write(1)])


@pytest.mark.parametrize("keep", [0, 50, 5_000])
def test_a_damaged_log_is_begun_anew(tmp_path: Path, keep: int):
    root = str(tmp_path)
    assert signals.append(root, [write(number) for number in range(100)])
    data = log(tmp_path).read_bytes()
    log(tmp_path).write_bytes(data[:keep] + b"\xff" * (len(data) - keep))
    signals.read(root)
    assert signals.append(root, [write(7)])
    assert ids(tmp_path)[-1] == 7


# --- who does not want one ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "logs"),
    [
        ("[signals]\nlog = false\n", 0),
        ("signals.log = false\n", 0),
        ('signals = { "log" = false }\n', 0),
        ('"sign\\u0061ls" = { log = false }\n', 0),
        ('[signals]\nlog = "no"\n', 0),
        ("[signals\nlog = false\n", 0),
        ("[limits]\nbody = -1\n[signals]\nlog = true\n", 0),
        ("", 1),
        ("# [signals]\n# log = false\n", 1),
        ("[signals]\n# log = false\n", 1),
        ("[signals]\nlog = true\n", 1),
    ],
)
def test_on_is_the_default_off_means_off_and_what_is_unclear_is_off(
    vault: Vault, text: str, logs: int
):
    Path(vault.root, layout.CONFIG).write_text(text, encoding="utf-8")
    # A recall itself may refuse a config that is broken.
    vault.recorder.recalled("deploy", [])
    assert len(signals.read(vault.root).events) == logs
    vault.recorder.wrote([write(1)])
    vault.recorder.judged([write(1)["id"]], useful=True, by="user")
    assert bool(signals.read(vault.root).events) is bool(logs)


def test_a_vault_that_may_only_be_read_gets_no_log(make_vault: VaultMaker, home: Path):
    vault = make_vault()
    vault.save("We deploy on Mondays")
    before = signals.read(vault.root).events
    configure(home, f"[vaults.team]\npath = {json.dumps(vault.root)}\nrole = 'ro'\n")
    again = make_vault()
    again.recall("deploy")
    assert signals.read(vault.root).events == before
