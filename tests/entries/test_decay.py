"""Items fade as their reference says, counted from the last time they were seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries import decay
from memcli.entries.entry import Confidence, Entry, Item

NOW = 1_795_262_400


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
    assert decay.logistic(days, decay.DEFAULTS[item]) == pytest.approx(left, abs=0.005)


def test_the_score_is_weight_times_quality_times_what_is_left() -> None:
    at = NOW - 7 * decay.DAY
    assert decay.score(Item.DERIVED, [at], None, NOW) == pytest.approx(0.95 / 2)
    low = decay.score(Item.DERIVED, [at], Confidence.LOW, NOW)
    assert low == pytest.approx(0.75 * 0.95 / 2)
    rule = decay.score(Item.INVARIANT, [NOW - 45 * decay.DAY], None, NOW)
    assert rule == pytest.approx(1.1 / 2)


@given(st.lists(st.integers(0, 2 * NOW), max_size=5), st.sampled_from(Item))
def test_sightings_only_add(seen: list[int], item: Item) -> None:
    more = [*seen, NOW]
    score = decay.score(item, seen, None, NOW)
    assert 0 <= score < decay.score(item, more, None, NOW)


def entry(**fields: object) -> Entry:
    return Entry(id="", created="2026-11-01T00:00:00Z").replace(**fields)


def test_an_item_ends_after_its_last_sighting_and_a_fact_does_not() -> None:
    start = 1_793_491_200  # 2026-11-01
    assert decay.ends(entry()) == 0
    assert decay.ends(entry(item=Item.DERIVED)) == start + 14 * decay.DAY
    seen = entry(item=Item.DERIVED, seen=("2026-11-11T00:00:00Z", "2026-11-05"))
    assert decay.ends(seen) == start + 24 * decay.DAY
    assert decay.ends(entry(item=Item.INVARIANT)) == start + 45 * decay.DAY


def test_an_explicit_end_wins_when_it_is_earlier() -> None:
    early = entry(item=Item.DERIVED, expires_at="2026-11-02")
    assert decay.ends(early) == 1_793_491_200 + decay.DAY
    late = entry(item=Item.DERIVED, expires_at="2027-01-01")
    assert decay.ends(late) == 1_793_491_200 + 14 * decay.DAY
    assert decay.ends(entry(expires_at="2026-11-02")) == 1_793_491_200 + decay.DAY
