"""The same lines have the same fingerprint wherever they stand; changed ones do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.anchors import Anchor
from memcli.entries.code_lines import (
    CHANGED,
    MOVED,
    NOT_CHECKED,
    UNCHANGED,
    compare,
    fingerprint,
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
