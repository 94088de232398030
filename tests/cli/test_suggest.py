"""A mistake is answered with what was meant, where that is near."""

import pytest

from memcli import Vault
from memcli.cli import app
from memcli.cli.inspect import TOPICS
from memcli.errors import EntryNotFound
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("recal", "memcli recall"),
        ("serach", "memcli recall"),
        ("search", "memcli recall"),
        ("remember", "memcli save"),
        ("delete", "memcli forget"),
        ("lint", "memcli inspect lint"),
        ("indx", "memcli inspect index"),
        ("sessions", "memcli inspect sessions"),
        ("entitys", "memcli entities"),
        ("xyzzy", None),
    ],
)
def test_a_wrong_command_is_answered_with_the_one_that_was_meant(
    word: str, meant: str | None
) -> None:
    assert app._meant(word, TOPICS) == meant


def test_a_command_line_without_a_command_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert app.main(["--vault", "list"]) == 2
    assert capsys.readouterr().err.startswith("memcli: no command is named\n")
    assert app.main(["completion"]) == 2
    said = capsys.readouterr().err.splitlines()[0]
    assert (
        said
        == "memcli: Missing argument 'shell'. Choose from: bash, zsh, fish, powershell"
    )


def test_a_mistyped_id_is_answered_with_the_entry_that_is_near(vault: Vault) -> None:
    saved = vault.save(vault.draft({"text": "red apples"}))
    wrong = saved.id[:-1] + ("a" if saved.id[-1] != "a" else "b")
    with pytest.raises(EntryNotFound) as refusal:
        vault.get(wrong)
    assert refusal.value.hint == f"Did you mean {saved.id} (red apples)?"
    with pytest.raises(EntryNotFound) as refusal:
        vault.acting_as("eve").get(wrong)
    assert saved.id not in str(refusal.value.hint)


def test_an_agent_of_which_nothing_is_known_is_told_so(memcli: Run) -> None:
    memcli("save", "red apples")
    for words in (["recall", "apples"], ["reflect", "apples"], ["inspect", "models"]):
        done = memcli(*words, "--agent", "adda", "--json")
        assert any("agent 'adda' is not in" in text for text in done.json["warnings"])
    memcli("save", "green apples", "--agent", "adda")
    assert (
        memcli("recall", "apples", "--agent", "adda", "--json").json["warnings"] == []
    )
