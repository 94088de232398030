"""What a prompt brings: by evidence, of kinds that hold, and a hop by a name."""

from collections.abc import Collection

import pytest

from memcli import Vault
from memcli.entries.eligibility import View
from memcli.sessions.briefing import prompt as prompts
from tests.conftest import NOW
from tests.saving import save

DECISION = (
    "Every state write is atomic from now on. Write the JSON to a temp file in the "
    "same directory as state.json, flush and close it, then rename into place; never "
    "truncate the file. So a kill at any instant leaves the old state or the new one."
)
TASK = (
    "Add a function save(path, data) to store.py. It must write the data as JSON to "
    "the file at path, replacing the old state, and flush it before it returns. Keep "
    "load as it is, and call it with state.json from the root directory."
)
OWNER = "The ledger importer for Danish invoices belongs to Noor"
ABOUT = "the ledger importer drops Danish invoices, who knows it?"


def brought(
    vault: Vault, prompt: str, shown: Collection[str] = (), name: str = "text"
) -> list[str]:
    asked = prompts.question(prompt)
    found = vault.read(
        lambda reader: prompts.fitting(vault, reader, asked, View(NOW), shown)
    )
    return [getattr(one, name) for one in found]


def test_a_long_decision_is_brought_by_a_long_task_that_shares_few_of_its_words(
    vault: Vault,
):
    save(vault, DECISION, kind="decision")
    assert brought(vault, TASK) == [DECISION]


def test_common_words_are_no_evidence_however_many_are_shared(vault: Vault):
    save(vault, "Look at the new file again, make a small change, then test it")
    assert brought(vault, "make a change to the test file") == []


@pytest.mark.parametrize("kind", ["event", "action", "idea"])
def test_what_passes_is_brought_only_when_it_is_pinned(vault: Vault, kind: str):
    save(vault, OWNER, kind=kind)
    assert brought(vault, ABOUT) == []
    pinned = OWNER.replace("belongs", "still belongs")
    save(vault, pinned, kind=kind, pinned=True)
    assert brought(vault, ABOUT) == [pinned]


def test_three_are_brought_at_most_and_none_that_the_session_has_seen(vault: Vault):
    for number in range(1, 6):
        save(vault, f"Ledger importer of Danish invoices, rule {number}")
    first = brought(vault, ABOUT)
    assert len(first) == 3
    ids = brought(vault, ABOUT, name="id")
    assert not set(brought(vault, ABOUT, ids)) & set(first)
