"""Entities on the command line, as people and programs use them."""

from pathlib import Path

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


def test_save_says_what_it_mentions_and_registers(memcli: Run) -> None:
    words = ("save", "ask Ada about parse_args", "--entity", "Ada", "--type", "person")
    done = memcli(*words, "--json").json["data"]
    assert done["entities"] == ["Ada", "parse_args"]
    assert done["registered"] == ["Ada"]
    again = memcli("save", "Ada said no")
    assert again.out.splitlines()[1:] == ["  mentions Ada"]


def test_an_invalid_type_is_refused_by_every_command(
    saved: Run, vault: Vault, tmp_path: Path
) -> None:
    entry = vault.recall("hosts").rows[0].id
    for words in (
        ("save", "x", "--type", "persn"),
        ("evolve", entry, "--type", "persn"),
        ("recall", "x", "--type", "persn"),
        ("reflect", "x", "--type", "persn"),
        ("review", "Grace Hopper", "--register", "--type", "persn"),
    ):
        error = saved(*words, "--json").json["error"]
        assert error["code"] == "invalid_type", words
        assert "person, project, system, tool, concept, skill, task" in error["message"]
        assert error["hint"] == "Did you mean 'person'?"
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"text": "x", "type": "persn"}\n')
    (failed,) = saved("import", str(lines), "--json").json["data"]["failed"]
    assert failed["code"] == "invalid_type"


def test_entities_are_listed_with_their_counts(saved: Run) -> None:
    data = saved("inspect", "entities", "--json").json["data"]
    (row,) = data["entities"]
    assert (row["name"], row["type"], row["current"]) == ("Redis", "tool", 2)
    assert (data["registered"], data["candidates"], data["hubs"]) == (1, 1, [])
    text = saved("inspect", "entities").out
    assert "Redis\ttool\t2\t0" in text
    assert "1 names wait: memcli review --entities" in text


def test_an_entity_shows_its_claims(saved: Run) -> None:
    data = saved("inspect", "entity", "redis", "--json").json["data"]
    assert (data["name"], list(data["current"])) == ("Redis", ["status", "about"])
    (claim,) = data["current"]["status"]
    assert claim["text"] == "redis is down, ask Grace Hopper"
    text = saved("inspect", "entity", "redis").out
    assert text.startswith("Redis (tool)\nstatus:\n")


def test_names_are_reviewed(saved: Run) -> None:
    data = saved("review", "--entities", "--json").json["data"]
    assert [(row["name"], row["entries"]) for row in data["names"]] == [
        ("Grace Hopper", 1)
    ]
    words = ["review", "Grace Hopper", "--register", "--type", "person"]
    words += ["--alias", "Grace", "--alias", "Amazing Grace"]
    plan = saved(*words, "--dry-run", "--json").json["data"]
    assert (plan["applied"], len(plan["entries"])) == (False, 1)
    assert saved("review", "--entities", "--json").json["data"]["count"] == 1
    done = saved(*words, "--json").json["data"]
    assert done["applied"]
    assert done["files"] == [
        {"path": "entities/person/grace-hopper.md", "what": "registered"}
    ]
    assert saved("review", "--entities").out == "no name waits\n"
    page = saved("inspect", "entity", "amazing grace", "--json").json["data"]
    assert page["aliases"] == ["Grace", "Amazing Grace"]
    assert page["with_others"] == [{"name": "Redis", "entries": 1}]


def test_a_name_is_ignored_and_undo_brings_it_back(saved: Run) -> None:
    assert saved("review", "Grace Hopper", "--ignore").out == "ignored Grace Hopper\n"
    assert saved("review", "--entities").out == "no name waits\n"
    saved("review", "--undo")
    assert "Grace Hopper" in saved("review", "--entities").out


def test_a_rename_is_a_plan_until_it_is_confirmed(saved: Run) -> None:
    words = ("inspect", "entity", "Redis", "--rename", "Valkey")
    for flags in ((), ("--dry-run",), ("--dry-run", "--yes")):
        text = saved(*words, *flags).out
        assert text.startswith(
            "would rename:\n"
            "  entities/tool/redis.md: called Valkey; the file keeps its name\n"
        )
        leave = "--dry-run" in flags
        how = "leave --dry-run out" if leave else "add --yes"
        assert text.endswith(f"nothing was changed; to do it {how}\n")
        assert text.count("Redis -> Valkey") == 2
    assert saved("inspect", "entity", "Valkey").code == 1
    done = saved(*words, "--yes", "--json").json["data"]
    assert (done["applied"], len(done["entries"])) == (True, 2)
    assert saved("inspect", "entity", "redis").out.startswith("Valkey (tool)")
    assert saved("review", "--undo").out == "undone: review: renamed Redis to Valkey\n"
    assert saved("inspect", "entity", "redis").out.startswith("Redis (tool)")


def test_an_empty_name_is_what_is_wrong_with_it(saved: Run) -> None:
    words = ("inspect", "entity", "Redis", "--rename", "", "--yes", "--json")
    error = saved(*words).json["error"]
    assert error["message"].startswith("not a name")
    flags = ("inspect", "entity", "Redis", "--yes", "--json")
    assert "--merge, --rename or --alias" in saved(*flags).json["error"]["message"]


def test_a_merge_names_both(saved: Run) -> None:
    saved("save", "x", "--entity", "Redis DB", "--type", "system")
    words = ("inspect", "entity", "--merge", "Redis DB", "Redis", "--yes", "--json")
    data = saved(*words).json["data"]
    assert data["name"] == "Redis"
    assert {"path": "entities/system/redis-db.md", "what": "removed"} in data["files"]


@pytest.mark.parametrize(("answer", "name"), [("y", "Valkey"), ("n", "Redis")])
def test_on_a_terminal_a_person_is_asked(
    saved: Run, vault: Vault, answer: str, name: str
) -> None:
    person = Person(vault, (answer,))
    values = {"what": "entity", "session": "redis", "rename": "Valkey"}
    result = commands.load("inspect")(person.context, **values)
    assert result.data["applied"] is (answer == "y")
    assert "Redis -> Valkey" in person.said
    (one,) = vault.registry.entities
    assert one.name == name


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "entity"),
        ("inspect", "entity", "--merge", "Redis"),
        ("inspect", "entity", "Redis", "--rename", "a", "--alias", "b"),
        ("inspect", "--rename", "a"),
        ("inspect", "entities", "Redis"),
        ("inspect", "entity", "Redis", "--yes"),
        ("review", "a", "b", "--register"),
        ("review", "a", "--type", "tool"),
        ("review", "a", "--approve", "--alias", "b"),
        ("review", "--entities", "--ideas"),
        ("review", "--entities", "--list"),
        ("review", "--all", "--ignore"),
        ("review", "--ignore"),
        ("review", "a", "--ignore", "--dry-run"),
        ("review", "a", "--ignore", "--register"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    memcli: Run, words: tuple[str, ...]
) -> None:
    done = memcli(*words, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage"), done.out
