"""Tags in the text of a note, and the date in its file's name."""

import pytest

from memcli import Vault
from memcli.entries.entry import Entry
from memcli.entries.ids import adopted_id
from memcli.entries.text.links import as_read, date_of_name, inline_tags
from tests.saving import write


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("#Ops at the start\nand #area/ci, and again #ops.", ("ops", "area/ci")),
        ("#büro #日本 #with_under-score", ("büro", "日本", "with_under-score")),
        ("# Heading\n## Another\n#", ()),
        ("#12 and #1-2 are numbers, #1a is a tag", ("1a",)),
        ("C# and a#b and http://x/#part and ](#part) and ##no", ()),
        ("`#no` and\n```\n#no\n```\nand #yes", ("yes",)),
        ("~~~\n#no", ()),
        ("#a#b #/ #- #--", ()),
    ],
)
def test_tags_of_a_text(body: str, tags: tuple[str, ...]) -> None:
    assert inline_tags(body) == tags


def test_a_text_of_tags_gives_a_limited_number_in_linear_time() -> None:
    body = " ".join(f"#tag{number}" for number in range(50_000))
    assert len(inline_tags(body)) == 64
    assert inline_tags("#" * 300_000) == ()
    assert inline_tags("`" * 300_000 + "#a") == ()


@pytest.mark.parametrize(
    ("path", "date"),
    [
        ("daily/2026-03-14.md", "2026-03-14"),
        ("Standup 2026.03.14 with Bob.md", "2026-03-14"),
        ("20260314 notes.md", "2026-03-14"),
        ("2026-03-14/notes.md", None),
        ("2026-02-30.md", None),
        ("12026-03-14.md", None),
        ("build 20260314.md", None),
        ("2026-13-01 moved to 2026-12-01.md", "2026-12-01"),
    ],
)
def test_the_date_of_a_name(path: str, date: str | None) -> None:
    assert date_of_name(path) == date


def test_only_a_note_that_memcli_did_not_write_is_read_so() -> None:
    path = "notes/2026-03-14.md"
    note = Entry(id=adopted_id(path), body="fixed #12 in #ci", path=path, tags=("a",))
    read = as_read(note)
    assert (read.tags, read.occurred_at) == (("a", "ci"), "2026-03-14")
    dated = note.replace(occurred_at="2020-01-01")
    assert as_read(dated).occurred_at == "2020-01-01"
    own = note.replace(id="1m7xvn68xtqp489w")
    assert as_read(own) is own


def test_an_adopted_note_is_found_by_all_of_them_and_stays_as_it_is(
    vault: Vault,
) -> None:
    text = "---\naliases: [Zeppelin]\ntags: [own]\n---\nWe met in the #büro about ci.\n"
    path = write(vault, "daily/2026-03-14 Standup.md", text)
    (row,) = vault.recall("zeppelin").rows
    assert (row.tags, row.occurred_at) == (["own", "büro"], "2026-03-14")
    for found in (
        vault.recall("met", tags=["büro"]),
        vault.recall("met", tags=["own"]),
        vault.recall("met", after="2026-03-14", before="2026-03-15"),
    ):
        assert [r.id for r in found.rows] == [row.id]
    assert vault.recall("what happened in march 2026?").rows
    assert path.read_text(encoding="utf-8") == text


def test_a_change_of_the_note_writes_none_of_them_into_it(vault: Vault) -> None:
    path = write(vault, "daily/2026-03-14.md", "The queue is stuck #ops\n")
    vault.resolve("2026-03-14")
    written = path.read_text(encoding="utf-8")
    assert "status: resolved" in written
    assert "tags" not in written
    assert "occurred_at" not in written
