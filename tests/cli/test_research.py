"""The command line of models and research, as its users run it."""

from collections.abc import Callable
from typing import Any

from memcli import Vault
from tests.cli.conftest import Run


def told(memcli: Run, *words: str, code: int = 0) -> dict[str, Any]:
    done = memcli(*words, "--json")
    assert done.code == code, done.err
    document = done.json
    assert document["ok"] is (code == 0)
    return document


def saved(memcli: Run, *words: str) -> str:
    name: str = told(memcli, "save", *words)["data"]["id"]
    return name


def test_a_report_from_search_to_replay(memcli: Run, vault: Vault) -> None:
    fact = saved(memcli, "Tyler writes Go", "--entity", "Tyler")
    other = saved(memcli, "Sarah draws icons")
    report = ("save", "Tyler's career: Go", "--layer", "model", "--research", "tyler")
    done = told(memcli, *report, code=1)
    assert done["error"]["code"] == "must_search"
    found = told(memcli, "recall", "Tyler", "--research", "tyler")["data"]
    assert found["research"] | {"started": "", "last": ""} == {
        "name": "tyler",
        "agent": None,
        "budget": "mid",
        "searches": 1,
        "left": 4,
        "retrieved": 1,
        "started": "",
        "last": "",
    }
    found = told(memcli, "reflect", "what does Tyler write?", "--research", "tyler")
    assert found["data"]["research"]["left"] == 3
    done = told(memcli, *report, "--cite", fact, "--cite", other)
    assert done["data"]["cited"] == [fact]
    assert done["data"]["dropped"] == [other]
    assert f"not cited: {other}" in done["warnings"][0]
    model = done["data"]["id"]
    assert vault.get(model).evidence == (fact,)
    run = told(memcli, "inspect", "research", "tyler")["data"]
    assert [one["command"] for one in run["searches"]] == ["recall", "reflect"]
    assert run["searches"][0]["query"] == "Tyler"
    assert run["searches"][0]["found"] == [
        {"id": fact, "title": "Tyler writes Go", "source": "personal"}
    ]
    listed = told(memcli, "inspect", "research")["data"]
    assert [one["name"] for one in listed["runs"]] == ["tyler"]
    text = memcli("inspect", "research", "tyler").out
    assert "tyler: budget mid, 2 searches, 3 left" in text
    again = told(memcli, *report, "--cite", fact)
    assert again["data"]["outcome"] == "duplicate"
    assert again["data"]["cited"] == []
    assert f"memcli evolve {model} --cite ID" in again["warnings"][0]


def test_a_budget_that_is_spent_exits_with_1_and_searches_nothing(memcli: Run) -> None:
    words = ("recall", "Tyler", "--research", "tyler")
    told(memcli, *words, "--budget", "low")
    last = told(memcli, *words)
    assert "the last search of research 'tyler'" in last["warnings"][-1]
    done = told(memcli, *words, code=1)
    assert done["error"]["code"] == "budget_spent"
    assert "--budget mid" in done["error"]["hint"]
    assert told(memcli, *words, "--budget", "mid")["data"]["research"]["left"] == 2


def test_cite_takes_prefixes_and_refuses_what_is_not_there(
    memcli: Run, vault: Vault, snapshot: Callable[[str], dict[str, str]]
) -> None:
    fact = saved(memcli, "Tyler writes Go")
    words = (
        "save",
        "Tyler's career",
        "--layer",
        "model",
        "--set",
        "subtype=structural",
    )
    done = told(memcli, *words, "--cite", fact[:15])
    assert done["data"]["cited"] == [fact]
    before = snapshot(vault.root)
    wrong = ("save", "Tyler's dog", "--layer", "observation")
    done = told(memcli, *wrong, "--cite", "1zzzzzzzzzzzzzzz", code=1)
    assert done["error"]["code"] == "entry_not_found"
    done = told(memcli, "save", "Tyler's dog", "--cite", fact, code=2)
    assert done["error"]["code"] == "invalid_layer"
    done = told(memcli, "save", "x", "--set", "subtype=pinned", code=2)
    assert done["error"]["code"] == "invalid_subtype"
    assert snapshot(vault.root) == before


def test_stale_models_are_shown_with_the_reason_until_they_are_renewed(
    memcli: Run,
) -> None:
    old = saved(memcli, "Tyler writes Go")
    model = saved(memcli, "Tyler's career", "--layer", "model", "--cite", old)
    assert told(memcli, "inspect", "models", "--stale")["data"]["models"] == []
    new = told(memcli, "evolve", old, "Tyler writes Rust")["data"]["id"]
    found = told(memcli, "inspect", "models", "--stale")["data"]
    reason = {"reason": "superseded", "ids": [old], "number": 1, "paths": [[old]]}
    assert [(one["id"], one["stale_why"]) for one in found["models"]] == [
        (model, [reason])
    ]
    assert f"{model}: evidence superseded: {old}" in memcli("inspect", "models").out
    assert f"stale: evidence superseded: {old}" in memcli("reflect", "Tyler").out
    assert f"stale: evidence superseded: {old}" in memcli("inspect", model).out
    done = told(memcli, "evolve", model, "Tyler's career so far")
    assert "is still stale (evidence superseded" in done["warnings"][0]
    name = done["data"]["id"]
    told(memcli, "recall", "Tyler", "--research", "r")
    words = ("--research", "r", "--cite", new, "--cite", name, "--cite", old)
    done = told(memcli, "evolve", name, "Tyler writes Rust now", *words)
    assert done["data"]["cited"] == [new]
    assert done["data"]["dropped"] == [old]
    assert told(memcli, "inspect", "models")["data"]["stale"] == 0


def test_an_agent_replays_only_what_it_may_still_see(memcli: Run, vault: Vault) -> None:
    mine = saved(memcli, "Tyler writes Go", "--agent", "ada")
    found = told(memcli, "recall", "Tyler", "--research", "x", "--agent", "ada")
    assert found["data"]["research"]["agent"] == "ada"
    path = vault.path_of(mine)
    full = f"{vault.root}/{path}"
    with open(full, encoding="utf-8") as file:
        text = file.read()
    with open(full, "w", encoding="utf-8") as file:
        file.write(text.replace("agent: ada", "agent: bob"))
    run = told(memcli, "inspect", "research", "x", "--agent", "ada")["data"]
    assert run["searches"][0]["found"] == []
    assert run["retrieved"] == []
    assert told(memcli, "inspect", "models", "--agent", "ada")["data"]["count"] == 0
    owner = told(memcli, "inspect", "research", "x")["data"]
    assert owner["searches"][0]["found"][0]["id"] == mine
