"""A plan of a repair: its steps, the findings that each ends, and what is left.

Invariant: a plan is a value; making one changes nothing.
"""

from __future__ import annotations

from memcli.entries.finding import ERROR, Finding
from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, folder_replaced, index, conflict, fork, half_evolve,
    lost_version, dropped, duplicate_id, resolved_before, half_merged, stale_key,
    lineage, missing, older, deleted, uncommitted or moved;
    `action` says what happens to `path`, `detail` is the other file, entry or commit.
    """

    code: str
    path: str
    action: str
    detail: str | None = None


# A step, and the findings that are gone when it is taken.
Step = tuple[Repair, list[Finding]]


class RepairPlan(NamedTuple):
    """The steps of a repair, and the findings that are left for a person."""

    steps: list[Repair]
    left: list[Finding]
    applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether memcli can use everything that is left."""
        return not any(finding.level == ERROR for finding in self.left)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "applied": self.applied,
            "steps": [step._asdict() for step in self.steps],
            "left": [finding._asdict() for finding in self.left],
        }
