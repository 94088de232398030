"""One table says what each field of an entry holds; the codec and the checks ask it."""

from pathlib import Path
from typing import Any

import pytest

from memcli.entries import codec
from memcli.entries.entry import FIELDS, KINDS, Entry
from memcli.entries.fields import CHECKS, FIELDS_LIMIT, draft
from memcli.errors import InvalidValue, MemcliError

DOCS = Path(__file__).parents[2] / "docs"


def test_every_field_of_an_entry_has_a_check() -> None:
    assert set(CHECKS) == set(FIELDS)


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
    assert refused.value.code == "invalid_research"


def test_what_only_a_person_decides_is_not_taken_from_a_caller() -> None:
    with pytest.raises(InvalidValue, match="only a person decides") as refused:
        draft({"text": "a", "enforce": "deny"}, kinds=KINDS, body_limit=100)
    assert refused.value.code == "invalid_enforce"


def test_the_page_of_the_format_names_every_field() -> None:
    (page,) = DOCS.rglob("vault-format.md")
    text = page.read_text(encoding="utf-8")
    assert not [name for name in FIELDS if f"`{name}`" not in text]


# --- what a caller wants saved is checked field by field, before anything is touched --


LIMIT = 1_000_000


def check(**values: Any) -> Entry:
    return draft({"text": "a", **values}, kinds=KINDS, body_limit=LIMIT)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"text": ""}, "empty_text"),
        ({"text": " \n\t"}, "empty_text"),
        ({"text": None}, "empty_text"),
        ({"text": 5}, "invalid_text"),
        ({"text": "a\0b"}, "not_text"),
        ({"text": "\ud83d"}, "not_text"),
        ({"text": "x" * (LIMIT + 1)}, "too_large"),
        ({"rationale": "x" * FIELDS_LIMIT}, "too_large"),
        ({"tags": [f"tag-{n}" for n in range(1_001)]}, "invalid_tags"),
        ({"entities": ["\x01" * 40_000]}, "too_large"),
        ({"title": "\ud83d"}, "not_text"),
        ({"title": 5}, "invalid_title"),
        ({"kind": "nope"}, "invalid_kind"),
        ({"type": "Persn"}, "invalid_type"),
        ({"tags": ["has space"]}, "invalid_tag"),
        ({"tags": 5}, "invalid_tags"),
        ({"pinned": "yes"}, "invalid_pinned"),
        ({"occurred_at": True}, "invalid_occurred_at"),
        ({"occurred_at": "2023-02-30"}, "invalid_occurred_at"),
        ({"id": "../../etc/passwd"}, "invalid_id"),
        ({"body": "again"}, "twice"),
        ({"colour": "red"}, "unknown_field"),
        ({"source": {"colour": "red"}}, "unknown_field"),
        ({"source": {"seq": -1}}, "invalid_source.seq"),
        ({"source": {"record": "\ud83d"}}, "not_text"),
    ],
)
def test_a_bad_field_is_refused_with_its_code(
    values: dict[str, Any], code: str
) -> None:
    with pytest.raises(MemcliError) as caught:
        check(**values)
    assert caught.value.code == code


def test_fields_within_the_limit_can_be_read_again() -> None:
    wide = check(rationale='"' * (FIELDS_LIMIT // 2 - 100)).replace(id="1" * 16)
    assert codec.decode(codec.encode(wide), "a.md").entry.rationale == wide.rationale


@pytest.mark.parametrize("nothing", [None, "", [], ()])
def test_what_is_empty_counts_as_not_given(nothing: Any) -> None:
    assert check(title=nothing, tags=nothing, source=nothing) == check()


def test_a_span_cannot_end_before_it_began() -> None:
    with pytest.raises(MemcliError):
        check(occurred_at="2025", occurred_until="2024")
