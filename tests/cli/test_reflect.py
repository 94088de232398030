"""`memcli reflect QUERY`: facts, how far to trust them, and nothing else."""

import json

import pytest

from memcli import Vault
from tests.cli.conftest import Run
from tests.recall.test_reflect import QUESTION, deployments
from tests.saving import save


@pytest.fixture
def facts(vault: Vault) -> list[str]:
    return deployments(vault, 5)


def test_the_envelope_is_that_of_the_use_case(
    memcli: Run, vault: Vault, facts: list[str]
) -> None:
    done = memcli("reflect", QUESTION, "--json")
    assert (done.code, done.err) == (0, "")
    data = done.json["data"]
    assert list(data) == [
        *("query", "answer", "confidence", "confidence_why", "citations", "facts"),
        *(
            "constraints",
            "coverage",
            "missing_terms",
            "reading",
            "stale",
            "similar",
            "superseded_excluded",
        ),
        *("next_queries", "window", "budget", "no_match", "more_constraints"),
    ]
    assert sorted(row["id"] for row in data["facts"]) == sorted(facts)
    assert data["confidence"] == "high"
    assert data["answer"].count("\n") == 4
    # Each of the rows is recall's, but for what depends on the clock.
    rows = memcli("recall", QUESTION, "--json").json["data"]["rows"]
    assert [row["id"] for row in data["facts"]] == [row["id"] for row in rows]
    assert [list(row) for row in data["facts"]] == [list(row) for row in rows]
    assert memcli("reflect", *QUESTION.split(), "--json").out == done.out


def test_it_reads_as_facts_by_layer_then_what_to_make_of_them(
    memcli: Run, vault: Vault, facts: list[str]
) -> None:
    save(vault, "Checkout is deployed often", layer="model")
    done = memcli("reflect", "how is checkout deployed in Frankfurt?")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[:3] == ["Models:", "", "Checkout is deployed often"]
    assert lines[3].startswith("  ")
    assert lines.index("Facts:") > 3
    assert lines.count("Facts:") == 1
    end = [line for line in lines if line.startswith("confidence: ")]
    assert end == [
        "confidence: medium (6 facts; matched: checkout, deployed; nothing about: "
        "frankfurt)"
    ]
    after = lines[lines.index(end[0]) + 1 :]
    assert after[0] == "in none of them: frankfurt"
    assert after[1].startswith("similar: ")
    assert after[2].startswith(f"  older {facts[0]}: ")
    asks = after.index("ask next:")
    assert after[asks + 1].startswith("  memcli reflect frankfurt  # ")
    assert "\x1b" not in done.out


def test_the_schema_is_accepted_ignored_and_said_to_be_deprecated(
    memcli: Run, facts: list[str]
) -> None:
    plain = memcli("reflect", QUESTION, "--json").json
    schema = json.dumps({"type": "object"})
    done = memcli(
        "reflect", QUESTION, "--set", f"response-schema={schema}", "--json"
    ).json
    assert done["data"] == plain["data"]
    (warning,) = done["warnings"]
    assert "response-schema is deprecated" in warning
    told = memcli("reflect", QUESTION, "--set", f"response-schema={schema}")
    assert f"warning: {warning}" in told.err
    assert told.out == memcli("reflect", QUESTION).out


def test_no_match_is_said_to_be_no_match(memcli: Run, facts: list[str]) -> None:
    done = memcli("reflect", "kubernetes")
    assert (done.code, done.out) == (0, "confidence: low (no fact)\n")
    assert done.err.startswith("warning: No entry contains 'kubernetes'. Try")
    assert memcli("reflect", "kubernetes", "--exit-code").code == 1
    assert memcli("reflect", QUESTION, "--exit-code").code == 0
    data = memcli("reflect", "the of", "--json").json
    assert data["data"]["facts"] == []
    assert "the question holds no word to search for" in data["warnings"]


def test_what_a_terminal_would_obey_is_shown_as_what_it_is(
    memcli: Run, vault: Vault
) -> None:
    evil = "\x1b]0;owned\x07\x9b2J\u202eterces redis\x08\U000e0041"
    name = "--vault=/x \x1b[2J; rm"
    fields = {"kind": "decision", "entities": [name], "title": f"redis {evil}"}
    vault.save(vault.draft({"text": f"redis is {evil}", **fields}))
    solved = vault.save(f"redis was {evil}").id
    vault.resolve(solved)
    done = memcli("reflect", "redis")
    assert "\\x1b]0;owned\\x07" in done.out
    for character in "\x1b\x07\x9b\u202e\x08\U000e0041":
        assert character not in done.out + done.err
    # A name out of a memory is no flag of a command that is pasted.
    (line,) = [one for one in done.out.splitlines() if "rm redis" in one]
    assert line.startswith("  memcli reflect -- '--vault=/x ")
    recalled = memcli("recall", "redis").out
    assert recalled.strip() in done.out


def test_what_disagrees_and_what_was_left_out_is_named(
    memcli: Run, vault: Vault
) -> None:
    first = save(vault, "The retry limit is 3", occurred_at="2026-05-01")
    second = save(vault, "The retry limit is 5", occurred_at="2026-08-01")
    old = save(vault, "The retry limit is unknown")
    vault.resolve(old, note="it was counted")
    base = save(vault, "Ann counted")
    drawn = save(vault, "The retry limit is low", layer="observation", evidence=[base])
    vault.resolve(base)
    done = memcli("reflect", "what is the retry limit?")
    assert f"  older {first}: The retry limit is 3\n" in done.out
    assert f"  newer {second}: The retry limit is 5\n" in done.out
    assert f"left out: {old} (resolved): it was counted\n" in done.out
    replaced = vault.evolve(first, "The retry limit is 4").id
    gone = f"left out: {first} (superseded by {replaced})\n"
    assert gone in memcli("reflect", "what is the retry limit?").out
    assert "  recall does not show it: superseded\n" in memcli("show", first).out
    assert "  stale: " in done.out
    data = memcli("reflect", "what is the retry limit?", "--json").json["data"]
    assert data["stale"] == [drawn]
