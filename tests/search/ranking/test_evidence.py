"""Shared words say that an entry is needed by how rare they are, not by their share."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memcli.entries.shipped import our_folder
from memcli.entries.text import tokens
from memcli.search.ranking.evidence import MOST, bar, of_documents, weight
from tests.tables import common


def of(prompt: str, entry: str, size: int = 200) -> float:
    """The evidence of an entry that alone, among many, has its words."""
    stem = tokens.stemmer()
    held = Counter(tokens.terms(entry, stem))
    reader: Any = SimpleNamespace(
        size=size,
        frequencies=lambda terms: [int(term in held) for term in terms],
        fetch=lambda *_: None,
        postings=lambda term: ([7], [held[term]]),
    )
    return of_documents(reader, tokens.names(prompt, stem))[0].get(7, 0.0)


def test_a_word_counts_by_how_rare_it_is_here_and_in_what_people_say():
    assert weight("jitter", 1, 1000) == MOST > weight("file", 1, 1000) > 0
    assert weight("jitter", 2, 1000) > weight("jitter", 400, 1000) > 0
    for term in ("a", "7", "42", "404"):
        assert weight(term, 1, 1000) == 0 < weight("9077", 1, 1000)
    # A small vault is weighed as one of two hundred entries.
    assert weight("jitter", 1, 3) == weight("jitter", 1, 200)
    assert bar(3) == bar(200) < bar(5000)
    assert bar(200, 1) < bar(200, 6) < bar(200, 24) == bar(200)
    assert bar(200, 1) > 1.5 * MOST  # one word alone is never enough


def test_what_an_entry_says_twice_counts_half_as_much_again():
    assert of("jitter", "jitter and jitter") == 1.5 * of("jitter", "jitter")


def test_all_parts_of_one_name_count_as_one_word():
    path = "src/payments/ledger_importer.py"
    assert of(path, path) == 1.5 * MOST
    assert of("payments ledger importer", path) > 2 * MOST


def test_what_else_a_text_says_takes_nothing_away():
    said = "jitter backoff retries"
    assert of(said, said) == of(said + " and much more besides", said + " of clients")


def test_the_table_holds_common_words_alone():
    path = Path(our_folder("words")) / "common.txt"
    rows = [line.split(" ") for line in path.read_text("ascii").splitlines()]
    words = [word for word, _ in rows]
    assert 300 < len(words) < 1500
    assert words == sorted(set(words))
    assert all(0 < float(number) < MOST for _, number in rows)
    assert {"add", "test", "file"} < set(words)


def test_a_word_of_two_sources_and_a_name_are_not_common():
    said = {
        source: ["fix it", "ask Noor", "thanks"] + ["lint it"] * (source != "c")
        for source in "abc"
    }
    assert [line.split()[0] for line in common.table(said).splitlines()] == [
        "ask",
        "fix",
        "thank",
    ]
