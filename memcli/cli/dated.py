"""The dates of an entry as people type them, in the form that files have."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


# Fields whose distance without a direction lies ahead: 30d is in 30 days.
_AHEAD = ("expires_at", "review_after")
_FIELDS = ("occurred_at", "occurred_until", *_AHEAD)


def dated(fields: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    """Fields of an entry with their dates in the form of `checks.check_date`.

    Raises:
        InvalidValue: a text names no date.
    """
    given = {name: fields[name] for name in _FIELDS if fields.get(name)}
    if not given:
        return dict(fields)
    from memcli.entries.dates import field_date

    now = now_ms // 1000
    return {
        **fields,
        **{
            name: field_date(text, now, name, ahead=name in _AHEAD)
            for name, text in given.items()
        },
    }
