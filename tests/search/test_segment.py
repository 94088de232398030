"""A segment reads as Whoosh reads it, and damaged bytes never lead out of the file."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh.codec.whoosh3 import W3Segment
from whoosh.filedb.filestore import FileStorage
from whoosh.reading import SegmentReader

from memcli import Vault
from memcli.search import (
    new_segment,
    segment,
    segment_file,
    term_table,
    whoosh_codec,
    writer,
)
from memcli.search.batch import Batch, as_line, batch_of, from_line
from memcli.search.packed_facts import FACTS, PACKED_SIZE, SPANS
from memcli.search.prepared import Prepared
from memcli.search.segment import Segment, SegmentId
from memcli.storage.listed_files import ListedFiles, part, stats_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Documents = list[tuple[dict[str, float], set[str]]]
PACKED = [bytes([number]) * PACKED_SIZE for number in range(1, 9)]
TERMS = st.dictionaries(
    st.text(max_size=4), st.floats(0.5, 64, width=32), min_size=1, max_size=5
)
DOCUMENTS = st.lists(
    st.tuples(TERMS, st.sets(st.text(max_size=3), max_size=3)), max_size=8
)


def in_batches(documents: "Iterable[Prepared]") -> "Iterator[Batch]":
    """Documents in batches of three."""
    rest = list(documents)
    for start in range(0, len(rest), 3):
        batch = batch_of(rest[start : start + 3])
        assert from_line(as_line(batch)) == batch
        yield batch


def written(
    folder: str, documents: list[tuple[dict[str, float], set[str]]]
) -> SegmentId:
    whooshs = whoosh_codec.Writer(folder, ())
    for number, (terms, tags) in enumerate(documents):
        row = b'{"n":%d}' % number
        document = Prepared(terms, {"tag": tuple(tags)}, row, PACKED[number])
        whooshs.add_batch(batch_of([document]))
    whooshs.commit_with(())
    (name,) = whooshs.written
    return name


@given(DOCUMENTS)
def test_a_new_segment_has_the_bytes_that_whoosh_would_write(
    tmp_path_factory: pytest.TempPathFactory, documents: Documents
) -> None:
    folder = str(tmp_path_factory.mktemp("segment"))
    ours = new_segment.write(
        folder,
        in_batches(
            Prepared(terms, {"tag": tuple(sorted(tags))}, b'{"n":%d}' % n, PACKED[n])
            for n, (terms, tags) in enumerate(documents)
        ),
    )
    if not documents:
        assert ours == ()
        assert os.listdir(folder) == []
        return
    theirs = written(folder, documents)
    assert ours == (theirs._replace(name=ours[0].name),)
    for end in (segment.TERMS, segment.POSTINGS, segment.DOCUMENTS):
        files = [Path(folder, which.file(end)) for which in (*ours, theirs)]
        assert files[0].read_bytes() == files[1].read_bytes()


@given(st.lists(st.text("ab\0\ud800é中", max_size=3), max_size=5))
def test_terms_are_encoded_together_as_each_alone(terms: list[str]) -> None:
    assert term_table.all_encoded(terms) == [*map(term_table.encoded, terms)]


@given(st.lists(DOCUMENTS, max_size=4), DOCUMENTS, st.data())
def test_segments_that_are_merged_without_whoosh_have_the_bytes_of_its_merge(
    tmp_path_factory: pytest.TempPathFactory,
    segments: list[Documents],
    added: Documents,
    data: st.DataObject,
) -> None:
    """Whichever documents were deleted, all of a segment's and none included."""
    folder = str(tmp_path_factory.mktemp("segments"))
    known = [written(folder, documents) for documents in segments if documents]
    total = sum(which.documents for which in known)
    gone = data.draw(st.sets(st.integers(0, total - 1))) if total else set[int]()

    def merged(few: int) -> tuple[SegmentId, ...]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(writer, "_FEW", few)
            patch.setattr(writer, "to_merge", lambda kept: kept[:2])
            return writer.update(folder, known, gone, in_batches(prepared(added)))

    ours, theirs = merged(1_000), merged(-1)
    assert [which._replace(name="") for which in ours] == [
        which._replace(name="") for which in theirs
    ]
    for end in (segment.TERMS, segment.POSTINGS, segment.DOCUMENTS):
        for one, other in zip(ours, theirs, strict=True):
            files = [Path(folder, which.file(end)) for which in (one, other)]
            assert files[0].read_bytes() == files[1].read_bytes()


def prepared(documents: Documents) -> "Iterator[Prepared]":
    for number, (terms, tags) in enumerate(documents):
        row = b'{"n":%d}' % number
        yield Prepared(terms, {"tag": tuple(sorted(tags))}, row, PACKED[number])


