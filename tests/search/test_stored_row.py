"""A row holds what it was made of."""

from hypothesis import given
from hypothesis import strategies as st

from memcli.entries.entry import Source
from memcli.search.stored_row import StoredRow

TEXTS = st.text(max_size=30) | st.sampled_from(
    ['"', '\\"hook\\",', '["a","b"]', "\\", "\ud800", "\u2028\0\x7f", '"hook"']
)


@given(TEXTS, TEXTS, TEXTS)
def test_a_row_comes_back_as_it_was(name: str, text: str, writer: str) -> None:
    values = dict.fromkeys(StoredRow._fields) | {"id": name, "text": text}
    stored = StoredRow._make((values | {"source": Source(writer=writer)}).values())
    assert StoredRow.from_json(stored.as_json()) == stored
