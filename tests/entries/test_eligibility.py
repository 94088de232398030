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


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACTIVE])
def test_every_other_status_is_hidden_and_is_its_own_reason(status: Status) -> None:
    assert verdict(Facts(status, 5), view()) == str(status)


@pytest.mark.parametrize("status", list(Status))
def test_a_status_that_is_asked_for_is_shown(status: Status) -> None:
    assert verdict(Facts(status, 5), view(statuses=frozenset({status}))) is None


def test_history_shows_superseded_entries_but_no_resolved_ones() -> None:
    seen = view(statuses=HISTORY_STATUSES)
    assert verdict(Facts(Status.SUPERSEDED, 5), seen) is None
    assert verdict(Facts(Status.RESOLVED, 5), seen) == "resolved"


@pytest.mark.parametrize("status", sorted(HISTORY_STATUSES))
def test_no_version_of_a_settled_claim_comes_back_with_the_history(
    status: Status,
) -> None:
    facts = Facts(status, 5, resolves=(Resolve("1solved"),))
    for statuses in (HISTORY_STATUSES, frozenset({status})):
        said = verdict(facts, view(statuses=statuses))
        assert said == "its claim is resolved by 1solved"


@pytest.mark.parametrize(
    ("expires", "reason"),
    [(0, None), (NOW - 1, "expired"), (NOW, "expired"), (NOW + 1, None)],
)
def test_an_entry_expires_at_the_moment_it_names(
    expires: int, reason: str | None
) -> None:
    assert verdict(Facts(Status.ACTIVE, 5, expires=expires), view()) == reason


def test_what_expired_by_its_date_is_found_as_expired_and_nothing_else() -> None:
    expired = view(statuses=frozenset({Status.EXPIRED}))
    assert verdict(Facts(Status.ACTIVE, 5, expires=6), expired) is None
    assert verdict(Facts(Status.EXPIRED, 5), expired) is None
    assert verdict(Facts(Status.ACTIVE, 5), expired) == "active"
    assert verdict(Facts(Status.ACTIVE, 5, expires=NOW + 1), expired) == "active"
    assert verdict(Facts(Status.RESOLVED, 5, expires=6), expired) == "resolved"


def test_as_of_a_moment_before_it_ended_an_entry_is_shown() -> None:
    for status in (Status.SUPERSEDED, Status.RESOLVED, Status.EXPIRED):
        facts = Facts(status, created=10, ended=100)
        assert verdict(facts, view(as_of=99)) is None
        assert verdict(facts, view(as_of=100)) == str(status)


def test_as_of_a_moment_before_it_was_written_an_entry_is_not_shown() -> None:
    assert verdict(Facts(Status.ACTIVE, 10), view(as_of=9)) == "not written yet"
    assert verdict(Facts(Status.ACTIVE, 10), view(as_of=10)) is None


@pytest.mark.parametrize("status", [Status.PENDING, Status.REJECTED])
def test_what_nobody_approved_was_current_at_no_time(status: Status) -> None:
    assert verdict(Facts(status, 10), view(as_of=50)) == str(status)


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RESOLVED, Status.EXPIRED])
def test_what_ended_nobody_knows_when_is_not_current_as_of_now(status: Status) -> None:
    # A solved thing stays solved: `--as-of today` is no way around it.
    assert verdict(Facts(status, 10, ended=0), view(as_of=NOW)) == str(status)


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
    "forget it; undo; decide on entities; repair; see lint, log, history": (
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
