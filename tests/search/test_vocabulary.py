"""The terms of an index: known ones, those that begin alike, those one edit away."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.search.segment import Segment
from memcli.search.vocabulary import Vocabulary
from tests.conftest import VaultMaker
from tests.search.test_segment import written

# Letters of one, two and three bytes; the last is of no alphabet.
LETTERS = "abcéж\u4e2d"
WORDS = st.text(LETTERS, max_size=5)


def edits(word: str) -> set[str]:
    """Every text that is one edit away, made one by one."""
    letters = [letter for letter in LETTERS if letter < "\u0800"]
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    out = {before + rest[1:] for before, rest in cuts if rest}
    swapped = {b + r[1] + r[0] + r[2:] for b, r in cuts if len(r) > 1}
    other = {b + c + r[1:] for b, r in cuts if r for c in letters}
    more = {b + c + r for b, r in cuts for c in letters}
    return (out | swapped | other | more) - {word}


@given(st.lists(st.sets(WORDS, min_size=1), min_size=1, max_size=3), WORDS)
def test_near_finds_every_known_term_one_edit_away_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, parts: list[set[str]], word: str
) -> None:
    folder = str(tmp_path_factory.mktemp("words"))
    segments = [
        Segment(folder, written(folder, [(dict.fromkeys(words, 1.0), set())]), 0)
        for words in parts
    ]
    held = [text for words in parts for text in words]
    vocabulary = Vocabulary(segments, held.count)
    found = vocabulary.near(word)
    assert set(found) == edits(word) & set(held)
    assert len(found) == len(set(found))
    assert found == sorted(found, key=lambda text: (-held.count(text), text))
    begun = sorted({text for text in held if text.startswith(word)})
    assert vocabulary.starting(word, 2) == begun[:2]
    assert vocabulary.knows(word) == (word in held)


def test_a_term_that_only_a_deleted_or_hidden_entry_holds_is_unknown(
    make_vault: VaultMaker,
) -> None:
    ada, owner = make_vault(agent="ada"), make_vault()
    owner.save(owner.draft({"text": "The gateway restarts"}))
    gone = owner.save(owner.draft({"text": "The gatewax restarts"}))
    ada.save(ada.draft({"text": "The gatewaz restarts"}))

    def near(vault: Vault) -> list[str]:
        return vault.read(lambda reader: reader.vocabulary.near("gatewa"))

    assert near(owner) == ["gatewax", "gateway", "gatewaz"]
    Path(owner.root, owner.get(gone.id).path).unlink()
    assert near(owner) == ["gateway", "gatewaz"]
    assert near(ada) == ["gatewaz"]
    assert not ada.read(lambda reader: reader.vocabulary.knows("gateway"))
    assert ada.read(lambda reader: reader.vocabulary.starting("gatewa", 9)) == [
        "gatewaz"
    ]