def test_few_documents_are_merged_without_whoosh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path)
    known: tuple[SegmentId, ...] = ()
    for number in range(6):
        documents = [
            Prepared({f"word{3 * number + i}": 1.0}, {}, b"{}", PACKED[i])
            for i in range(3)
        ]
        known = writer.update(folder, known, [], [batch_of(documents)])
    monkeypatch.setitem(sys.modules, "memcli.search.whoosh_codec", None)
    (made,) = writer.update(folder, known, [1, 4], [])
    assert (made.documents, made.deleted) == (16, ())
    held = Segment(folder, made, 0)
    found = [held.frequency("terms", f"word{number}") for number in range(18)]
    assert found == [1, 0, 1, 1, 0, *[1] * 13]


def test_a_segment_that_the_disk_refuses_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_segment, "DOCUMENTS", "/no-such-folder/x")
    document = Prepared({"a": 1.0}, {}, b"{}", PACKED[0])
    with pytest.raises(OSError, match="no-such-folder"):
        new_segment.write(str(tmp_path), [batch_of([document])])
    assert os.listdir(tmp_path) == []


def sizes(*counts: tuple[int, int]) -> list[SegmentId]:
    """Segments of so many documents, of which so many are deleted."""
    return [
        SegmentId(str(number), documents, tuple(range(deleted)))
        for number, (documents, deleted) in enumerate(counts)
    ]


@pytest.mark.parametrize(
    ("counts", "merged"),
    [
        ([], ""),
        ([(1000, 0), (1, 0), (2, 0)], ""),
        ([(1000, 0), (1, 0), (1, 0), (1, 0), (1, 0), (1, 0)], "12345"),
        ([(1000, 0), (500, 0), (1, 0), (1, 0), (1, 0), (1, 0)], "2345"),
        ([(10, 0)] * 6, "012345"),
        ([(1000, 501), (4, 2), (3, 2), (1, 1)], "023"),
    ],
)
def test_small_segments_are_merged_when_there_are_six_and_half_deleted_ones_always(
    counts: list[tuple[int, int]], merged: str
) -> None:
    chosen = {segment.name for segment in writer.to_merge(sizes(*counts))}
    assert chosen == set(merged)


def test_documents_are_taken_out_by_their_numbers_across_all_segments() -> None:
    left = writer.without(sizes((3, 1), (1, 0), (2, 0)), [1, 3, 4, 5])
    assert [segment.deleted for segment in left] == [(0, 1), (0,), (0, 1)]


@given(DOCUMENTS.filter(bool), st.data())
def test_ours_and_whooshs_reader_agree_on_everything(
    tmp_path_factory: pytest.TempPathFactory,
    documents: Documents,
    data: st.DataObject,
) -> None:
    folder = str(tmp_path_factory.mktemp("segment"))
    which = written(folder, documents)
    gone = data.draw(st.sets(st.integers(0, len(documents) - 1)))
    ours = Segment(folder, which._replace(deleted=tuple(sorted(gone))), 0)
    codec = whoosh_codec._Codec()  # type: ignore[abstract]
    theirs = SegmentReader(
        FileStorage(folder),
        whoosh_codec.schema(),
        W3Segment(codec, segment.INDEX_NAME, which.documents, which.name, gone),
    )
    found: dict[tuple[str, bytes], list[tuple[int, float]]] = {}
    for field, term, doc, weight, _ in theirs.iter_postings():
        found.setdefault((field, term), []).append((doc, weight))
    for field, term, _ in ours.terms():
        text = term.decode("utf-8", "surrogatepass")
        held = ours.postings(field, text)
        assert held is not None
        assert list(zip(*held, strict=True)) == found.get((field, term), [])
        assert ours.frequency(field, text) == len(held[0])
        assert ours.live_frequencies(field, [b"not there", term]) == [0, len(held[0])]
        assert text in list(ours.starting(field, text[:1]))
    wanted = {
        (field, text.encode("utf-8", "surrogatepass"))
        for terms, tags in documents
        for field, texts in (("terms", terms), ("tag", tags))
        for text in texts
    }
    assert {(field, term) for field, term, _ in ours.terms()} == wanted
    assert ours.postings("terms", "not there") is None
    assert ours.records() == PACKED[: len(documents)]
    for doc, stored in theirs.iter_docs():
        assert stored == {"row": ours.row(doc)}
    ours.close()
    theirs.close()


