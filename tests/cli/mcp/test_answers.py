"""The answers of tools: nothing empty, nothing twice, and what to do next."""

from typing import Any

import pytest

from memcli import Vault
from memcli.cli.context import Context
from memcli.cli.mcp import answers, catalog, tools


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ({"a": None, "b": [], "c": {}, "d": ""}, {"d": ""}),
        (
            {"no": False, "zero": 0, "score": 0.0},
            {"no": False, "zero": 0, "score": 0.0},
        ),
        ({"rows": [], "facts": [], "entities": []}, {"rows": [], "facts": []}),
        ({"plan": {"targets": [], "ids": []}}, {"plan": {"targets": []}}),
        ({"reading": {"words": None}}, {}),
        ([{"a": None}, None, []], [{}, None, []]),
        ({"type": "unknown", "kind": "unknown"}, {"kind": "unknown"}),
        ({"agents": [], "findings": [], "groups": []}, {"agents": [], "findings": []}),
    ],
)
def test_keys_that_say_nothing_are_left_out(data: Any, kept: Any) -> None:
    assert answers.shortened(data) == kept


@pytest.mark.parametrize(
    ("title", "text", "stays"),
    [
        ("Deploys", "# Deploys\n\nOn Mondays", False),
        ("We deploy on", "We deploy on Mondays", False),
        ("We deploy...", "We deploy on Mondays, never on Fridays", False),
        ("Deploys", "On Mondays\n\nDeploys", True),
        ("Deploys", "", True),
        ("", "On Mondays", False),
    ],
)
def test_a_title_with_which_the_text_begins_is_left_out(
    title: str, text: str, *, stays: bool
) -> None:
    row = {"title": title, "text": text}
    assert ("title" in answers.shortened(row)) is stays
    assert row == {"title": title, "text": text}


ONE, OTHER = "1m827dfsf99mabcd", "1m827dezqca56tfb"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("What waits: memcli review --list", "What waits: memory_review list"),
        ("(memcli show NAME)", "(memory_inspect NAME)"),
        (
            "Ask: memcli recall 'a b' --kind fix; or pipe it in",
            "Ask: memory_recall 'a b' kinds=fix; or pipe it in",
        ),
        (
            f"memcli evolve {ONE} --also {OTHER} --also {ONE}",
            f"memory_evolve {ONE} also={OTHER} also={ONE}",
        ),
        (f"memcli resolve --undo {ONE}", f"memory_resolve undo {ONE}"),
        (f"memcli undo {ONE}", f"memory_evolve revert {ONE}"),
        ("Name it: --group NAME.", "Name it: groups NAME."),
        (
            "See: memcli list --by tag",
            "See: memcli list --by tag (in the user's shell)",
        ),
        ("Drop --only-this.", "Drop only_this."),
        (
            "Or as: memcli mcp --agent NAME",
            "Or as: memcli mcp --agent NAME (in the user's shell)",
        ),
        ("memcli does not know it", "memcli does not know it"),
        ("a -- b, a--b and ---", "a -- b, a--b and ---"),
    ],
)
def test_hints_name_tools_and_parameters(said: str, told: str) -> None:
    assert answers.reworded(said, "save") == told


def test_the_first_line_and_the_hints_of_a_command_are_told() -> None:
    lines = tools._Lines()
    lines.line("evolved x: it says --tag")
    lines.line("  another entry says --tag")
    lines.line("  to replace it: memcli evolve x --also y", style="hint")
    said = ["evolved x: it says --tag", "  to replace it: memory_evolve x also=y"]
    assert lines.lines == said


# --- nothing that a model can take as the usual case --------------------------------


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
        vault.save(text)
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
    first = vault.save("The page size limit is 50 rows").id
    given = {"text": "The page size limit is 80 rows", "entities": ["API"]}
    answer = tools.call(catalog.memory_save, given, context)
    new = (answer.data or {})["id"]
    assert answer.notes[0] == f"saved {new}"
    assert vault.get(new).source.writer == "skill"
    (similar,) = (answer.data or {})["similar"]
    assert (similar["id"], similar["differs"]) == (first, ["number"])
    assert answer.notes[1].strip().startswith("to replace the older: memory_evolve ")
    assert len(answer.notes) == 2


def test_what_the_data_lists_is_not_told_again(vault: Vault, context: Context) -> None:
    kept = vault.save("Redis is down", kind="blocker").id
    vault.save(vault.draft({"text": "Prefers tabs", "status": "pending"}))
    assert tools.call(catalog.memory_review, {}, context).notes == ()
    asked = context._replace(via="mcp")
    planned = tools.call(catalog.memory_resolve, {"query": "redis"}, asked)
    assert planned.notes[-1] == "Nothing changed. Give the ids to apply."
    done = tools.call(catalog.memory_resolve, {"ids": [kept]}, context)
    assert not [note for note in (*planned.notes, *done.notes) if kept in note]
