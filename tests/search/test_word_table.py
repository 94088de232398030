"""The tables are what their sources say, sorted, and found by bisection."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.shipped import WordList, our_folder
from memcli.search.readings import _rows
from tests.tables import developers, ordinary
from tests.tables.common import lines

FOLDER = Path(our_folder("words"))
_WORD = st.text("ab cé", min_size=1, max_size=4)


@given(st.sets(_WORD), _WORD)
def test_the_lines_of_a_table_that_begin_with_a_word_are_found(
    tmp_path_factory: pytest.TempPathFactory, words: set[str], start: str
):
    path = tmp_path_factory.mktemp("table") / "table.txt"
    rows = {word: [("x", 1.0), (word, 0.4)] for word in {*words, "z"}}
    path.write_bytes(lines(rows))
    begun = [word for word in sorted(words) if word.startswith(start)]
    found = WordList(str(path)).lines(start)
    assert [*found] == [f"{word}\tx\t255\t{word}\t102" for word in begun]


def test_every_ordinary_word_is_found_and_no_other():
    path = FOLDER / "ordinary.txt"
    words = path.read_text(encoding="ascii").split("\n")
    assert words.pop() == ""
    assert words == sorted(set(words))
    assert ordinary.words("\n".join(reversed(words))) == path.read_text("ascii")
    known = WordList(str(path))
    for word in [*words[:: len(words) // 500], words[0], words[-1], "mango"]:
        assert word in known
        assert word + "zz" not in known
    for word in ("", "\n", "zzzz", "0", "aa", "postgress", words[0] + "\n" + words[1]):
        assert word not in known


def test_the_developers_table_is_made_of_its_source():
    made = (FOLDER / "developers.txt").read_bytes()
    assert made == developers.table(), "run: python -m tests.tables.developers"


def test_the_table_of_near_words_holds_what_its_page_says():
    path = FOLDER / "near.txt"
    assert path.stat().st_size <= 550_000
    rows = dict(_rows(WordList(str(path)), ""))
    assert len(rows) > 10_000
    assert max(map(len, rows.values())) == 5
    for text, row in rows.items():
        assert text.isascii()
        assert all(0.545 <= share <= 1 and other != text for other, share in row)
        assert row == sorted(row, key=lambda pair: -pair[1])
    assert "soccer" in dict(rows["sport"])
    assert not {"berlin", "tuesday"} & rows.keys()
