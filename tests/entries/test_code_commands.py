"""A command counts when a file of the project defines its word."""

import time

import pytest

from memcli.entries import code_lines

MAKEFILE = "A := 1\n.PHONY: deploy\nbuild deploy: all\n\techo x\ntest-all::\n\techo y\n"
PACKAGE = '{"scripts": {"build": "vite"}}'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Run `make deploy` first.", ["make deploy"]),
        ("make sure that npm run build is green", ["make sure", "npm run build"]),
        ("use yarn  run  lint:fix.", ["yarn run lint:fix"]),
        ("remake deploy; cmake build; /usr/bin/make x", []),
    ],
)
def test_calls_are_found_in_a_text(text: str, found: list[str]) -> None:
    assert list(code_lines.in_text(text)) == found


@pytest.mark.parametrize(
    ("command", "text", "defined"),
    [
        ("make deploy", MAKEFILE, True),
        ("make build", MAKEFILE, True),
        ("make test-all", MAKEFILE, True),
        ("make all", MAKEFILE, False),
        ("make A", MAKEFILE, False),
        ("make sure", MAKEFILE, False),
        ("npm run build", PACKAGE, True),
        ("yarn build", PACKAGE, True),
        ("npm run scripts", PACKAGE, False),
        ("npm run build", "[" * 100_000, False),
        ("npm run build", '{"scripts": []}', False),
        ("just deploy", "deploy target: build\n  x\n", True),
        ("just x", "x := 'y'\n", False),
        ("task build", "tasks:\n  build:\n    cmds: [x]\n", True),
    ],
)
def test_a_file_defines_its_commands(command: str, text: str, defined: bool) -> None:
    parted = code_lines.parted(command)
    assert parted is not None
    runner, word = parted
    assert runner.defines(text, word) is defined


def test_a_file_that_is_made_to_be_slow_is_not() -> None:
    before = time.monotonic()
    for text in ("deploy " * 140_000, " " * 1_000_000, "deploy:=" * 120_000):
        for command in ("make deploy", "just deploy", "task deploy"):
            parted = code_lines.parted(command)
            assert parted is not None
            assert not parted[0].defines(text, "deploy")
    assert time.monotonic() - before < 2


def test_what_nothing_is_known_of_has_no_runner() -> None:
    assert code_lines.parted("cargo build") is None
    assert code_lines.parted("make") is None
