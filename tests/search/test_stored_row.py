"""What is read of a row without taking it apart is what the row holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.entry import Source
from memcli.search.stored_row import StoredRow, packed_terms, said

TEXTS = st.text(max_size=30) | st.sampled_from(
    ['"', '\\"hook\\",', '["a","b"]', "\\", "\ud800", "\u2028\0\x7f", '"hook"']
)


def row(name: str, text: str, writer: str | None) -> StoredRow:
    values = dict.fromkeys(StoredRow._fields) | {"id": name, "text": text}
    return StoredRow._make((values | {"source": Source(writer=writer)}).values())


@given(TEXTS, TEXTS, TEXTS)
def test_id_and_text_come_first(name: str, text: str, writer: str) -> None:
    data = row(name, text, writer).as_json()
    assert said(data) == (name, text)
    assert StoredRow.mark(writer) in data


@given(TEXTS)
def test_a_value_within_a_text_is_not_taken_for_a_value(text: str) -> None:
    data = row("1", f'he said "hook" {text}.', None).as_json()
    assert StoredRow.mark("hook") not in data


@given(st.dictionaries(st.from_regex(r"\w+", fullmatch=True), st.floats(0.5, 9.0)))
def test_words_and_counts_come_back_in_their_order(terms: dict[str, float]) -> None:
    stored = row("1", "", None)._replace(key_terms=packed_terms(terms))
    assert [*StoredRow.from_json(stored.as_json()).terms.items()] == [*terms.items()]


@pytest.mark.parametrize("data", [b"", b"{}", b"[", b"[1", b'["a"', b'["a",', b"\xff"])
def test_what_is_no_row_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 each of them is one
        said(data)
