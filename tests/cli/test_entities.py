"""Entities on the command line, as people and programs use them."""

import pytest

from memcli import Vault
from memcli.cli import commands
from tests.cli.conftest import Run
from tests.cli.test_review import Person


@pytest.fixture
def saved(memcli: Run) -> Run:
    memcli("save", "We run Redis on two hosts", "--entity", "Redis", "--type", "tool")
    memcli("save", "redis is down, ask Grace Hopper")
    return memcli


@pytest.mark.parametrize("flags", [["--kind", "skill"], ["--type", "skill"]])
def test_a_skill_that_is_saved_is_an_entity(memcli: Run, flags: list[str]) -> None:
    text = "Stop the gateway, copy the dump, start it"
    memcli("save", text, "--title", "Restore the ledger", *flags)
    memcli("save", "Restore the Ledger takes an hour")
    shown = memcli("inspect", "entity", "restore the ledger").out
    assert shown.startswith("Restore the ledger (skill)\n")
    assert text in shown
    assert "takes an hour" in shown
    memcli("save", "It needs root", "--type", "skill", "--entity", "Restore the ledger")
    assert memcli("entities", "--json").json["data"]["registered"] == 1


def test_a_name_is_registered(saved: Run) -> None:
    words = ["entities", "register", "Grace Hopper", "--type", "person"]
    words += ["--alias", "Grace", "--alias", "Amazing Grace"]
    plan = saved(*words, "--dry-run", "--json").json["data"]
    assert (plan["applied"], len(plan["entries"])) == (False, 1)
    done = saved(*words, "--json").json["data"]
    assert done["applied"]
    assert done["files"] == [
        {"path": "entities/person/grace-hopper.md", "what": "registered"}
    ]
    page = saved("entities", "show", "amazing grace", "--json").json["data"]
    assert page["aliases"] == ["Grace", "Amazing Grace"]


def test_a_rename_is_a_plan_until_it_is_confirmed(saved: Run) -> None:
    words = ("entities", "merge", "Redis", "Valkey")
    for flags in ((), ("--dry-run",), ("--dry-run", "--yes")):
        text = saved(*words, *flags).out
        assert text.startswith(
            "would merge:\n  entities/tool/redis.md: another name: Valkey, Redis\n"
        )
        leave = "--dry-run" in flags
        how = "Run without --dry-run" if leave else "Add --yes"
        assert text.endswith(f"Nothing changed. {how} to apply.\n")
        assert text.count("Redis -> Valkey") == 2
    assert saved("entities", "show", "Valkey").code == 1
    done = saved(*words, "--yes", "--json").json["data"]
    assert (done["applied"], len(done["entries"])) == (True, 2)
    assert saved("entities", "show", "redis").out.startswith("Valkey (tool)")
    assert saved("undo").out.startswith("undone: review: merged Redis into Valkey\n")
    assert saved("entities", "show", "redis").out.startswith("Redis (tool)")


@pytest.mark.parametrize(("answer", "name"), [("y", "Valkey"), ("n", "Redis")])
def test_on_a_terminal_a_person_is_asked(
    saved: Run, vault: Vault, answer: str, name: str
) -> None:
    person = Person(vault, (answer,))
    result = commands.load("entities")(person.context, "merge", ["redis", "Valkey"])
    assert result.data["applied"] is (answer == "y")
    assert "Redis -> Valkey" in person.said
    (one,) = vault.registry.entities
    assert one.name == name
