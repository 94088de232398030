"""What holds of the versions of each entry once clones have met, however they did."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from memcli.entries.entry import Entry, Status, Visibility


def check_lineages(entries: Mapping[str, Entry]) -> None:
    """No entry has two successors, none is its own, and links lead to entries."""
    claims: dict[str, set[str]] = defaultdict(set)
    for entry in entries.values():
        if entry.superseded_by and entry.superseded_by in entries:
            claims[entry.id].add(entry.superseded_by)
        if entry.supersedes and entry.supersedes in entries:
            claims[entry.supersedes].add(entry.id)
    for name, successors in claims.items():
        assert len(successors) == 1, f"{name} has the successors {successors}"
    for name in entries:
        each, seen = name, set[str]()
        while each in claims:
            assert each not in seen, f"{name} is in a circle"
            seen.add(each)
            (each,) = claims[each]
    current = [entry for entry in entries.values() if entry.status is Status.ACTIVE]
    assert all(entry.superseded_by is None for entry in current)
    assert not any(entry.path.startswith("archive/") for entry in current)


def check_resolved(
    entries: Mapping[str, Entry],
    resolved: Collection[str],
    reopened: Collection[str] = (),
) -> None:
    """What some clone resolved, and none reopened, is in use nowhere, in no version."""
    for name in resolved:
        lineage = [name]
        while lineage[-1] in entries and entries[lineage[-1]].superseded_by:
            lineage.append(entries[lineage[-1]].superseded_by or "")
        if lineage[-1] in entries and set(lineage).isdisjoint(reopened):
            last = entries[lineage[-1]]
            assert last.status is not Status.ACTIVE, f"{name} came back as {last.id}"


def check_hidden(entries: Mapping[str, Entry], hidden: Collection[str]) -> None:
    """What some clone made private is private in every later version."""
    for name in hidden:
        while name in entries:
            assert entries[name].visibility is Visibility.PRIVATE, f"{name} is shared"
            name = entries[name].superseded_by or ""
