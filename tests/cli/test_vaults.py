"""Several vaults by the command line."""

import os
import time
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.storage import known_vaults
from tests.cli.conftest import Run
from tests.conftest import VaultMaker, state_of
from tests.saving import configure

READ = {"MEMCLI_VAULT": ""}


@pytest.fixture
def team(vault: Vault, make_vault: VaultMaker, home: Path) -> Vault:
    """A team's vault that may only be read, beside the default one."""
    known_vaults.set_default_vault(vault.root, os.environ)
    made = make_vault("team")
    made.save("The team deploys with bazel")
    vault.save("I deploy with make")
    configure(home, f"[vaults.platform]\npath = '{made.root}'\nrole = 'ro'\n")
    return made


def said(memcli: Run, *words: str) -> set[tuple[str, str]]:
    done = memcli(*words, "--json", environ=READ)
    assert done.code == 0, done.out
    data = done.json["data"]
    rows = data.get("rows", data.get("facts"))
    return {(row["source"], row["text"]) for row in rows}


def test_what_is_printed_of_a_vault_works_when_typed(
    team: Vault, vault: Vault, memcli: Run, home: Path
) -> None:
    configure(home, f"[vaults.platform]\npath = '{team.root}'\n")
    (row,) = team.recall("bazel").rows
    # The label of a row, and the vault that a refusal names.
    shown = memcli("list", "--vault", "team:platform", "--json", environ=READ)
    assert [one["id"] for one in shown.json["data"]["rows"]] == [row.id]
    refused = memcli("tag", row.id, "+ci", environ=READ)
    assert "Add --vault platform" in refused.err
    assert memcli("tag", row.id, "+ci", "--vault", "platform", environ=READ).code == 0
    # The commands that an answer says go to the vault that was asked.
    words = ("--vault", "platform")
    memcli("resolve", row.id, *words, environ=READ)
    again = memcli("save", "the team deploys with bazel!", *words, environ=READ).err
    command = f"memcli --vault platform resolve --undo {row.id}"
    assert again.rstrip().endswith(command)
    # The last resolve was there, which needs no name.
    own = vault.save("Own is resolved before").id
    vault.resolve(own)
    memcli(*command.split()[1:], environ=READ)
    time.sleep(1.1)  # a resolve says its second
    memcli("resolve", row.id, *words, environ=READ)
    back = memcli("resolve", "--undo", environ=READ)
    assert f"  {row.id} " in back.out
    assert "it was resolved in the vault platform" in back.err
    assert f"  {own} " in memcli("resolve", "--undo", environ=READ).out


OWN = ("personal", "I deploy with make")
TEAM = ("team:platform", "The team deploys with bazel")


@pytest.mark.parametrize("command", [["recall"], ["reflect"]])
def test_flags_choose_the_vaults(team: Vault, memcli: Run, command: list[str]) -> None:
    words = [*command, "how do we deploy?"]
    assert said(memcli, *words) == {OWN, TEAM}
    assert said(memcli, *words, "--set", "personal-only=true") == {OWN}
    assert said(memcli, *words, "--vault", "personal") == {OWN}
    assert said(memcli, *words, "--vault", "platform") == {TEAM}
    assert said(memcli, *words, "--vault", team.root) == {TEAM}
    both = ["--vault", "platform", "--vault", "personal"]
    assert said(memcli, *words, *both) == {OWN, TEAM}
    done = memcli(
        *words, "--vault", "platform", "--set", "personal-only=true", environ=READ
    )
    assert done.code == 2


def test_all_and_batches_ask_every_vault(
    team: Vault, memcli: Run, tmp_path: Path
) -> None:
    assert said(memcli, "list", "--all") == {OWN, TEAM}
    batch = tmp_path / "batch.jsonl"
    batch.write_text('{"id": 1, "query": "deploy"}\n')
    assert said(memcli, "recall", "--batch", str(batch)) == {OWN, TEAM}
    batch.write_text('{"id": 1, "query": "deploy", "personal_only": true}\n')
    done = memcli("recall", "--batch", str(batch), "--json", environ=READ)
    assert done.json["error"]["code"] == "invalid_batch"


def test_a_row_says_for_eyes_where_it_is_from(team: Vault, memcli: Run) -> None:
    done = memcli("recall", "deploy", environ=READ)
    assert "team:platform memories/" in done.out
    assert "personal" not in done.out


WRITES = [
    ["save", "a text"],
    ["save", "a text", "--kind", "nosuch"],
    ["evolve", "1zzz", "a text"],
    ["resolve", "1zzz"],
    ["forget", "1zzz"],
    ["review", "--approve", "1zzz"],
    ["import", "nowhere.jsonl"],
    ["doctor", "--fix"],
    ["undo"],
    ["reflect", "--session", "nowhere.jsonl"],
]


