"""The two parsers mean the same, or the plain one leaves it to Typer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import declared, parameters
from memcli.cli import app as typer_app
from memcli.cli import commands
from tests.cli.conftest import Run
from tests.conftest import sample

WORDS = st.sampled_from(
    "|x|a b|-|--|-x|--nosuch|-1|3|0|1_000|٣|1.5|low|any|é|x=y|--limit|--limit=5|--json"
    "|--json=1|--help".split("|")
)


def by_typer(
    name: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any] | None:
    """The values that Typer hands over for a command line, None for a mistake."""
    seen: list[dict[str, Any]] = []

    def record(_name: str, values: dict[str, Any]) -> int:
        seen.append(values)
        return 0

    monkeypatch.setattr(typer_app, "run", record)
    typer_app.main([name, *words])
    return seen[0] if seen else None


def whole(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The values that a command gets from those that its command line gives."""
    taken = typer_app.taken(name)
    defaults = {one.name: one.default for one in taken if one.default is not one.empty}
    return {**defaults, **given}


def test_plain_parser_agrees_with_typer_or_gives_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in sample(commands.COMMANDS, 12):
        agrees_on(name)
    capsys.readouterr()


def agrees_on(name: str) -> None:
    choices = {
        *(choice for one in commands.of(name).values() for choice in one.choices)
    }
    word = WORDS | st.sampled_from([*commands.flags(name), *sorted(choices)])

    @given(st.lists(word, max_size=6))
    def agrees(words: list[str]) -> None:
        values = commands.parse(name, words)
        if values is not None:
            with pytest.MonkeyPatch.context() as patch:
                assert by_typer(name, words, patch) == whole(name, values), words

    agrees()


def test_every_option_that_is_described_is_a_parameter() -> None:
    used: set[str] = set()
    for name in commands.COMMANDS:
        known = commands.of(name)
        assert declared.described(commands.load(name).__doc__).keys() <= known.keys()
        used |= known.keys()
    assert declared.described(parameters.Shared.__doc__).keys() <= used


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("recall", ["q", "--limit", "3", "--json"], {"limit": 3, "json": True}),
        ("recall", ["--limit=3", "q"], {"limit": 3, "query": ["q"]}),
        ("save", ["q", "--tag", "a", "--tag=b"], {"text": "q", "tags": ["a", "b"]}),
        ("recall", ["--", "-q"], {"query": ["-q"]}),
        ("recall", ["how", "do", "we"], {"query": ["how", "do", "we"]}),
        ("save", ["-"], {"text": "-"}),
        ("inspect", [], {}),
        (
            "recall",
            ["q", "-n", "3", "-k", "fix", "-t", "a", "-p", "shop"],
            {"limit": 3, "kinds": ["fix"], "tags": ["a"], "project": "shop"},
        ),
    ],
)
def test_plain_command_lines_need_no_typer(
    name: str, words: list[str], expected: dict[str, Any]
) -> None:
    values = commands.parse(name, words)
    assert values is not None
    assert values.items() >= expected.items()


@pytest.mark.parametrize(
    "words", [["--nosuch"], ["--limit"], ["--limit", "x"], ["--help"], ["-h"]]
)
def test_what_is_not_plain_is_left_to_typer(words: list[str]) -> None:
    assert commands.parse("recall", words) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("search deploys", "recall deploys"),
        ("add x --tag y", "save x --tag y"),
        ("--vault work recall x", "recall --vault work x"),
        (
            "-v work --json --agent=ada rm 1m7x",
            "forget -v work --json --agent=ada 1m7x",
        ),
        ("recall search", "recall search"),
        ("--vault work --help", "--help"),
        ("--vault", "--vault"),
        ("--vault recall", "--vault recall"),
        ("help", "--help"),
        ("help rm --json", "forget --help"),
        ("version x", "version x"),
        ("recall help", "recall help"),
        ("-- recall", "-- recall"),
    ],
)
def test_flags_of_every_command_may_stand_before_its_name(
    words: str, expected: str
) -> None:
    assert commands.in_order(words.split()) == expected.split()


def test_help_shows_each_command_once_under_the_heading_of_its_group(
    memcli: Run,
) -> None:
    shown = memcli("help", "--all").out.splitlines()
    for heading, names in commands.GROUPS.items():
        place = shown.index(f"{heading}:") + 1
        lines = [line.split(maxsplit=1) for line in shown[place:]]
        group = [
            [n, (commands.load(n).__doc__ or "").partition("\n")[0]]
            for n in names.split()
        ]
        assert lines[: len(group)] == group
    everyday = memcli("--help").out
    assert everyday == memcli("-v", "work", "-h").out == memcli().out
    assert "Rare:" not in everyday
    assert len(everyday.splitlines()) <= 50
    assert memcli("-V").out == memcli("version").out == memcli("--version").out


def test_a_field_has_no_flag_and_set_takes_it() -> None:
    assert commands.parse("recall", ["q", "--history"]) is None
    values = commands.parse(
        "recall", ["q", "--set", "history=true", "--set", "type=tool"]
    )
    assert commands.with_fields("recall", values or {}) == {
        "query": ["q"],
        "history": True,
        "types": ["tool"],
    }


def test_sweep_does_for_a_timer_what_an_idle_host_does(
    process: Run, memcli: Run
) -> None:
    assert process("sweep") == (0, "", "")
    calls = memcli("inspect", "sessions", "--json").json["data"]["calls"]
    assert "idle" in [call["event"] for call in calls]
