"""`memcli sweep`: what crashed is mined, and what fails is said."""

from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.sessions import markers
from tests.cli.conftest import Run
from tests.conftest import state_of
from tests.sessions.hooks.calling import ALWAYS, age, session, texts


@pytest.fixture
def crashed(vault: Vault, tmp_path: Path) -> Path:
    """The marker of a session that ended unseen two hours ago."""
    path = session(tmp_path, "s1", ALWAYS)
    markers.begin(vault.root, "s1", "claude-code", path)
    mark = state_of(vault.root, layout.HARNESS) / "session-id-s1.start"
    for one in (mark, path):
        age(one, 7_200)
    return mark


def test_a_sweep_mines_what_crashed_and_says_so(
    memcli: Run, vault: Vault, crashed: Path
) -> None:
    (row,) = memcli("sweep", "--dry-run", "--json").json["data"]["sessions"]
    assert (row["session"], row["outcome"]) == ("s1", "reflected")
    assert crashed.exists()
    assert texts(vault) == []
    assert memcli("sweep", "--still", "180").out.count("live") == 1
    done = memcli("sweep")
    assert done.code == 0
    assert "reflected" in done.out
    assert texts(vault) == [ALWAYS]
    assert memcli("sweep").err == "no session waits\n"
