"""The tables are what their sources say, sorted, and found by bisection."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.shipped import WordList, our_folder
from memcli.search.readings import WordTable
from tests.tables import developers, ordinary
from tests.tables.packing import everything, packed

FOLDER = Path(our_folder("words"))
_WORD = st.text("ab cé", min_size=1, max_size=4)
_ROWS = st.lists(st.tuples(_WORD, st.integers(0, 255).map(lambda n: n / 255)))


@given(table=st.dictionaries(_WORD, _ROWS, max_size=8))
def test_a_table_gives_back_what_it_was_made_of(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, list[tuple[str, float]]]
):
    path = tmp_path_factory.mktemp("table") / "table.bin"
    path.write_bytes(packed({**table, "z": []}))
    read = WordTable(str(path))
    assert {text: row for text, row in everything(str(path)).items() if row} == {
        text: row for text, row in table.items() if row
    }
    for text in [*table, "", "absent", "a", "b"]:
        assert read.others(text) == table.get(text, [])
        begun = {key: row for key, row in read.beginning(text) if row}
        assert begun == {
            key: row
            for key, row in table.items()
            if row and (key == text or key.startswith(text + " "))
        }


def test_another_version_of_a_table_is_refused(tmp_path: Path):
    path = tmp_path / "table.bin"
    data = bytearray(packed({"a": [("b", 1.0)]}))
    data[8] += 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is no table of version"):
        WordTable(str(path))


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
    made = (FOLDER / "developers.bin").read_bytes()
    assert made == developers.table(), "run: python -m tests.tables.developers"


def test_the_table_of_near_words_holds_what_its_page_says():
    path = FOLDER / "near.bin"
    assert path.stat().st_size <= 550_000
    rows = everything(str(path))
    assert sum(map(bool, rows.values())) > 10_000
    assert max(map(len, rows.values())) == 5
    for text, row in rows.items():
        assert text.isascii()
        assert all(0.545 <= share <= 1 and other != text for other, share in row)
        assert row == sorted(row, key=lambda pair: -pair[1])
    assert "soccer" in dict(rows["sport"])
    assert not {"berlin", "tuesday"} & rows.keys()