@given(st.data())
def test_a_changed_or_cut_file_gives_what_was_written_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    documents: Documents = [({"one": 1.0, "two": 2.0}, {"t"}), ({"one": 1.0}, set())]
    which = written(str(folder), documents)
    before = everything(folder, which)
    ending = data.draw(st.sampled_from([".trm", ".pst", ".doc"]))
    path = folder / which.file(ending)
    whole = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[place:]
    else:
        whole[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(whole))
    try:
        found = everything(folder, which)
    except (segment_file.Damaged, OSError, ValueError):
        return  # said, and the index is built anew
    assert found[1:] == before[1:], "packed records and rows have checksums"
    # A changed byte in the text of a term may hide it; its list is never another one.
    for term, held in found[0].items():
        assert held in (None, *before[0].values()), term


@pytest.mark.parametrize("fact", FACTS)
def test_a_damaged_column_is_said_by_the_check_whether_or_not_a_recall_reads_it(
    tmp_path: Path, fact: str
) -> None:
    documents: Documents = [({"one": 1.0}, set()), ({"two": 1.0}, set())]
    which = written(str(tmp_path), documents)
    path = tmp_path / which.file(segment.DOCUMENTS)
    whole = path.read_bytes()
    start, _ = SPANS[fact]
    place = segment._COLUMNS + 2 * start + 4 * FACTS.index(fact)
    path.write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
    damaged = Segment(str(tmp_path), which, 0)
    for name in set(FACTS) - {fact}:
        damaged.column(name)
    with pytest.raises(segment_file.Damaged, match="checksum"):
        damaged.check()


def test_damage_to_what_is_known_of_all_documents_is_said_when_it_is_read(
    tmp_path: Path,
) -> None:
    which = written(str(tmp_path), [({"one": 1.0}, set())])
    path = tmp_path / which.file(segment.DOCUMENTS)
    whole = path.read_bytes()
    for place in range(segment_file.HEADER_SIZE, segment._COLUMNS):
        changed = whole[place] ^ 1
        path.write_bytes(whole[:place] + bytes([changed]) + whole[place + 1 :])
        with pytest.raises(segment_file.Damaged, match="checksum"):
            Segment(str(tmp_path), which, 0)


def everything(
    folder: Path, which: SegmentId
) -> tuple[dict[str, object], list[bytes], list[bytes]]:
    read = Segment(str(folder), which, 0)
    terms: dict[str, object] = {}
    for field, term, _ in read.terms():
        text = term.decode("utf-8", "replace")
        terms[text] = read.postings(field, text)
    return terms, read.records(), [read.row(doc) for doc in range(2)]


@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\0"), max_size=3),
        st.lists(
            st.tuples(
                st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=3),
                st.integers(0, 2**62),
                st.integers(0, 2**40),
            ),
            max_size=3,
        ),
        max_size=4,
    )
)
def test_a_listing_comes_back_from_its_bytes(
    rows: dict[str, list[tuple[str, int, int]]],
) -> None:
    folders = {name: _part(name, items) for name, items in rows.items()}
    listed = ListedFiles(ListedFiles.of(folders).data)
    assert listed.is_of(folders)
    assert listed == ListedFiles.of(folders)
    for name, items in rows.items():
        assert listed.part(name) == folders[name]
        above = f"{name}/" if name else ""
        stats = [(above + file, (time, size)) for file, time, size in items]
        assert list(stats_of(listed.part(name))) == stats
    assert listed.part("no such folder") is None
    assert not listed.is_of({**folders, "another": part("another", "a", [1], [2])})


def _part(folder: str, rows: list[tuple[str, int, int]]) -> bytes:
    times, sizes = [time for _, time, _ in rows], [size for _, _, size in rows]
    return part(folder, [name for name, _, _ in rows], times, sizes)


# Audit hooks are told of each class that a pickle names.
_WATCHED = """
import sys
def watch(event, arguments):
    if event.startswith("pickle."):
        sys.stderr.write("UNPICKLED %r\\n" % (arguments,))
sys.addaudithook(watch)
from memcli.cli.argv import main
sys.argv = ["memcli", *sys.argv[1:]]
main()
"""


def test_no_command_unpickles_anything(vault: Vault) -> None:
    for words in (
        ["save", "We deploy on Mondays", "--entity", "Deploy Bot"],
        ["recall", "deploy"],
        ["save", "Redis restarts on Tuesdays"],
        ["recall", "when does redis restart?"],
        ["reflect", "deploy"],
        ["inspect", "index"],
        ["inspect", "entities"],
        ["inspect"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", _WATCHED, *words, "--vault", vault.root],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "UNPICKLED" not in done.stderr


def test_no_module_of_memcli_knows_pickle_or_marshal() -> None:
    package = Path(segment.__file__).parent.parent
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import pickle" not in text, path
        assert "import marshal" not in text, path
