"""A branch that goes from one commit to another, as a value.

Invariant: commits are named by their whole ids, so that a branch which went elsewhere
meanwhile is noticed.
"""

from __future__ import annotations

from memcli.named_tuple import NamedTuple


class Move(NamedTuple):
    """What becomes of a branch: the commits are ids, `branch` is its short name."""

    branch: str
    before: str
    after: str
