"""A term is found where it stands, however the table looks it up."""

import random
from array import array
from pathlib import Path

import pytest

from memcli.search import term_table
from memcli.search.segment_file import File
from memcli.search.term_table import TermTable, terms_file


def table(folder: Path, texts: list[bytes]) -> TermTable:
    """A table with the terms in the second of three fields."""
    every = [b"first", *texts, b"last"]
    fields = [("a", 1), ("b", 1 + len(texts)), ("c", len(every))]
    counts, offsets = array("I", range(len(every))), array("Q", range(len(every)))
    folder.joinpath("t").write_bytes(terms_file(fields, every, counts, offsets))
    return TermTable(File(str(folder), "t"))


@pytest.mark.parametrize("size", [1, 31, 32, 33, 700])
def test_a_term_is_found_before_and_after_samples_and_all_were_read(
    size: int, tmp_path: Path
) -> None:
    chance = random.Random(size)
    # Of two letters, so that terms are parts of each other and of their neighbours.
    words = {bytes(chance.choices(b"ab", k=chance.randrange(14))) for _ in range(9_999)}
    chosen = chance.sample(sorted(words), 2 * size)
    texts = sorted(chosen[:size])
    terms = table(tmp_path, texts)
    known = {text: place for place, text in enumerate(texts, 1)}
    ways = set()
    for _ in range(3):
        for text in chance.sample(chosen, len(chosen)):
            assert terms.find("b", text) == known.get(text)
            ways.add(("b" in terms._samples, "b" in terms._places))
    assert terms.find_each("b", chosen) == [*map(known.get, chosen)]
    assert (True, True) in ways or size <= term_table._WORTH_SAMPLING
    assert (True, False) in ways or size <= term_table._WORTH_SAMPLING
    assert terms.find("none", b"a") is None
    terms.file.close()
