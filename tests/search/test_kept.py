"""An index that stays open between calls gives each call what a new one would."""

import os
import threading
from pathlib import Path

import pytest

from memcli import Vault
from memcli.search import kept
from memcli.search.kept import KeptIndexes, Lent
from memcli.vault.caller import Caller


def opened(vault: Vault, lent: Lent, agent: str | None = None) -> Vault:
    return Vault(vault.root, Caller(now_ms=vault.now_ms, kept=lent, agent=agent))


def note(vault: Vault, name: str, text: str) -> None:
    path = Path(vault.root, "memories", "note", f"{name}.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def texts(vault: Vault, question: str) -> list[str]:
    return sorted(row.text for row in vault.recall(question, limit=50).rows)


def test_next_call_has_the_index_of_the_last_one(vault: Vault) -> None:
    indexes = KeptIndexes()
    with indexes.lent() as lent:
        first = opened(vault, lent).index.opened
    with indexes.lent() as lent:
        assert opened(vault, lent).index.opened is first
        assert opened(vault, lent).index.opened is not first
        assert opened(vault, lent, agent="helper").index.opened is not first
        assert opened(vault, lent).copied_to("/elsewhere").index.opened is not first


def test_each_call_sees_what_was_edited_before_it(vault: Vault) -> None:
    indexes = KeptIndexes()
    for number in range(5):
        note(vault, "deploy", f"We deploy at {number}")
        with indexes.lent() as lent:
            asked = opened(vault, lent)
            # A further question of a call that has asked none: not of the last call.
            found = asked.index.again(
                lambda reader: [reader.row(d).text for d in reader.everything()]
            )
            assert found == [f"We deploy at {number}"]
            assert texts(asked, "deploy") == found


def test_call_leaves_nothing_of_its_own_behind(vault: Vault) -> None:
    indexes = KeptIndexes()
    with indexes.lent() as lent:
        asked = opened(vault, lent)
        note(vault, "deploy", "We deploy")
        asked.recall("deploy")
        assert asked.index.opened.change.added == 1
        asked.index.opened.patience = 0.1
    with indexes.lent() as lent:
        index = opened(vault, lent).index.opened
        assert (index.patience, index.change.added) == (10.0, 0)


def test_agent_is_never_lent_the_owners_index(vault: Vault) -> None:
    vault.save(vault.draft({"text": "The secret plan", "visibility": "private"}))
    indexes = KeptIndexes()
    for _ in range(4):
        with indexes.lent() as lent:
            assert texts(opened(vault, lent), "plan") == ["The secret plan"]
        with indexes.lent() as lent:
            assert texts(opened(vault, lent, agent="helper"), "plan") == []


def test_few_indexes_wait_and_the_others_are_closed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST", 2)
    note(vault, "deploy", "We deploy")
    vault.recall("deploy")
    before = set(os.listdir("/proc/self/fd"))
    indexes = KeptIndexes()
    for _ in range(4):
        with indexes.lent() as lent:
            every = [opened(vault, lent) for _ in range(4)]
            assert [texts(one, "deploy") for one in every] == [["We deploy"]] * 4
    assert len(indexes._waiting) == 2
    indexes.close()
    del every
    assert set(os.listdir("/proc/self/fd")) == before


def test_calls_at_once_are_all_right(vault: Vault) -> None:
    indexes = KeptIndexes()
    wrong: list[object] = []

    def calls(name: str) -> None:
        for number in range(8):
            note(vault, name, f"We deploy {name} at {number}")
            with indexes.lent() as lent:
                found = texts(opened(vault, lent), f"deploy {name}")
            if f"We deploy {name} at {number}" not in found:
                wrong.append((name, number, found))

    threads = [threading.Thread(target=calls, args=(f"x{n}y",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
