"""Where changed lines are now, and what of a file's difference is about them."""

from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.code_lines import MOST_LINES, diff, mapped

lines = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


def text(rows: list[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


@given(lines, lines, lines, st.data())
def test_lines_that_are_kept_are_mapped_to_themselves(
    before: list[str], rows: list[str], more: list[str], data: st.DataObject
) -> None:
    old = text(before + rows)
    first = data.draw(st.integers(1, len(before) + len(rows)))
    assert mapped(old, old, first, first) == (first, first)
    unique = [f"{row}{number}" for number, row in enumerate(rows)]
    old, new = text(before + unique), text(["new", *more, *before, *unique])
    at = len(before) + 1
    found = mapped(old, new, at, at + len(rows) - 1)
    assert found == (at + 1 + len(more), at + len(more) + len(rows))


@given(lines, lines, st.data())
def test_a_place_in_the_new_file_always_exists(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(old)))
    last = data.draw(st.integers(first, len(old)))
    place = mapped(text(old), text(new), first, last)
    if place is not None:
        assert 1 <= place[0] <= place[1] <= len(new)


def test_only_the_hunks_of_these_lines_are_shown() -> None:
    old = [f"line {number}" for number in range(1, 41)]
    new = list(old)
    new[4], new[34] = "early", "late"
    shown = diff(text(old), text(new), 30, 36)
    assert "+late" in shown
    assert "+early" not in shown
    assert {"+late", "+early"} <= set(diff(text(old), text(new), 0, 0))


def test_a_difference_is_bounded() -> None:
    old, new = text(["a"] * 500), text(["b" * 1_000] * 500)
    shown = diff(old, new, 0, 0)
    assert len(shown) <= 61
    assert max(map(len, shown)) <= 200
    huge = text(["a"] * (MOST_LINES + 1))
    assert len(diff(huge, b"", 0, 0)) == 1
    assert mapped(huge, b"a\n", 1, 1) is None
