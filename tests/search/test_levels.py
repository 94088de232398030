"""What a long list says of its documents without being read."""

import random

from hypothesis import given
from hypothesis import strategies as st

from memcli.search.postgres import leveled, levels
from memcli.search.postgres.packing import Postings, packed_words, words_of
from memcli.search.ranking import shortlist

WORDS = st.dictionaries(st.text(max_size=5), st.floats(0.5, 64, width=32), max_size=9)


def drawn(seed: int, bits: int) -> Postings:
    """A list of one bucket."""
    chance = random.Random(seed)
    postings = Postings(b"", 0, weighted=True)
    bucket = chance.randrange(1 << bits) << (64 - bits)
    some = {
        chance.getrandbits(64 - bits) | bucket for _ in range(chance.choice([1, 900]))
    }
    for doc in sorted(some):
        postings.docs.append(doc)
        postings.weights.append(float(min(9, 1 + int(chance.expovariate(1)))))
        postings.lengths.append(chance.randint(0, 200))
    return postings


@given(seed=st.integers(0, 10**6), bits=st.integers(0, 9))
def test_no_document_is_better_than_its_level_and_all_are_in_one(
    seed: int, bits: int
) -> None:
    postings = drawn(seed, bits)
    found = levels.levels(postings, bits)
    stored = levels.stored(found, bits)
    assert levels.bits_of(stored) == bits
    assert levels.restored(stored) == found
    covered = 0
    for level in found:
        assert not covered & level.places
        covered |= level.places
    rows = zip(postings.docs, postings.weights, postings.lengths, strict=True)
    for doc, n, length in rows:
        at = levels.place_of(doc, bits)
        bucket = doc >> (64 - bits)
        first = levels.first_at(bucket, at, bits)
        assert first <= doc < first + levels.width(bits)
        # Another document at its place may have brought it into a better level, whose
        # bound is made no lower than this one's (`shortlist._bounds`).
        here = next(i for i, level in enumerate(found) if level.places >> at & 1)
        assert any(
            n <= most and length >= least
            for level in found[here:]
            for most, least in level.pairs
        )


def test_files_that_are_made_to_have_many_pairs_have_few() -> None:
    postings = Postings(b"", 0, weighted=True)
    for number in range(5_000):
        postings.docs.append(number << 47)
        postings.weights.append(number + 1.0)
        postings.lengths.append(number + 1)
    found = levels.levels(postings, 0)
    assert max(len(level.pairs) for level in found) <= 16
    assert levels.restored(levels.stored(found, 0)) == found
    for level in found:
        for number in range(5_000):
            if level.places >> levels.place_of(number << 47, 0) & 1:
                n, length = number + 1.0, number + 1
                assert any(n <= most and length >= least for most, least in level.pairs)


def test_levels_of_a_bucket_are_the_same_whether_they_came_or_the_list_did() -> None:
    bits, postings = 2, drawn(1, 2)
    bucket, n = postings.docs[0] >> (64 - bits), len(postings.docs)
    stored = levels.stored(levels.levels(postings, bits), bits)
    parts = [(bucket, n, None, stored), (bucket, n, postings.bytes(), None)]
    found = leveled.merged(parts, leveled.bits_of(parts))[bucket]
    assert found[: len(found) // 2] == found[len(found) // 2 :]


@given(WORDS)
def test_words_come_back_as_they_were_packed(words: dict[str, float]) -> None:
    back = words_of(packed_words(words))
    assert back == {
        word.encode("utf-8", "surrogatepass"): n for word, n in words.items()
    }


class Placed:
    """A corpus that says of each place that one document is there."""

    def placed(self, places: dict[int, list[int]]) -> list[int]:
        return [1000 * part + place for part, some in places.items() for place in some]


@given(seed=st.integers(0, 10**6))
def test_a_short_list_holds_all_that_reach_its_floor(seed: int) -> None:
    chance = random.Random(seed)
    best: dict[int, float] = {}
    parts: dict[int, list[list[tuple[float, int]]]] = {}
    for part in range(chance.randint(1, 3)):
        parts[part] = []
        for _ in range(chance.randint(1, 5)):
            bounds = [
                (chance.random() * chance.choice([0.1, 9]), chance.getrandbits(40))
                for _ in range(chance.randint(0, 4))
            ]
            parts[part].append(bounds)
            for place in range(40):
                here = [bound for bound, places in bounds if places >> place & 1]
                at = 1000 * part + place
                best[at] = best.get(at, 0.0) + max(here, default=0.0)
    short = shortlist.Shortlist(parts, Placed())  # type: ignore[arg-type]
    for count in (1, 5, 1000):
        floor = short.floor(count)
        assert floor >= 0
        if floor and len(parts) == 1:
            assert short.count(floor) >= count
    for floor in (chance.choice([*best.values()]), 0.001, 7.0):
        docs = short.docs(floor)
        assert len(docs) == len(set(docs)) == short.count(floor)
        missing = {doc for doc, bound in best.items() if bound >= floor} - set(docs)
        assert not {doc for doc in missing if best[doc] > 0}
