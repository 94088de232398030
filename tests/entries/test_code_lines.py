"""The same lines have the same fingerprint wherever they stand; changed ones do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.anchors import (
    CHANGED,
    MOST_LINES,
    MOVED,
    NOT_CHECKED,
    UNCHANGED,
    Anchor,
    compare,
    diff,
    fingerprint,
    mapped,
)

line = st.binary(min_size=1, max_size=12).map(
    lambda data: b"x" + data.translate(None, b"\r\n") + b"."
)
block = st.lists(line, min_size=1, max_size=6)
blanks = st.lists(st.sampled_from([b"", b" ", b"\t"]), max_size=3)


def text(*parts: list[bytes]) -> bytes:
    return b"".join(row + b"\n" for rows in parts for row in rows)


@given(block, blanks)
def test_line_ends_trailing_space_and_blank_lines_do_not_count(
    rows: list[bytes], empty: list[bytes]
) -> None:
    mark = fingerprint(text(rows))
    assert fingerprint(b"\r\n".join(rows)) == mark
    assert fingerprint(b"\xef\xbb\xbf" + text([row + b" \t" for row in rows])) == mark
    assert fingerprint(text(empty, *([row, *empty] for row in rows))) == mark


@given(block, st.data())
def test_any_other_change_counts(rows: list[bytes], data: st.DataObject) -> None:
    mark = fingerprint(text(rows))
    place = data.draw(st.integers(0, len(rows) - 1))
    for changed in ([b" " + rows[place]], [rows[place][:-1] + b"!"], []):
        assert fingerprint(text(rows[:place], changed, rows[place + 1 :])) != mark


@given(block, block, block, block, blanks)
def test_lines_that_moved_are_found_where_they_are_now(
    rows: list[bytes],
    before: list[bytes],
    after: list[bytes],
    more: list[bytes],
    empty: list[bytes],
) -> None:
    first = len(before) + 1
    last = len(before) + len(rows)
    old = text(before, rows, after)
    anchor = Anchor("a", first, last, fingerprint(old, first, last))
    assert compare(anchor, old) == (UNCHANGED, first, last)
    spread = [row for each in rows for row in (each, *empty)]
    new = text(more, before, empty, spread, after)
    found = compare(anchor, new)
    assert found.state in (MOVED, UNCHANGED)
    assert fingerprint(new, found.first, found.last) == anchor.fingerprint


@given(block, block)
def test_lines_that_are_nowhere_are_changed(
    rows: list[bytes], other: list[bytes]
) -> None:
    anchor = Anchor("a", 1, len(rows), fingerprint(text(rows)))
    new = text([b"y" + each for each in other])
    assert compare(anchor, new).state == CHANGED


def test_a_whole_file_is_compared_as_a_whole() -> None:
    anchor = Anchor("a", fingerprint=fingerprint(b"a\n\nb\n"))
    assert compare(anchor, b"a\r\nb").state == UNCHANGED
    assert compare(anchor, b"c\na\nb\n").state == CHANGED
    assert compare(Anchor("a", fingerprint=fingerprint(b"")), b"\n").state == UNCHANGED


def test_a_file_made_to_be_slow_is_left_after_so_many_lines() -> None:
    rows = [b"}"] * 20_000
    mark = fingerprint(text(rows), 1, 10_000)
    forged = mark[:-1] + ("0" if mark[-1] != "0" else "1")
    anchor = Anchor("a", 30_000, 40_000, forged)
    assert compare(anchor, text(rows)).state == NOT_CHECKED


@pytest.mark.parametrize("mark", ["0-0000000000000000", "9999999-0000000000000000"])
def test_a_forged_fingerprint_finds_nothing(mark: str) -> None:
    assert compare(Anchor("a", 1, 2, mark), b"a\nb\nc\n").state == CHANGED


# --- where changed lines are now, and what of a file's difference is about them -------


lines = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


def lines_text(rows: list[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


@given(lines, lines, lines, st.data())
def test_lines_that_are_kept_are_mapped_to_themselves(
    before: list[str], rows: list[str], more: list[str], data: st.DataObject
) -> None:
    old = lines_text(before + rows)
    first = data.draw(st.integers(1, len(before) + len(rows)))
    assert mapped(old, old, first, first) == (first, first)
    unique = [f"{row}{number}" for number, row in enumerate(rows)]
    old, new = lines_text(before + unique), lines_text(["new", *more, *before, *unique])
    at = len(before) + 1
    found = mapped(old, new, at, at + len(rows) - 1)
    assert found == (at + 1 + len(more), at + len(more) + len(rows))


@given(lines, lines, st.data())
def test_a_place_in_the_new_file_always_exists(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(old)))
    last = data.draw(st.integers(first, len(old)))
    place = mapped(lines_text(old), lines_text(new), first, last)
    if place is not None:
        assert 1 <= place[0] <= place[1] <= len(new)


def test_only_the_hunks_of_these_lines_are_shown() -> None:
    old = [f"line {number}" for number in range(1, 41)]
    new = list(old)
    new[4], new[34] = "early", "late"
    shown = diff(lines_text(old), lines_text(new), 30, 36)
    assert "+late" in shown
    assert "+early" not in shown
    assert {"+late", "+early"} <= set(diff(lines_text(old), lines_text(new), 0, 0))


def test_a_difference_is_bounded() -> None:
    old, new = lines_text(["a"] * 500), lines_text(["b" * 1_000] * 500)
    shown = diff(old, new, 0, 0)
    assert len(shown) <= 61
    assert max(map(len, shown)) <= 200
    huge = lines_text(["a"] * (MOST_LINES + 1))
    assert len(diff(huge, b"", 0, 0)) == 1
    assert mapped(huge, b"a\n", 1, 1) is None
