"""What each agent may do to which entry: the table of docs/agents/visibility.md."""

from pathlib import Path

import pytest

from memcli.entries.eligibility import Action, Agent, ReadPolicy, may
from memcli.entries.entry import Entry, Layer, Subtype, Visibility

PAGE = Path(__file__).parents[2] / "docs" / "agents" / "visibility.md"
ASKERS = {
    "the owner": None,
    "its own agent": Agent("ada"),
    "another agent that sees it": Agent("bob", ReadPolicy.SHARED),
    "an agent that does not": Agent("eve"),
}
ENTRY = Entry("1m7x", agent="ada")
PINNED = Entry("1m7x", agent="ada", pinned=True)
ROWS = {
    "evolve it, revert it, merge it into another": (Action.EVOLVE, ENTRY),
    "resolve it, bring it back": (Action.RESOLVE, ENTRY),
    "the same when it is pinned": (Action.EVOLVE, PINNED),
    "change who may see it, pin it": (Action.SHARE, ENTRY),
    "approve, reject or supersede with it, when it is a candidate": (
        Action.REVIEW,
        ENTRY,
    ),
    "forget it; undo; decide on entities and ideas; repair; see lint, log, history": (
        Action.OVERSEE,
        None,
    ),
}


def documented() -> dict[str, list[str]]:
    """The page's table: what is done -> the answer for each asker."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    head = next(row for row in cells if row[1:] == list(ASKERS))
    return {row[0]: row[1:] for row in cells[cells.index(head) + 2 :]}


@pytest.mark.parametrize("row", ROWS)
def test_the_page_says_what_the_function_decides(row: str) -> None:
    action, entry = ROWS[row]
    decided = [may(action, entry, agent) for agent in ASKERS.values()]
    assert [cell.startswith("yes") for cell in documented()[row]] == decided


def test_every_action_stands_on_the_page() -> None:
    assert {action for action, _ in ROWS.values()} == {*Action} - {Action.PIN}
    for agent in ASKERS.values():
        assert may(Action.PIN, ENTRY, agent) is may(Action.SHARE, ENTRY, agent)
    assert list(documented()) == list(ROWS)


@pytest.mark.parametrize("action", [a for a in Action if a is not Action.OVERSEE])
def test_nothing_may_be_done_to_what_is_not_seen(action: Action) -> None:
    hidden = Entry("1m7x", agent="ada", visibility=Visibility.PRIVATE)
    assert not may(action, hidden, Agent("bob", ReadPolicy.SHARED))
    of_group = Entry("1m7x", visibility=Visibility.GROUP, groups=("red",))
    assert not may(action, of_group, Agent("bob", ReadPolicy.GROUP, ("blue",)))


def test_a_page_that_a_person_keeps_is_pinned_for_agents_too() -> None:
    page = Entry("1m7x", layer=Layer.MODEL, subtype=Subtype.PINNED)
    bob = Agent("bob", ReadPolicy.SHARED)
    assert not may(Action.EVOLVE, page, bob)
    assert not may(Action.RESOLVE, page, bob)
