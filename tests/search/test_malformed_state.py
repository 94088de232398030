"""A state whose checksum is right, while its list of files cannot be read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import Vault
from memcli.entries import layout
from memcli.search.index import Index
from memcli.search.reader import Reader
from memcli.search.state import NAME, Behind
from memcli.storage import cache
from tests.conftest import state_of
from tests.saving import save

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "no part begins there": lambda listing: b"nothing",
    "cut short": lambda listing: listing[:-3],
    "of the last part only the head": lambda listing: listing[:-40],
    "more files than names": lambda listing: listing.replace(b" 1\n", b" 2\n"),
    "a name longer than the file": lambda listing: b"9" + listing,
    "a number of many digits": lambda listing: b"9" * 5000 + listing,
    "a name that is no text": lambda listing: listing.replace(b".md", b"\xff\xff\xff"),
}


def spoil(vault: Vault, damage: Callable[[bytes], bytes]) -> None:
    """Give the vault's state another listing, with a checksum that fits."""
    path = str(state_of(vault.root, layout.INDEX) / NAME)
    found = cache.load_with_bytes(path, lambda *both: both)
    assert found is not None
    value, listing = found
    assert damage(listing) != listing
    cache.store(path, value, damage(listing))


@pytest.fixture
def indexed(vault: Vault) -> Vault:
    save(vault, "We deploy on Tuesdays")
    assert vault.recall("deploy").rows
    return vault


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_state_with_a_malformed_listing_leads_to_a_rebuild(
    indexed: Vault, damage: Callable[[bytes], bytes]
) -> None:
    spoil(indexed, damage)
    said: list[str] = []
    again = Vault.open(indexed.root, tell=said.append)
    # In a vault of few folders a file that differs is what leads to the listing.
    Path(again.root, "memories/note/new.md").write_text("We deploy by hand\n")
    texts = [row.text for row in again.recall("deploy").rows]
    assert sorted(texts) == ["We deploy by hand", "We deploy on Tuesdays"]
    assert said[0].startswith("rebuilding the index: it is damaged (")
    assert len(Vault.open(indexed.root).recall("deploy").rows) == 2


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_must_not_wait_takes_such_a_state_for_none(
    indexed: Vault, damage: Callable[[bytes], bytes]
) -> None:
    """A save asks again once the index is rebuilt; a hook goes without an answer."""
    spoil(indexed, damage)
    Path(indexed.root, "memories/note/new.md").write_text("We deploy by hand\n")

    def size(reader: Reader, *_: object) -> int:
        return reader.size

    with pytest.raises(Behind):
        Index(indexed.root).at_once(size)
    assert Index(indexed.root).glance(size) == 2


@pytest.mark.parametrize("place", [2, 5], ids=["racy files", "folders"])
@pytest.mark.parametrize("value", [None, {"memories/note": "x"}, {"": None}])
def test_a_state_whose_times_are_no_numbers_leads_to_a_rebuild(
    indexed: Vault, place: int, value: object
) -> None:
    path = str(state_of(indexed.root, layout.INDEX) / NAME)
    found = cache.load_with_bytes(path, lambda *both: both)
    assert found is not None
    state, listing = found
    state[place] = value
    cache.store(path, state, listing)
    save(indexed, "We deploy by hand")
    assert len(Vault.open(indexed.root).recall("deploy").rows) == 2
