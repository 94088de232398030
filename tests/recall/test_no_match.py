"""Why a question has no answer, and what is said of it."""

from typing import Any

import pytest

from memcli import Vault, Vaults
from memcli.cli import hints as wording
from memcli.cli.mcp import answers
from memcli.recall.confidence import NoMatch
from tests.conftest import VaultMaker
from tests.saving import save


def why(vault: Vault, text: str, **options: Any) -> NoMatch:
    answer = vault.recall(text, **options)
    assert answer.rows == []
    assert answer.no_match is not None
    return answer.no_match


def test_an_answer_with_a_row_says_nothing_of_no_match(vault: Vault) -> None:
    save(vault, "red apples")
    assert vault.recall("apples pears").no_match is None


def test_an_agent_learns_no_word_of_anothers_private_entry(vault: Vault) -> None:
    save(vault, "Postgres fails over", visibility="private")
    found = why(vault.acting_as("bot"), "postgress over")
    assert found == NoMatch(0, ("postgress", "over"))
    assert vault.acting_as("bot").recall("postgress over").reading == {}
    assert vault.recall("postgress over").reading == {"postgress": ["postgres"]}


def test_entries_that_filters_leave_out_are_counted(vault: Vault) -> None:
    save(vault, "red apples")
    save(vault, "green apples", tags=["x"])
    found = why(vault, "apples", kinds=["fix"])
    assert (found.filtered, found.missing_terms, found.ended) == (2, (), {})


def test_the_filters_that_leave_all_out_are_named_and_the_moment_is_one(
    vault: Vault,
) -> None:
    save(vault, "red apples")
    found = why(vault, "apples", as_of="2020-09-13", tags=["x"])
    assert (found.filtered, found.filters) == (1, ("tag", "as_of"))
    (said,) = wording.sentences("recall", "apples", found)
    told = (
        "No matching entries: filters (tag, as_of) left out 1 entry with words of the"
    )
    assert said.startswith(told)
    assert why(vault, "apples", as_of="2020-09-13").ended == {}


def test_entries_that_are_over_are_counted_by_status(vault: Vault) -> None:
    vault.resolve(save(vault, "The queue is stuck", kind="blocker"))
    found = why(vault, "queue")
    assert (found.filtered, found.ended) == (0, {"resolved": 1})
    save(vault, "The cat is stuck")
    save(vault, "The queue of people is long and grows")
    better = vault.recall("Why is the queue stuck?")
    assert better.rows
    assert better.no_match is not None
    assert better.no_match.ended == {"resolved": 1}
    said = "With more words of the question than these: 1 resolved. To see them: "
    assert wording.of_recall(better)[0].startswith(said)


@pytest.mark.parametrize(
    ("found", "command", "tool"),
    [
        (NoMatch(0), "memcli save TEXT", "memory_save"),
        (NoMatch(1, ("apels",)), "memcli list", "memory_recall all"),
        (NoMatch(1, (), 2), "Without filters: ", "memory_recall"),
        (NoMatch(1, (), 0, {"expired": 1}), "--status expired", "statuses=expired"),
    ],
)
def test_the_next_step_is_named_in_the_words_of_the_caller(
    found: NoMatch, command: str, tool: str
) -> None:
    (told,) = wording.sentences("recall", "apels", found)
    assert command in told
    assert tool in answers.reworded(told)
    assert "memcli recall" not in answers.reworded(told)


def test_several_vaults_say_together_what_none_of_them_holds(
    make_vault: VaultMaker,
) -> None:
    one, two = make_vault("one"), make_vault("two")
    save(one, "red apples")
    save(two, "green pears")
    both = Vaults([one, two])
    assert both.recall("kubernetes pears").no_match is None
    found = both.recall("applezz kubernetes").no_match
    assert found is not None
    assert found.entries == 2
    assert found.missing_terms == ("applezz", "kubernetes")
    gathered = both.reflect("kubernetes").no_match
    assert gathered is not None
    assert gathered.missing_terms == ("kubernetes",)


def test_of_very_many_words_the_first_are_named() -> None:
    found = NoMatch(1, tuple(f"w{number}" for number in range(500)))
    said = wording.sentences("recall", "x", found)
    assert "'w10', 'w11' and 488 more words." in said[0]
