"""The two parsers mean the same, or the plain one leaves it to Typer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.cli import app as typer_app
from memcli.cli import argv, spec

WORDS = st.sampled_from(
    "|x|a b|-|--|-x|--nosuch|-1|3|0|1_000|٣|1.5|low|any|é|x=y|--limit|--limit=5|--json"
    "|--json=1|--help".split("|")
)


def flags(command: spec.Command) -> list[str]:
    return [flag for option in command.options for flag in option.flags]


def by_typer(
    name: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any] | None:
    """The values that Typer hands over for a command line, None for a mistake."""
    seen: list[dict[str, Any]] = []

    def record(_command: spec.Command, values: dict[str, Any]) -> int:
        seen.append(values)
        return 0

    monkeypatch.setattr(typer_app, "run", record)
    typer_app.main([name, *words])
    return seen[0] if seen else None


@pytest.mark.parametrize("name", spec.COMMANDS)
def test_plain_parser_agrees_with_typer_or_gives_up(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = spec.load(name)
    word = WORDS | st.sampled_from(flags(command))

    @given(st.lists(word, max_size=6))
    def agrees(words: list[str]) -> None:
        plain = argv.parse(words, command)
        if plain is not None:
            with pytest.MonkeyPatch.context() as patch:
                assert by_typer(name, words, patch) == plain

    agrees()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("recall", ["q", "--limit", "3", "--json"], {"limit": 3, "json": True}),
        ("recall", ["--limit=3", "q"], {"limit": 3, "query": ["q"]}),
        ("recall", ["q", "--tag", "a", "--tag=b"], {"tag": ["a", "b"]}),
        ("recall", ["--", "-q"], {"query": ["-q"]}),
        ("recall", ["how", "do", "we"], {"query": ["how", "do", "we"]}),
        ("save", ["-"], {"text": "-"}),
        ("inspect", [], {"what": None}),
    ],
)
def test_plain_command_lines_need_no_typer(
    name: str, words: list[str], expected: dict[str, Any]
) -> None:
    values = argv.parse(words, spec.load(name))
    assert values is not None
    assert values.items() >= expected.items()


@pytest.mark.parametrize(
    "words",
    [["--nosuch"], ["--limit"], ["--limit", "x"], ["--help"], ["-h"]],
)
def test_what_is_not_plain_is_left_to_typer(words: list[str]) -> None:
    assert argv.parse(words, spec.load("recall")) is None
