"""The command line of models and research, as its users run it."""

from typing import Any

from memcli import Vault
from tests.cli.conftest import Run


def told(memcli: Run, *words: str, code: int = 0) -> dict[str, Any]:
    done = memcli(*words, "--json")
    assert done.code == code, done.err
    document = done.json
    assert document["ok"] is (code == 0)
    return document


def test_a_report_from_search_to_replay(memcli: Run, vault: Vault) -> None:
    tyler = ("save", "Tyler writes Go", "--entity", "Tyler")
    fact = told(memcli, *tyler)["data"]["id"]
    other = told(memcli, "save", "Sarah draws icons")["data"]["id"]
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
