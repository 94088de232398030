"""Ids sort, slugs name files, equal texts are equal, values are what they may be."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.entries.dates import check_date
from memcli.entries.entry import KINDS, Entry, check_kind, check_tag, fitting_tag
from memcli.entries.ids import ID_LENGTH, id_time, is_id, new_id, slug
from memcli.errors import InvalidValue

times = st.integers(0, 2**45 - 1)


def zeros(count: int) -> bytes:
    return bytes(count)


def ones(count: int) -> bytes:
    return b"\xff" * count


# --- ids --------------------------------------------------------------------------


@settings(max_examples=200)
@given(times, times)
def test_ids_sort_by_time(one: int, other: int) -> None:
    early, late = sorted((one, other))
    if early < late:
        assert new_id(early, ones) < new_id(late, zeros)
    made = new_id(one, ones)
    assert is_id(made)
    assert len(made) == ID_LENGTH
    assert id_time(made) == one


@pytest.mark.parametrize(
    "text", ["", "1m7xsadcexpb72n", "1m7xsadcexpb72ntt", "1M7XSADCEXPB72NT", "u" * 16]
)
def test_what_is_no_id_is_told(text: str) -> None:
    assert not is_id(text)


# --- slugs ------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.text(max_size=100))
def test_a_slug_is_a_file_name(title: str) -> None:
    made = slug(title)
    assert re.fullmatch("[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", made)
    assert len(made) <= 60
    assert slug(made) == made


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Use ruff, not flake8!", "use-ruff-not-flake8"),
        ("Über die Straße nach Łódź", "uber-die-strasse-nach-lodz"),
        ("Don't panic", "dont-panic"),
        ("404", "404"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "con-note"),
        ("a" * 70, "a" * 60),
        ("日本 memo", "memo"),
    ],
)
def test_slugs_read_like_their_titles(title: str, wanted: str) -> None:
    assert slug(title) == wanted


# --- titles -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("# Head\n\ntext", "Head"),
        ("Intro first.\n\n## Part ##\n", "Part"),
        ("```sh\n# no heading\n```\nText. More.", "Text"),
        ("#tag and text", "#tag and text"),
        ("---\n\n- [ ] **Buy** milk; then eggs", "Buy** milk"),
        ("\n\n> 1. quoted\n", "quoted"),
        ("中文。更多", "中文"),
        ("**Use pnpm**.", "Use pnpm"),
        ("word " * 30, "word word " * 7 + "word word…"),
        ("", "stem"),
        ("####### seven", "####### seven"),
        ("x" * 1_000_000, "x" * 79 + "…"),
    ],
)
def test_a_title_is_found_in_the_body(body: str, wanted: str) -> None:
    title = Entry("id", body=body, path="memories/note/stem.md").display_title
    assert title == wanted.strip()


# --- checks -----------------------------------------------------------------------


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    assert check_kind(" Fix ", KINDS) == "fix"
    with pytest.raises(InvalidValue) as caught:
        check_kind("prefrence", KINDS)
    assert "note, preference, workflow" in caught.value.message
    assert caught.value.hint == "Did you mean 'preference'?"
    assert caught.value.code == "invalid_kind"


@pytest.mark.parametrize(
    "tag",
    ["a", "key:value", "a/b", "c++", "v1.2", "_x", "日本", "हिन्दी", "می‌خواهم", "7"],
)
def test_tags_of_every_script_are_tags(tag: str) -> None:
    assert check_tag(f" {tag.upper()} ") == tag


@pytest.mark.parametrize(
    ("tag", "fitting"),
    [
        ("Two Words", "two-words"),
        ("hey!", "hey"),
        ("a\nb", "a-b"),
        ("🔥", ""),
    ],
)
def test_a_refused_tag_comes_with_one_that_would_do(tag: str, fitting: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        check_tag(tag)
    assert caught.value.hint == (f"Use '{fitting}'." if fitting else None)
    assert fitting_tag(tag) == fitting


@settings(max_examples=200)
@given(st.text(max_size=20))
def test_a_fitting_tag_fits_and_stays(text: str) -> None:
    fitting = fitting_tag(text)
    if fitting:
        assert check_tag(fitting) == fitting
        assert fitting_tag(fitting) == fitting


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("2023", "2023"),
        (" 2024-02-29 ", "2024-02-29"),
        ("2023-05-08T09:30", "2023-05-08T09:30:00Z"),
        ("2023-05-08 09:30:15.999", "2023-05-08T09:30:15Z"),
        ("2023-05-08t09:30:15z", "2023-05-08T09:30:15Z"),
        ("2023-05-08T09:30:15+02:00", "2023-05-08T07:30:15Z"),
        ("2023-01-01T00:30+0530", "2022-12-31T19:00:00Z"),
    ],
)
def test_a_date_stays_as_coarse_as_it_is(value: str, wanted: str) -> None:
    assert check_date(value, "created") == wanted
    assert check_date(wanted, "created") == wanted


@pytest.mark.parametrize(
    "value",
    [
        *("", "now", "23", "0000", "2023-13", "2023-00", "2023-1-2", "20230102"),
        *("2023-02-29", "1900-02-29", "2023-04-31", "2023-05-08T24:00", "٢٠٢٣"),
        *("2023-05-08T09:60", "2023-05-08T09:30:60", "2023-05-08T09:30+25:00"),
        *("0001-01-01T00:00+01:00", "9999-12-31T23:00-02:00", "2023-05-08Z"),
    ],
)
def test_an_impossible_date_is_refused(value: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        check_date(value, "expires_at")
    assert caught.value.code == "invalid_expires_at"
    assert caught.value.message.startswith("expires_at: not a date")
