"""What an MCP client is answered: nothing empty, nothing twice, tools by name."""

from typing import Any

import pytest

from memcli.cli.mcp import answers


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


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "memcli entities show NAME; all of them: memcli entities",
            "memory_inspect topic entity and its name; all of them: "
            "memory_inspect topic entities",
        ),
        ("or memcli inspect ID", "or memory_inspect ID"),
        ("Name it: --group NAME.", "Name it: groups NAME."),
        (
            'Look further: memcli recall "..." --research checkout --budget mid',
            'Look further: memory_recall "..." research checkout budget mid',
        ),
        (
            "if they are meant, add --kind note.",
            "if they are meant: memory_resolve with kinds note.",
        ),
        ("What waits: memcli review --list", "What waits: memory_review without ids"),
        (
            "See: memcli list --by status",
            "See: memory_recall with all: true",
        ),
        ("Drop --only-this.", "Drop only_this."),
        ("--tag needs a value", "tags needs a value"),
        ("memcli sync sends it", "memcli sync sends it (in the user's shell)"),
        ("memcli does not know it", "memcli does not know it"),
        ("a -- b, a--b and ---", "a -- b, a--b and ---"),
    ],
)
def test_hints_name_tools_and_parameters(said: str, told: str) -> None:
    assert answers.reworded(said) == told


def test_a_warning_keeps_the_words_of_an_entry() -> None:
    said = "x says: run it with --tag; to make them one: memcli evolve x --also y"
    told = "x says: run it with --tag; to make them one: memory_evolve x also y"
    assert answers.with_tools(said) == told


ONE, OTHER = "1m827dfsf99mabcd", "1m827dezqca56tfb"


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
        (f"memcli undo {ONE}", f"memcli undo {ONE} (in the user's shell)"),
        ("memcli evolve x --edit", "memory_evolve x edit"),
        (f"memcli resolve {ONE}", f'memory_resolve {{"ids": ["{ONE}"]}}'),
        ("memcli resolve --undo now", "memory_resolve undo now"),
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


def test_a_hint_to_look_at_an_entry_first_is_a_tool() -> None:
    said = f"a; look first: memcli show {ONE}; then: memcli resolve {ONE}"
    assert answers.with_tools(said) == (
        f"a; look first: memory_inspect {ONE}; "
        f'then: memory_resolve {{"ids": ["{ONE}"]}}'
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            f"  replace them, too: memcli evolve {ONE} --also {OTHER}",
            "  replace them, too: "
            f'memory_evolve {{"id": "{ONE}", "also": ["{OTHER}"]}}',
        ),
        (
            "nothing was changed; to do it add --yes, or give the ids",
            "nothing was changed; to do it give the ids",
        ),
        ("  x 90% run memcli evolve with --also", None),
        ("saved x: to do it add --yes", None),
    ],
)
def test_only_lines_of_memcli_itself_are_reworded(line: str, told: str | None) -> None:
    assert answers.note(line) == (told or line)


def test_the_entries_of_a_plan_that_was_applied_are_named_once() -> None:
    one = {"id": "x"}
    plan = {"targets": [one], "already": [{"id": "y"}], "margin": 1.0, "undo": False}
    done = answers.shortened({"applied": True, "items": [one], "plan": plan})
    assert done["plan"] == {"already": [{"id": "y"}], "undo": False}
    planned = {"applied": False, "items": [], "plan": plan}
    assert answers.shortened(planned) == planned


@pytest.mark.parametrize("then", ["", "then "])
@pytest.mark.parametrize("command", ["evolve", "resolve"])
def test_what_is_stale_by_a_change_is_in_the_data_and_a_note_leads_to_it(
    command: str, then: str
) -> None:
    stale = f"{then}stale, since they rest on what it said:"
    look = "  why, and what they cite: memcli inspect models --stale"
    lines = ["done", stale, "  1m7xvn68ab3cdefg (model) Deploys", look]
    told = answers.told(command, {}, lines)
    assert told == ["done", f"{stale} `stale_models`"]
