"""What segments remember of earlier questions is what they hold."""

import random
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.search import new_segment, segment, segments
from memcli.search.batch import batch_of
from memcli.search.packed_facts import ASKS, CONFLICT, PINNED, SPAN, Packed, pack
from memcli.search.prepared import Prepared
from memcli.search.ranking import corpus
from memcli.search.segments import Segments
from tests.search.test_segment import PACKED

if TYPE_CHECKING:
    from memcli.search.segment import SegmentId

WORDS = [f"word{number:03d}" for number in range(300)]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path)


def written(
    folder: str, many: int = 8, deleted: tuple[tuple[int, ...], ...] = ((), ())
) -> Segments:
    """Two segments, each of documents with some of the words, some of them deleted."""
    chance = random.Random(1)
    parts: tuple[SegmentId, ...] = ()
    for _ in range(2):
        parts += new_segment.write(
            folder,
            [
                batch_of(
                    Prepared(
                        dict.fromkeys(chance.sample(WORDS, 100), 1.0),
                        {"tag": (f"tag{number % 3}",)},
                        b"{}",
                        PACKED[number],
                    )
                    for number in range(many)
                )
            ],
        )
    return Segments(
        folder,
        [p._replace(deleted=gone) for p, gone in zip(parts, deleted, strict=True)],
    )


def looked_up(opened: Segments) -> list[object]:
    """What is said of each word, and of words that no document holds."""
    asked = [*WORDS, "", "word", "word0001", "zebra", "\ud800"]
    return [
        (word, opened.frequency("terms", word), *opened.exact("terms", word))
        for word in asked
    ] + [opened.exact("tag", f"tag{number}").tolist() for number in range(4)]


