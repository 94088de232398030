"""What a caller wants saved is checked field by field, before anything is touched."""

from typing import Any

import pytest

from memcli.entries import codec
from memcli.entries.entry import KINDS, Entry
from memcli.entries.fields import FIELDS_LIMIT, draft
from memcli.errors import MemcliError

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
        ({"tags": [f"tag-{n}" for n in range(30_000)]}, "too_large"),
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
    assert caught.value.error_code == code


def test_fields_within_the_limit_can_be_read_again() -> None:
    wide = check(rationale='"' * (FIELDS_LIMIT // 2 - 100)).replace(id="1" * 16)
    assert codec.decode(codec.encode(wide), "a.md").entry.rationale == wide.rationale


@pytest.mark.parametrize("nothing", [None, "", [], ()])
def test_what_is_empty_counts_as_not_given(nothing: Any) -> None:
    assert check(title=nothing, tags=nothing, source=nothing) == check()


def test_a_span_cannot_end_before_it_began() -> None:
    with pytest.raises(MemcliError):
        check(occurred_at="2025", occurred_until="2024")
