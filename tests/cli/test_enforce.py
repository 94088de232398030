"""`--enforce` is set by a person, and by nothing else."""

import pytest

from memcli import Vault
from memcli.errors import InvalidValue
from tests.cli.conftest import Run

TEXT = "Never run `terraform apply` by hand"


def test_a_person_sets_changes_and_takes_back(memcli: Run, vault: Vault) -> None:
    saved = memcli("save", TEXT, "--enforce", "deny", "--json").json
    name = saved["data"]["id"]
    assert vault.get(name).enforce == "deny"
    for word, kept in (("ask", "ask"), ("none", None)):
        done = memcli("evolve", name, "--enforce", word, "--json").json
        name = done["data"]["id"]
        assert vault.get(name).enforce == kept
    assert vault.get(name).body.strip() == TEXT
    told = "warning: --enforce keeps nothing from running: its text names no code"
    vague = memcli("save", "Be careful with the database", "--enforce", "ask")
    assert told in vague.err
    again = memcli("evolve", vague.out.split()[1], "Be very careful", "--enforce=ask")
    assert told in again.err


def test_an_agent_does_not(
    memcli: Run, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = vault.save("Never run `make deploy` here").id
    for variable in (
        "CLAUDECODE",
        "CODEX_SANDBOX",
        "GEMINI_SESSION_ID",
        "MEMCLI_AGENT",
    ):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "x")
            for words in (("save", TEXT), ("evolve", name)):
                done = memcli(*words, "--enforce", "deny")
                assert done.code == 1, done
                assert "--enforce is for" in done.err
    assert vault.get(name).enforce is None


def test_no_other_door_takes_it(vault: Vault) -> None:
    with pytest.raises(InvalidValue, match="only a person"):
        vault.draft({"text": TEXT, "enforce": "deny"})
    name = vault.save(TEXT).id
    with pytest.raises(InvalidValue, match="only a person"):
        vault.evolve(name, f"{TEXT} at all", enforce="deny")
    assert vault.get(name).enforce is None
