"""What says the same is one candidate, and a long session takes no square of time."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.entry import Confidence
from memcli.hosts.transcript import Step
from memcli.sessions.mining import Candidate, mine, repeats

WORDS = ["tabs", "spaces", "linter", "billing", "deploy", "7", "日", "the", "docker"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
FOUND = st.tuples(
    st.sampled_from(["preference", "idea"]),
    st.sampled_from(list(Confidence)),
    TEXTS,
    st.integers(1, 12),
)


def candidate(category: str, confidence: Confidence, text: str, line: int) -> Candidate:
    return Candidate(
        category=category,  # type: ignore[arg-type]
        confidence=confidence,
        pattern="p",
        rationale="why",
        title=text,
        text=text,
        excerpt=text,
        line=line,
        record="r",
        at=None,
        occurrences=1,
    )


def one_by_one(found: Sequence[Candidate]) -> list[Candidate]:
    """The same by comparing each with every one that was kept."""
    kept: list[Candidate] = []
    for one in found:
        for place, other in enumerate(kept):
            share = repeats._ALIKE[
                Confidence.HIGH in (one.confidence, other.confidence)
            ]
            if other.category != one.category or not repeats._same(
                repeats._bag(one.text), repeats._bag(other.text), share
            ):
                continue
            if other.line != one.line:
                kept[place] = repeats._joined(other, one)
            break
        else:
            kept.append(one)
    return kept


@given(found=st.lists(FOUND, max_size=25))
def test_each_joins_the_first_that_says_the_same(
    found: list[tuple[str, Confidence, str, int]],
) -> None:
    given = [candidate(*one) for one in found]
    assert repeats.counted(given) == one_by_one(given)


def test_of_many_each_is_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    same = repeats._same

    def noted(one: set[str], other: set[str], share: float) -> bool:
        nonlocal compared
        compared += 1
        return same(one, other, share)

    monkeypatch.setattr(repeats, "_same", noted)
    # All share half their words, as what one person asks for does.
    given = [
        candidate(
            "preference",
            Confidence.LOW,
            f"always use the linter w{n} w{n * 7 % 4_999} w{n * 31 % 4_999} in builds",
            n,
        )
        for n in range(4_000)
    ]
    assert len(repeats.counted(given)) == len(given)
    assert compared < 5 * len(given)


def test_a_long_session_gives_what_its_parts_give() -> None:
    steps = [
        Step("user", f"Always use word{n} and word{n * 7} here", line=n, record=f"u{n}")
        for n in range(300)
    ]
    assert len(mine(steps).candidates) == 300
