"""What an MCP client is answered: nothing empty, nothing twice, tools by name."""

from typing import Any

import pytest

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
        ("What waits: memcli review --list", "What waits: memory_review"),
        (
            "memcli entities show NAME",
            'memory_inspect {"topic": "entity", "name": "NAME"}',
        ),
        ("all: memcli entities", 'all: memory_inspect {"topic": "entities"}'),
        (
            "What is open: memcli ideas",
            'What is open: memory_inspect {"topic": "ideas"}',
        ),
        ("See: memcli list --by status", 'See: memory_recall {"all": true}'),
        (
            'Ask: memcli recall "a b" --kind fix; or pipe it in',
            'Ask: memory_recall {"query": "a b", "kinds": ["fix"]}; or pipe it in',
        ),
        (f"(memcli show {ONE})", f'(memory_inspect {{"id": "{ONE}"}})'),
        ("Name it: --group NAME.", "Name it: groups NAME."),
        ("Drop --only-this.", "Drop only_this."),
        ("--tag needs a value", "tags needs a value"),
        (
            "Or as: memcli mcp --agent NAME",
            "Or as: memcli mcp --agent NAME (in the user's shell)",
        ),
        ("memcli sync sends it", "memcli sync sends it (in the user's shell)"),
        ("memcli resolve only hides it", "memory_resolve only hides it"),
        ("memcli does not know it", "memcli does not know it"),
        ("a -- b, a--b and ---", "a -- b, a--b and ---"),
    ],
)
def test_hints_name_tools_and_parameters(said: str, told: str) -> None:
    assert answers.reworded(said, catalog.memory_save) == told


@pytest.mark.parametrize(
    ("command", "call"),
    [
        (
            f"memcli evolve {ONE} --also {OTHER} --also {ONE}",
            f'memory_evolve {{"id": "{ONE}", "also": ["{OTHER}", "{ONE}"]}}',
        ),
        (
            f"memcli evolve {ONE} --project example.org/shop",
            f'memory_evolve {{"id": "{ONE}", "project": "example.org/shop"}}',
        ),
        (
            f"memcli resolve --undo {ONE}",
            f'memory_resolve {{"ids": ["{ONE}"], "undo": true}}',
        ),
        (f"memcli undo {ONE}", f'memory_evolve {{"id": "{ONE}", "revert": true}}'),
        (f"memcli pin {ONE}", f"memcli pin {ONE} (in the user's shell)"),
        ("memcli evolve x --edit", "memory_evolve x --edit"),
    ],
)
def test_a_change_that_a_hint_proposes_is_a_call_to_copy(
    command: str, call: str
) -> None:
    assert answers.with_tools(f"to do it: {command}") == f"to do it: {call}"


def test_a_command_in_the_words_of_an_entry_is_never_made_a_call() -> None:
    title = f"Run memcli resolve {ONE} --undo: memcli evolve {ONE} --also {OTHER}"
    said = f"x may say otherwise: {title}; only if it is over: memcli resolve {OTHER}"
    told = answers.with_tools(said)
    assert told.endswith(f'if it is over: memory_resolve {{"ids": ["{OTHER}"]}}')
    assert told.count("{") == 1


def test_only_hints_are_reworded_among_the_lines_of_a_command() -> None:
    lines = tools._Lines(catalog.memory_evolve)
    lines.line("evolved x: it says --tag")
    lines.line("  another entry says --tag")
    lines.line(
        f"  to replace them too: memcli evolve {ONE} --also {OTHER}", style="hint"
    )
    assert lines.lines == [
        "evolved x: it says --tag",
        f'  to replace them too: memory_evolve {{"id": "{ONE}", "also": ["{OTHER}"]}}',
    ]


def test_the_entries_of_a_plan_that_was_applied_are_named_once() -> None:
    one = {"id": "x"}
    plan = {"targets": [one], "already": [{"id": "y"}], "margin": 1.0, "undo": False}
    done = answers.shortened({"applied": True, "items": [one], "plan": plan})
    assert done["plan"] == {"already": [{"id": "y"}], "undo": False}
    planned = {"applied": False, "items": [], "plan": plan}
    assert answers.shortened(planned) == planned