@pytest.mark.usefixtures("team")
def test_writing_into_ro_says_so_before_anything_else(memcli: Run) -> None:
    for words in WRITES:
        error = memcli(*words, "--vault", "platform", "--json").json["error"]
        assert error["code"] == "read_only", error


def test_research_over_a_team_says_where_from_and_is_recorded_in_ones_own(
    team: Vault, vault: Vault, memcli: Run
) -> None:
    (row,) = team.recall("bazel").rows
    found = {"id": row.id, "title": None, "source": "team:platform"}
    for number, words in enumerate([[], ["--vault", "platform"]]):
        name = f"r{number}"
        ask = ["recall", "bazel", "--research", name, "--json", *words]
        done = memcli(*ask, environ=READ)
        assert done.json["data"]["research"]["retrieved"] == 1
        run = memcli("inspect", "research", name, "--json", environ=READ).json["data"]
        assert run["searches"][0]["found"] == [found]
        out = memcli("inspect", "research", name, environ=READ).out
        assert f"{row.id}\t\tteam:platform" in out
        text = ["save", f"They like bazel {number}", "--layer", "observation"]
        cite = ["--research", name, "--cite", row.id, "--json"]
        done = memcli(*text, *cite, environ=READ)
        assert done.json["data"]["dropped"] == [row.id]
        assert done.json["warnings"] == [
            "it cites nothing: name its evidence with --cite ID",
            f"research '{name}' has not found in this vault, so not cited: {row.id}",
        ]
    assert not state_of(team.root, layout.RESEARCH).exists()
    assert len(list(state_of(vault.root, layout.RESEARCH).iterdir())) == 2


def test_feedback_on_what_may_only_be_read_is_told_and_the_rest_noted(
    team: Vault, vault: Vault, memcli: Run
) -> None:
    found = memcli("recall", "deploy", "--json", environ=READ).json["data"]["rows"]
    ids = {row["source"]: row["id"] for row in found}
    theirs, mine = ids["team:platform"], ids["personal"]
    told = f"nothing was noted of {theirs}: team:platform cannot be written to"
    both = ["--useful", mine, "--useful", theirs]
    done = memcli("recall", *both, "--json", environ=READ)
    said = done.json["data"]["feedback"]
    assert [(one["id"], one["noted"]) for one in said] == [
        (mine, True),
        (theirs, False),
    ]
    assert done.json["warnings"] == [told]
    done = memcli("recall", *both, environ=READ)
    assert done.out == f"useful: {mine} I deploy with make\n"


def test_inspect_says_which_team_has_an_id(team: Vault, memcli: Run) -> None:
    (row,) = team.recall("bazel").rows
    error = memcli("inspect", row.id, "--json", environ=READ).json["error"]
    assert error["code"] == "entry_not_found"
    assert error["message"].endswith("; it is in the vault `platform`")
    assert error["hint"] == "Add --vault platform"
    words = ["inspect", row.id, "--vault", "platform"]
    assert memcli(*words, environ=READ).out.startswith("The team deploys with bazel")
    for more in ([], ["--vault", "personal"]):
        error = memcli("inspect", "0zz", *more, "--json", environ=READ).json["error"]
        assert error["hint"].startswith("Topics: ")
    error = memcli("inspect", "models", "foo", "--json", environ=READ).json["error"]
    assert error["code"] == "usage"


def test_one_vault_at_a_time_for_all_else(team: Vault, memcli: Run) -> None:
    two = ["--vault", "platform", "--vault", "personal"]
    done = memcli("reflect", "--session", "x.jsonl", *two, "--json", environ=READ)
    assert (done.code, done.json["error"]["code"]) == (2, "usage")


def test_inspect_vaults(team: Vault, vault: Vault, memcli: Run) -> None:
    done = memcli("inspect", "vaults", "--json", environ=READ)
    assert done.json["data"]["vaults"] == [
        {
            "name": name,
            "source": source,
            "path": root,
            "role": role,
            "recall": True,
            "hooks": True,
            "entries": 1,
            "problem": None,
            "sync": None,
        }
        for name, source, root, role in (
            ("personal", "personal", vault.root, "rw"),
            ("platform", "team:platform", team.root, "ro"),
        )
    ]
    assert "platform" in memcli("inspect", "vaults", environ=READ).out
    one = memcli("inspect", "vaults", "--vault", "platform", "--json", environ=READ)
    assert one.json["error"]["code"] == "usage"
    done = memcli("inspect", "vaults", "--agent", "eve", "--json", environ=READ)
    assert done.json["error"]["code"] == "owner_only"
