"""Entries that share a name are linked before it is registered."""

from pathlib import Path
from typing import Any

import pytest

from memcli import Vault
from memcli.curation.entities import decide
from tests.saving import save

QUESTION = "why does the payment gateway time out?"


def others(vault: Vault, count: int) -> None:
    texts = (f"note {n} speaks of subject{n} alone" for n in range(count))
    vault.save_all([vault.draft({"text": text}) for text in texts])


@pytest.fixture
def team(vault: Vault) -> Vault:
    """A vault in which two notes of forty share a name, and no entity is registered."""
    save(vault, "The payment gateway of Grace Hopper times out at night")
    save(vault, "On weekends call Grace Hopper at 555")
    others(vault, 38)
    return vault


def rows(vault: Vault, **options: Any) -> dict[str, float]:
    return {row.text: row.score for row in vault.recall(QUESTION, **options).rows}


CALL = "On weekends call Grace Hopper at 555"


def test_a_note_is_found_over_a_name_that_is_not_registered(team: Vault) -> None:
    answer = team.recall(QUESTION, explain=True)
    (row,) = (row for row in answer.rows if row.text == CALL)
    assert row.channels == ["graph"]
    assert row.explain is not None
    assert {"name": "Grace Hopper"} in row.explain["path"]
    assert CALL not in rows(team, depth=0)


def test_a_registered_name_weighs_more_and_an_ignored_one_nothing(team: Vault) -> None:
    loose = rows(team)[CALL]
    decide.apply(team, decide.EntityRequest("register", "Grace Hopper", type="person"))
    assert rows(team)[CALL] > loose


def test_an_ignored_name_links_nothing(team: Vault) -> None:
    assert CALL in rows(team)
    decide.ignore(team, ["grace hopper"])
    assert CALL not in rows(team)


def test_a_registered_name_links_notes_that_memcli_did_not_write(vault: Vault) -> None:
    save(vault, "The payment gateway of Grace Hopper times out at night")
    path = Path(vault.root, "people", "on call.md")
    path.parent.mkdir()
    path.write_text(f"{CALL}\n", encoding="utf-8")
    others(vault, 9)
    loose = rows(vault)[CALL]
    decide.apply(vault, decide.EntityRequest("register", "Grace Hopper", type="person"))
    assert "entities" not in path.read_text(encoding="utf-8")
    assert rows(vault)[CALL] > loose


def test_a_path_links_entries_and_is_no_entity(vault: Vault) -> None:
    save(vault, "The payment gateway times out: see ./cmd/pay/")
    other = save(vault, "Only Bob reviews ./cmd/pay/")
    assert vault.get(other).entities == ()
    assert "Only Bob reviews ./cmd/pay/" in rows(vault)
