"""Rows that another version of memcli has published are refused in words."""

import json

import pytest

from memcli.errors import MemcliError
from memcli.search.postgres.connection import Database
from memcli.search.postgres.tables import Tables
from tests.search.test_stored_row import row


@pytest.mark.parametrize("more", [True, False], ids=["a field more", "one fewer"])
def test_a_row_with_other_fields_names_the_database_and_what_to_do(more: bool) -> None:
    url = "postgresql://ada:s3cret@db.acme.com/memory"
    database = Database(url, patience=None, read_only=True)
    tables = Tables(database, 1, (("", ()), lambda _rows: None), seen=True)
    values = json.loads(row("1", "We deploy on Tuesdays", None).as_json())
    other = [*values[:1], *values] if more else [*values[:-2], values[-1]]
    tables._rows = {1: row("1", "", None), 2: json.dumps(other).encode()}
    assert tables.row(1).id == "1"
    with pytest.raises(MemcliError, match="published by another version") as refused:
        tables.row(2)
    assert refused.value.error_code == "wrong_format"
    assert "postgresql://ada@db.acme.com/memory" in refused.value.message
    assert "s3cret" not in refused.value.message