def test_terms_are_the_same_one_by_one_and_read_at_once(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.search.term_table._MOST_READ", 0)
    one_by_one = looked_up(written(folder))
    monkeypatch.undo()
    opened = written(folder)
    assert looked_up(opened) == one_by_one
    assert all("terms" in part._terms._places for part in opened.parts)


def test_second_answer_is_the_first(folder: str) -> None:
    opened = written(folder)
    assert looked_up(opened) == looked_up(opened)


def test_what_is_remembered_has_an_end(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = written(folder)
    expected = looked_up(opened)
    monkeypatch.setattr(segments, "_MOST_REMEMBERED", 7)
    few = written(folder)
    assert looked_up(few) == looked_up(few) == expected
    assert max(len(few._frequencies), len(few._lists)) <= 7
    monkeypatch.undo()
    monkeypatch.setattr(segments, "_MOST_LISTED", 20)
    short = written(folder)
    assert looked_up(short) == looked_up(short) == expected
    *_, last = short._lists.values()
    assert sum(len(docs) for docs, _ in short._lists.values()) <= 20 + len(last[0])


def test_nothing_is_remembered_of_what_is_hidden_since(folder: str) -> None:
    from memcli.entries.eligibility import Agent

    opened = written(folder)
    assert opened.frequency("tag", "tag0")
    assert len(opened.exact("tag", "tag0"))
    opened.hide(Agent("other"))  # no document says who may see it
    assert opened.frequency("tag", "tag0") == 0
    assert len(opened.exact("tag", "tag0")) == 0


@pytest.mark.parametrize("worth", [0, 1_000])
def test_what_documents_hold_is_the_same_looked_for_and_read_through(
    folder: str, monkeypatch: pytest.MonkeyPatch, worth: int
) -> None:
    monkeypatch.setattr(corpus, "_WORTH_LOOKING_UP", worth)
    opened = written(folder)
    for word in (*WORDS[:20], "zebra"):
        postings = dict(zip(*opened.postings("terms", word), strict=True))
        for docs in ({*range(16)}, {0, 7, 15}, {8}, set[int](), {99}):
            held = {doc: n for doc, n in postings.items() if doc in docs}
            assert list(opened.held(word, docs).items()) == list(held.items())


def test_all_lists_of_a_field_count_what_each_one_holds(folder: str) -> None:
    from memcli.search.value_lists import ValueLists

    opened = written(folder, deleted=((1, 3), (0,)))
    live = set(opened.everything())
    for among in (live, {0, 2, 9}, live - {2}, set[int]()):
        for field in ("terms", "tag", "none"):
            values = opened.starting(field, "")
            wanted = {value: set(opened.exact(field, value)) for value in values}
            for lists in (opened.lists(field), ValueLists.of(opened.values(field))):
                found = dict.fromkeys(values, 0)
                for place, count in enumerate(lists.counted(among & live)):
                    assert count == len(live & among & {*lists.listed(place)})
                    if lists.values[place] in found:
                        found[lists.values[place]] += count
                assert found == {v: len(docs & among) for v, docs in wanted.items()}
            assert {v: set(d) for v, d in opened.values(field).items()} == wanted


def of_facts(folder: str, *parts: list[Packed], gone: bool = False) -> Segments:
    """A segment for each list, with a document for each of its facts.

    `gone` deletes all documents of the first.
    """
    which: tuple[SegmentId, ...] = ()
    for facts in parts:
        documents = [Prepared({"word": 1.0}, {}, b"{}", pack(each)) for each in facts]
        which += new_segment.write(folder, [batch_of(documents)])
    if gone:
        deleted = tuple(range(which[0].documents))
        which = (which[0]._replace(deleted=deleted), *which[1:])
    return Segments(folder, which)


NOTHING = Packed._make([0] * 11)


@pytest.mark.parametrize(
    ("odd", "plain", "project"),
    [
        (NOTHING._replace(flags=PINNED | ASKS, length=7, time=-9), True, False),
        (NOTHING._replace(flags=1), False, False),
        (NOTHING._replace(flags=ASKS | CONFLICT), False, False),
        (NOTHING._replace(expires=1), False, False),
        (NOTHING._replace(expires=-1), False, False),
        (NOTHING._replace(project=0xFFFFFFFF), True, True),
    ],
)
def test_one_document_decides_what_is_known_of_all(
    folder: str, odd: Packed, plain: bool, project: bool
) -> None:
    opened = of_facts(folder, [NOTHING] * 3, [NOTHING, odd, NOTHING])
    assert (opened.plain, opened.any_project()) == (plain, project)
    assert opened.size == (6, odd.length)
    without = Segments(folder, ())
    assert (without.plain, without.any_project(), without.size) == (True, False, (0, 0))


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("gone", [((), (4,)), ((0, 3), (1, 2)), (tuple(range(8)), ())])
def test_the_length_of_live_documents_is_that_of_their_column(
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
    few: int,
    gone: tuple[tuple[int, ...], ...],
) -> None:
    monkeypatch.setattr(segment, "_FEW", few)
    opened = written(folder, deleted=gone)
    lengths = sum(compress(opened.columns.lengths, opened.live))
    assert opened.size == (sum(opened.live), lengths)


@pytest.mark.parametrize("after", [None, -5, 0, 5, 6])
@pytest.mark.parametrize("before", [None, -4, 0, 6, 7])
def test_a_window_leaves_out_no_document_whose_time_lies_in_it(
    folder: str, after: int | None, before: int | None
) -> None:
    times = [-(1 << 63), -6, -5, -1, 0, 4, 5, 6, (1 << 63) - 1]
    moments = [NOTHING._replace(time=time) for time in times]
    spans = [each._replace(flags=SPAN) for each in moments]
    opened = of_facts(folder, moments, spans)
    first = after if after is not None else times[0]
    end = before if before is not None else 1 << 63
    inside = [doc for doc, time in enumerate(times) if first <= time < end]
    assert list(opened.dated(after, before)) == [*inside, *range(9, 18)]
    opened = of_facts(folder, moments, spans, gone=True)
    assert list(opened.dated(after, before)) == list(range(9, 18))
