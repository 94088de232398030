"""A step of a repair, and the findings that it ends."""

from typing import NamedTuple

from memcli.vault.health.finding import Finding


class Repair(NamedTuple):
    """One step of a repair.

    `code` is leftover, git_lock, index, half_evolve, lost_version, dropped,
    duplicate_id, stale_key, lineage, missing, older, deleted, uncommitted or moved;
    `action` says what happens to `path`, `detail` is the other file, entry or commit.
    """

    code: str
    path: str
    action: str
    detail: str | None = None


# A step, and the findings that are gone when it is taken.
Step = tuple[Repair, list[Finding]]
