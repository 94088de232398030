"""Signals by the command line, hooks and MCP: who asked, and what was of use."""

import json
from pathlib import Path

from memcli import Vault
from memcli.cli.mcp import catalog, tools
from memcli.entries import layout
from memcli.vault.health import log
from tests.cli.conftest import Run
from tests.conftest import state_of
from tests.contexts import context_of
from tests.saving import save
from tests.vault.test_signals import noted


def hook(process: Run, event: str, **payload: str) -> str:
    given = json.dumps({"session_id": "s1", **payload}).encode()
    done = process("hook", event, "--host", "codex", stdin=given)
    assert done.code == 0
    return done.out


def test_a_prompt_is_noted_with_what_was_told(process: Run, vault: Vault):
    mine = save(vault, "The billing service deploys from the main branch")
    prompt = "please deploy the billing service from main"
    assert mine in hook(process, "prompt-submit", prompt=prompt)
    assert hook(process, "prompt-submit", prompt=prompt) == ""  # it was told already
    told, silent = noted(vault)
    assert told["via"] == silent["via"] == "hook"
    assert told["question"] == silent["question"] is not None
    (row,) = told["rows"]
    assert (row["id"], row["rank"], row["channels"]) == (mine, 1, ["lexical"])
    assert silent["rows"] == []


def test_the_start_of_a_session_is_noted_without_a_question(process: Run, vault: Vault):
    pinned = save(vault, "Ask before you push", pinned=True)
    rule = save(vault, "Never drop a table", kind="constraint")
    recent = save(vault, "The rerank key is broken", item="derived")
    state_of(vault.root, layout.HARNESS).mkdir()
    (state_of(vault.root, layout.HARNESS) / "swept").touch()
    assert pinned in hook(process, "session-start")
    (one,) = noted(vault)
    assert one["question"] is None
    assert {row["id"]: row["channels"] for row in one["rows"]} == {
        pinned: ["pinned"],
        rule: ["constraint"],
        recent: ["recent"],
    }
    assert all(row["rank"] is None for row in one["rows"])


def test_an_mcp_client_asks_and_says_what_helped(vault: Vault):
    client = context_of(vault, via="mcp")
    mine = save(vault, "We deploy on Mondays")
    asked = tools.call(catalog.memory_recall, {"query": "deploy"}, client)
    assert asked.data is not None
    (one,) = noted(vault)
    assert one["via"] == "mcp"
    done = tools.call(catalog.memory_recall, {"useful": [mine]}, client)
    assert done.data == {
        "feedback": [
            {
                "id": mine,
                "title": "We deploy on Mondays",
                "useful": True,
                "recall": one["recall"],
                "source": "personal",
                "noted": True,
            }
        ],
        "count": 1,
    }
    both = {"query": "deploy", "useful": [mine]}
    refused = tools.call(catalog.memory_recall, both, client)
    assert refused.error is not None
    assert refused.error["code"] == "usage"


def test_feedback_takes_ids_and_no_question(memcli: Run, vault: Vault):
    good, bad = save(vault, "We deploy on Mondays"), save(vault, "We deploy badly")
    memcli("recall", "deploy")
    done = memcli("recall", "--useful", good[:15], "--not-useful", bad)
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        f"useful: {good} We deploy on Mondays",
        f"not useful: {bad} We deploy badly",
    ]
    assert [(one["id"], one["useful"]) for one in noted(vault, "feedback")] == [
        (good, True),
        (bad, False),
    ]


def test_inspect_signals_says_what_happened(memcli: Run, vault: Vault):
    assert "events: 0\n" in memcli("signals").out
    skill = save(vault, "How to deploy", kind="skill")
    memcli("recall", "deploy")
    memcli("recall", "zebra")
    memcli("recall", "--useful", skill)
    lines = memcli("signals").out.splitlines()
    assert {"writes: manual 1", "questions: 2", "hits: 1"} < set(lines)
    assert {"user\t1\t0", f"{skill}\tHow to deploy\t2"} < set(lines)
    data = memcli("signals", "--json").json["data"]
    numbers = ("on", "questions", "hits", "writes", "pairs")
    assert [data[name] for name in numbers] == [True, 2, 1, {"manual": 1}, 0]
    assert data["bytes"] == Path(data["path"]).stat().st_size
    assert data["feedback"] == [{"by": "user", "useful": 1, "not_useful": 0}]
    assert data["asked"] == [{"via": "recall", "questions": 2, "hits": 1}]
    assert data["uses"] == [{"id": skill, "title": "How to deploy", "uses": 2}]
    assert "stored or recalled: 2\n" in memcli("inspect", skill).out


def test_a_scorer_learns_from_what_helped(memcli: Run, vault: Vault):
    first = save(vault, "We deploy badly, we deploy, deploy")
    good = save(vault, "We deploy on Mondays, all of us, each in a different way")
    memcli("recall", "deploy")
    memcli("recall", "--useful", good)
    (pair,) = log.pairs(vault)
    assert set(pair) == {"question", "recall", "better", "worse"}
    assert (pair["better"]["id"], pair["worse"]["id"]) == (good, first)
    assert pair["better"]["features"]["writer:manual"] == 1.0
    assert memcli("signals", "--json").json["data"]["pairs"] == 1
    assert memcli("signals", "--dry-run").code == 2


def test_signals_that_are_off_say_so(memcli: Run, vault: Vault):
    Path(vault.root, layout.CONFIG).write_text("[signals]\nlog = false\n")
    memcli("recall", "deploy")
    assert memcli("signals").out.startswith("on: no\n")
    assert memcli("signals", "--json").json["data"]["on"] is False
