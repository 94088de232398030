"""The three-way merge of texts by lines."""

import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.entries.merging.fields import merge_texts as merge

if TYPE_CHECKING:
    from pathlib import Path

_TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=8).map(
    "\n".join
)


@given(_TEXTS, _TEXTS, _TEXTS)
def test_whether_there_is_a_conflict_does_not_depend_on_the_order(
    base: str, older: str, newer: str
) -> None:
    there, back = merge(base, older, newer), merge(base, newer, older)
    assert there[1] == back[1]
    assert sorted(there[0].split("\n")) == sorted(back[0].split("\n")) or there[1]


@pytest.mark.parametrize(
    ("base", "older", "newer", "text", "conflicts"),
    [
        ("a\nb\n", "A\nb\n", "a\nB\n", "A\nB\n", 0),
        ("a\n", "a\nb\n", "a\nc\n", "a\nb\nc\n", 0),
        ("a\nb", "a\nX\nb", "a\nX\nY\nb", "a\nX\nY\nb", 0),
        ("a\nb", "a\nX\nP\nX\nb", "a\nX\nQ\nX\nb", "a\nX\nP\nQ\nX\nb", 0),
        ("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n", 0),
        ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\nB\nc\n", 1),
        ("", "a", "b", "b", 1),
        ("a\r\nb\r\n", "A\r\nb\r\n", "a\r\nB\r\n", "A\r\nB\r\n", 0),
    ],
)
def test_what_becomes_of_three_texts(
    base: str, older: str, newer: str, text: str, conflicts: int
) -> None:
    assert merge(base, older, newer) == (text, conflicts)


@settings(max_examples=20)
@given(data=st.data())
def test_what_git_merges_without_a_conflict_is_merged_to_the_same_text(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    base = [f"line {number}" for number in range(9)]
    sides = []
    for name in ("older", "newer"):
        side = list(base)
        place = data.draw(st.integers(0, 8))
        side[place : place + data.draw(st.integers(0, 2))] = [name]
        sides.append("\n".join([*side, ""]))
    folder: Path = tmp_path_factory.mktemp("merge")
    for name, text in zip("abc", ["\n".join([*base, ""]), *sides], strict=True):
        (folder / name).write_text(text)
    done = subprocess.run(
        ["git", "merge-file", "-p", "b", "a", "c"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        assert merge("\n".join([*base, ""]), *sides) == (done.stdout.decode(), 0)


@pytest.mark.parametrize(
    "side",
    ["x\n" * 200_000, "x\ny\n" * 5_000, "\n".join(map(str, range(100_000)))],
    ids=["same lines", "in turns", "all new"],
)
def test_huge_texts_are_merged_within_seconds(side: str) -> None:
    base = "y\nx\n" * 5_000
    start = time.process_time()
    merged = merge(base, side, base.replace("y", "z", 3))
    numbers = [f"{number}\n" for number in range(60_000)]
    swapped = [
        "".join(
            line for n in range(0, 60_000, size) for line in numbers[n : n + size][::-1]
        )
        for size in (2, 3)
    ]
    assert merge("".join(numbers), *swapped) == (swapped[1], 1)
    assert time.process_time() - start < 10
    assert merged[0]
