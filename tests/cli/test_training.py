"""`memcli signals --train`: what it prints, keeps and refuses."""

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.recall import scorer
from memcli.vault import signals
from tests.cli.conftest import Run
from tests.conftest import state_of
from tests.recall.test_scorer import by_writer, world

pytestmark = pytest.mark.slow


def test_it_trains_from_the_log_and_says_what_came_of_it(
    memcli: Run, vault: Vault
) -> None:
    assert signals.append(vault.root, world(1, 1_000, by_writer, eta=0.5))
    planned = memcli("signals", "--train", "--dry-run")
    assert planned.code == 0
    lines = planned.out.splitlines()
    assert lines[0] == "kept: nothing (--dry-run)"
    told = "scorer: takes part yes, reason better on held-out questions: 0."
    assert lines[1].startswith(told)
    assert lines[1].endswith(", pairs 9,000, questions 1,000")
    assert not scorer.load(vault.root).trained
    done = memcli("signals", "--train", "--json").json["data"]
    assert done["kept"] == str(state_of(vault.root, layout.SCORER))
    assert list(done["scorer"]) == [
        *("schema", "takes_part", "reason", "pairs", "questions", "held_out"),
        *("offset", "weights", "trained", "problem"),
    ]
    assert list(done["scorer"]["held_out"]) == [
        *("questions", "pairs", "default", "scorer", "differ", "p")
    ]
    state = memcli("signals", "--json").json["data"]["scorer"]
    assert state == done["scorer"]
    path = state_of(vault.root, layout.SCORER)
    first = path.read_bytes()
    assert memcli("signals", "--train").code == 0
    assert path.read_bytes() == first
    assert lines[1] in memcli("signals").out
