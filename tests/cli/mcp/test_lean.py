"""A model is told each text once, and nothing that it can take as the usual case."""

from typing import Any

import pytest

from memcli import Vault
from memcli.cli.context import Context
from memcli.cli.mcp import answers, catalog, tools

ROW: dict[str, Any] = {
    "id": "1m827dfsf99mabcd",
    "text": "Deploys run from main",
    "kind": "note",
    "layer": "fact",
    "status": "active",
    "created": "2026-11-21T09:00:00Z",
    "source": "personal",
    "path": "memories/note/deploys.md",
    "score": 3.1,
    "channels": ["lexical"],
    "stale": False,
}
TOLD = {"id", "text", "kind", "created", "source", "score"}


def row(**more: Any) -> dict[str, Any]:
    told: dict[str, Any] = answers.lean({"rows": [{**ROW, **more}]})["rows"][0]
    return told


def test_what_is_usual_is_left_out_of_a_row() -> None:
    assert set(row()) == TOLD
    assert set(row(score=0.0)) == TOLD - {"score"}
    unusual = row(status="resolved", layer="model", stale=True)
    assert set(unusual) == {*TOLD, "status", "layer", "stale"}
    assert "channels" in row(explain={"idf": 1})


def test_only_code_that_changed_is_told() -> None:
    same = {"place": "a.py", "state": "unchanged", "now": "", "why": ""}
    other = {"place": "b.py", "state": "changed", "now": "", "why": "edited"}
    assert "code_state" not in row(code_state=[same])
    assert row(code_state=[same, other])["code_state"] == [
        {"place": "b.py", "state": "changed", "why": "edited"}
    ]


def test_a_long_text_is_cut_and_says_how_long_it_is() -> None:
    told = row(text="word " * answers.LONGEST)
    assert len(told["text"]) < answers.LONGEST
    assert told["text_chars"] == 5 * answers.LONGEST
    assert row(text="x" * answers.LONGEST)["text"] == "x" * answers.LONGEST


def test_a_reflection_holds_each_text_once(vault: Vault, context: Context) -> None:
    texts = ["Deploys run from main", "Deploys stop on Fridays"]
    for text in texts:
        vault.save(vault.draft({"text": text}))
    found = tools.call(catalog.memory_reflect, {"query": "deploys"}, context).data or {}
    assert {fact["text"] for fact in found["facts"]} == set(texts)
    # In the facts, and in the answer's line of it.
    assert [str(found).count(text) for text in texts] == [2, 2]
    ids = [fact["id"] for fact in found["facts"]]
    assert [one["id"] for one in found["citations"]] == ids
    lines = found["answer"].splitlines()
    told = [fact["text"] for fact in found["facts"]]
    assert [line.count(text) for line, text in zip(lines, told, strict=True)] == [1, 1]


def test_a_save_tells_its_first_line_and_what_is_similar_in_its_data(
    vault: Vault, context: Context
) -> None:
    first = vault.save(vault.draft({"text": "The page size limit is 50 rows"})).id
    given = {"text": "The page size limit is 80 rows", "entities": ["API"]}
    answer = tools.call(catalog.memory_save, given, context)
    new = (answer.data or {})["id"]
    assert answer.notes[0] == f"saved {new}"
    (similar,) = (answer.data or {})["similar"]
    assert (similar["id"], similar["differs"]) == (first, ["number"])
    assert answer.notes[1].strip().startswith("to replace the older: memory_evolve {")
    assert len(answer.notes) == 2


def test_what_the_data_lists_is_not_told_again(vault: Vault, context: Context) -> None:
    kept = vault.save(vault.draft({"text": "Redis is down", "kind": "blocker"})).id
    vault.save(vault.draft({"text": "Prefers tabs", "status": "pending"}))
    assert tools.call(catalog.memory_review, {}, context).notes == ()
    asked = context._replace(via="mcp")
    planned = tools.call(catalog.memory_resolve, {"query": "redis"}, asked)
    assert planned.notes[-1] == "Nothing changed. Give the ids to apply."
    done = tools.call(catalog.memory_resolve, {"ids": [kept]}, context)
    assert not [note for note in (*planned.notes, *done.notes) if kept in note]


def test_the_overview_is_of_memories_and_not_of_files(
    vault: Vault, context: Context
) -> None:
    vault.save(vault.draft({"text": "Deploys run from main"}))
    told = tools.call(catalog.memory_inspect, {}, context).data or {}
    assert told["by_kind"] == {"note": 1}
    assert told.keys().isdisjoint({"index", "head", "path"})


@pytest.mark.parametrize("data", [{}, {"rows": []}])
def test_what_holds_nothing_stays(data: dict[str, Any]) -> None:
    assert answers.lean(data) == data
