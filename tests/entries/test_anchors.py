"""An anchor is one readable line, and its path leads nowhere but into the project."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries import anchors
from memcli.entries.anchors import Anchor
from memcli.errors import InvalidValue

MARK = "11-1a2b3c4d9f8e7d6c"
COMMIT = "a1b2c3d4e5f6"

OUTSIDE = [
    "../secrets",
    "/etc/passwd",
    "~/notes",
    "C:/windows",
    "src//app.py",
    "./",
    ".git/config",
    "sub/.git./config",
    "src\\app.py",
    "a\nb",
    "a\x1b[31m",
    "a\udcff",
    "x" * 401,
]


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("src/app.py", Anchor("src/app.py")),
        ("src/app.py:10", Anchor("src/app.py", 10, 10)),
        ("src/app.py:10-20", Anchor("src/app.py", 10, 20)),
        (f"a b.py:1-2#{MARK}@{COMMIT}", Anchor("a b.py", 1, 2, MARK, COMMIT)),
        (f"src/app.py#{MARK}", Anchor("src/app.py", fingerprint=MARK)),
        ("@types/node#x", Anchor("@types/node#x")),
    ],
)
def test_an_anchor_is_read_as_a_person_writes_it(text: str, anchor: Anchor) -> None:
    assert anchors.parse(text) == anchor


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_could_lead_out_is_no_anchor(path: str) -> None:
    for text in (path, f"{path}:1-2", f"{path}#{MARK}@{COMMIT}"):
        with pytest.raises(InvalidValue, match="code: not a place"):
            anchors.parse(text)


paths = st.text(min_size=1, max_size=20).filter(lambda text: not anchors.unsafe(text))
numbers = st.integers(1, 9_999_999)


@given(paths, st.none() | st.tuples(numbers, numbers), st.booleans(), st.booleans())
def test_what_an_anchor_is_written_as_is_read_back(
    path: str, lines: tuple[int, int] | None, marked: bool, committed: bool
) -> None:
    first, last = sorted(lines) if lines else (0, 0)
    mark = MARK if marked else ""
    anchor = Anchor(path, first, last, mark, COMMIT if marked and committed else "")
    try:
        read = anchors.parse(str(anchor))
    except InvalidValue:
        return  # a path that itself ends like lines, or with a space
    again = anchors.parse(str(read))
    assert again == read
    if read.path == path:
        assert read == anchor


@given(st.text(max_size=60))
def test_no_text_gives_a_path_that_leads_out(text: str) -> None:
    for item in anchors.read_all([text]):
        assert not anchors.unsafe(item.path)
        assert ".." not in item.path.split("/")
        assert not item.path.startswith(("/", "~"))
