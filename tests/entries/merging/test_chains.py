"""One chain of the versions that two clones have made."""

from time import process_time

from memcli.entries.entry import Entry, Status
from memcli.entries.ids import new_id
from memcli.entries.merging.chains import Sides, join

_MOMENT = 1_700_000_000_000


def test_a_chain_of_thousands_of_versions_is_joined_in_less_than_a_second() -> None:
    names = [new_id(_MOMENT + count, lambda size: bytes(size)) for count in range(4000)]
    old = [
        Entry(
            name,
            status=Status.SUPERSEDED,
            path=f"archive/{name}.md",
            supersedes=before,
            superseded_by=after,
        )
        for name, before, after in zip(
            names, [None, *names], [*names[1:], None], strict=False
        )
    ]
    old[-1] = old[-1].replace(status=Status.ACTIVE, path="memories/x.md")
    entries = {entry.id: entry for entry in old}
    changed = {**entries, names[-1]: old[-1].replace(tags=("a",))}
    begun = process_time()
    joined = join(changed, Sides(entries, changed, entries, ("desk", "laptop")))
    assert process_time() - begun < 1  # 0.1 s; 3 s where each version walks the chain
    assert not joined.changed
