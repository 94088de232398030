"""The records of a file that stand on a branch which a person has left.

Invariant: only a prompt can be left, and only for another one in its place: of the
prompts that follow the same message, the one with the longest branch stays, and the
others go with everything below them. Branches without a prompt of their own (tools
that ran side by side) all stay.
"""

from __future__ import annotations

from array import array
from enum import IntEnum

from memcli.named_tuple import NamedTuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable


class Kind(IntEnum):
    """The part that a record plays in the tree."""

    ASIDE = 0  # stands in the chain of parents and is no part of the talk
    MESSAGE = 1
    PROMPT = 2  # begins a turn


class Node(NamedTuple):
    """A record: the line it stands on, its id, the id of what it follows, its kind."""

    line: int
    id: str
    parent: str | None
    kind: Kind


def abandoned(nodes: Iterable[Node]) -> set[int]:
    """The lines that were taken back, and those that repeat a record's id.

    A parent counts only when it stands above its child, so there are no circles. Takes
    some 150 bytes a record: ids are kept as their hashes.
    """
    seen: dict[int, int] = {}
    lines, parents, anchors = array("q"), array("q"), array("q")
    prompts: dict[int, list[int]] = {}
    gone: set[int] = set()
    for node in nodes:
        key = hash(node.id)
        if key in seen:
            gone.add(node.line)
            continue
        here = len(lines)
        parent = -1 if node.parent is None else seen.get(hash(node.parent), -1)
        seen[key] = here
        # The nearest part of the talk above: two prompts that share it are rivals.
        above = -1 if parent < 0 else anchors[parent]
        lines.append(node.line)
        parents.append(parent)
        anchors.append(above if node.kind is Kind.ASIDE and above >= 0 else here)
        if node.kind is Kind.PROMPT and above >= 0:
            prompts.setdefault(above, []).append(here)
    rivals = [group for group in prompts.values() if len(group) > 1]
    if rivals:
        gone.update(_below(parents, lines, rivals))
    return gone


def _below(
    parents: array[int], lines: array[int], rivals: list[list[int]]
) -> Iterable[int]:
    """The lines of all prompts but the longest of each group, and of those below."""
    latest = array("q", range(len(parents)))
    for here in range(len(parents) - 1, -1, -1):
        parent = parents[here]
        if parent >= 0 and latest[parent] < latest[here]:
            latest[parent] = latest[here]
    left = bytearray(len(parents))
    for group in rivals:
        stays = max(group, key=lambda prompt: latest[prompt])
        for prompt in group:
            left[prompt] = prompt != stays
    for here, parent in enumerate(parents):
        if parent >= 0 and left[parent]:
            left[here] = True
        if left[here]:
            yield lines[here]
