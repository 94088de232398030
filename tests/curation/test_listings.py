"""Listing the files is most of what a change costs in a large vault: once is enough.

A save asks the times of the folders alone.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.search import index
from memcli.storage.listing import Listing, scan
from memcli.storage.lock import Lock


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots that the index listed, one for each time."""
    roots: list[str] = []

    def counting(root: str) -> Listing:
        roots.append(root)
        return scan(root)

    monkeypatch.setattr(index, "scan", counting)
    return roots


def saved(vault: Vault, text: str) -> str:
    return vault.save(vault.draft({"text": text})).id


def evolve(vault: Vault, entry_id: str) -> None:
    vault.evolve(entry_id, "Deploys are on Mondays", reason="moved")


def resolve(vault: Vault, entry_id: str) -> None:
    vault.resolve(entry_id)


def save(vault: Vault, _: str) -> None:
    saved(vault, "Deploys are frozen in December")


@pytest.mark.parametrize(("act", "times"), [(evolve, 1), (resolve, 1), (save, 0)])
def test_a_change_lists_the_files_at_most_once(
    vault: Vault, listed: list[str], act: Callable[[Vault, str], None], times: int
) -> None:
    entry_id = saved(vault, "Deploys are on Tuesdays")
    vault.recall("deploys")
    saved(vault, "A build takes an hour")  # the index does not know it
    fresh = Vault.open(vault.root, now_ms=vault.now_ms)
    listed.clear()
    act(fresh, entry_id)
    assert len(listed) == times


def test_an_update_beside_another_process_lists_again(
    vault: Vault, listed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(vault, "Deploys are on Tuesdays")
    vault.recall("deploys")
    late = saved(vault, "A build takes an hour")
    asked = Vault.open(vault.root, now_ms=vault.now_ms)
    take = Lock.__enter__

    def after_another(lock: Lock) -> Lock:
        monkeypatch.setattr(Lock, "__enter__", take)
        later.append(saved(vault, "Written by another process"))
        vault.recall("another")
        return take(lock)

    later: list[str] = []
    monkeypatch.setattr(Lock, "__enter__", after_another)
    found = asked.recall("build written deploys").rows
    assert later
    assert {row.id for row in found} >= {late, *later}


def test_a_resolved_file_that_no_index_knows_is_named(vault: Vault) -> None:
    old = saved(vault, "The rerank configuration of the search service is wrong")
    vault.recall("rerank")
    vault.resolve(old)
    draft = vault.draft(
        {"text": "The rerank configuration of the search service is broken"}
    )
    like = vault.save(draft).like_resolved
    assert like is not None
    assert like.id == old


def test_a_save_beside_a_file_that_no_index_knows_loads_no_yaml(vault: Vault) -> None:
    vault.recall("deploys")
    saved(vault, "A build takes an hour")
    text = (
        "import sys; from memcli import Vault; v = Vault.open(sys.argv[1]);"
        "v.save(v.draft({'text': 'Deploys are on Tuesdays'}));"
        "print('yaml' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text, str(Path(vault.root))],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "False\n"
