"""`memcli forget`: asked twice, told once."""

from typing import Any

import pytest

from memcli import Vault
from memcli.cli import commands, render
from tests.cli.conftest import Run
from tests.contexts import at_terminal
from tests.saving import write


@pytest.fixture
def name(vault: Vault) -> str:
    return vault.save("what must go").id


@pytest.mark.parametrize("command", ["forget", "doctor", "entities"])
def test_a_person_who_says_no_is_told_that_nothing_was_changed(
    vault: Vault, name: str, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    if command == "doctor":
        write(vault, "mine.md")
    values: dict[str, dict[str, Any]] = {
        "forget": {"entry_id": name},
        "doctor": {"fix": True},
    }
    values["entities"] = {"action": "merge", "names": ["Redis", "Valkey"]}
    if command == "entities":
        write(vault, "entities/tool/redis.md", "---\nname: Redis\n---\n")
    context = at_terminal(vault, ask=lambda _: "n", tell=lambda _: None)
    result = commands.load(command)(context, **values[command])
    render.Screen(command, as_json=False).success(result)
    assert capsys.readouterr().out.endswith("Nothing changed. Add --yes to apply.\n")
    assert vault.get(name).body == "what must go\n"


def test_it_says_what_history_holds_and_prints_the_purge(
    memcli: Run, name: str
) -> None:
    plan = memcli("forget", name, "--dry-run").out
    assert plan.startswith(f"would forget {name} memories/note/")
    assert "git's history will still hold the text (1 commit)" in plan
    assert "filter-branch" not in plan
    assert plan.endswith("Nothing changed. Run without --dry-run to apply.\n")
    done = memcli("forget", name, "--yes")
    assert done.out.splitlines()[0].startswith(f"forgotten {name}")
    assert "git's history still holds the text (1 commit)." in done.out
    assert done.out.count("  git -C ") + done.out.count("git -C") >= 4
    assert memcli("recall", "must go").out == ""
    again = memcli("forget", name, "--yes", "--json")
    assert again.json["error"]["code"] == "entry_not_found"
