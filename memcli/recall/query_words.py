"""The options of a question as strings: what flags, batch lines and tools may say.

Invariant: each has the name and the meaning of its flag of `memcli recall`.
"""

from __future__ import annotations

from typing import TypedDict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


class Words(TypedDict, total=False):
    """What `query.from_words` takes."""

    kind: Sequence[str]
    type: Sequence[str]
    layer: Sequence[str]
    tag: Sequence[str]
    tags_match: str
    entity: Sequence[str]
    after: str | None
    before: str | None
    project: str | None
    at: str | None
    status: Sequence[str]
    history: bool
    as_of: str | None
    limit: int | None
    budget: str | None
    max_chars: int | None
    depth: int | None
    no_graph: bool
    explain: bool
    exact: bool


WORDS = tuple(Words.__annotations__)
"""Their names."""
