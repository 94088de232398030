"""The spellings of the release before keep working, and say how to spell it now."""

import pytest

from memcli import Vault
from memcli.cli import former
from tests.cli.conftest import Run

SPELLINGS = [
    ("inspect --repair --yes", "memcli repair --yes"),
    ("inspect --repair --dry-run --vault v", "memcli repair --dry-run --vault v"),
    ("inspect signals", "memcli signals"),
    ("inspect signals --pairs --json", "memcli signals --pairs --json"),
    ("inspect signals --train --dry-run", "memcli signals --train --dry-run"),
    ("inspect entity A --rename B --yes", "memcli entities rename A B --yes"),
    ("inspect entity A --alias B", "memcli entities alias A B"),
    ("inspect entity --merge A B --dry-run", "memcli entities merge A B --dry-run"),
    ("review --ideas --agent ada", "memcli ideas --agent ada"),
    ("review x y --promote --kind fix", "memcli ideas promote x y --kind fix"),
    ("review x --promote --tag a --tag b", "memcli ideas promote x --tag a --tag b"),
    ("review x --dismiss --reason no", "memcli ideas dismiss x --reason no"),
    ("review x --merge y --dry-run", "memcli ideas merge x y --dry-run"),
    ("review --entities", "memcli entities waiting"),
    (
        "review A --register --type tool --alias B",
        "memcli entities register A --type tool --alias B",
    ),
    ("review A B --ignore", "memcli entities ignore A B"),
]


@pytest.mark.parametrize(("old", "new"), SPELLINGS)
def test_a_former_spelling_is_a_command_of_today(old: str, new: str) -> None:
    name, *words = old.split()
    today = former.renamed(name, words)
    assert today is not None
    assert former.spelled(*today) == new


@pytest.mark.parametrize(
    "line",
    [
        "inspect",
        "inspect lint",
        "inspect entity A",
        "inspect entity --merge A",
        "inspect entity A --rename a --alias b",
        "inspect --rename a",
        "inspect --repair lint",
        "inspect --yes",
        "inspect lint --pairs",
        "review",
        "review x --approve --kind fix",
        "review --list --ideas",
        "review x --ideas",
        "review --undo --ideas",
        "review --entities --ideas",
        "review x --promote --dismiss",
        "review x --promote --approve",
        "review --promote --all",
        "review --dismiss --all-older-than 3",
        "review x y --merge z",
        "review x --dismiss --kind note",
        "review x --approve --alias b",
        "review a --type tool",
        "review a --ignore --register",
        "review --all --ignore",
        "recall --repair",
    ],
)
def test_what_is_of_today_or_was_a_mistake_is_not_translated(line: str) -> None:
    name, *words = line.split()
    assert former.renamed(name, words) is None


def test_a_former_spelling_runs_says_so_and_answers_as_before(
    memcli: Run, vault: Vault
) -> None:
    vault.save(vault.draft({"text": "Ask Grace Hopper about Redis"}))
    done = memcli("inspect", "--repair", "--json")
    assert (done.code, done.json["command"]) == (0, "inspect")
    assert done.err == "`memcli inspect` is now spelled: memcli repair --json\n"
    assert done.json["data"] == memcli("repair", "--json").json["data"]
    done = memcli("review", "Grace Hopper", "--ignore")
    assert done.out == "ignored Grace Hopper\n"
    assert done.err.endswith(": memcli entities ignore 'Grace Hopper'\n")


@pytest.mark.parametrize(
    "line", ["review x --promote --approve", "inspect --rename a", "inspect --yes"]
)
def test_a_mistake_stays_a_usage_error(memcli: Run, line: str) -> None:
    done = memcli(*line.split(), "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
