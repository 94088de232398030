"""What each tool adds to a command's values, or refuses, before the command runs.

Invariant: what a model gave is made whole, never replaced.
"""

from __future__ import annotations

from memcli.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# The four names and the default of the tool that this one replaces: prompts that were
# written for it count on untagged entries. The command's own default is stricter.
TAGS_MATCH = ("any", "all", "any_strict", "all_strict")


def as_given(values: dict[str, Any]) -> None:
    del values


# What narrows a search enough to list what is left, when no words are asked for.
_NARROWS = ("kinds", "tags", "entities", "after", "before", "statuses", "types")


def searched(values: dict[str, Any]) -> None:
    """Recall: filters without a question list what they let through, as `all` does."""
    asked(values)
    if "all" in values.get("statuses", ()):
        values["statuses"] = ["active", "resolved", "superseded", "expired"]
    words = " ".join(values.get("query") or ()).strip(" *")
    feedback = values.get("useful") or values.get("not_useful")
    if not words and not feedback and any(values.get(name) for name in _NARROWS):
        values.pop("query", None)
        values["all_"] = True


def asked(values: dict[str, Any]) -> None:
    # `expand` is the flag --no-graph the other way round.
    if "no_graph" in values:
        values["no_graph"] = not values["no_graph"]
    if values.get("tags"):
        values.setdefault("tags_match", TAGS_MATCH[0])


def saved(values: dict[str, Any]) -> None:
    values["source_writer"] = "skill"


def judged(values: dict[str, Any]) -> None:
    if not values.get("judged"):
        if values.pop("dry_run", False):
            raise UsageError("dry_run goes with answers; without them nothing changes")
        values["digest"] = True
