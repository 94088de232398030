"""May this entry be shown? One function says so, with the reason."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.eligibility import (
    HISTORY_STATUSES,
    Facts,
    Resolve,
    View,
    verdict,
)
from memcli.entries.entry import Status

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
