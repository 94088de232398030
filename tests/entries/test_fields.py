"""One table says what each field of an entry holds; the codec and the checks ask it."""

from pathlib import Path

import pytest

from memcli.entries import codec
from memcli.entries.entry import FIELDS, KINDS, Entry
from memcli.entries.fields import BY_NAME, TABLE, draft
from memcli.errors import InvalidValue

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_has_the_fields_of_an_entry_in_their_order() -> None:
    assert tuple(field.name for field in TABLE) == FIELDS


def test_a_default_is_that_of_the_entry() -> None:
    entry = Entry("1m7xvn68xtqp489w")
    assert all(
        BY_NAME[name].default == getattr(entry, name) for name in FIELDS if name != "id"
    )


@pytest.mark.parametrize(
    "name", [n for n in FIELDS if n not in ("research", "enforce")]
)
def test_what_a_caller_may_give_comes_back_from_the_file(name: str) -> None:
    given = {
        "id": "1m7xvn68xtqp489w",
        "kind": "fix",
        "layer": "model",
        "subtype": "pinned",
        "type": "tool",
        "status": "pending",
        "tags": ["deploy", "area:ci"],
        "source": {"writer": "hook", "seq": 3},
        "visibility": "group",
        "confidence": "HIGH",
        "item": "derived",
        "resolution_scope": "entry",
        "seen": ["2026-11-21"],
        "pinned": True,
        "code": ["src/app.py:10-20#11-1a2b3c4d9f8e7d6c@a1b2c3d4e5f6", "Makefile"],
        "code_names": ["RateLimiter@src/limits.py", "make deploy", "src/"],
    }
    date = "2026-11-21T09:30:00Z"
    text = date if "_at" in name or name.endswith("ed") else "2026-11"
    lists = ("asked", "entities", "groups", "evidence", "fingerprints")
    value = given.get(name, [text, "no"] if name in lists else text)
    values = {"text": "a", name: value}
    if name == "subtype":
        values["layer"] = "model"
    entry = draft(values, kinds=KINDS, body_limit=100)
    entry = entry.replace(id=given["id"], created=entry.created or date)
    data = codec.encode(entry)
    assert codec.decode(data, "a.md").entry == entry.replace(path="a.md")


def test_what_memcli_notes_itself_is_not_taken_from_a_caller() -> None:
    """A report must not say by itself that its citations were checked."""
    with pytest.raises(InvalidValue, match="what memcli notes") as refused:
        draft({"text": "a", "research": "tyler"}, kinds=KINDS, body_limit=100)
    assert refused.value.error_code == "invalid_research"


def test_what_only_a_person_decides_is_not_taken_from_a_caller() -> None:
    with pytest.raises(InvalidValue, match="only a person decides") as refused:
        draft({"text": "a", "enforce": "deny"}, kinds=KINDS, body_limit=100)
    assert refused.value.error_code == "invalid_enforce"


def test_the_page_of_the_format_names_every_field() -> None:
    (page,) = DOCS.rglob("vault-format.md")
    text = page.read_text(encoding="utf-8")
    assert not [name for name in FIELDS if f"`{name}`" not in text]
