"""May this entry be shown? One function says so, with the reason."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.eligibility import (
    DAY,
    DEFAULTS,
    HISTORY_STATUSES,
    Action,
    Agent,
    Facts,
    ReadPolicy,
    Resolve,
    View,
    ends,
    logistic,
    may,
    score,
    verdict,
)
from memcli.entries.entry import (
    Confidence,
    Entry,
    Item,
    Layer,
    Status,
    Subtype,
    Visibility,
)

NOW = 1_000


def view(**changes: Any) -> View:
    return View(now=NOW)._replace(**changes)


HISTORY = {"statuses": HISTORY_STATUSES}
EXPIRED = {"statuses": frozenset({Status.EXPIRED})}
OVER = (Status.SUPERSEDED, Status.RESOLVED, Status.EXPIRED)
SOLVED: dict[str, Any] = {"resolves": (Resolve("1solved"),)}
BY_BOB: dict[str, Any] = {"resolves": (Resolve("1solved", by="bob"),)}
SETTLED = "its claim is resolved by 1solved"


@pytest.mark.parametrize(
    ("facts", "seen", "reason"),
    [
        # Every other status is hidden, and shown when it is asked for.
        *((Facts(s, 5), {}, str(s)) for s in Status if s is not Status.ACTIVE),
        *((Facts(s, 5), {"statuses": frozenset({s})}, None) for s in Status),
        (Facts(Status.SUPERSEDED, 5), HISTORY, None),
        (Facts(Status.RESOLVED, 5), HISTORY, "resolved"),
        # No version of a settled claim comes back with the history.
        *((Facts(s, 5, **SOLVED), HISTORY, SETTLED) for s in HISTORY_STATUSES),
        *((Facts(s, 5, **SOLVED), {"statuses": frozenset({s})}, SETTLED)
          for s in HISTORY_STATUSES),
        # An agent ends what it wrote, and nothing that a person keeps.
        (Facts(Status.ACTIVE, 5, agent="bob", **BY_BOB), {}, SETTLED),
        (Facts(Status.ACTIVE, 5, agent="bob", kept=True, **BY_BOB), {}, None),
        # It expires at the moment that it names, and is then found as expired alone.
        (Facts(Status.ACTIVE, 5), {}, None),
        (Facts(Status.ACTIVE, 5, project=7), {"here": 0}, "holds in another project"),
        (Facts(Status.ACTIVE, 5, expires=NOW), {}, "expired"),
        (Facts(Status.ACTIVE, 5, expires=NOW + 1), {}, None),
        (Facts(Status.ACTIVE, 5, expires=6), EXPIRED, None),
        (Facts(Status.ACTIVE, 5), EXPIRED, "active"),
        (Facts(Status.ACTIVE, 5, expires=NOW + 1), EXPIRED, "active"),
        (Facts(Status.RESOLVED, 5, expires=6), EXPIRED, "resolved"),
        # As of a moment before it ended it is shown, and before it was written not.
        *((Facts(s, 10, ended=100), {"as_of": 99}, None) for s in OVER),
        *((Facts(s, 10, ended=100), {"as_of": 100}, str(s)) for s in OVER),
        (Facts(Status.ACTIVE, 10), {"as_of": 9}, "not written yet"),
        (Facts(Status.ACTIVE, 10), {"as_of": 10}, None),
        *((Facts(s, 10), {"as_of": 50}, str(s))
          for s in (Status.PENDING, Status.REJECTED)),
        # What ended nobody knows when: `--as-of today` is no way around it.
        *((Facts(s, 10, ended=0), {"as_of": NOW}, str(s)) for s in OVER),
    ],
)  # fmt: skip
def test_an_entry_is_shown_or_hidden_with_the_reason(
    facts: Facts, seen: dict[str, Any], reason: str | None
) -> None:
    assert verdict(facts, view(**seen)) == reason


@given(
    st.sampled_from(list(Status)),
    st.integers(1, 50),
    st.integers(0, 50),
    st.integers(0, 50),
    st.integers(0, 60),
)
def test_nothing_that_ended_is_shown_as_of_a_later_moment(
    status: Status, created: int, expires: int, ended: int, moment: int
) -> None:
    facts = Facts(status, created, expires, ended)
    if verdict(facts, view(as_of=moment)) is None:
        assert created <= moment
        assert not (expires and expires <= moment)
        assert not (ended and ended <= moment)


# --- items fade as their reference says, counted from the last time they were seen ----


TODAY = 1_795_262_400


@pytest.mark.parametrize(
    ("item", "days", "left"),
    [
        (Item.INVARIANT, 30, 0.96),
        (Item.INVARIANT, 45, 0.50),
        (Item.INVARIANT, 60, 0.036),
        (Item.DERIVED, 3, 0.93),
        (Item.DERIVED, 7, 0.50),
        (Item.DERIVED, 10, 0.125),
        (Item.DERIVED, 14, 0.01),
    ],
)
def test_the_logistic_has_the_values_of_the_reference(
    item: Item, days: float, left: float
) -> None:
    assert logistic(days, DEFAULTS[item]) == pytest.approx(left, abs=0.005)


def test_the_score_is_weight_times_quality_times_what_is_left() -> None:
    at = TODAY - 7 * DAY
    assert score(Item.DERIVED, [at], None, TODAY) == pytest.approx(0.95 / 2)
    low = score(Item.DERIVED, [at], Confidence.LOW, TODAY)
    assert low == pytest.approx(0.75 * 0.95 / 2)
    rule = score(Item.INVARIANT, [TODAY - 45 * DAY], None, TODAY)
    assert rule == pytest.approx(1.1 / 2)


@given(st.lists(st.integers(0, 2 * TODAY), max_size=5), st.sampled_from(Item))
def test_sightings_only_add(seen: list[int], item: Item) -> None:
    more = [*seen, TODAY]
    before = score(item, seen, None, TODAY)
    assert 0 <= before < score(item, more, None, TODAY)


def entry(**fields: object) -> Entry:
    return Entry(id="", created="2026-11-01T00:00:00Z").replace(**fields)


def test_an_item_ends_after_its_last_sighting_and_a_fact_does_not() -> None:
    start = 1_793_491_200  # 2026-11-01
    assert ends(entry()) == 0
    assert ends(entry(item=Item.DERIVED)) == start + 14 * DAY
    seen = entry(item=Item.DERIVED, seen=("2026-11-11T00:00:00Z", "2026-11-05"))
    assert ends(seen) == start + 24 * DAY
    assert ends(entry(item=Item.INVARIANT)) == start + 45 * DAY


def test_an_explicit_end_wins_when_it_is_earlier() -> None:
    early = entry(item=Item.DERIVED, expires_at="2026-11-02")
    assert ends(early) == 1_793_491_200 + DAY
    late = entry(item=Item.DERIVED, expires_at="2027-01-01")
    assert ends(late) == 1_793_491_200 + 14 * DAY
    assert ends(entry(expires_at="2026-11-02")) == 1_793_491_200 + DAY


# --- what each agent may do to which entry: the table of docs/agents/visibility.md ----


PAGE = Path(__file__).parents[2] / "docs" / "agents" / "visibility.md"
ASKERS = {
    "the owner": None,
    "the agent that wrote it": Agent("ada"),
    "another agent that sees it": Agent("bob", ReadPolicy.SHARED),
    "an agent that does not see it": Agent("eve"),
}
ENTRY = Entry("1m7x", agent="ada")
PINNED = Entry("1m7x", agent="ada", pinned=True)
WHOLE = (Action.OVERSEE, None)
ROWS = {
    "evolve it, revert it, merge it into another": (Action.EVOLVE, ENTRY),
    "resolve it, bring it back": (Action.RESOLVE, ENTRY),
    "any of the above, when the entry is pinned": (Action.EVOLVE, PINNED),
    "change who may see it, pin it": (Action.SHARE, ENTRY),
    "approve, reject or supersede it in a review": (Action.REVIEW, ENTRY),
    "forget it; undo; sync; repair; `entities register` and `merge`": WHOLE,
    "see the overview, lint, log and history": WHOLE,
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
